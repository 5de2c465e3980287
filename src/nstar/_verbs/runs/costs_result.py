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
    n_runs: int
    """Runs with a score whose cost is known."""
    n_runs_scored: int
    """Runs with a score."""
    n_tasks: int
    """Tasks with such runs, the unit of the intervals."""
    cost: float
    """Money for those runs."""
    cost_unscored: float
    """Money for runs without a score, in no other number here."""
    cost_per_run: float
    """Mean over tasks of the mean cost of a run."""
    cost_per_run_ci: Interval | None
    """Its interval, on the scale of the logarithm; None for one task."""
    cost_per_success: float | None
    """That over the mean success rate of the same runs: expected money per run that passes. None
    for graded scores and where no run passed."""
    cost_per_success_ci: Interval | None
    """Its interval, likewise; None for one task."""
    n_passed: int | None
    """Runs that passed, of those with a known cost; None for graded scores."""


@record()
class MoreTasks:
    """The same precision bought by more tasks of the same kind, with as many runs each."""

    n_tasks: float
    """Tasks in all."""
    cost: float
    """Money on top of what these tasks cost."""
    cost_ci: Interval | None
    """Its interval, from leaving each task out in turn; None where a whole run shares something
    or one task decides."""


@record()
class MoreRuns:
    """The same precision bought by more runs of each model on the same tasks."""

    n_runs: float
    """Runs of a task in all, of the first model; of a second in the same proportion."""
    run_ratio: float
    """Times as many runs as there are."""
    cost: float
    """Money on top of what these runs cost; no interval, for close to what runs cannot remove
    it would be worth little."""


@record()
class PrecisionCost:
    """What one step toward certainty costs."""

    measure: Measure
    """What is made smaller: the standard error of the mean, or with two models the gap that can
    be detected."""
    current: float
    """Its present size, in score units."""
    reduction: float
    """How much smaller, in score units: one point, or less where that is more than half of it."""
    more_tasks: MoreTasks | None
    """By more tasks; None if no number would do."""
    more_runs: MoreRuns | None
    """By more runs of the same tasks; None if no number would do or the noise of runs is not
    known apart."""


@record()
class CostSummary:
    """What the runs cost, and what more certainty would."""

    model_costs: tuple[ModelCosts, ...]
    """Models whose logs tell what a run cost."""
    models_with_negative_costs: tuple[str, ...]
    """Models whose logs hold costs below 0, none of which is used."""
    cost_ratio: float | None
    """Cost per success of the first over that of the second, on tasks that both have; None
    without two models, passes of both, or scores that can pass."""
    cost_ratio_ci: Interval | None
    """Its interval, tasks paired; None for one task."""
    precision_cost: PrecisionCost | None
    """Of the mean, or of the gap of two models; None where there is no error to reduce, or not
    every model's cost is known."""
