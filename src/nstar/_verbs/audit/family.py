"""Families of comparisons, and the significant p-value and |t| under each adjustment.

Every adjustment results in one threshold: given the other rejections, a pair is rejected exactly
if its p-value is at most the threshold. No further correction is applied.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._engine.pairs import PairStats
from nstar._verbs.audit.maxt import MaxTResult, MaxTUnavailable
from nstar._verbs.verdict import Criteria
from nstar.stats._null_variance import strata_half

_BINS = 1 << 14
_MAX_NEG_LOG_P = 46.0
"""Value of -ln p at the start of the last bin (p = 1e-20), which holds all smaller p-values."""

_SCALE = _BINS / _MAX_NEG_LOG_P

_PVALUE_RTOL = 1e-9
"""Largest relative difference at which two p-values count as equal."""

_BESIDE_ZERO = 1e-6
"""Distance from 0 of the limit of an adjusted interval that must exclude 0, as a share of the gap.
"""


@dataclass(frozen=True, slots=True, eq=False)
class ExactFamily:
    """Family with all p-values in memory, in ascending order."""

    p: Array

    @property
    def size(self) -> int:
        """Return the number of comparisons."""
        return self.p.size

    def holm(self, alpha: float) -> float:
        """Return Holm's threshold: α divided by the number of pairs not rejected."""
        m = self.p.size
        fails = np.flatnonzero(self.p > alpha / (m - np.arange(m)))
        rejected = int(fails[0]) if fails.size else m
        return alpha / max(m - rejected, 1)

    def bh(self, alpha: float) -> float:
        """Return Benjamini and Hochberg's threshold: α times the share rejected, or α/m."""
        m = self.p.size
        passes = np.flatnonzero(self.p <= alpha * np.arange(1, m + 1) / m)
        return alpha * (int(passes[-1]) + 1 if passes.size else 1) / max(m, 1)

    def adjusted(self, p: Array, policy: str) -> Array:
        """Return adjusted p-values, as :func:`nstar.stats.holm` and others do."""
        if policy == "none":
            return p
        methods = {
            "holm": stats.holm,
            "bonferroni": stats.bonferroni,
            "bh": stats.benjamini_hochberg,
        }
        all_adjusted = np.asarray(methods[policy](self.p))
        # A p-value computed in a tile may differ in the last digit from the one in the family.
        # Without the tolerance, the search could pass it and return the adjusted p-value of its
        # neighbor.
        place = np.searchsorted(self.p, p * (1 - _PVALUE_RTOL)).clip(max=self.p.size - 1)
        return np.asarray(all_adjusted[place])


@dataclass(slots=True, eq=False)
class HistogramFamily:
    """Family that is too large for memory: counts of -ln p in bins of 0.3% width.

    Histograms can be added. Results are conservative by at most the width of a bin.
    """

    counts: IntArray

    @classmethod
    def of(cls, p: Array) -> "HistogramFamily":
        """Return the histogram of some p-values."""
        place = np.log(p)
        place *= -_SCALE
        np.minimum(place, _BINS - 1, out=place)
        return cls(np.bincount(place.astype(np.int32).reshape(-1), minlength=_BINS))

    def repeat(self, p: float, times: int) -> None:
        """Count one p-value ``times`` times."""
        self.counts[min(int(-_SCALE * math.log(p)), _BINS - 1)] += times

    def arrays(self) -> dict[str, IntArray]:
        """Return plain arrays for a file."""
        return {"counts": self.counts}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, IntArray]) -> "HistogramFamily":
        """Rebuild the histogram from :meth:`arrays`."""
        return cls(arrays["counts"])

    def __iadd__(self, other: "HistogramFamily") -> Self:
        """Add the counts of another family."""
        self.counts += other.counts
        return self

    @property
    def size(self) -> int:
        """Return the number of comparisons."""
        return int(self.counts.sum())

    def _ascending(self) -> tuple[Array, IntArray, IntArray]:
        """Return the largest p of each nonempty bin, and the counts up to its start and end."""
        bins = np.flatnonzero(self.counts)[::-1]
        upto = np.cumsum(self.counts[bins])
        return np.exp(-bins / _SCALE), upto - self.counts[bins], upto

    def holm(self, alpha: float) -> float:
        """Return the threshold of :meth:`ExactFamily.holm`, to the precision of a bin."""
        high, before, _ = self._ascending()
        m = self.size
        fails = np.flatnonzero(high > alpha / (m - before))
        rejected = int(before[fails[0]]) if fails.size else m
        return alpha / max(m - rejected, 1)

    def bh(self, alpha: float) -> float:
        """Return the threshold of :meth:`ExactFamily.bh`, to the precision of a bin."""
        high, _, upto = self._ascending()
        m = self.size
        passes = np.flatnonzero(high <= alpha * upto / m)
        return alpha * (int(upto[passes[-1]]) if passes.size else 1) / max(m, 1)

    def adjusted(self, p: Array, policy: str) -> Array:
        """Return adjusted p-values, rounded up within their bin."""
        m = self.size
        if policy == "none":
            return p
        if policy == "bonferroni":
            return np.minimum(p * m, 1.0)
        high, before, upto = self._ascending()
        place = np.searchsorted(high, p, side="left").clip(max=len(high) - 1)
        if policy == "holm":
            earlier = np.maximum.accumulate(np.concatenate([[0.0], (high * (m - before))[:-1]]))
            return np.minimum(np.maximum(p * (m - before[place]), earlier[place]), 1.0)
        later = np.minimum.accumulate((high * m / upto)[::-1])[::-1]
        return np.minimum(np.minimum(p * m / (before[place] + 1), later[place]), 1.0)


PairFamily: TypeAlias = ExactFamily | HistogramFamily
"""Family of p-values for step-wise adjustments."""


def uses_mcnemar(pairs: PairStats) -> bool:
    """Return whether the test is McNemar's test, which needs counts of 0/1 scores."""
    return pairs.gram.binary and bool(np.isinf(pairs.df).all())


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceRule:
    """Thresholds for significant and resolved gaps in one family under one adjustment."""

    p: float
    """Largest significant p-value."""
    power: float
    """Target power."""
    by_sign: bool = True
    """Whether graded scores need as many items as a sign-flip test of one pair. Tasks do not,
    because their sign flips are joint.
    """

    def critical(self, df: Any = np.inf) -> Any:
        """Return the critical value of |t|, which is larger for few degrees of freedom."""
        return -np.asarray(stats.t_quantile(self.p / 2, df))[()]

    def reach(self, df: Any = np.inf) -> Any:
        """Return the standard errors in a true gap that has the target power."""
        return self._student().reach(df)

    def resolves(self, pairs: PairStats) -> BoolArray:
        """Return which gaps have the target power if the true gap equals the observed gap.

        A gap without a standard error is never resolved.
        """
        if uses_mcnemar(pairs):
            g = pairs.gram
            lead, discordant = (np.asarray(x, dtype=np.float64) for x in (g.gap, g.gap2))
            is_resolved = self.mcnemar().resolves(np.abs(lead), discordant, g.n)
            return is_resolved & (pairs.se > 0)
        is_reached = np.abs(pairs.t) >= self.reach(degrees_of_freedom(pairs))
        return np.asarray(is_reached & np.isfinite(pairs.t) & (pairs.n >= self._min_items(pairs)))

    def mde(self, pairs: PairStats) -> Array:
        """Return the smallest detectable gap for the noise of each pair.

        It is NaN or infinite if no gap is detectable.
        """
        out = np.full(pairs.delta.shape, np.nan)
        if uses_mcnemar(pairs):
            has_error = pairs.gram.gap2 > 0
            psi = pairs.gram.gap2[has_error] / pairs.n[has_error]
            out[has_error] = self.mcnemar().mde(pairs.n[has_error], psi=psi)
            return out
        with np.errstate(invalid="ignore"):
            has_error = (pairs.se > 0) & (pairs.n >= self._min_items(pairs))
            return np.where(has_error, self.reach(degrees_of_freedom(pairs)) * pairs.se, np.nan)

    def significant_gap(self, pairs: PairStats) -> Array:
        """Return the smallest observed gap that is significant; NaN without one.

        The number of discordant items (0/1 scores) or the standard error of each pair is held
        fixed.
        """
        out = np.full(pairs.delta.shape, np.nan)
        if uses_mcnemar(pairs):
            has_error = pairs.gram.gap2 > 0
            counts = np.stack(
                [pairs.gram.gap2[has_error], np.broadcast_to(pairs.n, has_error.shape)[has_error]]
            )
            unlike, place = np.unique(counts, axis=1, return_inverse=True)
            out[has_error] = self.mcnemar().significant_gap(*unlike)[place.reshape(-1)]
        else:
            half = self.critical(degrees_of_freedom(pairs)) * pairs.se
            if pairs.gram.binary and pairs.kind == "strata":
                half = strata_half(half, pairs.se, pairs.n)
            out = np.where(pairs.se > 0, half, np.nan)
        return np.where(np.isfinite(out), out, np.nan)

    def needed(self, pairs: PairStats, gap: Any) -> Array:
        """Return the items that a gap (≥ 0) needs, given each pair's noise; NaN if unknown."""
        n = np.asarray(pairs.n, dtype=np.float64)
        size = np.broadcast_to(np.asarray(gap, dtype=np.float64), n.shape)
        out = np.full(n.shape, np.nan)
        with np.errstate(invalid="ignore"):
            has_error = (pairs.se > 0) & np.isfinite(size)
        if uses_mcnemar(pairs):
            psi = np.maximum(pairs.gram.gap2[has_error] / n[has_error], size[has_error])
            out[has_error] = self.mcnemar().n_star(
                np.minimum(size[has_error], 1.0), psi=np.minimum(psi, 1)
            )
            return out
        df = np.broadcast_to(pairs.df, n.shape)[has_error]
        lost = np.broadcast_to(pairs.lost, n.shape)[has_error]
        grown = self._student().growth(size[has_error] / pairs.se[has_error], df, lost=lost)
        out[has_error] = np.maximum(n[has_error] * grown, self._min_items(pairs))
        return out

    def _min_items(self, pairs: PairStats) -> int:
        """Return the minimum number of items for the sign-flip test of graded scores."""
        if not pairs.by_item or not self.by_sign:
            return 0
        return stats.GradedTest(alpha=self.p, power=self.power).least

    def _student(self) -> stats.StudentTest:
        return stats.StudentTest(alpha=self.p, power=self.power)

    def mcnemar(self) -> stats.McNemarTest:
        """Return McNemar's test for counts."""
        return stats.McNemarTest(alpha=self.p, power=self.power)


def rule_at(p: float, rule: Criteria) -> SignificanceRule:
    """Return the rule with a two-sided p-value threshold."""
    return SignificanceRule(p=p, power=rule.power)


def _ruler_at(score: float, rule: Criteria) -> SignificanceRule:
    """Return the rule with a threshold on the scale of normal scores."""
    return rule_at(2 * float(special.ndtr(-score)), rule)


def degrees_of_freedom(pairs: PairStats) -> Any:
    """Return the degrees of freedom, one number if all pairs agree; infinite without any."""
    df = np.asarray(pairs.df, dtype=np.float64)
    df = np.where(df > 0, df, np.inf)  # infinite without an error
    values = np.unique(df)
    return float(values[0]) if values.size == 1 else df


POLICIES = ("bonferroni", "holm", "maxt", "bh", "anytime")


def rules_by_policy(
    family: PairFamily, rule: Criteria, step: MaxTResult | MaxTUnavailable
) -> dict[str, SignificanceRule]:
    """Return the rule of each adjustment for a family; max-T only if available.

    The key ``""`` is the rule without adjustment.
    """
    alpha, m = rule.alpha, max(family.size, 1)
    rules = {
        "": rule_at(alpha, rule),
        "bonferroni": rule_at(alpha / m, rule),
        "holm": rule_at(family.holm(alpha), rule),
        "bh": rule_at(family.bh(alpha), rule),
        "anytime": _ruler_at(float(stats.anytime_critical(alpha)), rule),
    }
    return (
        rules
        if isinstance(step, MaxTUnavailable)
        else rules | {"maxt": _ruler_at(step.critical, rule)}
    )


def interval_level(
    reading: str,
    rules: Mapping[str, SignificanceRule],
    alpha: float,
    step: MaxTResult | MaxTUnavailable,
) -> float:
    """Return the level of an adjusted interval, that is 1 minus its coverage.

    Under a step-down method, this is the level of the first step, which tests all pairs. Intervals
    at the level of the last step would not be simultaneous, because the data select the remaining
    pairs.
    """
    if reading == "holm":
        return rules["bonferroni"].p
    if reading == "maxt" and isinstance(step, MaxTResult):
        single = 2 * float(special.ndtr(-step.single_step(alpha)))
        return min(max(single, rules["bonferroni"].p), rules["maxt"].p)
    return rules[reading].p


def align_with_test(
    low: Array, high: Array, gap: Array, significant: BoolArray
) -> tuple[Array, Array]:
    """Adjust intervals so that they exclude 0 exactly if the test rejects.

    Tango's interval does not invert McNemar's mid-p test, and the interval of a unanimous gap does
    not invert the sign test. If the interval and the test disagree about 0, the limit nearest 0 is
    moved.
    """
    up, down = gap > 0, gap < 0
    low = np.where(up & significant & (low <= 0), _BESIDE_ZERO * gap, low)
    high = np.where(down & significant & (high >= 0), _BESIDE_ZERO * gap, high)
    low = np.where(~significant & (low > 0), 0.0, low)
    return low, np.where(~significant & (high < 0), 0.0, high)


def median_of(value: Any) -> float:
    """Return the median of a critical value that may differ between pairs."""
    return float(np.median(value))
