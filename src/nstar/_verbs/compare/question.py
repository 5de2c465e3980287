"""Question about two models, for every task."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from nstar._base import checks
from nstar._base.parameter_types import PairedTest
from nstar._base.types import LossUnit
from nstar._verbs.compare.sample import checked_range
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, ParameterError, arg, fill_parameters

_HUGE = 1e70
"""Size of scores above which products of squares overflow."""


def refuse_strata(strata: str | None, *, weighted: bool) -> None:
    """Raise ParameterError for strata of items with weights, or of scores that labels correct."""
    if strata is None:
        return
    reason = "{weights}, which already weight the strata"
    if not weighted:
        reason = "a judge and labels, which span all strata"
    msg = (
        f"{{strata}} cannot be combined with {reason}. For groups that are a random sample, use "
        "{cluster}."
    )
    raise ParameterError(fill_parameters(msg))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareQuestion:
    """Question about every task."""

    strata: str | None = None
    """Column whose groups define the benchmark."""
    cluster: str | None = None
    """Column whose groups are a random sample."""
    delta: float | None = None
    """Smallest gap that matters, declared in advance, in score units."""
    margin: float | None = None
    """Largest gap that does not matter, in score units."""
    test: PairedTest | None = None
    """Test of independent items, by name; None for the default test."""
    quantile: float | None = None
    """Level of the quantile to compare, such as 0.95; None for mean scores."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level, power, and alternative hypothesis."""
    seed: int = 0
    """Seed of the random sign flips, for graded scores, and of the bootstrap."""
    score_range: tuple[float, float] | None = None
    """Worst and best possible score, if declared."""
    loss: LossUnit = "cluster"
    """With ``cluster`` and a margin: whether clusters outside the sample may fail, or items."""

    def __post_init__(self) -> None:
        checks.seed(self.seed)
        if self.score_range is not None:
            checked_range(self.score_range)

    @property
    def statistic(self) -> str | None:
        """Return the name of the quantile; None for mean scores."""
        if self.quantile is None:
            return None
        from nstar._verbs.metrics import quantile_label  # noqa: PLC0415 rarely used

        return quantile_label(self.quantile)

    def check(self, limits: tuple[float, float], width: float) -> None:
        """Check that the gaps fit the scale, and that scores do not overflow."""
        if max(map(abs, limits)) > _HUGE:
            msg = (
                f"Scores range from {limits[0]:g} to {limits[1]:g}, so their squares overflow. "
                "Rescale them."
            )
            raise DataError(msg)
        for name, value in (("delta", self.delta), ("margin", self.margin)):
            number = value is None or isinstance(value, int | float | np.number)
            if not number or (value is not None and not 0 < value < width):
                allowed = "a finite number > 0"
                if math.isfinite(width):
                    range_text = ", a proportion" if limits == (0.0, 1.0) else ", inside the range"
                    allowed = f"in (0, {width:g}){range_text}"
                msg = f"{arg(name)} must be {allowed}; got {value!r}"
                raise ParameterError(msg)

    def in_units_of(self, unit: float) -> "CompareQuestion":
        """Return the question for scores that were divided by ``unit``."""
        delta, margin = (None if x is None else x / unit for x in (self.delta, self.margin))
        return replace(self, delta=delta, margin=margin)
