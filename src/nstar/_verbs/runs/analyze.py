"""``runs``: analyze repeated runs of one model or two, with the task as the unit."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nstar import stats
from nstar._base.types import Array, Interval
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare import TaskComparison, compare_board
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.compare.runs import gap_of_variance
from nstar._verbs.runs.costs import costs_of
from nstar._verbs.runs.model import GapNoise, gap_noise, model_runs
from nstar._verbs.runs.result import RunGap, Runs, RunStep
from nstar._verbs.runs.rule import TaskRule, rules_of
from nstar._verbs.runs.table import RunTable
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError

_STEPS = (1, 2, 3, 5, 10, 20, 50)
"""Numbers of runs with a reported MDE."""


def _refuse_strangers(a: RunTable, b: RunTable) -> None:
    """Refuse tables that cannot be compared row by row."""
    if a.items != b.items:
        msg = (
            f"a ({len(a.items)} tasks) and b ({len(b.items)} tasks) have different tasks or a "
            "different order, but rows are paired by position. Use the same rows for both, with "
            "NaN for missing scores."
        )
        raise DataError(msg)
    for field, first, second in (("task", a.task, b.task), ("metric", a.metric, b.metric)):
        if first != second:
            msg = (
                f"a has {field} {first!r} and b has {second!r}, so their scores cannot be "
                f"compared. Pass scores with the same {field}."
            )
            raise DataError(msg)


def _pair(a: RunTable, b: RunTable, criteria: Criteria) -> TaskComparison:
    """Return the comparison, as ``compare`` computes it."""
    width = max(a.scores.shape[1], b.scores.shape[1])
    cube = np.full((2, len(a.items), width), np.nan)
    for k, table in enumerate((a, b)):
        cube[k, :, : table.scores.shape[1]] = table.scores
    matrix = ScoreMatrix.from_arrays(
        cube if width > 1 else cube[:, :, 0],
        errors="keep",  # decided when the tables were made
        models=("first", "second"),
        items=a.items,
        task=a.task,
        metric=a.metric,
    )
    matrix = replace(matrix, lower_is_better=a.lower_is_better, groups=a.groups)
    question = CompareQuestion(criteria=criteria)
    return compare_board([matrix], ("first", "second"), question).tasks[0]


def _min_tasks_for_formula(rule: Criteria) -> int:
    """Return the tasks below which the test of the gap has less power than its formula."""
    return stats.GradedTest(alpha=rule.alpha, power=rule.power, sides=rule.sides).least


def _mde(error2: float, gap: TaskComparison, rule: Criteria) -> float:
    """Return the gap that a t test over tasks detects at this squared error.

    Inf if none is possible.
    """
    size = gap_of_variance(error2 * gap.n_items, gap.n_items, rule)
    return size if size <= (1.0 if gap.score_range == (0.0, 1.0) else math.inf) else math.inf


def _steps(
    tables: tuple[Array, Array], noise: GapNoise, gap: TaskComparison, rule: Criteria
) -> tuple[RunStep, ...]:
    """Return the same tasks with other numbers of runs; empty if no test can reject."""
    if noise.error2(gap.n_items, 1, 1) == 0 or gap.n_items < _min_tasks_for_formula(rule):
        return ()
    steps = []
    for n in (*_STEPS, math.inf):
        error2 = noise.error2(gap.n_items, n, n)
        mde, ends = _mde(error2, gap, rule), None
        if not noise.a.run2 and not noise.b.run2:
            interval = stats.spread_interval(
                *tables, runs_a=n, runs_b=n, conf=gap.confidence_level
            )
            ends = Interval(*(_mde(float(v) / gap.n_items, gap, rule) for v in interval))
        steps.append(
            RunStep(
                n_runs=n,
                se=math.sqrt(error2),
                mde=mde if math.isfinite(mde) else None,
                mde_ci=ends,
            )
        )
    return tuple(steps)


def _gap_without_components(
    pair: TaskComparison, intervals: stats.ComponentIntervals | None
) -> RunGap:
    """Return the gap if run and task variances are not identified."""
    return RunGap(
        comparison=pair,
        component_intervals=intervals,
        data_se=None,
        prediction_se=None,
        prediction_se_by_model=None,
        shared_se=0.0,
        se=None,
        mde=pair.mde,
        removable_share=None,
        steps=(),
    )


def _gap(a: RunTable, b: RunTable, criteria: Criteria) -> RunGap:
    pair = _pair(a, b, criteria)
    if pair.n_items < 2:
        return _gap_without_components(pair, None)
    in_both = a.answered & b.answered
    tables = a.scores[in_both], b.scores[in_both]
    intervals = stats.components_interval(*tables, conf=pair.confidence_level)
    noise = gap_noise(*tables, blocks=a.blocks and b.blocks)
    if not noise.split:
        return _gap_without_components(pair, intervals)
    k, first, second = pair.n_items, noise.a, noise.b
    error2 = noise.error2(k, first.n, second.n)
    mde = (
        math.inf
        if pair.n_items < _min_tasks_for_formula(criteria)
        else _mde(error2, pair, criteria)
    )
    parts = math.sqrt(first.noise2 / k), math.sqrt(second.noise2 / k)
    return RunGap(
        comparison=pair,
        component_intervals=intervals,
        data_se=math.sqrt(noise.between2 / k),
        prediction_se=math.hypot(*parts),
        prediction_se_by_model=parts,
        shared_se=math.sqrt(first.run2 / first.n + second.run2 / second.n),
        se=math.sqrt(error2),
        mde=mde if math.isfinite(mde) else None,
        removable_share=1 - noise.between2 / k / error2 if error2 > 0 else None,
        steps=_steps(tables, noise, pair, criteria),
    )


def analyzed(
    tables: Sequence[RunTable],
    criteria: Criteria,
    findings: Sequence[Finding] = (),
    at_least: TaskRule | None = None,
) -> Runs:
    """Analyze one model, or two on the same tasks; intervals cover 1 - alpha."""
    first, second = tables[0], tables[1] if len(tables) > 1 else None
    if second is not None:
        _refuse_strangers(first, second)
    conf = 1 - criteria.alpha
    models = tuple(model_runs(table, conf) for table in tables)
    gap = None if second is None else _gap(first, second, criteria)
    return Runs(
        task=first.task,
        metric=first.metric,
        lower_is_better=first.lower_is_better,
        confidence_level=conf,
        criteria=criteria,
        model_runs=models,
        estimate=gap,
        findings=tuple(findings),
        costs=costs_of(tables, models, gap, conf),
        pass_rules=() if at_least is None else rules_of(models, at_least, conf),
    )
