"""What a rule for every task amounts to when nothing has changed."""

from dataclasses import field

from nstar._base.record import record
from nstar._base.types import Interval


@record()
class TaskRuleRow:
    """One task under the rule."""

    item: str
    """The task."""
    runs: int
    """Runs with a score."""
    passed: int
    """Runs that passed."""
    met: bool
    """The share that passed is as large as the rule asks."""
    fails: float
    """Chance that it misses the rule when run anew, unchanged: its rate has a Beta posterior, with
    a prior that all tasks share."""
    fails_ci: Interval
    """The same at the exact limits of its own rate, this task alone."""


@record()
class PassRule:
    """A rule for every task, tried on tasks where nothing changes."""

    model: str
    """Whose tasks."""
    needed: int
    """Runs that must pass."""
    runs: int
    """Runs of each task."""
    met: int
    """Tasks that meet it so far."""
    lost: float
    """Of these, tasks expected to miss it when run anew, unchanged."""
    lost_range: tuple[int, int]
    """As many are lost with the coverage of the intervals here."""
    any_lost: float
    """Chance that at least one of them is."""
    gained: float
    """Tasks that do not meet it so far, and are expected to when run anew, unchanged."""
    tasks: tuple[TaskRuleRow, ...] = field(repr=False)
    """Every task."""
