"""An audit as a page: the answer first, then what the reader may change, then the detail."""

from collections.abc import Iterator

from nstar._verbs.audit import Audit, Leaderboard
from nstar.report import charts, document
from nstar.report.page._deck import deck
from nstar.report.page._markup import (
    closing,
    contents,
    footer,
    header,
    overview,
    section,
    table,
    tables,
)
from nstar.report.page._shell import shell
from nstar.report.words.audit.assumptions import METHODS
from nstar.report.words.numbers import items, name, percent

__all__ = ["SCRIPTS", "body", "page"]

SCRIPTS = (
    *("dom.js", "numbers.js", "detection.js", "unpack.js", "board.js", "judge.js", "pairs.js"),
    *(
        "draw.js",
        "settings_panel.js",
        "link.js",
        "ranking_table.js",
        "pair_panel.js",
        "pair_table.js",
        "report.js",
    ),
)
"""In the order in which one builds on another."""

_STATIC = (
    "All that follows is the audit as it was run. To change its settings and to compare any two "
    "models, open this file in a browser that may run its script."
)


def _title(result: Audit | Leaderboard) -> str:
    if isinstance(result, Leaderboard):
        return f"{result.average.capitalize()} average of {len(result.tasks):,} tasks"
    return name(result.task) or f"Audit of {len(result):,} models"


def _facts(result: Audit | Leaderboard) -> Iterator[str]:
    m, c = len(result), result.criteria
    yield f"{m:,} models"
    yield f"{m * (m - 1) // 2:,} pairs"
    if isinstance(result, Audit):
        yield f"{'' if result.complete else 'up to '}{items(result.n)}"
    yield f"α = {c.alpha:g}, {percent(c.power)} power, {METHODS[result.adjust]}"


def body(result: Audit | Leaderboard, *, where: str | None = None) -> str:
    """Everything that can be read without a script, and room for what needs one."""
    doc = document(result, paragraph=True, where=where)
    others = "Tasks" if isinstance(result, Leaderboard) else "Other readings"
    sections = (
        section("ranking", "Ranking", table(doc.grids[0], identity="ranking-as-run")),
        section("pair", "Two models", live=True),
        section("pairs", "All pairs", live=True),
        section("readings", others, tables(doc.grids[1:])),
    )
    links = {
        "ranking": "Ranking",
        "pair": "Two models",
        "pairs": "All pairs",
        "readings": others,
        "notes": "Notes",
        "paragraph": "Paragraph",
        "cite": "Cite",
    }
    return "\n".join(
        (
            '<a class="skip" href="#ranking">Skip to the ranking</a>',
            header(
                "What this ranking can and cannot support",
                _title(result),
                doc.headline,
                _facts(result),
            ),
            contents(links, live=("pair", "pairs")),
            "<main>",
            f'<p class="remark" id="without-script">{_STATIC}</p>',
            overview(charts.figure(result, "ladder", where=where)),
            *sections,
            *closing(doc),
            "</main>",
            footer(),
        )
    )


def page(result: Audit | Leaderboard, *, where: str | None = None) -> str:
    """The whole file."""
    return shell(
        title=f"{_title(result)}: what the ranking supports",
        body=body(result, where=where),
        data=deck(result) | {"where": where},
        scripts=SCRIPTS,
    )
