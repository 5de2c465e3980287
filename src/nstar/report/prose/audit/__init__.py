"""An Audit in words, and a ranking as papers print it."""

from dataclasses import replace

from nstar._verbs.audit import Audit
from nstar._verbs.judged import JudgedRanking
from nstar.report.documents import Document, TextTable
from nstar.report.prose.audit import average
from nstar.report.prose.audit.assumptions import METHODS, assumptions, basis, intervals
from nstar.report.prose.audit.headline import audit_sentences
from nstar.report.prose.audit.notes import detail, notes
from nstar.report.prose.audit.ranking import ranking_of, shown_models
from nstar.report.prose.audit.tables import (
    bins,
    read_as,
    requested_pairs,
    stress,
    unadjusted_pairs,
)
from nstar.report.prose.gap import coverage
from nstar.report.prose.judged_ranking import judged_grid
from nstar.report.prose.letter_display import LetterDisplay, letters
from nstar.report.prose.numbers import count, items, name, percent

_LEFT_OUT = ("p", "q", "adj. p", "adj. q")


def _caption(result: Audit, grid: TextTable, ties: LetterDisplay) -> str:
    conf = coverage(1 - result.criteria.alpha)
    how = METHODS[result.rank_method]
    said = (
        f"{grid.title}. Rank sets and lines hold for all models at once with {conf} confidence "
        f"({how}). {intervals(result)} Unresolved is not evidence of equality."
    )
    if ties.of is None:
        return f"{said} There are no tie letters: {ties.why_not}."
    return (
        f"{said} Models that share a letter are not told apart at that level, which is not "
        "evidence that they are equal; a model may share one letter with a better and another "
        "with a worse model, though these two are told apart."
    )


def _grid(result: Audit, grid: TextTable, where: str | None) -> TextTable:
    """The grid of the report with letters instead of p-values."""
    ties = letters(result)
    asked = None if where is None else result.ranking.model.index(where)
    model = iter(shown_models(len(result), asked))
    kept = [k for k, title in enumerate(grid.header) if title not in _LEFT_OUT]
    rows = []
    for row in grid.rows:
        letter = "" if ties.of is None or row[0] == "…" else ties.of[next(model)]
        rows.append([row[k] for k in kept])
        if ties.of is not None:
            rows[-1].insert(2, letter)
    header = [grid.header[k] for k in kept]
    if ties.of is not None:
        header.insert(2, "ties")
    return replace(
        grid,
        title=_caption(result, grid, ties),
        header=tuple(header),
        rows=tuple(map(tuple, rows)),
    )


def for_paper(result: Audit, doc: Document, where: str | None = None) -> Document:
    """The document of a ranking with its first table as papers print it."""
    return replace(doc, key=(), grids=(_grid(result, doc.grids[0], where), *doc.grids[1:]))


def _on(audit: Audit) -> str:
    """Items and task; a model that lacks some has fewer."""
    most = "up to " if audit.item_set == "pairwise" and not audit.is_complete else ""
    return f"{most}{items(audit.n_items)}" + (f" of {name(audit.task)}" if audit.task else "")


def _corrected(judged: JudgedRanking) -> str:
    """How scores came about, for a paragraph."""
    return (
        f", scored by a judge and corrected by labels that people gave to a random "
        f"{count(judged.n_labels)} of them (regression estimator, one slope for all models)"
    )


def document(audit: Audit, *, where: str | None = None) -> Document:
    """Headline, ranking, what survives which reading, notes."""
    if len(audit.tasks) > 1:
        return average.document(audit, where=where)
    ranking = ranking_of(audit, where)
    said = audit_sentences(audit, ranking)
    as_read = "" if audit.design == "independent" else f", {read_as(audit.design)}"
    weighted = "" if audit.n_effective is None else "weighted "
    by = (
        f"{weighted}mean [{name(audit.metric)}]"
        if audit.judge_correction is None
        else "corrected mean"
    )
    title = (
        f"Ranking by {by}{as_read}, with {coverage(ranking.conf)} rank "
        "sets and the gap to the next model"
    )
    return Document(
        headline=" ".join(said),
        opening=said[0],
        enough=ranking.needs() or "",
        key=(ranking.key(title), *requested_pairs(audit)),
        grids=(
            ranking.grid(title),
            *requested_pairs(audit),
            *(
                ()
                if audit.judge_correction is None
                else (judged_grid(audit.judge_correction, audit),)
            ),
            stress(audit),
            bins(audit),
            *unadjusted_pairs(audit),
        ),
        notes=notes(audit, ranking),
        detail=detail(audit),
        basis=basis(audit),
        assumptions=assumptions(audit, ranking),
    )


def paragraph(audit: Audit) -> str:
    """What a leaderboard may print beside its ranking."""
    if len(audit.tasks) > 1:
        return average.paragraph(audit)
    ranking, c = ranking_of(audit), audit.criteria
    every = "that all of them answered" if audit.item_set == "common" else "that both answered"
    draws = "" if audit.n_draws is None else f", {audit.n_draws:,} draws, seed {audit.seed}"
    by = "" if audit.judge_correction is None else _corrected(audit.judge_correction)
    if audit.n_effective is not None:
        by = f" of unequal weight, worth {count(round(audit.n_effective))} of equal weight"
    return (
        f"{len(audit):,} models are ranked by their mean score on {_on(audit)}{by}; every pair "
        f"was compared on the items {every} ({read_as(audit.design)}). Rank sets and tier lines "
        f"hold for all models at once with {coverage(1 - c.alpha)} confidence "
        f"({METHODS[audit.rank_method]}{draws}). The ranking {ranking.supported()}. Resolved "
        "means significant and, if the gap is really as seen, found again with "
        f"{percent(c.power)} probability or more; unresolved is not evidence of equality."
    )
