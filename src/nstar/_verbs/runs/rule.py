"""Errors of a rule for every task, such as "at least 4 of 5 runs pass", by chance alone.

If nothing changed and the tasks are run again, how many of those that meet the rule now miss it?
For a single task the exact limits of its success rate answer this. Over all tasks the rates have a
common Beta distribution, with the mean and the variance over tasks of the runs, and each task its
posterior.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, IntArray, Interval
from nstar._verbs.runs.result import ModelRuns, PassRule, TaskRuleRow
from nstar.errors import DataError, ParameterError, arg
from nstar.stats.repeated_runs import next_rule_failure, rule_failure

MOST_RUNS = 10_000
"""Largest number of runs of a rule."""
_FIRM, _LOOSE = 1e6, 1e-3
"""Largest and smallest weight of what tasks have in common, in runs."""
_ONE_BY_ONE = 5000
"""Number of tasks beyond which the number lost is approximated by a normal distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRule:
    """Rule that a number of the runs of a task must pass."""

    needed: int
    """Number of runs that must pass."""
    runs: int
    """Number of runs of each task."""

    def __post_init__(self) -> None:
        if not 1 <= self.needed <= self.runs <= MOST_RUNS:
            msg = (
                f"{arg('at_least')} must be PASSING/RUNS, such as 4/5, with at most {MOST_RUNS:,} "
                f"runs; got {self.needed}/{self.runs}"
            )
            raise ParameterError(msg)

    @classmethod
    def parse(cls, text: str) -> "TaskRule":
        """Parse ``4/5``.

        >>> TaskRule.parse("4/5")
        TaskRule(needed=4, runs=5)
        """
        needed, slash, runs = text.partition("/")
        if not slash or not needed.strip().isdecimal() or not runs.strip().isdecimal():
            msg = f"{arg('at_least')} must be PASSING/RUNS, such as 4/5; got {text!r}"
            raise ParameterError(msg)
        if max(len(needed), len(runs)) > len(str(MOST_RUNS)) + 2:
            msg = f"{arg('at_least')} allows at most {MOST_RUNS:,} runs."
            raise ParameterError(msg)
        return cls(needed=int(needed), runs=int(runs))


def _prior(runs: IntArray, passed: IntArray) -> tuple[float, float]:
    """Return the Beta distribution with the mean and variance over tasks of true success rates."""
    rate = passed / runs
    mean = float(np.clip(rate.mean(), 0.5 / runs.sum(), 1 - 0.5 / runs.sum()))
    is_repeated = runs >= 2
    max_variance = mean * (1 - mean)
    if not is_repeated.any():
        return 0.5, 0.5
    within = float((rate * (1 - rate) * runs / np.maximum(runs - 1, 1))[is_repeated].mean())
    between = max_variance - within
    weight = max_variance / between - 1 if between > 0 else _FIRM
    weight = float(np.clip(weight, _LOOSE, _FIRM))
    return mean * weight, (1 - mean) * weight


def number_range(chances: Array, conf: float) -> tuple[int, int]:
    """Return a range of the number of independent events with probability ``conf`` or more."""
    if chances.size > _ONE_BY_ONE:
        mean, sd = float(chances.sum()), math.sqrt(float((chances * (1 - chances)).sum()))
        half = float(stats.z_conf(conf)) * sd
        return max(math.floor(mean - half), 0), min(math.ceil(mean + half), chances.size)
    law = np.ones(1)
    for q in chances.tolist():
        law = np.convolve(law, [1 - q, q])
    cumulated, tail = np.cumsum(law), (1 - conf) / 2
    low = int(np.searchsorted(cumulated, tail, side="right"))
    high = int(np.searchsorted(cumulated, 1 - tail))
    return low, min(high, len(chances))


def rule_of(model: ModelRuns, rule: TaskRule, conf: float) -> PassRule | None:
    """Return the errors of the rule for this model's tasks; None for graded scores."""
    checks.fraction("conf", conf)
    if not model.is_binary:
        return None
    runs = np.array([t.n_runs for t in model.tasks])
    passed = np.array([t.n_passed for t in model.tasks])
    options = {"needed": rule.needed, "runs": rule.runs}
    prior = _prior(runs, passed)
    fails = next_rule_failure(runs, passed, prior=prior, **options)
    low, high = (np.array([float(t.ci[k]) for t in model.tasks if t.ci]) for k in (0, 1))
    ends = [rule_failure(p, **options).tolist() for p in (high, low)]
    met = passed * rule.runs >= rule.needed * runs
    tasks = tuple(
        TaskRuleRow(
            task=task.task,
            n_runs=task.n_runs,
            n_passed=int(passed[i]),
            meets_rule=bool(met[i]),
            miss_probability=float(fails[i]),
            miss_probability_ci=Interval(ends[0][i], ends[1][i]),
        )
        for i, task in enumerate(model.tasks)
    )
    lost = fails[met]
    return PassRule(
        model=model.model,
        n_passes_needed=rule.needed,
        n_runs=rule.runs,
        n_met=int(met.sum()),
        n_lost_expected=float(lost.sum()),
        n_lost_range=number_range(lost, conf),
        any_lost_probability=float(-np.expm1(np.log1p(-np.minimum(lost, 1 - 1e-15)).sum())),
        n_gained_expected=float((1 - fails[~met]).sum()),
        tasks=tasks,
    )


def rules_of(models: Sequence[ModelRuns], rule: TaskRule, conf: float) -> tuple[PassRule, ...]:
    """Apply the rule to every model. Raise DataError if no scores can pass."""
    pass_rules = tuple(r for m in models if (r := rule_of(m, rule, conf)) is not None)
    if not pass_rules:
        msg = (
            f"{arg('at_least')} needs 0/1 scores where 1 is a pass. Remove it, or choose such a "
            f"metric with {arg('metric')}."
        )
        raise DataError(msg)
    return pass_rules
