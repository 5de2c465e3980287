"""Two models on *different* items, or with no way to pair them: two independent proportions.

Sizes are per arm (per model). A one-sample formula gives half of this size. Methods of N*:

* ``"pooled"`` (default): Fleiss' formula, = R's power.prop.test;
* ``"unpooled"``: K² (p1 q1 + p2 q2) / delta², = the paired formula at rho = 0;
* ``"arcsine"``: 2 K² / h² with Cohen's h, = R's pwr.2p.test.
"""

from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, Direction, FloatLike, Sides
from nstar.stats._binomial import log_pmf
from nstar.stats._blocks import map_blocks
from nstar.stats._roots import smallest
from nstar.stats.critical import k_factor, z_alpha, z_power
from nstar.stats.shortcut import cohen_h

__all__ = [
    "UnpairedMethod",
    "continuity_corrected",
    "n1_given_published",
    "unpaired_exact_power",
    "unpaired_mde",
    "unpaired_n_star",
    "unpaired_power",
]

UnpairedMethod: TypeAlias = Literal["pooled", "unpooled", "arcsine"]
_METHODS = ("pooled", "unpooled", "arcsine")


def _n_star(p1: Array, p2: Array, z_a: Array, z_b: Array, method: UnpairedMethod) -> Array:
    gap = p1 - p2
    with np.errstate(divide="ignore", invalid="ignore"):
        if method == "arcsine":
            ratio = np.sqrt(2.0) * (z_a + z_b) / cohen_h(p1, p2)
        else:
            alt_sd = np.sqrt(p1 * (1 - p1) + p2 * (1 - p2))
            mean = (p1 + p2) / 2
            null = np.sqrt(2 * mean * (1 - mean)) if method == "pooled" else alt_sd
            ratio = (z_a * null + z_b * alt_sd) / gap
        return np.where(gap == 0, np.inf, ratio * ratio)


def unpaired_n_star(
    p1: FloatLike,
    p2: FloatLike,
    *,
    method: UnpairedMethod = "pooled",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the items *per model* that detect a difference of two independent accuracies.

    Parameters
    ----------
    p1, p2 : array_like
        Accuracies, proportions in [0, 1].
    method : {"pooled", "unpooled", "arcsine"}, default "pooled"
        Formula, as described in the module docstring.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of items per model, not rounded up. It is ``inf`` for equal accuracies. Inputs
        broadcast.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 2nd ed., Erlbaum.
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(unpaired_n_star(0.75, 0.70)))
    1251
    """
    checks.choice("method", method, _METHODS)

    def block(a: Array, b: Array, z_a: Array, z_b: Array) -> Array:
        checks.probability("p1", a)
        checks.probability("p2", b)
        return _n_star(a, b, z_a, z_b, method)

    return map_blocks(block, p1, p2, z_alpha(alpha, sides=sides), z_power(power))


def unpaired_mde(
    n: FloatLike,
    *,
    p: FloatLike,
    direction: Direction = "up",
    method: UnpairedMethod = "pooled",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the minimum detectable gap from accuracy ``p`` with ``n`` items per model.

    Parameters
    ----------
    n : array_like
        Number of items per model, > 0.
    p : array_like
        Accuracy of the one model, a proportion in (0, 1).
    direction : {"up", "down"}, default "up"
        ``"up"`` if the other model is better, ``"down"`` if it is worse.
    method : {"pooled", "unpooled", "arcsine"}, default "pooled"
        Formula, as described in the module docstring.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Size of the gap, a proportion, positive in either direction. It is ``inf`` if even an
        accuracy of 1 (or 0, downward) would not be detected. Inputs broadcast.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> [round(float(unpaired_mde(216, p=0.74, direction=d)), 4) for d in ("up", "down")]
    [0.1087, 0.1257]
    """
    checks.choice("method", method, _METHODS)
    checks.choice("direction", direction, ("up", "down"))
    sign = 1.0 if direction == "up" else -1.0

    def block(items: Array, base: Array, z_a: Array, z_b: Array) -> Array:
        checks.positive("n", items)
        checks.fraction("p", base)
        max_gap = 1 - base if sign > 0 else base

        def reach(gap: Array) -> BoolArray:
            other = np.clip(base + sign * gap, 0.0, 1.0)
            return _n_star(other, base, z_a, z_b, method) <= items

        return smallest(reach, max_gap)

    return map_blocks(block, n, p, z_alpha(alpha, sides=sides), z_power(power))


def unpaired_power(
    p1: FloatLike,
    p2: FloatLike,
    *,
    n1: FloatLike,
    n2: FloatLike | None = None,
    method: UnpairedMethod = "pooled",
    alpha: FloatLike = 0.05,
    sides: Sides = 2,
) -> Array:
    """Return the approximate power, right tail only, of the test of two independent accuracies.

    Parameters
    ----------
    p1, p2 : array_like
        Accuracies, proportions in [0, 1].
    n1, n2 : array_like
        Numbers of items of the models, > 0. The default of ``n2`` is ``n1``.
    method : {"pooled", "unpooled", "arcsine"}, default "pooled"
        Formula, as described in the module docstring.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Probability; alpha / sides for equal accuracies. Where both are 0 or 1 it is itself 0 or 1,
        except with ``"arcsine"``. Inputs broadcast.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(unpaired_power(0.75, 0.70, n1=1251)), 3)
    0.8
    """
    checks.choice("method", method, _METHODS)

    def block(a: Array, b: Array, m1: Array, m2: Array, z_a: Array) -> Array:
        checks.probability("p1", a)
        checks.probability("p2", b)
        checks.positive("n1", m1)
        checks.positive("n2", m2)
        if method == "arcsine":
            shift = np.abs(cohen_h(a, b)) * np.sqrt(m1 * m2 / (m1 + m2))
            return np.asarray(special.ndtr(shift - z_a))
        alt_se = np.sqrt(a * (1 - a) / m1 + b * (1 - b) / m2)
        mean = (m1 * a + m2 * b) / (m1 + m2)
        null = np.sqrt(mean * (1 - mean) * (1 / m1 + 1 / m2)) if method == "pooled" else alt_se
        excess = np.abs(a - b) - z_a * null
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(alt_se > 0, excess / alt_se, np.where(excess > 0, np.inf, -np.inf))
        return np.asarray(special.ndtr(z))

    return map_blocks(block, p1, p2, n1, n1 if n2 is None else n2, z_alpha(alpha, sides=sides))


def unpaired_exact_power(
    p1: float,
    p2: float,
    *,
    n1: int,
    n2: int,
    method: Literal["pooled", "unpooled"] = "pooled",
    alpha: float = 0.05,
) -> float:
    """Return the exact power of the two-sample z test by enumerating both binomials.

    Rejects when |z| exceeds the two-sided critical value; a table without variance never
    rejects. O(n1 n2) in time, O(n2) in memory per row block.

    Parameters
    ----------
    p1, p2 : float
        Accuracies, proportions in (0, 1).
    n1, n2 : int
        Items of each model, whole numbers of at least 1.
    method : {"pooled", "unpooled"}, default "pooled"
        ``"pooled"`` (default) or ``"unpooled"`` variance in z.
    alpha : float, default 0.05
        Level of the test, in (0, 1), two-sided.

    Returns
    -------
    float
        Probability that either tail rejects; the size of the test at p1 = p2.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(unpaired_exact_power(0.74, 0.85, n1=216, n2=216), 4)
    0.8161
    """
    checks.choice("method", method, ("pooled", "unpooled"))
    checks.fraction("p1", p1)
    checks.fraction("p2", p2)
    for name, size in (("n1", n1), ("n2", n2)):
        checks.counts(**{name: size})
        checks.require(size >= 1, name, "at least 1 item", size)
    z = float(z_alpha(alpha))
    y = np.arange(n2 + 1, dtype=np.float64)
    mass2 = np.exp(log_pmf(y, np.full_like(y, n2), p2))
    total = 0.0
    for start in range(0, n1 + 1, 512):
        x = np.arange(start, min(start + 512, n1 + 1), dtype=np.float64)
        mass1 = np.exp(log_pmf(x, np.full_like(x, n1), p1))
        a, b = x[:, None] / n1, y[None, :] / n2
        if method == "pooled":
            mean = (x[:, None] + y[None, :]) / (n1 + n2)
            var = mean * (1 - mean) * (1 / n1 + 1 / n2)
        else:
            var = a * (1 - a) / n1 + b * (1 - b) / n2
        reject = (np.abs(a - b) > z * np.sqrt(var)) & (var > 0)
        total += float(mass1 @ (reject @ mass2))
    return min(total, 1.0)


def continuity_corrected(n: FloatLike, delta: FloatLike) -> Array:
    """Return the per-arm size for the continuity-corrected test.

    It is n/4 (1 + √(1 + 4/(n |delta|)))², which is about n + 2 / |delta|, and not n + 1 / |delta|.

    Parameters
    ----------
    n : array_like
        Items per model that the test needs without correction, > 0.
    delta : array_like
        Gap to detect, a proportion other than 0; only its size counts.

    Returns
    -------
    Array
        Number of items per model, not rounded up. Inputs broadcast.

    References
    ----------
    Fleiss, Tytun and Ury (1980), Biometrics 36.
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(continuity_corrected(1250.7, 0.05)), 1)
    1290.4
    """

    def block(items: Array, gap: Array) -> Array:
        checks.positive("n", items)
        checks.require((gap != 0) & np.isfinite(gap), "delta", "finite and not 0", gap)
        root = 1 + np.sqrt(1 + 4 / (items * np.abs(gap)))
        return items / 4 * root * root

    return map_blocks(block, n, delta)


def n1_given_published(
    p1: FloatLike,
    p2: FloatLike,
    *,
    n2: FloatLike,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the items for a new model against an accuracy *published* for ``n2`` other items.

    The number is p1 q1 / (delta²/K² - p2 q2/n2).

    Parameters
    ----------
    p1 : array_like
        Expected accuracy of the new model, a proportion in [0, 1].
    p2 : array_like
        Published accuracy, a proportion in [0, 1].
    n2 : array_like
        Items that it was measured on, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Items, not rounded up; ``inf`` when the published figure alone is too uncertain, n2 ≤ K² p2
        q2 / delta², so that no number of own items suffices. Inputs broadcast.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(n1_given_published(0.75, 0.70, n2=1000)))
    1728
    >>> float(n1_given_published(0.75, 0.70, n2=500))
    inf
    """

    def block(a: Array, b: Array, m2: Array, k: Array) -> Array:
        checks.probability("p1", a)
        checks.probability("p2", b)
        checks.positive("n2", m2)
        variance_left = ((a - b) / k) ** 2 - b * (1 - b) / m2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(variance_left > 0, a * (1 - a) / variance_left, np.inf)

    return map_blocks(block, p1, p2, n2, k_factor(alpha, power, sides=sides))
