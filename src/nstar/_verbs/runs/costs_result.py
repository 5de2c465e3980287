"""Costs of repeated runs, by model, and the cost of precision."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.types import Interval

Measure: TypeAlias = Literal["standard error", "MDE"]
"""Quantity to reduce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCosts:
    """Costs of the runs of one model, in the currency of the logs."""

    model: str
    """Name of the model."""
    n_runs: int
    """Number of runs with a score and a known cost."""
    n_runs_scored: int
    """Number of runs with a score."""
    n_tasks: int
    """Number of tasks with such runs, the unit of the intervals."""
    cost: float
    """Total cost of these runs."""
    cost_unscored: float
    """Cost of runs without a score, not included elsewhere."""
    cost_per_run: float
    """Mean over tasks of the mean cost of a run."""
    cost_per_run_ci: Interval | None
    """Interval of cost_per_run, on the log scale; None for one task."""
    cost_per_success: float | None
    """Cost per run divided by the mean success rate of the same runs: expected cost of a run that
    passes. None for graded scores, or if no run passed."""
    cost_per_success_ci: Interval | None
    """Interval of cost_per_success, on the log scale; None for one task."""
    n_passed: int | None
    """Number of runs that passed, of those with a known cost; None for graded scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreTasks:
    """The same precision from more tasks of the same kind, with as many runs each."""

    n_tasks: float
    """Total number of tasks."""
    cost: float
    """Additional cost."""
    cost_ci: Interval | None
    """Interval of the cost, by leaving each task out in turn; None if runs share an effect or one
    task dominates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreRuns:
    """The same precision from more runs of each model on the same tasks."""

    n_runs: float
    """Total runs per task of the first model; those of the second are in proportion."""
    run_ratio: float
    """Factor on the current runs."""
    cost: float
    """Additional cost, without an interval, which would be too wide near the limit that runs
    cannot reduce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionCost:
    """Cost of one step of precision."""

    measure: Measure
    """Quantity to reduce: the standard error of the mean, or for two models the detectable gap."""
    current: float
    """Its current size, in score units."""
    reduction: float
    """Reduction in score units: one point, or less if that is more than half of the size."""
    more_tasks: MoreTasks | None
    """Cost by more tasks; None if no number suffices."""
    more_runs: MoreRuns | None
    """Cost by more runs of the same tasks; None if no number suffices or the noise of runs is not
    identified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSummary:
    """Costs of the runs, and of more precision."""

    model_costs: tuple[ModelCosts, ...]
    """Costs of models whose logs have them."""
    models_with_negative_costs: tuple[str, ...]
    """Models whose logs have negative costs, which are not used."""
    cost_ratio: float | None
    """Cost per success of the first over that of the second, on tasks that both have; None
    without two models, passes of both, or scores that can pass."""
    cost_ratio_ci: Interval | None
    """Interval of cost_ratio, paired by task; None for one task."""
    precision_cost: PrecisionCost | None
    """Cost of precision of the mean, or of the gap of two models; None without an error to reduce,
    or if a model's cost is unknown."""
