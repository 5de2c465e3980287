"""Page of ratings from votes: the finding, the ladder, all models, and the win matrix."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from html import escape

from nstar._verbs.battles import Battles
from nstar._verbs.battles.rate import NEWCOMER
from nstar.errors import ParameterError
from nstar.report import document
from nstar.report.charts._votes_board import format_rating
from nstar.report.charts.ladder import NARROW, WIDE
from nstar.report.charts.win_matrix import win_matrix
from nstar.report.documents import Document
from nstar.report.page._document import shell
from nstar.report.page._ladder import GapMark, LadderRow, LadderView, ladder
from nstar.report.page._markup import (
    callout,
    closing,
    footer,
    header,
    section,
    table,
    tables,
    two_pictures,
)
from nstar.report.page._models_table import NAME, VERDICT, ModelColumn, ModelRow, models_table
from nstar.report.page.audit import MAX_DOTS, changes_section, table_caption
from nstar.report.prose.audit.ranking import rank_set
from nstar.report.prose.battles import METHODS, change_words
from nstar.report.prose.battles.headline import elo_number, groups_of, rounded, too_many
from nstar.report.prose.battles.next_votes import gain, next_pairs
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import count, name, percent, votes

__all__ = ["SCRIPTS", "battles_view", "page", "rules", "sections", "top"]

SCRIPTS = ("dom.js", "verdicts.js", "models_table.js", "votes.js")
_SUBJECT = "Ratings from votes"


def _facts(result: Battles) -> Iterator[str]:
    yield f"{result.n_models:,} models"
    if result.unrated:
        yield f"{len(result.unrated):,} without a rating"
    yield votes(result.n_votes)
    yield f"{result.n_pairs:,} {'pair' if result.n_pairs == 1 else 'pairs'}"
    yield rules(result)


def rules(result: Battles) -> str:
    """Level, power and policy in a few words."""
    c = result.criteria
    method = METHODS[result.adjust]
    kind = f", {groups_of(result.cluster)} as clusters" if result.cluster else ""
    return f"α = {c.alpha:g}, {percent(c.power)} power, {method}{kind}"


def _few_votes(result: Battles, i: int) -> str:
    return " †" if result.ratings.n_votes[i] < NEWCOMER else ""


def _gap_marks(result: Battles) -> list[GapMark | None]:
    """The gap of each model to the next; None for the last."""
    g = result.adjacent
    columns = (g.elo.tolist(), g.ci_adjusted_low.tolist(), g.ci_adjusted_high.tolist(), g.states)
    marks = (
        GapMark(value=value, low=low, high=high, text=elo_number(value, sign=True), state=state)
        for value, low, high, state in zip(*columns, strict=True)
    )
    return [*marks, None]


def battles_view(result: Battles, where: str | None = None) -> LadderView:
    """Return the ladder of ratings."""
    r, conf, mde = result.ratings, coverage(result.confidence_level), result.resolvable_gap
    return LadderView(
        rows=[
            LadderRow(
                rank=f"{r.rank[i]:,}",
                name=name(r.model[i]) + _few_votes(result, i),
                score=format_rating(float(r.rating[i])),
                low=int(r.rank_low[i]),
                high=int(r.rank_high[i]),
                tier=int(r.tier[i]),
                gap=mark,
            )
            for i, mark in enumerate(_gap_marks(result))
        ],
        score="Elo",
        gap="Gap to the next model, Elo",
        interval=f"Adjusted {conf} CI",
        ranks=f"{conf} rank range",
        mde=None if mde is None else mde.median,
        highlight=None if where is None else r.model.index(where),
    )


def _columns(result: Battles) -> tuple[ModelColumn, ...]:
    conf = coverage(result.confidence_level)
    is_controlled = result.ratings.uncontrolled_rating is not None
    without = (ModelColumn("Elo without controls", "wide num"),) if is_controlled else ()
    return (
        *(ModelColumn("Rank"), NAME, ModelColumn("Elo"), *without),
        *(ModelColumn(f"{conf} CI", "wide"), ModelColumn("Rank range", "wide")),
        *(ModelColumn("Votes", "wide num"), ModelColumn("Gap to next", "wide num")),
        *(ModelColumn(f"Adjusted {conf} CI", "wide"), VERDICT),
        ModelColumn("More votes needed", "wide num"),
    )


def _needed(result: Battles, i: int) -> str:
    n_more = float(result.adjacent.more_direct_votes[i])
    if result.adjacent.verdict[i] == "significant" and not result.adjacent.is_underpowered[i]:
        return "enough"
    return "over 10×" if too_many(result, n_more) else f"+{count(rounded(n_more))}"


def _cells(result: Battles, i: int) -> Iterator[str]:
    r, g = result.ratings, result.adjacent
    yield f"{r.rank[i]:,}"
    yield name(r.model[i]) + _few_votes(result, i)
    yield format_rating(float(r.rating[i]))
    if r.uncontrolled_rating is not None:
        yield format_rating(float(r.uncontrolled_rating[i]))
    yield " to ".join(format_rating(float(end[i])) for end in (r.ci_low, r.ci_high))
    yield rank_set(r, i)
    yield f"{r.n_votes[i]:,}"
    if i >= len(g):
        yield from ("", "", "")
        return
    yield elo_number(float(g.elo[i]), sign=True)
    ends = (g.ci_adjusted_low, g.ci_adjusted_high)
    yield " to ".join(elo_number(float(end[i]), sign=True) for end in ends)
    yield _needed(result, i)


def _rows(result: Battles, where: str | None) -> Iterator[ModelRow]:
    r, states = result.ratings, result.adjacent.states
    for i in range(len(r)):
        rank, model, *others = map(escape, _cells(result, i))
        is_marked = r.model[i] == where
        yield ModelRow(
            cells=(rank, f"{'→ ' * is_marked}{model}", *others),
            state=states[i] if i < len(states) else None,
            starts_tier=i > 0 and bool(r.tier[i] != r.tier[i - 1]),
            is_marked=is_marked,
        )


def _below(result: Battles) -> Iterator[str]:
    """What the cells of the table leave unsaid."""
    if (result.ratings.n_votes < NEWCOMER).any():
        yield f"† Rated from fewer than {NEWCOMER} votes."
    yield (
        "More votes needed: additional votes between the two models that detect the gap if the "
        "true gap equals the observed gap. “over 10×” means over 10 times the current votes."
    )


def _matrix(result: Battles) -> str:
    """Who met whom; nothing if that is not known."""
    with suppress(ParameterError):
        wide, narrow = (win_matrix(result, width=w) for w in (WIDE, NARROW))
        return section(
            "met", "Win matrix", two_pictures("matrix", wide, narrow, table(wide.table))
        )
    return ""


def _next(result: Battles, doc: Document) -> str:
    """Pairs of the next votes; nothing if none were chosen."""
    if result.next_votes is None:
        return ""
    title = next_pairs(result).title
    chosen = tuple(grid for grid in doc.grids if grid.title == title)
    text = f'<p class="remark">{escape(gain(result.next_votes))}</p>'
    return section("next", "Votes to collect next", text, tables(chosen))


def top(result: Battles, doc: Document, subject: str = _SUBJECT) -> str:
    """Return the header."""
    states = result.adjacent.states if len(result.adjacent) <= MAX_DOTS else ()
    return header(subject, doc, _facts(result), states)


def sections(result: Battles, doc: Document, where: str | None = None) -> list[str]:
    """Return caution, ladder, all models, who met whom, and what else affects the votes."""
    caption = table_caption(int(result.ratings.tier[-1]), "votes needed")
    models = models_table(_columns(result), _rows(result, where), caption)
    notes = "".join(f'<p class="remark">{escape(text)}</p>' for text in _below(result))
    chart, following = ladder(battles_view(result, where)), next_pairs(result).title
    others = tuple(grid for grid in doc.grids[1:] if grid.title != following)
    return [
        callout(doc.caution),
        changes_section(result.changes, change_words(result)),
        section("ranks", "Which ranks are supported", chart),
        section("ranking", "All models", models, notes),
        _next(result, doc),
        _matrix(result),
        section("readings", "Sensitivity and effects", tables(others)) if others else "",
    ]


def _body(result: Battles, where: str | None) -> str:
    doc = document(replace(result, changes=None), paragraph=True, where=where)
    return "\n".join(
        (
            '<a class="skip" href="#ranking">Skip to the ranking</a>',
            top(result, doc),
            "<main>",
            *filter(None, sections(result, doc, where)),
            *closing(replace(doc, notes=(*doc.notes, *doc.detail))),
            "</main>",
            footer(),
        )
    )


def page(result: Battles, *, where: str | None = None) -> str:
    """Return the complete file."""
    return shell(
        title=f"{document(result).title} · nstar battles",
        body=_body(result, where),
        scripts=SCRIPTS,
    )
