"""Question that an audit answers."""

from dataclasses import dataclass, field, replace
from typing import Any

from nstar._base import units
from nstar._base.parameter_types import Adjust, ItemChoice, RankMeasure, SampleUnit
from nstar._engine.pairs import DesignKind
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg
from nstar.stats._contrasts import rank_to_reject

_TOP = 10
"""Number of best models that form a family if no pairs of the best K are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditQuestion:
    """Items, pairs, gaps, and level of an audit."""

    strata: str | None = None
    """Column of groups, such as subjects, that define the benchmark."""
    cluster: str | None = None
    """Column of groups, such as passages, that are a random sample."""
    delta: float | None = None
    """Smallest gap that matters, declared in advance, in score units."""
    margin: float | None = None
    """Largest gap that does not matter, for an equivalence test, in score units."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level and power. The test is two-sided."""
    adjust: Adjust = "maxt"
    """Multiple-comparison adjustment of verdicts."""
    pairs: str = "adjacent"
    """Pairs to list in full: ``adjacent``, ``top:K`` or ``all``."""
    items: ItemChoice = "pairwise"
    """Items to compare: those that both models of a pair have, or those that all models have."""
    draws: int | None = None
    """Number of max-T draws; None if it depends on the pairs."""
    seed: int = 0
    """Seed of these draws."""
    unit: SampleUnit = "item"
    """Units that are a sample: items, or tasks with one score each."""
    rank_by: RankMeasure = "mean"
    """Measure of the ranking, if tasks are the units."""
    ranks_only: bool = False
    """Whether to omit the sensitivity analyses and the rank ranges of single models."""
    use_max_t: bool = True
    """Whether to use max-T where it is available. A board that is compared with one of Holm's
    method uses that method too."""

    def __post_init__(self) -> None:
        if self.draws is not None:
            rank_to_reject(self.criteria.alpha, self.draws)

    @property
    def kind(self) -> DesignKind:
        """Return the sampling design of the items."""
        if self.strata is not None:
            return "strata"
        return "independent" if self.cluster is None else "cluster"

    @property
    def column(self) -> str | None:
        """Return the group column; None for independent items."""
        return self.cluster if self.strata is None else self.strata

    @property
    def best(self) -> int | None:
        """Return K of ``top:K``, 0 for all pairs, or None for adjacent pairs."""
        if self.pairs in ("adjacent", "all"):
            return None if self.pairs == "adjacent" else 0
        return units.PairChoice.top_of(self.pairs)

    @property
    def top(self) -> int:
        """Return the number of best models that form a family of the sensitivity analysis."""
        return self.best or _TOP

    def in_units_of(self, unit: float) -> "AuditQuestion":
        """Return the question for scores divided by ``unit``."""
        if unit == 1:
            return self
        delta, margin = (None if x is None else x / unit for x in (self.delta, self.margin))
        return replace(self, delta=delta, margin=margin)

    def check_gaps(self, limits: tuple[float, float]) -> None:
        """Raise an error unless the gaps fit the scale of the scores."""
        largest = limits[1] - limits[0]
        gaps: tuple[tuple[str, Any], ...] = (("delta", self.delta), ("margin", self.margin))
        for name, gap in gaps:
            if gap is None:
                continue
            if not isinstance(gap, int | float) or not 0 < gap < largest:
                hint = ", such as 0.01 for 1 pp" if largest == 1 else ""
                msg = f"{arg(name)} must be a gap between 0 and {largest:g}{hint}; got {gap!r}"
                raise ParameterError(msg)
