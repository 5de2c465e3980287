"""Page of ratings from votes: which models could be best, the ladder, ratings, and pairs."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from nstar._verbs.battles import Battles
from nstar.errors import ParameterError
from nstar.report import document
from nstar.report.charts import Figure
from nstar.report.charts.ladder import NARROW, WIDE, ladder
from nstar.report.charts.win_matrix import win_matrix
from nstar.report.documents import Document, TextTable
from nstar.report.page._document import shell
from nstar.report.page._markup import (
    closing,
    footer,
    header,
    section,
    table,
    tables,
    two_pictures,
)
from nstar.report.prose.battles import METHODS
from nstar.report.prose.battles.headline import groups_of
from nstar.report.prose.numbers import percent

__all__ = ["SCRIPTS", "page", "rules", "sections"]

SCRIPTS = ("dom.js", "votes.js")
_TITLE = "Ratings from votes"


def _facts(result: Battles) -> Iterator[str]:
    yield f"{result.n_pairs:,} {'pair' if result.n_pairs == 1 else 'pairs'}"
    if result.unrated:
        yield f"{len(result.unrated):,} without a rating"


def rules(result: Battles) -> str:
    """Level, power and policy in a few words."""
    c = result.criteria
    method = METHODS[result.adjust]
    kind = f", {groups_of(result.cluster)} as clusters" if result.cluster else ""
    return f"α = {c.alpha:g}, {percent(c.power)} power, {method}{kind}"


def _ratings(grid: TextTable) -> TextTable:
    """The numbers of the ladder without tiers, which have lines."""
    k = grid.header.index("tier")
    header, *rows = ((*row[:k], *row[k + 1 :]) for row in (grid.header, *grid.rows))
    return replace(grid, header=header, rows=tuple(rows))


def _matrix(result: Battles) -> str:
    """Who met whom; nothing if that is not known."""
    with suppress(ParameterError):
        wide, narrow = (win_matrix(result, width=w) for w in (WIDE, NARROW))
        return section(
            "met", "Win matrix", two_pictures("matrix", wide, narrow, table(wide.table))
        )
    return ""


def _readings(doc: Document) -> str:
    """Groups of votes, effects, lack of fit, who has no rating; nothing without any."""
    others = doc.grids[1:]
    return section("readings", "Sensitivity and effects", tables(others)) if others else ""


def sections(result: Battles, doc: Document, ladder: Figure) -> dict[str, str]:
    """Ratings, who met whom and what else moves them; ``ladder`` is the ladder."""
    parts = {
        "ratings": section("ratings", "Ratings", table(_ratings(ladder.table))),
        "met": _matrix(result),
        "readings": _readings(doc),
    }
    return {key: part for key, part in parts.items() if part}


def _body(result: Battles, where: str | None) -> str:
    doc = document(result, paragraph=True, where=where)
    wide, narrow = (ladder(result, where=where, width=w, titled=False) for w in (WIDE, NARROW))
    parts = sections(result, doc, wide)
    return "\n".join(
        (
            '<a class="skip" href="#ratings">Skip to the ratings</a>',
            header(_TITLE, doc, (*_facts(result), rules(result))),
            "<main>",
            two_pictures("ladder", wide, narrow),
            *parts.values(),
            *closing(replace(doc, notes=(*doc.notes, *doc.detail))),
            "</main>",
            footer(),
        )
    )


def page(result: Battles, *, where: str | None = None) -> str:
    """Return the complete file."""
    return shell(
        title=f"{_TITLE}: {document(result).spoken()[0]}",
        body=_body(result, where),
        scripts=SCRIPTS,
    )
