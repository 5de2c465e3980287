"""What a rule for every task amounts to when nothing has changed."""

from dataclasses import field

from nstar._base.record import record
from nstar._base.types import Interval


@record()
class TaskRuleRow:
    """One task under the rule."""

    task: str
    """The task."""
    n_runs: int
    """Runs with a score."""
    n_passed: int
    """Runs that passed."""
    meets_rule: bool
    """The share that passed is as large as the rule asks."""
    miss_probability: float
    """Chance that it misses the rule when run anew, unchanged: its rate has a Beta posterior, with
    a prior that all tasks share."""
    miss_probability_ci: Interval
    """The same at the exact limits of its own rate, this task alone."""


@record()
class PassRule:
    """A rule for every task, tried on tasks where nothing changes."""

    model: str
    """Whose tasks."""
    n_passes_needed: int
    """Runs that must pass."""
    n_runs: int
    """Runs of each task."""
    n_met: int
    """Tasks that meet it so far."""
    n_lost_expected: float
    """Of these, tasks expected to miss it when run anew, unchanged."""
    n_lost_range: tuple[int, int]
    """As many are lost with the coverage of the intervals here."""
    any_lost_probability: float
    """Chance that at least one of them is."""
    n_gained_expected: float
    """Tasks that do not meet it so far, and are expected to when run anew, unchanged."""
    tasks: tuple[TaskRuleRow, ...] = field(repr=False)
    """Every task."""
