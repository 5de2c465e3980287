"""BoardPlan: gaps that items resolve on a leaderboard, from assumptions or a pilot."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import CountOrInf, FloatOrInf
from nstar._data.findings import Finding
from nstar._verbs.plan.design import BoardGoal
from nstar._verbs.plan.result import Plan
from nstar._verbs.verdict import Criteria

BoardClaim: TypeAlias = Literal["pair", "all-pairs", "control", "best"]
"""Two adjacent models fixed in advance, any pair, a model against a control, or the best."""
ItemsAre: TypeAlias = Literal["items", "strata", "clusters"]
"""Items like the pilot's, of the same groups in the same shares, or of other groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """Plan of one claim."""

    claim: BoardClaim
    """The claim."""
    power: float
    """Target power or, for the best model, the probability of picking it."""
    n_star: CountOrInf | None = None
    """Items that the gap needs; infinite if no number suffices, None without a gap."""
    n_star_low: CountOrInf | None = None
    """Lower limit of its 95% interval, from the pilot's uncertainty; None if the pilot has too few
    groups."""
    n_star_high: CountOrInf | None = None
    """Upper limit of that interval."""
    n_star_assured: CountOrInf | None = None
    """Items that suffice with 90% probability, given the pilot's uncertainty."""
    mde: FloatOrInf | None = None
    """Smallest gap that the items detect; None if they are not two groups."""
    mde_low: float | None = None
    """Lower limit of its 95% interval."""
    mde_high: float | None = None
    """Upper limit of that interval."""
    power_at_delta: float | None = None
    """Power of the items for the gap; None without both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardClaims:
    """Plans of all claims under one assumption about future items."""

    items_are: ItemsAre
    """Assumption about future items."""
    column: str | None = None
    """Group column, if groups matter."""
    n_groups: int | None = None
    """Number of groups of the pilot in that column."""
    cluster_size: float | None = None
    """Mean group size of the pilot over items, Σm²/N."""
    n_clusters: int | None = None
    """Number of groups of the planned items, if it is fixed."""
    icc: float | None = None
    """Mean intraclass correlation of the difference of adjacent models."""
    sd: float
    """Standard deviation of the per-item difference of adjacent models: root of their mean
    variance."""
    sd_low: float | None = None
    """Lower limit of its 95% interval; None for items of other groups, whose rows have one."""
    sd_high: float | None = None
    """Upper limit of its 95% interval."""
    sd_noisy: float
    """Standard deviation for the noisiest tenth of adjacent pairs."""
    claims: tuple[BoardRow, ...] = ()
    """What the items detect, or what the gap needs, for each claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPoint:
    """Smallest gaps that a number of items resolves, one for each claim."""

    n_items: int
    """Number of items."""
    pair: FloatOrInf
    """Gap between two adjacent models fixed in advance."""
    all_pairs: FloatOrInf
    """Gap between any two models."""
    control: FloatOrInf
    """Gap between a model and a control."""
    best: FloatOrInf
    """Lead at which the best model is selected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardForecast:
    """Forecast from simulated boards: true scores given the pilot, then new items.

    The spread of true scores is uncertain. A range gives the same figure where the spread is at
    the 10% and at the 90% point of its posterior.
    """

    n_items: int
    """Number of items."""
    spread: float
    """Estimated standard deviation of true scores over models, in score units; 0 if the pilot's
    scores vary no more than noise alone explains."""
    gap: float
    """True gap between adjacent models, the median over boards, in score units."""
    gap_range: tuple[float, float]
    """Its 10–90% range."""
    winner: float
    """Share of boards with the truly best model on top."""
    winner_range: tuple[float, float]
    """Its 10–90% range."""
    winner_proved: float
    """Share of boards on which the best is significantly ahead of every other model."""
    winner_proved_range: tuple[float, float]
    """Its 10–90% range."""
    neighbors: float
    """Share of truly adjacent models that differ significantly, in the right order."""
    neighbors_range: tuple[float, float]
    """Its 10–90% range."""
    tiers: float
    """Mean number of tiers."""
    rank_width: float
    """Mean number of ranks that a model may have."""
    n_boards: int
    """Simulated boards, over all spreads and at each end of the ranges."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BoardPlan(Result):
    """Number of items for a leaderboard, or the gaps that items can detect."""

    n_models: int
    """Number of models on the planned board."""
    goal: BoardGoal = "all-pairs"
    """Comparisons to detect; ``readings`` of a pilot include the other goals too."""
    n_items: int | None
    """Planned items; None if the plan computes them."""
    delta: float | None
    """Planned gap, in score units."""
    budget: float | None = None
    """Largest total cost."""
    cost: float | None = None
    """What the items cost for all models; None without prices."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    assumed: Plan | None = None
    """Plan from assumptions; None from a pilot. All fields below are about a pilot."""
    n_pilot_models: int = 0
    """Number of models of the pilot."""
    n_pilot_items: int = 0
    """Number of items of the pilot with scores of all its models."""
    n_pilot_items_left_out: int = 0
    """Items of the pilot that lack a score of some model."""
    mean_pilot_runs: float = 1.0
    """Mean runs per item and model in the pilot. The plan is for as many."""
    score_range: tuple[float, float] = (0.0, 1.0)
    """Worst and best score of the pilot; 0 and 1 if all scores lie between."""
    is_declared: bool = False
    """Whether ``cluster`` or ``strata`` declares what the groups of the pilot are."""
    readings: tuple[BoardClaims, ...] = ()
    """Plans under each assumption about future items, that of the headline first."""
    mde_by_items: tuple[BoardPoint, ...] = ()
    """Smallest gaps by number of items, under the headline's assumption."""
    forecast: BoardForecast | None = None
    """Forecast for the planned items; None without items, and for two models, because one gap
    shows no spread."""
    findings: tuple[Finding, ...] = ()
    """Warnings about the data of the pilot."""

    @derived
    def n_star(self) -> CountOrInf | None:
        """Return the items that the gap needs for the goal.

        Infinite if none suffice, None without a gap.
        """
        if self.assumed is not None:
            return self.assumed.n_star
        return self._headline_row.n_star

    @derived
    def mde(self) -> FloatOrInf | None:
        """Return the smallest gap that the items detect for the goal; None without items."""
        if self.assumed is not None:
            return self.assumed.mde
        return self._headline_row.mde

    @derived
    def power(self) -> float | None:
        """Return the power of the items for the gap and goal; without both, the target power."""
        if self.assumed is not None:
            return self.assumed.power
        row = self._headline_row
        return row.power if row.power_at_delta is None else row.power_at_delta

    @property
    def _headline_row(self) -> BoardRow:
        return next(row for row in self.readings[0].claims if row.claim == self.goal)
