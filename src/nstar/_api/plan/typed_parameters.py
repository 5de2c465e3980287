"""The words of ``plan`` by what is planned, so that a type checker knows the result's class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Required, TypedDict

from nstar._api.plan.parameters import Numbers

if TYPE_CHECKING:
    from nstar._base.types import LossUnit
    from nstar._verbs.plan import BoardGoal


class _LevelParams(TypedDict, total=False):
    alpha: float
    power: float
    one_sided: bool


class _ItemDesignParams(_LevelParams, total=False):
    baseline: float | None
    psi: float | None
    odds_ratio: float | None
    benchmark: str | None
    sd: float | None
    sd_diff: float | None
    unpaired: bool
    icc: float | None
    cluster_size: float | None
    clusters: int | None
    models: int | None
    goal: "BoardGoal"
    every: bool
    budget: float | None
    cost_run: Numbers
    cost_task: float | None
    margin: float | None
    non_inferiority: bool
    loss: "LossUnit | None"
    half_width: float | None
    score_range: tuple[float, float] | None


class ItemPlanParams(_ItemDesignParams, total=False):
    """What asks for items that each model answers once."""

    delta: Numbers
    items: int | None
    rho: float | None


class RhoPlanParams(_ItemDesignParams, total=False):
    """The same for several correlations."""

    delta: float | None
    items: int | None
    rho: Numbers


class ItemGridParams(_ItemDesignParams, total=False):
    """What may stand beside several numbers of items."""

    delta: Numbers
    rho: Numbers


class GapGridParams(_ItemDesignParams, total=False):
    """What may stand beside several gaps and several correlations."""

    items: int | None


class TaskPlanParams(_LevelParams, total=False):
    """What asks for tasks and runs; one of the words from ``budget`` on is needed."""

    baseline: float | None
    delta: Numbers
    rho: float | None
    unpaired: bool
    budget: float | None
    cost_run: Numbers
    cost_task: float | None
    tasks_available: int | None
    runs: int | Sequence[int] | None
    flip: float | None
    sd_between: float | None
    sd_within: Numbers
    price: Any
    task: str | None
    metric: str | None
    resample: bool


class PilotPlanParams(TaskPlanParams, total=False):
    """What asks for tasks and runs, or for a board, from a pilot."""

    pilot: Required[Any]
    items: int | None
    models: int | None
    cluster: str | None
    strata: str | None
