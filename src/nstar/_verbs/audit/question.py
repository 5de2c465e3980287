"""What is asked of a leaderboard."""

from dataclasses import dataclass, field, replace
from typing import Any

from nstar._base import units
from nstar._base.parameter_types import Adjust, ItemChoice
from nstar._engine.pairs import DesignKind
from nstar._verbs.compare.question import NO_STRATA, NO_WEIGHTED_STRATA
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg, fill_parameters
from nstar.stats._contrasts import rank_to_reject

_TOP = 10
"""Best models that are a family by themselves, unless pairs of the best K are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditQuestion:
    """Which items, which pairs, which gaps, at which level."""

    strata: str | None = None
    """Group column that defines the benchmark (subjects)."""
    cluster: str | None = None
    """Group column whose groups are a sample (passages)."""
    delta: float | None = None
    """Smallest gap of interest, declared before looking, in score units."""
    margin: float | None = None
    """Largest gap that does not matter, for equivalence, in score units."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level and power; two-sided."""
    adjust: Adjust = "maxt"
    """How verdicts allow for the number of pairs."""
    pairs: str = "adjacent"
    """Pairs to list in full: ``adjacent``, ``top:K`` or ``all``."""
    items: ItemChoice = "pairwise"
    """Items that both models of a pair have, or that all models have."""
    draws: int | None = None
    """Draws of max-T; None for as many as the pairs ask for."""
    seed: int = 0
    """Seed of these draws."""

    def __post_init__(self) -> None:
        if self.draws is not None:
            rank_to_reject(self.criteria.alpha, self.draws)

    @property
    def kind(self) -> DesignKind:
        """How items come about."""
        if self.strata is not None:
            return "strata"
        return "independent" if self.cluster is None else "cluster"

    @property
    def column(self) -> str | None:
        """Group column; None for independent items."""
        return self.cluster if self.strata is None else self.strata

    @property
    def best(self) -> int | None:
        """K of ``top:K``, 0 for all pairs, None for adjacent ones."""
        if self.pairs in ("adjacent", "all"):
            return None if self.pairs == "adjacent" else 0
        return units.PairChoice.top_of(self.pairs)

    @property
    def top(self) -> int:
        """Best models whose pairs are a family of the sensitivity analysis."""
        return self.best or _TOP

    def refuse_judged(self) -> None:
        """Strata say nothing of a judge's scores that labels of all strata correct."""
        if self.strata is not None:
            raise ParameterError(fill_parameters(NO_STRATA))

    def refuse_weighted(self) -> None:
        """Strata say nothing of items whose weights are given."""
        if self.strata is not None:
            raise ParameterError(fill_parameters(NO_WEIGHTED_STRATA))

    def in_units_of(self, unit: float) -> "AuditQuestion":
        """The same about scores that were divided by ``unit``."""
        if unit == 1:
            return self
        delta, margin = (None if x is None else x / unit for x in (self.delta, self.margin))
        return replace(self, delta=delta, margin=margin)

    def check_gaps(self, limits: tuple[float, float]) -> None:
        """Gaps asked about must fit the scale."""
        largest = limits[1] - limits[0]
        gaps: tuple[tuple[str, Any], ...] = (("delta", self.delta), ("margin", self.margin))
        for name, gap in gaps:
            if gap is None:
                continue
            if not isinstance(gap, int | float) or not 0 < gap < largest:
                hint = ", such as 0.01 for one point" if largest == 1 else ""
                msg = f"{arg(name)} must be a gap between 0 and {largest:g}{hint}; got {gap!r}"
                raise ParameterError(msg)
