"""Errors of a rule for every task if nothing has changed."""

from dataclasses import dataclass, field

from nstar._base.types import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRuleRow:
    """One task under the rule."""

    task: str
    """Name of the task."""
    n_runs: int
    """Number of runs with a score."""
    n_passed: int
    """Number of runs that passed."""
    meets_rule: bool
    """Whether the share that passed meets the rule."""
    miss_probability: float
    """Probability that it misses the rule when run again, unchanged: its rate has a Beta
    posterior, with a prior that all tasks share."""
    miss_probability_ci: Interval
    """This probability at the exact limits of its own rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRule:
    """Errors of a rule for every task, on tasks that do not change."""

    model: str
    """Name of the model."""
    n_passes_needed: int
    """Number of runs that must pass."""
    n_runs: int
    """Number of runs of each task."""
    n_met: int
    """Number of tasks that meet the rule so far."""
    n_lost_expected: float
    """Expected number of these tasks that miss it when run again, unchanged."""
    n_lost_range: tuple[int, int]
    """Range of this number, with the coverage of the intervals."""
    any_lost_probability: float
    """Probability that at least one of them misses it."""
    n_gained_expected: float
    """Expected number of other tasks that meet it when run again, unchanged."""
    tasks: tuple[TaskRuleRow, ...] = field(repr=False)
    """Results of every task."""
