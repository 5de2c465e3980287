"""The (1 - rho) × Cohen-h shortcut, its error, and which formula gave a reported n.

Multiplying a calculator's n by (1 - rho) is correct when the calculator returned the two-sample
size per arm, 2 K² / h² (R's ``pwr.2p.test``): the limit is then N* itself. Starting from the
one-sample K² / h² (``pwr.p.test``, or one arm's variance) gives half of N*.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.stats._blocks import map_blocks
from nstar.stats.critical import k_factor, z_alpha

__all__ = [
    "cohen_h",
    "shortcut_coefficient",
    "shortcut_delta_limit",
    "shortcut_n",
    "shortcut_ratio",
]


def _h(p_a: Array, p_b: Array) -> Array:
    return 2 * (np.arcsin(np.sqrt(p_a)) - np.arcsin(np.sqrt(p_b)))


def cohen_h(p_a: FloatLike, p_b: FloatLike) -> Array:
    """Return Cohen's h = 2 asin √p_a - 2 asin √p_b.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in [0, 1].

    Returns
    -------
    Array
        Radians in [-π, π], signed like p_a - p_b. Inputs broadcast.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 2nd ed., Erlbaum.
    Methods: The factor of two

    Examples
    --------
    >>> round(float(cohen_h(0.55, 0.50)), 4)
    0.1002
    """

    def block(a: Array, b: Array) -> Array:
        checks.probability("p_a", a)
        checks.probability("p_b", b)
        return _h(a, b)

    return map_blocks(block, p_a, p_b)


def shortcut_n(
    p_a: FloatLike,
    p_b: FloatLike,
    rho: FloatLike = 0.0,
    *,
    samples: int = 1,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
) -> Array:
    """Return the shortcut's sample size (1 - rho) · samples · K² / h², which is not recommended.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in [0, 1].
    rho : array_like, default 0.0
        Item correlation, in [-1, 1].
    samples : int, default 1
        1 for the one-sample formula (tends to ``N*/2``), 2 for the per-arm one (to ``N*``).
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), two-sided.
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).

    Returns
    -------
    Array
        Items, not rounded up; ``inf`` for equal accuracies (NaN if rho is 1 too), 0 at rho = 1.
        Inputs broadcast.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 2nd ed., Erlbaum.
    Methods: The factor of two

    Examples
    --------
    >>> round(float(shortcut_n(0.55, 0.50)), 1), round(float(shortcut_n(0.55, 0.50, samples=2)), 1)
    (782.3, 1564.5)
    """
    checks.choice("samples", samples, (1, 2))
    checks.correlation("rho", rho)
    h = cohen_h(p_a, p_b)
    with np.errstate(divide="ignore"):
        ratio = k_factor(alpha, power) / h
    return np.asarray(samples * (1 - np.asarray(rho)) * ratio * ratio)[()]


def shortcut_ratio(p: FloatLike, delta: FloatLike, rho: FloatLike) -> Array:
    """Return the ratio of the one-sample shortcut to N* (Wald) at accuracies p ± delta/2.

    It is exact algebra, without an expansion, so rho need not be feasible.

    Parameters
    ----------
    p : array_like
        Mean of the two accuracies, a proportion.
    delta : array_like
        Gap, a proportion other than 0; p ± delta/2 must be in (0, 1).
    rho : array_like
        Item correlation, in (-1, 1).

    Returns
    -------
    Array
        Ratio, which tends to ½ as delta → 0. Inputs broadcast.

    References
    ----------
    Methods: The factor of two

    Examples
    --------
    >>> round(float(shortcut_ratio(0.5, 0.05, 0.5)), 6)
    0.500835
    """

    def block(mid: Array, gap: Array, corr: Array) -> Array:
        a, b = mid + gap / 2, mid - gap / 2
        for end in (a, b):
            checks.within("p ± delta/2", end, (0, 1), "in (0, 1)", ends=(False, False))
        checks.require(gap != 0, "delta", "different from 0", gap)
        checks.require((corr > -1) & (corr < 1), "rho", "in (-1, 1)", corr)
        v_a, v_b = a * (1 - a), b * (1 - b)
        var = v_a + v_b - 2 * corr * np.sqrt(v_a * v_b)
        h = _h(a, b)
        return (1 - corr) * gap * gap / (h * h * var)

    return map_blocks(block, p, delta, rho)


def shortcut_coefficient(p: FloatLike, rho: FloatLike) -> Array:
    """Return C in shortcut_ratio = ½ + C delta² + O(delta⁴).

    C = -½ [ (1+rho)(1-2p)² / (16 (1-rho) u²) - 1/(6u) ] with u = p (1 - p).

    Parameters
    ----------
    p : array_like
        Mean of the two accuracies, a proportion in (0, 1).
    rho : array_like
        Item correlation, in (-1, 1).

    Returns
    -------
    Array
        +1/3 at p = ½ whatever rho. It changes sign at (1-2p)² = 2 (1-rho) / (5+rho), so a
        threshold needs |C|. Inputs broadcast.

    References
    ----------
    Methods: The factor of two

    Examples
    --------
    >>> round(float(shortcut_coefficient(0.8, 0.5)), 3)
    -0.798
    """

    def block(mid: Array, corr: Array) -> Array:
        checks.fraction("p", mid)
        checks.require((corr > -1) & (corr < 1), "rho", "in (-1, 1)", corr)
        u = mid * (1 - mid)
        skew = (1 - 2 * mid) / u
        return -0.5 * ((1 + corr) * skew * skew / (16 * (1 - corr)) - 1 / (6 * u))

    return map_blocks(block, p, rho)


def shortcut_delta_limit(p: FloatLike, rho: FloatLike, *, eps: float = 0.01) -> Array:
    """Return the gap √(eps / |C|) up to which the ratio is within ``eps`` of ½.

    Second order only, so meaningless near the zero of C.

    Parameters
    ----------
    p : array_like
        Mean of the two accuracies, a proportion in (0, 1).
    rho : array_like
        Item correlation, in (-1, 1).
    eps : float, default 0.01
        Distance of the ratio from ½, > 0.

    Returns
    -------
    Array
        Size of a gap, a proportion where it is below 1; ``inf`` where C = 0. Inputs broadcast.

    References
    ----------
    Methods: The factor of two

    Examples
    --------
    >>> round(float(shortcut_delta_limit(0.5, 0.5)), 4)
    0.1732
    """
    checks.positive("eps", eps)
    with np.errstate(divide="ignore"):
        return np.sqrt(eps / np.abs(shortcut_coefficient(p, rho)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaMatch:
    """One formula that could have produced a reported sample size."""

    formula: str
    """Name of the formula."""
    verdict: str
    """``"right"``, ``"half"``, ``"unpaired"`` or ``"wrong"`` for the paired question."""
    n: float
    """Sample size of the formula, unrounded."""
    error: float
    """reported / n - 1."""


_SAME = 0.005
"""Errors within half a percent of each other (rounded quantiles) do not rank formulas."""


def _candidates(
    p: float, delta: float, rho: float, level: tuple[float, float, Sides]
) -> list[tuple[str, str, float]]:
    """Return (formula, verdict, n) under the usual placements of the two accuracies."""
    out: list[tuple[str, str, float]] = []
    alpha, power, sides = level
    z_a, k = float(z_alpha(alpha, sides=sides)), float(k_factor(alpha, power, sides=sides))
    other = "one-sided" if sides == 2 else "two-sided"
    turned = float(k_factor(alpha, power, sides=1 if sides == 2 else 2))
    for where, a, b in (
        ("at equal accuracies", p, p),
        ("centered on p", p + delta / 2, p - delta / 2),
        ("up from p", p + delta, p),
        ("down from p", p, p - delta),
    ):
        if not (0 < a < 1 and 0 < b < 1):
            continue
        v_a, v_b = a * (1 - a), b * (1 - b)
        var = (v_a + v_b - 2 * rho * np.sqrt(v_a * v_b)) / delta**2
        two = (v_a + v_b) / delta**2
        h2 = float(cohen_h(a, b)) ** 2 or float("nan")
        one_arm = v_b * (1 - rho) / delta**2
        out += [
            (f"paired N*, {where}", "right", k * k * var),
            (f"one-arm half K²pq(1-rho)/delta², {where}", "half", k * k * one_arm),
            (f"one-sample Cohen-h × (1-rho), {where}", "half", k * k * (1 - rho) / h2),
            (f"two-sample Cohen-h × (1-rho), {where}", "right", 2 * k * k * (1 - rho) / h2),
            (f"unpaired per arm, {where}", "unpaired", k * k * two),
            (f"unpaired per arm by Cohen-h, {where}", "unpaired", 2 * k * k / h2),
            (f"unpaired, both arms together, {where}", "unpaired", 2 * k * k * two),
            (f"one-sample Cohen-h, pairing ignored, {where}", "wrong", k * k / h2),
            (f"paired, {other} level, {where}", "wrong", turned * turned * var),
            (f"interval half-width (50% power), {where}", "wrong", z_a * z_a * var),
        ]
    return [c for c in out if np.isfinite(c[2]) and c[2] > 0]


def match_sample_size(
    printed: float,
    *,
    p: float,
    delta: float,
    rho: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 2,
    tolerance: float = 0.02,
) -> list[FormulaMatch]:
    """Return the formulas that reproduce a reported sample size.

    The result has the best match of each verdict, the closest first.
    """
    checks.positive("printed", printed)
    checks.fraction("p", p)
    checks.require(0 < delta < 1, "delta", "in (0, 1)", delta)
    checks.require(-1 < rho < 1, "rho", "in (-1, 1)", rho)
    checks.choice("sides", sides, (1, 2))
    matches = [
        FormulaMatch(formula=name, verdict=verdict, n=float(n), error=printed / float(n) - 1)
        for name, verdict, n in _candidates(p, delta, rho, (alpha, power, sides))
    ]
    close = [m for m in matches if abs(m.error) <= tolerance]
    best: dict[str, FormulaMatch] = {}
    for m in sorted(close, key=lambda m: int(abs(m.error) / _SAME)):  # stable: simplest first
        best.setdefault(m.verdict, m)
    return list(best.values())
