"""Exact unconditional power and size of McNemar's tests by enumeration.

Given n discordant items, a test rejects if the larger of n10 and n01 reaches a limit k(n).
Unconditionally, n is binomial, so power is a sum over n, of which O(√N) terms are not negligible.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, IntArray, Sides
from nstar.errors import ParameterError
from nstar.stats._binomial import log_pmf, lower_tail, tail_half, upper_tail
from nstar.stats.critical import z_alpha
from nstar.stats.mcnemar import PSI_EXACT, McNemarMethod
from nstar.stats.power import paired_n_star

__all__ = [
    "EnumeratedMethod",
    "ExactItems",
    "exact_n_star",
    "exact_power",
    "rejection_limits",
]

EnumeratedMethod: TypeAlias = McNemarMethod | Literal["default"]
"""A test of :mod:`nstar.stats.mcnemar`, or the default test of nstar,
:func:`nstar.stats.mcnemar_default_pvalue`: mid-p, but exact if more than 80% of the items are
discordant.
"""

_METHODS = ("midp", "exact", "asymptotic", "corrected")
_WINDOW_SDS = 10.0
"""Distance from the mean, in standard deviations, beyond which discordant counts have a mass below
1e-22.
"""
_CELLS = 1 << 19
"""Number of elements × window cells that are processed at a time."""
_ROUNDING = 1e-12
"""Relative tolerance at the level, so that p = 0.05 exactly rejects."""
_SMOOTH = 6.0
"""Standard deviation of the discordant count above which the steps of power average out."""
_FEW_SIZES, _MANY_SIZES = 8, 64
"""Number of sizes that are tried at a time if power is smooth, and the minimum number if it has
steps.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactItems:
    """Number of items for a discrete test, whose power is a sawtooth function of the items."""

    first: int
    """Smallest number of items with the target power."""
    stay: int
    """Smallest number of items from which on power stays at or above the target, in the searched
    range.
    """


def _rejects(k: Array, n: Array, alpha: float, method: McNemarMethod) -> BoolArray:
    """Return whether max(n10, n01) = k > n / 2 rejects among n discordant items."""
    if method in ("asymptotic", "corrected"):
        gap = 2 * k - n - (1.0 if method == "corrected" else 0.0)
        crit = float(z_alpha(alpha))
        return np.asarray((gap > 0) & (gap * gap >= (crit * crit - _ROUNDING) * n))
    p = 2 * tail_half(n - k, n)
    if method == "midp":
        p = p - np.exp(log_pmf(k, n, 0.5))
    return np.asarray(p <= alpha * (1 + _ROUNDING))


def rejection_limits(
    n: FloatLike, *, method: McNemarMethod = "midp", alpha: float = 0.05
) -> IntArray:
    """Return the smallest max(n10, n01) that rejects for each number ``n`` of discordant items.

    Parameters
    ----------
    n : array_like
        Numbers of discordant items, whole numbers, at least 0.
    method : {"midp", "exact", "asymptotic", "corrected"}, default "midp"
        Test, as described in :mod:`nstar.stats.mcnemar`.
    alpha : float, default 0.05
        Level of the test, in (0, 1), two-sided.

    Returns
    -------
    IntArray
        Counts, in the shape of ``n``. The count is n + 1 if no count rejects, which is always so
        without discordant items.

    References
    ----------
    McNemar (1947), Psychometrika 12.
    Fagerland, Lydersen, Laake (2013), BMC Med. Res. Methodol. 13.
    Methods: Items, MDE and power.

    Examples
    --------
    >>> rejection_limits([0, 5, 6, 12, 100], method="exact").tolist()
    [1, 6, 6, 10, 61]
    """
    checks.choice("method", method, _METHODS)
    checks.fraction("alpha", alpha)
    checks.counts(n=n)
    total = np.asarray(n, dtype=np.float64)
    majority = np.floor(total / 2) + 1
    guess = np.ceil(total / 2 + float(z_alpha(alpha)) * np.sqrt(total) / 2)
    k = np.clip(guess, majority, total)
    safe = np.maximum(total, 1.0)
    while (
        down := (k > majority) & _rejects(np.maximum(k - 1, majority), safe, alpha, method)
    ).any():
        k = np.where(down, k - 1, k)
    while (up := (k <= total) & ~_rejects(np.clip(k, 1, safe), safe, alpha, method)).any():
        k = np.where(up, k + 1, k)
    return np.asarray(k, dtype=np.int64)[()]


def _limits(total: Array, n: Array, alpha: float, method: EnumeratedMethod) -> Array:
    """Return the smallest count that rejects for each number of discordant items among ``n``."""
    totals, place = np.unique(total, return_inverse=True)

    def limits_of(test: McNemarMethod) -> Array:
        limits = rejection_limits(totals, method=test, alpha=alpha).astype(np.float64)
        return np.asarray(limits[place].reshape(total.shape))

    if method != "default":
        return limits_of(method)
    dense = total > PSI_EXACT * n
    k = limits_of("midp")
    return np.where(dense, limits_of("exact"), k) if dense.any() else k


def _window_power(
    n: Array, psi: Array, delta: Array, alpha: float, method: EnumeratedMethod, sides: Sides
) -> Array:
    """Return the exact power of a column of designs, all enumerated over one window width."""
    mean = n * psi
    reach = _WINDOW_SDS * np.sqrt(mean * (1 - psi)) + 20
    low = np.floor(np.maximum(mean - reach, 0))
    width = int(np.max(np.ceil(np.minimum(mean + reach, n)) - low)) + 1
    total = low[:, None] + np.arange(width, dtype=np.float64)
    inside = total <= n[:, None]
    total = np.minimum(total, n[:, None])
    k = _limits(total, n[:, None], alpha, method)
    theta = np.clip((psi + delta) / (2 * psi), 0.0, 1.0)[:, None]
    reject = upper_tail(k, total, theta)
    if sides == 2:
        reject = reject + lower_tail(total - k, total, theta)
    p = np.broadcast_to(psi[:, None], total.shape)
    sure = p >= 1
    weight = np.exp(log_pmf(total, np.broadcast_to(n[:, None], p.shape), np.where(sure, 0.5, p)))
    weight = np.where(sure, total == n[:, None], weight)
    keep = inside & (total > 0)
    return np.asarray((weight * reject * keep).sum(axis=1))


def exact_power(
    delta: FloatLike,
    *,
    psi: FloatLike,
    n: FloatLike,
    method: EnumeratedMethod = "midp",
    alpha: float = 0.05,
    sides: Sides = 2,
) -> Array:
    """Return the exact unconditional probability that a McNemar test rejects.

    Parameters
    ----------
    delta : array_like
        True gap, a proportion, |delta| ≤ psi. At 0, the result is the size of the test.
    psi : array_like
        Share of items on which exactly one model is right, in [0, 1].
    n : array_like
        Numbers of items, whole numbers, at least 1.
    method : {"midp", "exact", "asymptotic", "corrected", "default"}, default "midp"
        Test. ``"default"`` is the one that :func:`nstar.compare` uses.
    alpha : float, default 0.05
        Level of the test, in (0, 1); below 0.5 if ``sides`` is 1.
    sides : {1, 2}, default 2
        Sides of the test: 2 (both tails count), or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Probability, which is 0 without discordant items. ``delta``, ``psi``, and ``n`` broadcast.

    References
    ----------
    McNemar (1947), Psychometrika 12.
    Fagerland, Lydersen, Laake (2013), BMC Med. Res. Methodol. 13.
    Methods: Items, MDE and power.

    Examples
    --------
    >>> round(float(exact_power(0.1, psi=0.3, n=40)), 6)
    0.191204
    >>> round(float(exact_power(0.0, psi=0.2, n=200)), 4)
    0.0483
    >>> round(float(exact_power(0.09, psi=0.1, n=37, sides=1)), 4)
    0.4149
    """
    checks.choice("method", method, (*_METHODS, "default"))
    level = _two_sided(alpha, sides)
    gap, share, items = (
        np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(delta, psi, n)
    )
    checks.counts(n=items)
    checks.require(items >= 1, "n", "at least 1 item", items)
    checks.require((share >= 0) & (share <= 1), "psi", "in [0, 1]", share)
    checks.require(np.abs(gap) <= share + 1e-12, "|delta|", "at most psi", gap)
    flat_n, flat_psi, flat_gap = items.ravel(), share.ravel(), gap.ravel()
    out = np.zeros(flat_n.shape)
    width = 2 * _WINDOW_SDS * np.sqrt(float(flat_n.max(initial=1)) / 4) + 41
    step = max(1, int(_CELLS / width))
    for start in range(0, out.size, step):
        part = slice(start, start + step)
        live = np.flatnonzero(flat_psi[part] > 0) + start  # psi = 0: no test ever rejects
        if live.size:
            n_live, psi_live, gap_live = (x[live] for x in (flat_n, flat_psi, flat_gap))
            out[live] = _window_power(n_live, psi_live, gap_live, level, method, sides)
    return np.minimum(out.reshape(items.shape), 1.0)[()]


def _two_sided(alpha: float, sides: Sides) -> float:
    """Return the two-sided level with the same critical count in its upper tail."""
    checks.fraction("alpha", alpha)
    checks.choice("sides", sides, (1, 2))
    if sides == 1:
        checks.require(alpha < 0.5, "alpha", "below 0.5 for a one-sided test", alpha)
    return 2 * alpha / sides


def exact_n_star(
    delta: float,
    *,
    psi: float,
    method: EnumeratedMethod = "midp",
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 2,
) -> ExactItems:
    """Return the items that one design needs, by enumerating every N up to 1.25 × Connor + 20.

    Use it for one design at a time, to refine a plan. The search takes O(N^1.5) time.

    Parameters
    ----------
    delta : float
        Gap to detect, a proportion, 0 < |delta| ≤ psi.
    psi : float
        Share of items on which exactly one model is right, in (0, 1].
    method : {"midp", "exact", "asymptotic", "corrected", "default"}, default "midp"
        Test. ``"default"`` is the one that :func:`nstar.compare` uses.
    alpha : float, default 0.05
        Level of the test, in (0, 1); below 0.5 if ``sides`` is 1.
    power : float, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only the side of ``delta`` is of interest.

    Returns
    -------
    ExactItems
        Smallest number of items with the target power, and the number from which on it is kept.

    Raises
    ------
    ParameterError
        The largest enumerated N does not have the target power.

    References
    ----------
    McNemar (1947), Psychometrika 12. Connor (1987), Biometrics 43. Methods: Items, MDE and power.

    Examples
    --------
    >>> exact_n_star(0.1, psi=0.3)
    ExactItems(first=230, stay=230)
    >>> exact_n_star(0.1, psi=0.3, method="exact")
    ExactItems(first=249, stay=249)
    """
    checks.fraction("power", power)
    checks.require(abs(delta) > 0, "delta", "different from 0", delta)
    approx = float(paired_n_star(delta, psi=psi, alpha=alpha, power=power, sides=sides))
    sizes = np.arange(1, int(approx * 1.25) + 21)
    reached = exact_power(abs(delta), psi=psi, n=sizes, method=method, alpha=alpha, sides=sides)
    ok = reached >= power
    if not ok[-1]:
        last = int(sizes[-1])
        msg = f"The {method} test does not reach a power of {power} with up to {last} items."
        raise ParameterError(msg)
    misses = np.flatnonzero(~ok)
    stay = sizes[misses[-1] + 1] if misses.size else sizes[0]
    return ExactItems(first=int(sizes[np.argmax(ok)]), stay=int(stay))


def _sizes_at_once(n_approx: float, psi: float) -> int:
    """Return the sizes to evaluate at a time, which span several periods of any steps of power."""
    if n_approx * psi * (1 - psi) > _SMOOTH**2:
        return _FEW_SIZES
    return max(_MANY_SIZES, int(4 * np.sqrt(n_approx)))


def exact_n_steady(
    delta: float,
    *,
    psi: float,
    method: EnumeratedMethod = "midp",
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 2,
) -> int:
    """Return the items from which on one exact design keeps its power.

    This is ``stay`` of :func:`exact_n_star`. Only sizes close to the result of the formula are
    enumerated, so a hundred thousand items take a fraction of a second.

    McNemar (1947), Psychometrika 12. Connor (1987), Biometrics 43.
    """
    checks.fraction("power", power)
    checks.require(abs(delta) > 0, "delta", "different from 0", delta)
    n_approx = float(
        paired_n_star(delta, psi=psi, method="default", alpha=alpha, power=power, sides=sides)
    )
    step = _sizes_at_once(n_approx, psi)

    def last_miss(start: int) -> int:
        """Return the largest of these sizes without the target power, or 0 if all have it."""
        sizes = np.arange(max(start, 1), start + step)
        powers = exact_power(abs(delta), psi=psi, n=sizes, method=method, alpha=alpha, sides=sides)
        return int(sizes[powers < power].max(initial=0))

    start = max(int(n_approx) - step // 2, 1)
    missed = last_miss(start)
    if missed:
        while later_miss := last_miss(start := start + step):
            missed = later_miss
    while not missed and start > 1:
        missed = last_miss(start := start - step)
    return missed + 1
