"""Tests by sampling design: p-value, interval, power, MDE, and the number of items.

Every comparison of two models uses one of these classes, so that the plan matches the test and all
reported numbers are consistent. A gap is at least the MDE if and only if n ≥ N* and q ≥ 1. A test
with the same number of items then detects the gap with the target power.

* :class:`McNemarTest`: two 0/1 scores per item, independent items. McNemar's mid-p test (exact if
more than 80% of the items are discordant) and Tango's interval; * :class:`StudentTest`: a mean
with a standard error and degrees of freedom, as of strata, of
  clusters and of averages. Student's t;
* :class:`GradedTest`: graded scores of independent items. Student's interval and power, and a
  sign-flip test, which cannot reject with very few items.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, Interval, Sides
from nstar.stats._roots import bracketed
from nstar.stats.critical import k_factor, t_quantile, z_alpha, z_power
from nstar.stats.exact import exact_power
from nstar.stats.graded import shift_for_power, t_power
from nstar.stats.interval import paired_interval
from nstar.stats.mcnemar import P_FLOOR, mcnemar_default_pvalue, mcnemar_pvalue
from nstar.stats.power import paired_mde, paired_mde_fixed_loss, paired_n_star, paired_power

__all__ = ["GradedTest", "McNemarTest", "StudentTest"]

_ENUMERATED = 1000
"""Number of items up to which the power of McNemar's test is enumerated, because the formula is
imprecise.
"""
_NODES = 24
"""Number of points at which the critical effect of t is computed in each of two ranges."""
_MANY_DF, _FEW_DF = (0.0, 0.25), (0.25, 1.0)
"""These two ranges, as one over the degrees of freedom."""
_MIN_PAIRS_FOR_CURVE, _PER_UNIT = 4096, 256
"""Number of pairs from which on a curve is used, and its points for each factor of e in the
gap.
"""
_FEW_MORE = 4
"""Number of items beyond the fewest that can reject at which a sign-flip test reaches the power of
t.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    alpha: float = 0.05
    """Level, over both tails if ``sides`` is 2. It must be below 0.5 if ``sides`` is 1."""
    power: float = 0.8
    """Target probability of detecting a true gap."""
    sides: Sides = 2
    """2 if either model may be better. 1 if only "the first is better" is of interest."""

    def __post_init__(self) -> None:
        checks.fraction("alpha", self.alpha)
        checks.fraction("power", self.power)
        checks.choice("sides", self.sides, (1, 2))

    @property
    def conf(self) -> float:
        """Return the coverage of the two-sided interval that matches the test."""
        return 1 - 2 * self.alpha / self.sides

    @property
    def fewest(self) -> int:
        """Return the fewest units for which a unanimous outcome has probability at most alpha."""
        return max(int(np.ceil(-np.log2(2 * self.alpha / self.sides) - 1e-9)), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemarTest(_Level):
    """McNemar's test with Tango's interval, for two 0/1 scores per item and independent items.

    References
    ----------
    McNemar (1947), Psychometrika 12.
    Fagerland, Lydersen, Laake (2013), BMC Med. Res. Methodol. 13.
    Tango (1998), Stat. Med. 17.
    Connor (1987), Biometrics 43.
    Methods: Items, MDE and power.

    Examples
    --------
    >>> test = McNemarTest()
    >>> round(float(test.pvalue(86, 78, 1000)), 4), round(float(test.mde(1000, psi=0.164)), 4)
    (0.5335, 0.0358)
    >>> round(float(test.n_star(0.008, psi=0.164)))
    20110
    """

    def pvalue(self, n10: FloatLike, n01: FloatLike, n: FloatLike) -> Array:
        """Return the p-value of a zero gap, or one-sided, of "the first is not better"."""
        p = mcnemar_default_pvalue(n10, n01, n)
        if self.sides == 2:
            return p
        b, c = np.asarray(n10), np.asarray(n01)
        exact, midp = mcnemar_pvalue(b, c, method="exact"), mcnemar_pvalue(b, c)
        usual = p == midp
        # P(X = max) is exact - mid-p, so the other tail needs no further sum
        low = np.where(usual, 1 - midp / 2, 1 - (midp - exact / 2))
        one = np.where(b > c, p / 2, np.where((b == c) & usual, 0.5, low))
        return np.asarray(np.where(b + c > 0, one, 1.0))[()]

    def significant_gap(self, discordant: FloatLike, n: FloatLike) -> Array:
        """Return the smallest observed gap that is significant with this many discordant items.

        Parameters
        ----------
        discordant : float or array
            Number of discordant items, n10 + n01, whole numbers >= 0.
        n : float or array
            Items, at least ``discordant``.

        Returns
        -------
        Array
            Gap as a proportion of the items. It is ``inf`` if no split of so few discordant items
            is significant.

        Examples
        --------
        >>> round(float(McNemarTest().significant_gap(164, 1000)), 4)
        0.026
        >>> float(McNemarTest().significant_gap(4, 1000))
        inf
        """
        m, items = np.broadcast_arrays(
            np.asarray(discordant, dtype=np.float64), np.asarray(n, dtype=np.float64)
        )
        losses = np.floor(m / 2)
        # The p-value increases with the losses, so bisect. -1 losses stand for no split at all.
        low, high = np.full(m.shape, -1.0), losses + 1
        while (open_ := high - low > 1).any():
            midpoint = np.where(open_, np.floor((low + high) / 2), np.maximum(low, 0))
            rejects = self.pvalue(m - midpoint, midpoint, items) <= self.alpha
            low = np.where(open_ & rejects, midpoint, low)
            high = np.where(open_ & ~rejects, midpoint, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(low >= 0, (m - 2 * low) / items, np.inf)[()]

    def interval(self, n10: FloatLike, n01: FloatLike, n: FloatLike) -> Interval:
        """Return Tango's interval of the gap."""
        return paired_interval(n10, n01, n, conf=self.conf)

    def power_at(self, delta: FloatLike, *, psi: FloatLike, n: FloatLike) -> Array:
        """Return the probability of rejecting at a true gap, by enumeration up to 1,000 items."""
        gap, share, items = np.broadcast_arrays(delta, psi, n)
        level: dict[str, Any] = {"method": "default", "alpha": self.alpha, "sides": self.sides}
        out = np.array(paired_power(gap, psi=share, n=items, **level), dtype=np.float64)
        is_small = items <= _ENUMERATED
        if is_small.any():
            out[is_small] = exact_power(
                gap[is_small], psi=share[is_small], n=np.ceil(items[is_small]), **level
            )
        return out[()]

    def mde(self, n: FloatLike, *, psi: FloatLike) -> Array:
        """Return the smallest detectable gap at a discordance.

        Return ``inf`` if even a gap of psi is too small.
        """
        return paired_mde(n, psi=psi, method="default", **self._rule())

    def mde_unopposed(self, n: FloatLike) -> Array:
        """Return the smallest detectable gap if one model never loses an item.

        Return ``inf`` if there is none.
        """
        return paired_mde_fixed_loss(n, p01=0.0, method="default", **self._rule())

    def n_star(self, delta: FloatLike, *, psi: FloatLike) -> Array:
        """Return the number of items needed to detect a gap at a discordance, unrounded.

        Return ``inf`` for a gap of 0.
        """
        return paired_n_star(delta, psi=psi, method="default", **self._rule())

    def resolves(self, lead: Array, discordant: Array, n: FloatLike) -> BoolArray:
        """Return whether n items suffice for a gap of lead / n: n ≥ N*.

        ``lead`` is |n10 - n01| and ``discordant`` n10 + n01, as floats. The result equals that of
        :meth:`n_star` without its divisions, because audits call this for every pair.
        """
        z_a, z_b = float(z_alpha(self.alpha, sides=self.sides)), float(z_power(self.power))
        items = np.broadcast_to(np.asarray(n, dtype=np.float64), lead.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            under = np.sqrt(np.maximum(discordant - lead * lead / items, 0.0))
            ok = lead >= z_a * np.sqrt(discordant) + z_b * under
        ok &= lead > 0
        unsure = ok & ((discordant > items / 2) | (discordant < self.rare))
        if unsure.any():
            m, size = discordant[unsure], items[unsure]
            ok[unsure] = self.n_star(lead[unsure] / size, psi=m / size) <= size
        return np.asarray(ok)

    @property
    def shift(self) -> float:
        """Return the largest size, in standard errors, of a gap with the target power."""
        return float(z_alpha(self.alpha, sides=self.sides)) + max(float(z_power(self.power)), 0.0)

    @property
    def rare(self) -> float:
        """Return the number of discordant items above which a rejection is always possible."""
        return float(special.gammaincinv(self.fewest, self.power)) * (1 + 1e-9)

    def _rule(self) -> dict[str, Any]:
        return {"alpha": self.alpha, "power": self.power, "sides": self.sides}


def _alike(df: Array) -> bool:
    """Return whether enough pairs share their degrees of freedom to use one curve for all."""
    return df.size > _MIN_PAIRS_FOR_CURVE and bool((df == df.flat[0]).all())


@lru_cache(maxsize=256)
def _reach_curve(alpha: float, power: float, sides: Sides, ends: tuple[float, float]) -> Array:
    """Return Chebyshev coefficients of ln(noncentrality that has the power), over 1 / df."""
    k = np.arange(_NODES)
    angles = np.pi * (k + 0.5) / _NODES
    x = 0.5 * (ends[0] + ends[1] + (ends[1] - ends[0]) * np.cos(angles))
    y = np.log(shift_for_power(1 / x, alpha, power, sides=sides))
    terms = np.cos(np.outer(k, angles)) @ y * (2 / _NODES)
    terms[0] /= 2
    return np.asarray(terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentTest(_Level):
    """Student's t test of a mean, for items in strata, clusters, and averages of tasks.

    References
    ----------
    Student (1908), Biometrika 6.
    Methods: Strata and clusters.

    Examples
    --------
    Five clusters of equal size and a gap of 1.9 standard errors, for which 13 clusters suffice:

    >>> test = StudentTest()
    >>> round(float(test.pvalue(1.9, 4)), 3), round(float(test.reach(4)), 3)
    (0.13, 3.761)
    >>> round(5 * float(test.growth(1.9, 4)), 1)
    12.9
    """

    def pvalue(self, t: FloatLike, df: FloatLike) -> Array:
        """Return the p-value of a zero gap if the observed gap is t standard errors."""
        stat, nu = (np.asarray(x, dtype=np.float64) for x in np.broadcast_arrays(t, df))
        size = np.abs(stat) if self.sides == 2 else stat
        many = np.isinf(nu)
        tail = np.where(many, special.ndtr(-size), special.stdtr(np.where(many, 1.0, nu), -size))
        return np.clip(self.sides * tail, P_FLOOR, 1.0)[()]

    def significant_gap(self, se: FloatLike, df: FloatLike) -> Array:
        """Return the smallest observed gap that is significant with this standard error.

        Parameters
        ----------
        se : float or array
            Standard error of the gap, in score units.
        df : float or array
            Degrees of freedom of the standard error.

        Returns
        -------
        Array
            Gap in score units.

        Examples
        --------
        >>> round(float(StudentTest().significant_gap(0.01, 4)), 4)
        0.0278
        """
        return np.multiply(t_quantile(1 - self.alpha / self.sides, df), se)[()]

    def interval(self, delta: FloatLike, se: FloatLike, df: FloatLike) -> Interval:
        """Return the gap ± t standard errors."""
        half = np.multiply(t_quantile((1 + self.conf) / 2, df), se)
        return Interval(np.subtract(delta, half)[()], np.add(delta, half)[()])

    def power_at(self, t: FloatLike, df: FloatLike) -> Array:
        """Return the probability of rejecting if the true gap is t standard errors."""
        units = np.asarray(df, dtype=np.float64) + 1
        size = np.abs(t) if self.sides == 2 else np.maximum(t, 0.0)
        effect = size / np.sqrt(units)
        return t_power(effect, sigma=1.0, n=units, alpha=self.alpha, sides=self.sides)

    def reach(self, df: FloatLike) -> Array:
        """Return the size of a detectable true gap in standard errors: the MDE over the error.

        This is the noncentrality at which Student's t has the target power. For infinite degrees
        of freedom, it is K, the sum of the normal quantiles of level and power. It is ``inf``
        without degrees of freedom.
        """
        nu = np.asarray(df, dtype=np.float64)
        out = np.full(nu.shape, np.inf)
        out[np.isinf(nu)] = k_factor(self.alpha, self.power, sides=self.sides)
        for (low, high), part in (
            (_MANY_DF, np.isfinite(nu) & (nu >= 1 / _MANY_DF[1])),
            (_FEW_DF, (nu > 0) & (nu < 1 / _MANY_DF[1])),
        ):
            if part.any():
                x = np.minimum(1 / nu[part], high)
                terms = _reach_curve(self.alpha, self.power, self.sides, (low, high))
                place = (2 * x - low - high) / (high - low)
                out[part] = np.exp(np.polynomial.chebyshev.chebval(place, terms))
        return out[()]

    def growth(self, t: FloatLike, df: FloatLike, *, lost: FloatLike = 1.0) -> Array:
        """Return N* / N, the factor in units that would detect a gap of t standard errors.

        It is 1 if |t| is :meth:`reach`, and ``inf`` for a gap of 0 or without degrees of freedom.
        With more units of the same kind, the error decreases as 1 / √units. The degrees of freedom
        are the number of units minus ``lost``, which is 1 for a mean, and one for each stratum.
        """
        stat, nu, off = (np.array(x, dtype=np.float64) for x in np.broadcast_arrays(t, df, lost))
        size = np.abs(stat) if self.sides == 2 else np.maximum(stat, 0.0)
        out = np.full(size.shape, np.inf)
        with np.errstate(divide="ignore"):
            out[np.isinf(nu)] = np.square(self.reach(np.inf) / size[np.isinf(nu)])
        is_regular = (nu > 0) & np.isfinite(nu) & (size > 0) & np.isfinite(size)
        out[np.isinf(size) & (nu > 0)] = 0.0
        if is_regular.any():
            grown = self._grown_alike if _alike(nu[is_regular]) else self._grown
            out[is_regular] = grown(size[is_regular], nu[is_regular], off[is_regular])
        return out[()]

    def _grown_alike(self, size: Array, df: Array, lost: Array) -> Array:
        """Return the growth of many gaps with equal degrees of freedom, interpolated to 1e-5."""
        low, high = np.log(size.min()), np.log(size.max())
        at = np.linspace(low, high, max(int(_PER_UNIT * (high - low)), 2))
        same = (np.broadcast_to(x[:1], at.shape) for x in (df, lost))
        known = np.log(self._grown(np.exp(at), *same))
        return np.asarray(np.exp(np.interp(np.log(size), at, known)))

    def _grown(self, size: Array, df: Array, lost: Array) -> Array:
        """Return the root of factor = (reach at that factor / size)², in logarithms."""
        units = df + lost

        def target(log_factor: Array) -> Array:
            grown = np.maximum(np.exp(log_factor) * units - lost, 1.0)
            return np.asarray(2 * np.log(self.reach(grown) / size))

        low = np.maximum(2 * np.log(self.reach(np.inf) / size), np.log((1 + lost) / units))
        high = np.maximum(target(low), low)
        root = bracketed(lambda x: x - target(x), low, high, tol=1e-10)
        return np.asarray(np.exp(np.where(high > low, root, low)))


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedTest(StudentTest):
    """Graded scores of independent items: Student's interval and power, and a sign-flip test.

    The p-value of sign flips of n items is at least 2¹⁻ⁿ. With up to three items more than the
    fewest that can reject, sign flips have less power than t. Fewer than ``least`` items therefore
    have no MDE and are never sufficient.

    References
    ----------
    Student (1908), Biometrika 6. Fisher (1935), The Design of Experiments. Methods: Graded scores.

    Examples
    --------
    >>> GradedTest().least
    10
    """

    @property
    def least(self) -> int:
        """Return the fewest items from which on the sign-flip test has the power of the t test."""
        return self.fewest + 1 + _FEW_MORE

    def significant_gap(self, se: FloatLike, df: FloatLike) -> Array:
        """Return the gap for Student's t, or ``inf`` if too few items can be flipped to reject."""
        gap = StudentTest.significant_gap(self, se, df)
        return np.where(np.asarray(df) + 1 > self.fewest, gap, np.inf)[()]

    def flip_power(self, effect: FloatLike, n: FloatLike) -> Array:
        """Return the power at a gap of ``effect`` standard deviations, for normal differences.

        From :attr:`least` items on, it is the power of t. Below, it is the probability that all
        items favor the same model, which is a lower bound.
        """
        size, items = (np.array(x, dtype=np.float64) for x in np.broadcast_arrays(effect, n))
        size = np.abs(size) if self.sides == 2 else np.maximum(size, 0.0)
        usual = self.power_at(size * np.sqrt(items), np.maximum(items - 1, 1.0))
        alike = special.ndtr(size) ** items
        if self.sides == 2:
            alike = alike + special.ndtr(-size) ** items
        small_n_power = np.where(items > self.fewest, np.minimum(alike, usual), 0.0)
        return np.where(items >= self.least, usual, small_n_power)[()]
