"""The words of ``plan`` by what is planned, so that a type checker knows the result's class."""

from typing import TYPE_CHECKING, TypedDict

from nstar._api.plan.parameters import Numbers
from nstar._base.parameter_types import PlanAlternative

if TYPE_CHECKING:
    from nstar._base.types import LossUnit


class _LevelParams(TypedDict, total=False):
    alpha: float
    power: float
    alternative: PlanAlternative


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
