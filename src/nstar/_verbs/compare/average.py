"""Average of two models over several tasks."""

import math
from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from nstar import stats
from nstar._base.types import Interval
from nstar._data.matrix import ScoreMatrix
from nstar._data.measures import is_measure, range_of_measure
from nstar._engine.gram import ItemLayout, present_in_all
from nstar._engine.pairs import (
    AveragedPanel,
    DesignKind,
    ItemDesign,
    PairStats,
    Panel,
    gaps,
    panel,
)
from nstar._verbs.compare.grouped import within
from nstar._verbs.compare.independent import confidence, unanimous_interval
from nstar._verbs.compare.margin import MarginTest, equivalence
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.compare.resolution import detection, items_missing, possible_gap
from nstar._verbs.compare.task_comparison import (
    AverageBasis,
    AverageGap,
    GapEstimate,
    TaskComparison,
)
from nstar._verbs.verdict import Criteria, is_resolved, judge_pair

Limits = tuple[float, float]


def pooled(matrices: Sequence[ScoreMatrix], limits: Sequence[Limits]) -> list[Limits]:
    """Return the limits of each task; those of all tasks together if they measure one quantity."""
    metrics = {matrix.metric for matrix in matrices}
    if len(metrics) > 1 or not is_measure(*metrics):
        return list(limits)
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    return [range_of_measure(min(low, 0.0), high)] * len(limits)


def why_not_averaged(matrices: Sequence[ScoreMatrix], limits: Sequence[Limits]) -> str | None:
    """Return why scores of these tasks have no average; None if they have one."""
    first, (low, high) = matrices[0], limits[0]
    for other, (worst, best) in zip(matrices[1:], limits[1:], strict=True):
        if (worst, best) != (low, high):
            return (
                f"{first.task} ranges from {low:g} to {high:g}, {other.task} from "
                f"{worst:g} to {best:g}"
            )
        if other.lower_is_better != first.lower_is_better:
            worse = other if other.lower_is_better else first
            return f"lower is better only in {worse.task}"
    return None


def averaged(panels: Sequence[Panel], weights: tuple[float, ...], limits: Limits) -> AveragedPanel:
    """Return the models on several tasks, one panel for each task."""
    nothing = np.empty(0, dtype=np.int64)
    design = ItemDesign(
        kind="average",
        layout=ItemLayout(items=nothing, place=nothing, width=0, sizes=nothing),
        complete=all(p.complete for p in panels),
    )
    return AveragedPanel(
        design=design, panels=tuple(panels), weights=weights, width=float(limits[1] - limits[0])
    )


def _limits(pair: TaskComparison, question: CompareQuestion, *, weighed: bool) -> Limits:
    """Return the worst and best possible score of a task, in units of the data."""
    if pair.binary_values != (0.0, 1.0):
        return pair.binary_values
    if question.score_range is not None or weighed or is_measure(pair.metric):
        return pair.score_range
    return min(pair.score_range[0], 0.0), max(pair.score_range[1], 1.0)


def _values(pairs: Sequence[TaskComparison]) -> Limits:
    """Return the original values of 0 and 1 in the average, if all tasks agree."""
    scales = {pair.binary_values for pair in pairs}
    return scales.pop() if len(scales) == 1 else (0.0, 1.0)


def _gap(
    matrices: Sequence[ScoreMatrix],
    names: tuple[str, str],
    question: CompareQuestion,
    limits: Limits,
) -> PairStats:
    """Return the mean of the tasks' gaps, and its error."""
    kind: DesignKind = "independent"
    if question.strata is not None or question.cluster is not None:
        kind = "cluster" if question.strata is None else "strata"
    column = question.strata or question.cluster
    panels = []
    for matrix in matrices:
        rows = [matrix.index(name) for name in names]
        common = np.flatnonzero(present_in_all(matrix, rows))
        panels.append(panel(matrix, rows, common, kind, column))
    averages = averaged(panels, (1 / len(panels),) * len(panels), limits)
    return gaps(averages[0:1], averages[1:2]).take(np.ones((1, 1), dtype=np.bool_))


def average_gap(
    matrices: Sequence[ScoreMatrix],
    names: tuple[str, str],
    question: CompareQuestion,
    pairs: Sequence[TaskComparison],
) -> AverageGap | str:
    """Return the macro average over tasks, or why there is none.

    Gap and error are those of ``audit``: tasks count equally, and errors of different tasks are
    independent.
    """
    small = next((pair.task for pair in pairs if pair.n_items < 2), None)
    if small is not None:
        return f"{small} has 1 shared item, so its standard error cannot be estimated"
    limits = [
        _limits(pair, question, weighed=matrix.correction is not None)
        for matrix, pair in zip(matrices, pairs, strict=True)
    ]
    limits = pooled(matrices, limits)
    if (reason := why_not_averaged(matrices, limits)) is not None:
        return reason
    average_pair = _gap(matrices, names, question, limits[0])
    n = int(average_pair.n[0])
    low, high = _values(pairs)
    unit = high - low
    basis = AverageBasis(
        n_tasks=len(pairs),
        n_items=n,
        mean_a=(float(average_pair.gram.first[0]) / n - low) / unit,
        mean_b=(float(average_pair.gram.second[0]) / n - low) / unit,
        gap=float(average_pair.delta[0]) / unit,
        se=float(average_pair.se[0]) / unit,
        df=float(np.broadcast_to(average_pair.df, (1,))[0]),
        n_effective=float(average_pair.exposed()[0]),
        score_range=limits[0] if (low, high) == (0.0, 1.0) else (0.0, 1.0),
        lower_is_better=pairs[0].lower_is_better,
    )
    return judged_average(basis, question, pairs)


def _reading(basis: AverageBasis, rule: Criteria) -> GapEstimate:
    """Return Student's test and interval; a gap without a measured error is not significant."""
    test = stats.StudentTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)
    width, df = basis.width, basis.df if basis.df > 0 else math.inf
    if basis.se == 0:
        low, high = unanimous_interval(basis.gap, basis.n_items, width, confidence(rule))
        ci = Interval(min(low, 0.0), max(high, 0.0))  # agrees with p, as in audit
    else:
        ci = within(test.interval(basis.gap, basis.se, df), width)
    return GapEstimate(
        kind="independent",
        se=basis.se,
        df=df,
        n_effective=basis.n_effective,
        ci=ci,
        ci_method="t",
        pvalue=1.0 if basis.se == 0 else float(test.pvalue(rule.sign * basis.gap / basis.se, df)),
        pvalue_method="Student t",
    )


def judged_average(
    basis: AverageBasis, question: CompareQuestion, pairs: Sequence[TaskComparison]
) -> AverageGap:
    """Apply the level, the power, and the declared gaps to the average."""
    worst, best = _values(pairs)
    question = question.in_units_of(best - worst)
    rule, n, delta = question.criteria, basis.n_items, basis.gap
    reading = _reading(basis, rule)
    test = detection(reading, None, n, rule)
    at = test.observed(reading, delta, rule)
    q0, need0 = (
        (None, None) if question.delta is None or basis.se == 0 else test.at(question.delta)
    )
    largest = 1.0 if basis.score_range == (0.0, 1.0) else math.inf
    margin = MarginTest(delta=delta, width=basis.width, reading=reading, items=n, counts=None)
    equivalence_result = (
        None if question.margin is None else equivalence(margin, question.margin, rule)
    )
    low, high = reading.ci
    return AverageGap(
        **{f.name: getattr(basis, f.name) for f in fields(AverageBasis)},
        confidence_level=confidence(rule),
        ci=reading.ci,
        pvalue=reading.pvalue,
        significant_gap=possible_gap(test.significant_gap, largest),
        mde=possible_gap(test.mde, largest),
        q=at.q,
        q_ci=at.q_ci,
        n_star=at.n_star,
        n_star_ci=at.n_star_ci,
        delta=question.delta,
        q_at_delta=q0,
        n_star_at_delta=need0,
        more_items=items_missing(at.n_star if need0 is None else need0, n),
        verdict=judge_pair(
            -delta if basis.lower_is_better else delta,
            p=reading.pvalue,
            p_adjusted=reading.pvalue,
            alpha=rule.alpha,
            excludes_zero=rule.excludes_zero(low, high),
            equivalent=equivalence_result is not None and equivalence_result.is_equivalent,
        ),
        is_resolved=is_resolved(at.q) and reading.pvalue <= rule.alpha,
        equivalence=equivalence_result,
    )
