"""What repeated runs cost: a Costs of one Spent per model, and the price of certainty."""

from typing import Literal, TypeAlias

from nstar._base.record import record
from nstar._base.types import Interval

Measure: TypeAlias = Literal["standard error", "MDE"]
"""What is to become smaller."""


@record()
class ModelCosts:
    """What the runs of one model cost, in the money of the logs."""

    model: str
    """Whose."""
    runs: int
    """Runs with a score whose cost is known."""
    of: int
    """Runs with a score."""
    tasks: int
    """Tasks with such runs, the unit of the intervals."""
    total: float
    """Money for those runs."""
    unscored: float
    """Money for runs without a score, in no other number here."""
    per_run: float
    """Mean over tasks of the mean cost of a run."""
    per_run_ci: Interval | None
    """Its interval, on the scale of the logarithm; None for one task."""
    per_success: float | None
    """That over the mean success rate of the same runs: expected money per run that passes. None
    for graded scores and where no run passed."""
    per_success_ci: Interval | None
    """Its interval, likewise; None for one task."""
    passed: int | None
    """Runs that passed, of those with a known cost; None for graded scores."""


@record()
class MoreTasks:
    """The same precision bought by more tasks of the same kind, with as many runs each."""

    tasks: float
    """Tasks in all."""
    cost: float
    """Money on top of what these tasks cost."""
    ci: Interval | None
    """Its interval, from leaving each task out in turn; None where a whole run shares something
    or one task decides."""


@record()
class MoreRuns:
    """The same precision bought by more runs of each model on the same tasks."""

    runs: float
    """Runs of a task in all, of the first model; of a second in the same proportion."""
    times: float
    """Times as many runs as there are."""
    cost: float
    """Money on top of what these runs cost; no interval, for close to what runs cannot remove
    it would be worth little."""


@record()
class PrecisionCost:
    """What one step towards certainty costs."""

    measure: Measure
    """What is made smaller: the standard error of the mean, or with two models the gap that can
    be detected."""
    now: float
    """Its present size, in score units."""
    step: float
    """How much smaller, in score units: one point, or less where that is more than half of it."""
    by_tasks: MoreTasks | None
    """By more tasks; None if no number would do."""
    by_runs: MoreRuns | None
    """By more runs of the same tasks; None if no number would do or the noise of runs is not
    known apart."""


@record()
class CostSummary:
    """What the runs cost, and what more certainty would."""

    models: tuple[ModelCosts, ...]
    """Models whose logs tell what a run cost."""
    negative: tuple[str, ...]
    """Models whose logs hold costs below 0, none of which is used."""
    times: float | None
    """Cost per success of the first over that of the second, on tasks that both have; None
    without two models, passes of both, or scores that can pass."""
    times_ci: Interval | None
    """Its interval, tasks paired; None for one task."""
    certainty: PrecisionCost | None
    """Of the mean, or of the gap of two models; None where there is no error to reduce, or not
    every model's cost is known."""
