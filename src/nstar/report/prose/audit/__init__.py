"""Write the report of an Audit, and its ranking table for papers."""

from dataclasses import replace
from functools import partial

from nstar._verbs.audit import Audit
from nstar._verbs.judged import JudgedRanking
from nstar.report.documents import Document, TextTable
from nstar.report.prose.audit import average, task_sample
from nstar.report.prose.audit.assumptions import METHODS, assumptions, basis, intervals, measure
from nstar.report.prose.audit.headline import audit_sentences
from nstar.report.prose.audit.notes import detail, notes
from nstar.report.prose.audit.page_top import page_top
from nstar.report.prose.audit.ranking import SCORE_CI, ranking_of, shown_models
from nstar.report.prose.audit.tables import (
    bins,
    gap_scale,
    read_as,
    requested_pairs,
    stress,
    unadjusted_pairs,
)
from nstar.report.prose.board_changes import ChangeWords, with_changes
from nstar.report.prose.comparison.headline import choices
from nstar.report.prose.gap import coverage, downwards, gap, span
from nstar.report.prose.judged_ranking import judged_grid
from nstar.report.prose.letter_display import LetterDisplay, letters
from nstar.report.prose.numbers import count, items, name, percent

_LEFT_OUT = ("p", "q", "adj. p", "adj. q")


def _is_left_out(header: str) -> bool:
    """Return whether a table of a paper, which is narrow, omits a column."""
    return header in _LEFT_OUT or header.endswith(SCORE_CI)


def _reading(result: Audit, ties: LetterDisplay) -> str:
    """Return how to read a ranking in a paper, as a note."""
    conf = coverage(1 - result.criteria.alpha)
    method_text = METHODS[result.rank_method]
    text = (
        f"Rank ranges and tier lines hold simultaneously at {conf} ({method_text}). "
        f"{intervals(result)} Inconclusive is not evidence of equality."
    )
    if ties.of is None:
        return f"{text} There are no tie letters, because {ties.why_not}."
    return (
        f"{text} Models sharing a letter do not differ significantly, which is not evidence of "
        "equality. A model may share one letter with a better model and another with a worse one, "
        "although these two differ significantly."
    )


def _grid(result: Audit, grid: TextTable, ties: LetterDisplay, where: str | None) -> TextTable:
    """Return the ranking table with letters instead of p-values."""
    highlight = None if where is None else result.ranking.model.index(where)
    model = iter(shown_models(len(result), highlight))
    columns = [k for k, title in enumerate(grid.header) if not _is_left_out(title)]
    rows = []
    for row in grid.rows:
        letter = "" if ties.of is None or row[0] == "…" else ties.of[next(model)]
        rows.append([row[k] for k in columns])
        if ties.of is not None:
            rows[-1].insert(2, letter)
    header = [grid.header[k] for k in columns]
    if ties.of is not None:
        header.insert(2, "ties")
    return replace(
        grid,
        header=tuple(header),
        rows=tuple(map(tuple, rows)),
    )


def for_paper(result: Audit, doc: Document, where: str | None = None) -> Document:
    """Return the document of a ranking with its first table in the form for papers."""
    ties = letters(result)
    grid = _grid(result, doc.grids[0], ties, where)
    shared = (
        "" if ties.of is None else ", and models that share a letter do not differ significantly"
    )
    return replace(
        doc,
        opening=f"{grid.title}{'' if ties.of is None else shared}.",
        key=(),
        grids=(grid, *doc.grids[1:]),
        notes=(_reading(result, ties), *doc.notes),
    )


def _on(audit: Audit) -> str:
    """Return the number of items and the task, as a phrase."""
    prefix = "up to " if audit.item_set == "pairwise" and not audit.is_complete else ""
    return f"{prefix}{items(audit.n_items)}" + (f" of {name(audit.task)}" if audit.task else "")


def _corrected(judged: JudgedRanking) -> str:
    """Return how labels corrected the scores, for a paragraph."""
    return (
        ", scored by a judge and corrected with human labels on a random "
        f"{count(judged.n_labels)} of them (regression estimator, one slope for all models)"
    )


def change_words(audit: Audit) -> ChangeWords:
    """Return how the changes of an audit are written."""
    scale = gap_scale(audit.tasks[0])  # tasks of an average have the same scale
    return ChangeWords(
        gap=partial(gap, scale, sign=True),
        span=partial(span, scale),
        conf=coverage(1 - audit.criteria.alpha),
        lower_is_better=audit.tasks[0].lower_is_better,
        one_step=audit.adjust != "holm",
    )


def document(audit: Audit, *, where: str | None = None) -> Document:
    """Return the report: changes, headline, ranking, sensitivity analysis, and notes."""
    of = average.document if len(audit.tasks) > 1 else _document
    doc = of(audit, where=where)
    if audit.changes is None:
        return doc
    metrics = (task.metric for task in audit.tasks)
    sentences = (
        doc.caution,
        downwards(audit.tasks).strip(),
        choices(audit.findings, metrics).strip(),
    )
    short = replace(doc, headline=" ".join(filter(None, (doc.opening, *sentences))))
    return with_changes(short, audit.changes, change_words(audit))


def _document(audit: Audit, *, where: str | None = None) -> Document:
    """Return the report of one task, without changes."""
    if audit.task_sample is not None:
        return task_sample.document(audit, where=where)
    ranking = ranking_of(audit, where)
    texts = audit_sentences(audit, ranking)
    as_read = "" if audit.design == "independent" else f", {read_as(audit.design)}"
    weighted = "" if audit.n_effective is None else "weighted "
    metric = "" if audit.metric == "score" else f" [{name(audit.metric)}]"
    by = f"{weighted}mean score{metric}" if audit.statistic is None else audit.statistic
    if audit.judge_correction is not None:
        by = "corrected mean score"
    title = f"Ranking by {by}{as_read}, {coverage(ranking.conf)} rank ranges"
    return Document(
        headline=" ".join(texts),
        opening=texts[0],
        **page_top(audit, ranking),
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
        notes=tuple(notes(audit, ranking)),
        detail=tuple(detail(audit)),
        basis=basis(audit),
        assumptions=tuple(assumptions(audit, ranking)),
    )


def paragraph(audit: Audit) -> str:
    """Return a paragraph for a paper."""
    if len(audit.tasks) > 1:
        return average.paragraph(audit)
    if audit.task_sample is not None:
        return task_sample.paragraph(audit)
    ranking, c = ranking_of(audit), audit.criteria
    items_text = "that all models answered" if audit.item_set == "common" else "that both answered"
    draws = "" if audit.n_draws is None else f", {audit.n_draws:,} draws, seed {audit.seed}"
    by = "" if audit.judge_correction is None else _corrected(audit.judge_correction)
    if audit.n_effective is not None:
        by = f" of unequal weight (effective number: {count(round(audit.n_effective))})"
    return (
        f"{len(audit):,} models are ranked by {measure(audit)} on {_on(audit)}{by}; each pair was "
        f"compared on the items {items_text} ({read_as(audit.design)}). Rank ranges and tier "
        f"lines hold simultaneously at {coverage(1 - c.alpha)} "
        f"({METHODS[audit.rank_method]}{draws}). The ranking {ranking.supported()}. Underpowered "
        f"means less than {percent(c.power)} power if the true gap equals the observed gap; "
        "inconclusive is not evidence of equality."
    )
