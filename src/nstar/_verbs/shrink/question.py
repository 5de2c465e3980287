"""Question about a subset of a benchmark."""

from dataclasses import dataclass, field

from nstar._base import checks
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg

FEWEST = 20
"""Minimum number of items in a subset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkQuestion:
    """Gap that the subset must detect, or its number of items."""

    resolve: float | None = None
    """Gap between two new models in the benchmark's own score that must be detectable, in score
    units. Exactly one of this and ``items`` is set.
    """
    items: int | None = None
    """Number of items of the subset."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level and power. The test is two-sided."""
    seed: int = 0
    """Random seed of the draw."""

    def __post_init__(self) -> None:
        if (self.resolve is None) == (self.items is None):
            msg = (
                f"Set either {arg('resolve', 0.01)} (gap to detect) or "
                f"{arg('items', 1000)} (subset size)."
            )
            raise ParameterError(msg)
        if self.resolve is not None:
            checks.positive("resolve", self.resolve)
            checks.finite("resolve", self.resolve)
        if self.items is not None:
            checks.counts(items=self.items)
            checks.require(self.items >= FEWEST, "items", f"at least {FEWEST}", self.items)
        checks.seed(self.seed)
