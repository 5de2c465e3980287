"""Two 0/1 scores per item: cells, correlation, discordance, and feasible combinations.

Models A and B on the same items can be described in three ways:

* cells: p11 (both right), p10 (A only), p01 (B only), p00 (neither);
* accuracies and item correlation: (p_a, p_b, rho);
* discordance and gap: psi = p10 + p01, delta = p10 - p01 (first minus second).

The identity sigma² = psi - delta² turns any of them into the standard deviation of the per-item
difference. Not every combination exists: the Fréchet bounds give those that do.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, Interval
from nstar.stats._blocks import map_blocks, map_blocks2
from nstar.stats.critical import z_conf

__all__ = [
    "PairedRates",
    "delta_from_odds_ratio",
    "delta_hat",
    "paired_rates",
    "psi_bounds",
    "psi_from_rho",
    "psi_hat",
    "rate_range",
    "rho_bounds",
    "rho_from_psi",
    "rho_hat",
    "rho_interval",
    "sigma_from_psi",
    "sigma_from_sds",
    "sigma_hat",
    "t_bounds",
    "t_stat",
]

_SLACK = 1e-12
"""Rounding allowance when a feasible boundary is computed from the inputs themselves."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedRates:
    """Joint probabilities of two 0/1 scores and derived quantities, as proportions."""

    p11: Array
    """Probability that both are correct."""
    p10: Array
    """Probability that only the first is correct."""
    p01: Array
    """Probability that only the second is correct."""
    p00: Array
    """Probability that neither is correct."""
    psi: Array
    """Discordance, p10 + p01."""
    delta: Array
    """Gap, p10 - p01."""
    sigma: Array
    """Standard deviation of the per-item difference, sqrt(psi - delta²)."""


def _check_inner(p_a: Array, p_b: Array) -> None:
    for name, p in (("p_a", p_a), ("p_b", p_b)):
        checks.within(name, p, (0, 1), "in (0, 1), or rho is undefined", ends=(False, False))


def _rho_bounds(p_a: Array, p_b: Array) -> tuple[Array, Array]:
    _check_inner(p_a, p_b)
    scale = np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
    p_both = p_a * p_b
    low = (np.maximum(0.0, p_a + p_b - 1) - p_both) / scale
    high = (np.minimum(p_a, p_b) - p_both) / scale
    return low, high


def rho_bounds(p_a: FloatLike, p_b: FloatLike) -> Interval:
    """Return the smallest and largest item correlation that two accuracies allow.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in (0, 1); the correlation of a constant score is undefined.

    Returns
    -------
    Interval
        Correlations in [-1, 1]. Inputs broadcast.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> low, high = rho_bounds(0.9, 0.8)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.1667, 0.6667)
    """
    return Interval(*map_blocks2(_rho_bounds, p_a, p_b))


def _psi_bounds(p_a: Array, p_b: Array) -> tuple[Array, Array]:
    checks.probability("p_a", p_a)
    checks.probability("p_b", p_b)
    total = p_a + p_b
    return np.abs(p_a - p_b), np.minimum(total, 2 - total)


def psi_bounds(p_a: FloatLike, p_b: FloatLike) -> Interval:
    """Return the smallest and largest discordance that two accuracies allow.

    |p_a - p_b| ≤ psi ≤ min(p_a + p_b, 2 - p_a - p_b).

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in [0, 1].

    Returns
    -------
    Interval
        Proportions. Inputs broadcast.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> low, high = psi_bounds(0.75, 0.70)
    >>> round(float(low), 3), round(float(high), 3)
    (0.05, 0.55)
    """
    return Interval(*map_blocks2(_psi_bounds, p_a, p_b))


def _refuse_psi(psi: Array, p_a: Array, p_b: Array) -> BoolArray | None:
    """Return an error for psi outside its bounds, or None if all values are inside."""
    gap, total = np.abs(p_a - p_b), p_a + p_b
    over = np.maximum(gap - psi, psi - np.minimum(total, 2 - total))
    if np.maximum.reduce(over, initial=-1.0) <= _SLACK:  # a NaN is not
        return None
    return np.asarray(~(over <= _SLACK))


def _psi_from_rho(p_a: Array, p_b: Array, rho: Array) -> Array:
    _check_inner(p_a, p_b)
    q_a, q_b = 1 - p_a, 1 - p_b
    psi = p_a * q_b + p_b * q_a - 2 * rho * np.sqrt(p_a * q_a * p_b * q_b)
    bad = _refuse_psi(psi, p_a, p_b)
    if bad is not None:
        i = int(np.argmax(bad))
        low, high = (v[0] for v in _rho_bounds(p_a[i : i + 1], p_b[i : i + 1]))
        checks.feasible(
            ~bad,
            f"rho = {rho[i]:.6g} is impossible for accuracies {p_a[i]:.6g} and {p_b[i]:.6g}: "
            f"feasible rho is {round(low, 4) + 0:.4f} to {round(high, 4) + 0:.4f}",
        )
    return psi


def psi_from_rho(p_a: FloatLike, p_b: FloatLike, rho: FloatLike) -> Array:
    """Return the discordance psi = P(exactly one is correct) from accuracies and correlation.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in (0, 1).
    rho : array_like
        Item correlation, within :func:`rho_bounds`.

    Returns
    -------
    Array
        Proportion. Inputs broadcast.

    Raises
    ------
    InfeasibleError
        ``rho`` is infeasible. The message contains the feasible range.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> round(float(psi_from_rho(0.75, 0.70, 0.5)), 6)
    0.201569
    >>> psi_from_rho(0.9, 0.8, 0.8)
    Traceback (most recent call last):
    ...
    nstar.errors.InfeasibleError: rho = 0.8 is impossible for accuracies 0.9 and 0.8:
    feasible rho is -0.1667 to 0.6667
    """
    return map_blocks(_psi_from_rho, p_a, p_b, rho)


def _rho_from_psi(p_a: Array, p_b: Array, psi: Array) -> Array:
    _check_inner(p_a, p_b)
    bad = _refuse_psi(psi, p_a, p_b)
    if bad is not None:
        i = int(np.argmax(bad))
        low, high = (v[0] for v in _psi_bounds(p_a[i : i + 1], p_b[i : i + 1]))
        checks.feasible(
            ~bad,
            f"psi = {psi[i]:.6g} is impossible for accuracies {p_a[i]:.6g} and {p_b[i]:.6g}: "
            f"feasible psi is {low:.4f} to {high:.4f}",
        )
    q_a, q_b = 1 - p_a, 1 - p_b
    return (p_a * q_b + p_b * q_a - psi) / (2 * np.sqrt(p_a * q_a * p_b * q_b))


def rho_from_psi(p_a: FloatLike, p_b: FloatLike, psi: FloatLike) -> Array:
    """Return the item correlation from accuracies and discordance, inverting :func:`psi_from_rho`.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in (0, 1).
    psi : array_like
        Share of items on which exactly one model is right, within :func:`psi_bounds`.

    Returns
    -------
    Array
        Correlation in [-1, 1]. Inputs broadcast.

    Raises
    ------
    InfeasibleError
        ``psi`` is infeasible. The message contains the feasible range.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> round(float(rho_from_psi(0.75, 0.70, psi_from_rho(0.75, 0.70, 0.5))), 12)
    0.5
    """
    return map_blocks(_rho_from_psi, p_a, p_b, psi)


def paired_rates(p_a: FloatLike, p_b: FloatLike, rho: FloatLike) -> PairedRates:
    """Return all four cells, psi, delta, and sigma from accuracies and item correlation.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in (0, 1).
    rho : array_like
        Item correlation, within :func:`rho_bounds`.

    Returns
    -------
    PairedRates
        Consistent proportions. Inputs broadcast.

    Raises
    ------
    InfeasibleError
        ``rho`` is infeasible. The message contains the feasible range.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> r = paired_rates(0.75, 0.70, 0.5)
    >>> round(float(r.p10), 4), round(float(r.p01), 4), round(float(r.sigma), 4)
    (0.1258, 0.0758, 0.4462)
    """
    psi = psi_from_rho(p_a, p_b, rho)
    a, b = np.asarray(p_a, dtype=np.float64), np.asarray(p_b, dtype=np.float64)
    delta = a - b
    p10, p01 = (psi + delta) / 2, (psi - delta) / 2
    p11 = a - p10
    return PairedRates(
        p11=p11,
        p10=p10,
        p01=p01,
        p00=1 - a - p01,
        psi=psi,
        delta=delta,
        sigma=sigma_from_psi(psi, delta),
    )


def _rate_range(p_b: Array, rho: Array) -> tuple[Array, Array]:
    checks.fraction("p_b", p_b)
    checks.within("rho", rho, (-1, 1), "in (-1, 1)", ends=(False, False))
    q_b, r2 = 1 - p_b, rho * rho
    up = rho > 0
    low = np.where(up, r2 * p_b / (q_b + r2 * p_b), r2 * q_b / (p_b + r2 * q_b))
    high = np.where(up, p_b / (p_b + r2 * q_b), q_b / (q_b + r2 * p_b))
    return low, high


def rate_range(p_b: FloatLike, rho: FloatLike) -> Interval:
    """Return the accuracies of A that are possible for accuracy ``p_b`` of B and ``rho``.

    With fixed rho, a growing gap leaves the feasible set at these limits: with rho > 0, p_a ≤ p_b
    / (p_b + rho² (1 - p_b)).

    Parameters
    ----------
    p_b : array_like
        Accuracy of B, a proportion in (0, 1).
    rho : array_like
        Item correlation, in (-1, 1).

    Returns
    -------
    Interval
        Proportions; 0 to 1 at rho = 0. With rho < 0 they need not hold ``p_b``. Inputs broadcast.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> low, high = rate_range(0.8, 0.8)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7191, 0.8621)
    """
    return Interval(*map_blocks2(_rate_range, p_b, rho))


def _sigma_from_psi(psi: Array, delta: Array) -> Array:
    checks.probability("psi", psi)
    over = np.abs(delta) - psi
    if not np.maximum.reduce(over, initial=-1.0) <= _SLACK:
        i = int(np.argmax(~(over <= _SLACK)))
        checks.feasible(
            over <= _SLACK,
            f"delta = {delta[i]:.6g} is impossible with psi = {psi[i]:.6g}: "
            "|delta| cannot exceed psi",
        )
    return np.sqrt(np.maximum(psi - delta * delta, 0.0))


def sigma_from_psi(psi: FloatLike, delta: FloatLike) -> Array:
    """Return the standard deviation of the difference of two 0/1 scores, sqrt(psi - delta²).

    Parameters
    ----------
    psi : array_like
        Share of items on which exactly one model is right, in [0, 1].
    delta : array_like
        Gap, a proportion in [-psi, psi].

    Returns
    -------
    Array
        In [0, 1]; 0 when psi is 0, and when all items are discordant one way. Inputs broadcast.

    Raises
    ------
    InfeasibleError
        |delta| is larger than psi.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> round(float(sigma_from_psi(0.2, 0.05)), 6)
    0.44441
    """
    return map_blocks(_sigma_from_psi, psi, delta)


def _sigma_from_sds(sd_a: Array, sd_b: Array, rho: Array) -> Array:
    checks.nonnegative("sd_a", sd_a)
    checks.nonnegative("sd_b", sd_b)
    checks.correlation("rho", rho)
    # (sd_a - sd_b)² + 2(1 - rho) sd_a sd_b: no cancellation for near-duplicate models
    gap = sd_a - sd_b
    return np.sqrt(gap * gap + 2 * (1 - rho) * sd_a * sd_b)


def sigma_from_sds(sd_a: FloatLike, sd_b: FloatLike, rho: FloatLike) -> Array:
    """Return the standard deviation of the difference of two graded scores.

    It is sqrt(sd_a² + sd_b² - 2 rho sd_a sd_b).

    Parameters
    ----------
    sd_a, sd_b : array_like
        Standard deviations of the scores over items, in score units, ≥ 0.
    rho : array_like
        Item correlation, in [-1, 1].

    Returns
    -------
    Array
        Result in score units. Inputs broadcast.

    References
    ----------
    Methods: The factor of two

    Examples
    --------
    >>> round(float(sigma_from_sds(0.12, 0.12, 0.5)), 12)
    0.12
    """
    return map_blocks(_sigma_from_sds, sd_a, sd_b, rho)


def delta_from_odds_ratio(odds_ratio: FloatLike, psi: FloatLike) -> Array:
    """Return the gap psi (OR - 1) / (OR + 1) from the discordant odds ratio p10 / p01.

    Parameters
    ----------
    odds_ratio : array_like
        p10 / p01 > 0: how many items A gains for each one it loses.
    psi : array_like
        Share of items on which exactly one model is right, in [0, 1].

    Returns
    -------
    Array
        Gap, a proportion, first minus second; 0 at an odds ratio of 1. Inputs broadcast.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> round(float(delta_from_odds_ratio(1.5, 0.2)), 12)
    0.04
    """

    def block(ratio: Array, share: Array) -> Array:
        checks.positive("odds_ratio", ratio)
        checks.probability("psi", share)
        return share * (ratio - 1) / (ratio + 1)

    return map_blocks(block, odds_ratio, psi)


def delta_hat(n10: FloatLike, n01: FloatLike, n: FloatLike) -> Array:
    """Return the observed gap (n10 - n01) / n.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only A and only B answered correctly, whole numbers ≥ 0.
    n : array_like
        Number of items, at least 1 and at least n10 + n01.

    Returns
    -------
    Array
        Proportion in [-1, 1], first minus second. Inputs broadcast.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> float(delta_hat(86, 78, 1000))
    0.008
    """

    def block(b: Array, c: Array, items: Array) -> Array:
        checks.discordant(b, c, items)
        return (b - c) / items

    checks.table(n10, n01, n)
    return map_blocks(block, n10, n01, n)


def psi_hat(n10: FloatLike, n01: FloatLike, n: FloatLike) -> Array:
    """Return the observed discordance (n10 + n01) / n, which is defined for n ≥ 1, unlike rho.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only A and only B answered correctly, whole numbers ≥ 0.
    n : array_like
        Number of items, at least 1 and at least n10 + n01.

    Returns
    -------
    Array
        Proportion in [0, 1]. Inputs broadcast.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> float(psi_hat(86, 78, 1000))
    0.164
    """

    def block(b: Array, c: Array, items: Array) -> Array:
        checks.discordant(b, c, items)
        return (b + c) / items

    checks.table(n10, n01, n)
    return map_blocks(block, n10, n01, n)


def _sigma_hat(b: Array, c: Array, n: Array) -> Array:
    checks.discordant(b, c, n)
    gap = (b - c) / n
    return np.sqrt(np.maximum((b + c) / n - gap * gap, 0.0))


def sigma_hat(n10: FloatLike, n01: FloatLike, n: FloatLike) -> Array:
    """Return the observed standard deviation (ddof 0) of the per-item difference, from counts.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only A and only B answered correctly, whole numbers ≥ 0.
    n : array_like
        Number of items, at least 1 and at least n10 + n01.

    Returns
    -------
    Array
        In [0, 1]; 0 when nothing is discordant, and when all items are one way. Inputs broadcast.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> round(float(sigma_hat(86, 78, 1000)), 6)
    0.40489
    """
    checks.table(n10, n01, n)
    return map_blocks(_sigma_hat, n10, n01, n)


def t_stat(n10: FloatLike, n01: FloatLike, n: FloatLike) -> Array:
    """Return T = delta √n / sigma, the observed gap in standard errors (ddof 0).

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only A and only B answered correctly, whole numbers ≥ 0.
    n : array_like
        Number of items, at least 1 and at least n10 + n01.

    Returns
    -------
    Array
        Standard errors, signed like n10 - n01. Zero when nothing is discordant; ±inf when all
        items are discordant one way, because then the observed variance is 0. Inputs broadcast.

    References
    ----------
    Methods: Paired 0/1 scores

    Examples
    --------
    >>> round(float(t_stat(296, 250, 10042)), 4)
    1.969
    """

    def block(b: Array, c: Array, items: Array) -> Array:
        sigma = _sigma_hat(b, c, items)
        gap = (b - c) / np.sqrt(items)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap == 0, 0.0, gap / sigma)

    checks.table(n10, n01, n)
    return map_blocks(block, n10, n01, n)


def t_bounds(p_a: FloatLike, p_b: FloatLike, n: FloatLike) -> Interval:
    """Return the smallest and largest |T| that two reported accuracies on the same items allow.

    Without per-item data psi is only known to lie within :func:`psi_bounds`, so T = delta √n /
    sqrt(psi - delta²) lies between its values at psi_max and psi_min.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in [0, 1].
    n : array_like
        Number of items, > 0.

    Returns
    -------
    Interval
        Standard errors, the smaller in size first, both signed like p_a - p_b; (0, 0) when the
        accuracies are equal, ±inf for 1 against 0. Inputs broadcast.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    >>> low, high = t_bounds(0.783, 0.775, 12032)
    >>> round(float(low), 2), round(float(high), 2)
    (1.32, 9.85)
    """

    def block(a: Array, b: Array, items: Array) -> tuple[Array, Array]:
        checks.positive("n", items)
        low, high = _psi_bounds(a, b)
        gap = a - b
        with np.errstate(divide="ignore", invalid="ignore"):
            t_low = gap * np.sqrt(items / np.maximum(high - gap * gap, 0))
            t_high = gap * np.sqrt(items / np.maximum(low - gap * gap, 0))
        return np.where(gap == 0, 0.0, t_low), np.where(gap == 0, 0.0, t_high)

    return Interval(*map_blocks2(block, p_a, p_b, n))


def rho_hat(n11: FloatLike, n10: FloatLike, n01: FloatLike, n00: FloatLike) -> Array:
    """Return the observed item correlation (phi) of two 0/1 scores.

    phi = (n11 n00 - n10 n01) / sqrt of the product of the four margins. If a model is right (or
    wrong) on every item, the correlation is undefined; use :func:`psi_hat` then.

    Parameters
    ----------
    n11, n10, n01, n00 : array_like
        Numbers of items that both, only A, only B, and neither answered correctly, whole numbers ≥
        0.

    Returns
    -------
    Array
        Correlation in [-1, 1]; NaN when a model is constant. Inputs broadcast.

    References
    ----------
    Yule (1912), J. R. Stat. Soc. 75. Methods: Interval for the item correlation

    Examples
    --------
    >>> round(float(rho_hat(628, 86, 78, 208)), 3)
    0.602
    """

    def block(a: Array, b: Array, c: Array, d: Array) -> Array:
        margins = np.sqrt((a + b) * (c + d)) * np.sqrt((a + c) * (b + d))
        with np.errstate(invalid="ignore", divide="ignore"):
            phi = np.clip((a * d - b * c) / margins, -1.0, 1.0)  # rounding may pass the ends
        return np.where(margins > 0, phi, np.nan)

    checks.counts(n11=n11, n10=n10, n01=n01, n00=n00)
    return map_blocks(block, n11, n10, n01, n00)


def rho_interval(rho: FloatLike, n: FloatLike, *, conf: float = 0.95) -> Interval:
    """Return Fisher's z interval for an item correlation observed on ``n`` items.

    tanh(atanh(rho) ± z / √(n - 3)). Normal-theory, so for 0/1 scores it is a rough guide: use it
    to see how N* moves with rho, not as a test.

    Parameters
    ----------
    rho : array_like
        Observed item correlation, in [-1, 1].
    n : array_like
        Number of items, > 0.
    conf : float, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        Correlations; (-1, 1) for n ≤ 3. Inputs broadcast.

    References
    ----------
    Methods: Interval for the item correlation

    Examples
    --------
    >>> low, high = rho_interval(0.602, 1000)
    >>> round(float(low), 3), round(float(high), 3)
    (0.561, 0.64)
    """
    z = float(z_conf(conf))

    def block(r: Array, items: Array) -> tuple[Array, Array]:
        checks.correlation("rho", r)
        checks.positive("n", items)
        center = np.arctanh(np.clip(r, -1 + 1e-16, 1 - 1e-16))
        half = np.where(items > 3, z / np.sqrt(np.maximum(items - 3, 1e-300)), np.inf)
        return np.tanh(center - half), np.tanh(center + half)

    return Interval(*map_blocks2(block, rho, n))
