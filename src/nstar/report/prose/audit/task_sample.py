"""Write the report of an Audit of tasks as a sample."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import numpy as np

from nstar._data.findings import abbreviate
from nstar._verbs.audit import Audit, TaskSample
from nstar._verbs.audit.tables import ItemNoise
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.audit.assumptions import METHODS, direction, intervals, second_look
from nstar.report.prose.audit.headline import task_sentences
from nstar.report.prose.audit.notes import later_steps, underpowered
from nstar.report.prose.audit.page_top import page_top
from nstar.report.prose.audit.ranking import Ranking, ranking_of, shown_models
from nstar.report.prose.audit.tables import gap_scale, requested_pairs, unadjusted_pairs
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import coverage, gap, score
from nstar.report.prose.numbers import count, name, percent

MEASURES = {"mean": "mean score", "win-rate": "mean win rate", "borda": "Borda count"}
_MAX_NAME_WIDTH = 36
_LEAST_MOVE = 2
"""Smallest difference between two ranks of a model that gets its own sentence."""


def sample_of(audit: Audit) -> TaskSample:
    """Return the tasks of an audit that has them as units."""
    return cast("TaskSample", audit.task_sample)


def by_measure(audit: Audit, ranking: Ranking) -> TextTable:
    """Return the ranks by mean and by win rate side by side."""
    sample = sample_of(audit)
    ranks, scale = sample.ranks, gap_scale(audit)
    raw = replace(scale, score_range=_mean_range(sample))
    rows = []
    indices = shown_models(len(ranks), ranking.highlight)
    for i in indices:
        move = int(ranks.rank_by_mean[i] - ranks.rank_by_win_rate[i])
        has_mean = not np.isnan(ranks.mean[i])
        rows.append(
            (
                name(ranks.model[i], limit=_MAX_NAME_WIDTH),
                score(raw, float(ranks.mean[i])) if has_mean else "–",
                count(int(ranks.rank_by_mean[i])) if has_mean else "–",
                percent(float(ranks.win_rate[i]), 1) if ranks.win_rate[i] >= 0 else "–",
                f"{ranks.mean_rank[i]:.1f}" if ranks.win_rate[i] >= 0 else "–",
                count(int(ranks.rank_by_win_rate[i])),
                f"{move:+d}".replace("-", "−") if has_mean and move else "",
                name(ranks.main_task[i], limit=24) if has_mean else "",
                gap(raw, float(ranks.main_task_share[i]), sign=True, column=True)
                if has_mean
                else "",
            )
        )
    return TextTable(
        title="Ranks by measure (win rate, mean rank, and Borda count give the same order)",
        header=(
            *("model", "mean", "rank", "win rate", "mean rank", "rank", "move"),
            *("largest effect of a task on the mean", "effect"),
        ),
        rows=tuple(rows),
        marked=None if ranking.highlight is None else indices.index(ranking.highlight),
    )


def _mean_range(sample: TaskSample) -> tuple[float, float]:
    """Return the scale on which means are written."""
    mean = sample.ranks.mean
    is_share = bool(np.nanmin(mean, initial=0) >= 0 and np.nanmax(mean, initial=0) <= 1)
    return (0.0, 1.0) if is_share else (0.0, float(np.nanmax(mean, initial=0)))


def _moves(audit: Audit) -> Iterator[str]:
    """Yield how far the ranks by mean and by win rate differ, and why."""
    sample = sample_of(audit)
    ranks = sample.ranks
    if np.isnan(ranks.mean).any() or np.isnan(ranks.win_rate).any():
        return
    move = ranks.rank_by_mean - ranks.rank_by_win_rate
    moved = int(np.count_nonzero(move))
    if not moved:
        yield "The ranks by mean and by win rate are the same."
        return
    verb = "has" if moved == 1 else "have"
    text = f"{moved:,} of {len(ranks):,} models {verb} another rank by win rate than by mean"
    k = int(np.abs(move).argmax())
    if abs(move[k]) < _LEAST_MOVE:
        yield f"{text}; no rank differs by more than 1."
        return
    raw = replace(gap_scale(audit), score_range=_mean_range(sample))
    effect = gap(raw, float(ranks.main_task_share[k]), sign=True)
    yield (
        f"{text}. The largest difference is that of {name(ranks.model[k])}: "
        f"{ranks.rank_by_mean[k]:,} by mean, {ranks.rank_by_win_rate[k]:,} by win rate. A mean "
        "counts the size of each lead; a win rate counts only which model leads. "
        f"{name(ranks.main_task[k])} alone changes the mean of this model by {effect}."
    )


def _noise(audit: Audit, noise: ItemNoise) -> str:
    """Return the errors for both questions."""
    scale = gap_scale(audit)
    se_tasks, se_items, sd = (
        gap(scale, x) for x in (noise.se_tasks, noise.se_items, noise.task_sd)
    )
    text = (
        f"The standard error of a typical adjacent gap is {se_tasks} across new tasks, and "
        f"{se_items} on exactly these tasks ({arg('unit', 'item')}). True gaps vary by {sd} (SD) "
        "between tasks"
    )
    if not np.isfinite(noise.n_items_enough):
        return f"{text}. Items alone explain this variation, so more items per task help."
    return (
        f"{text}, so items and tasks contribute equally at about "
        f"{count(round(noise.n_items_enough))} items per task (now {count(round(noise.n_items))})."
    )


def _field(audit: Audit, sample: TaskSample) -> Iterator[str]:
    if sample.rank_by != "mean":
        models = abbreviate([name(m) for m in audit.ranking.model], 8)
        yield (
            "Win rates and Borda counts depend on which models are in the table, and cannot be "
            f"compared between tables. The {len(audit):,} models here: {models}."
        )


def method(audit: Audit) -> str:
    """Return how the family of pairs is tested."""
    sample, n = sample_of(audit), len(sample_of(audit).tasks)
    if audit.rank_method == "none":
        return "no adjustment"
    if audit.rank_method != "maxt":
        return METHODS[audit.rank_method]
    flips = f"all {2 ** (n - 1):,}" if sample.all_flips else f"{audit.n_draws:,} random"
    seed = "" if sample.all_flips else f", seed {audit.seed}"
    return f"step-down max-T by {flips} joint sign flips of tasks{seed}"


def _notes(audit: Audit, ranking: Ranking) -> Iterator[str]:
    sample = sample_of(audit)
    n = len(sample.tasks)
    if audit.rank_method == "none":
        yield (
            f"No ranks or tiers are supported, because {audit.adjust_reason}. Gaps are "
            "unadjusted, each for its own pair."
        )
    yield (
        f"This audit answers which models are better across new tasks, not only on these {n:,} "
        f"tasks. For exactly these tasks, audit the scores of their items with "
        f"{arg('unit', 'item')}."
    )
    yield from findings(audit.findings, ("fatal", "warning"))
    yield from _moves(audit)
    if sample.items is not None:
        yield _noise(audit, sample.items)
    yield from _field(audit, sample)
    needs = ranking.needs()
    if needs is not None:
        yield needs
    yield from underpowered(ranking, audit.criteria.power)
    yield from later_steps(audit, ranking)
    if audit.adjust_reason is not None and audit.rank_method == "holm" and len(audit) > 2:
        yield f"The adjustment method is Holm, not sign flips ({audit.adjust_reason})."
    yield from findings(audit.findings, ("note",))


def _assumptions(audit: Audit, ranking: Ranking) -> Iterator[str]:
    sample, c = sample_of(audit), audit.criteria
    better = direction(lower_is_better=audit.lower_is_better)
    yield (
        f"The {len(sample.tasks):,} tasks are a random sample of a larger set of tasks, and are "
        f"independent. Models are ranked by {MEASURES[sample.rank_by]}; {better}."
    )
    yield (
        "Each pair is compared by Student's t over the tasks that both models have (T − 1 degrees "
        "of freedom)."
    )
    if (audit.adjacent.se == 0).any() or (audit.pairs.se == 0).any():
        yield (
            "If a gap is equal on all tasks, Student's t is undefined. The p-value is then that "
            "of the exact sign test, and the CI extends from the gap toward the limits of the "
            "scores by the Wilson margin of T successes in T trials."
        )
    if audit.adjust == "none":
        yield f"Verdicts are unadjusted (α = {c.alpha:g}, {percent(c.power)} power)."
    else:
        yield (
            f"Verdicts are adjusted for all {audit.n_pairs:,} pairs "
            f"({METHODS[audit.adjust] if audit.adjust != 'maxt' else method(audit)}). The power "
            f"is {percent(c.power)}."
        )
    if audit.rank_method == "maxt":
        yield "Sign flips assume that differences between two models are symmetric over tasks."
    yield intervals(audit)
    if audit.rank_method != "none":
        yield (
            "Every model above a tier line beats every model below it. All lines and rank ranges "
            f"hold simultaneously at {coverage(1 - c.alpha)} ({method(audit)})."
        )
    yield from second_look(ranking)


def document(audit: Audit, *, where: str | None = None) -> Document:
    """Return the report: headline, ranking, ranks by measure, and notes."""
    ranking = ranking_of(audit, where)
    texts = task_sentences(audit, ranking)
    sample = sample_of(audit)
    title = (
        f"Ranking by {MEASURES[sample.rank_by]} over {len(sample.tasks):,} tasks (a sample), "
        f"{coverage(ranking.conf)} rank ranges"
    )
    return Document(
        headline=" ".join(texts),
        opening=texts[0],
        **page_top(audit, ranking),
        enough=ranking.needs() or "",
        key=(ranking.key(title), *requested_pairs(audit)),
        grids=(
            ranking.grid(title),
            by_measure(audit, ranking),
            *requested_pairs(audit),
            *unadjusted_pairs(audit),
        ),
        notes=tuple(_notes(audit, ranking)),
        basis=f"tasks are a random sample of a larger set; {_basis(audit)}.",
        assumptions=tuple(_assumptions(audit, ranking)),
    )


def _basis(audit: Audit) -> str:
    if audit.rank_method == "none":
        return "gaps are unadjusted"
    level = coverage(1 - audit.criteria.alpha)
    return f"rank ranges and tiers hold simultaneously at {level} ({method(audit)})"


def paragraph(audit: Audit) -> str:
    """Return a paragraph for a paper."""
    sample, ranking = sample_of(audit), ranking_of(audit)
    field = (
        ""
        if sample.rank_by == "mean"
        else " Win rates and Borda counts depend on the models in the table."
    )
    return (
        f"{len(audit):,} models are ranked by {MEASURES[sample.rank_by]} over "
        f"{len(sample.tasks):,} tasks, which are treated as a random sample of a larger set; each "
        "pair was compared by Student's t over the tasks. "
        f"{_basis(audit).capitalize()}. The ranking {ranking.supported()}.{field} Inconclusive is "
        "not evidence of equality."
    )
