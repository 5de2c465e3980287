"""Test a mean difference against a margin when losses may be too rare to be observed.

A t interval of graded scores is only as wide as the observed differences. It does not cover a
model that fails completely on one item in a hundred before such an item is observed. The null
"worse by the margin" is therefore taken in its least visible form: the observed differences, and a
share of items that lose the whole scale, just large enough to reduce the mean to the null. Its
variance is that of this mixture. If no difference was observed this is the score bound of 0 out of
n; if losses are all or nothing it is Wilson's. Equivalence tests both directions.

This test is used for all margins except those for counts of independent 0/1 scores, for which see
:func:`noninferiority_pvalue` and :func:`equivalence_pvalue`. It provides p-value, interval, power,
and items. Gains, standard errors, margins, and widths are in score units; n counts items.

For items in clusters, the loss that is hardest to detect is that of whole clusters. With
``clusters=True`` n counts clusters, and the bound is at least as wide as the exact bound for no
failing cluster among n.
"""

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.stats._chi import chi_mean, chi_range
from nstar.stats._roots import first_whole
from nstar.stats.critical import t_quantile, z_alpha
from nstar.stats.mcnemar import P_FLOOR

__all__ = [
    "margin_bound",
    "margin_interval",
    "margin_n_star",
    "margin_power",
    "margin_pvalue",
]

_STEPS = 60
"""Largest number of Newton steps; three suffice unless the error is as wide as the scale."""
_TINY = float(np.finfo(np.float64).tiny)


def margin_bound(
    gain: FloatLike, se: FloatLike, n: FloatLike, *, width: FloatLike, quantile: FloatLike
) -> Array:
    """Return the one-sided lower bound of the gain.

    Parameters
    ----------
    gain, se : array_like
        Mean difference, positive = better, and its standard error, in score units.
    n : array_like
        Number of items, or effective number of clustered items.
    width : array_like
        Best minus worst score, in score units.
    quantile : array_like
        Quantile of the one-sided bound, in standard errors.

    Returns
    -------
    Array
        Bound in score units, at least -width. NaN if an input is NaN. Inputs broadcast.

    References
    ----------
    Wilson (1927), J. Am. Stat. Assoc. 22: the bound where losses are all or nothing.
    Methods: Margins

    Examples
    --------
    >>> round(float(margin_bound(0.0, 0.0, 300, width=1.0, quantile=1.645)), 5)
    -0.00894
    >>> round(float(margin_bound(0.0, 0.01, 300, width=1.0, quantile=1.645)), 5)
    -0.02128
    """
    gain, se, n = (np.asarray(x, dtype=np.float64) for x in (gain, se, n))
    t2 = np.square(np.asarray(quantile, dtype=np.float64))
    width = np.asarray(width, dtype=np.float64)
    max_drop = np.maximum(gain + width, _TINY)
    variance = n * se**2
    linear = t2 * (max_drop - variance / max_drop)
    below = (linear + np.sqrt(linear**2 + 4 * (n + t2) * t2 * variance)) / (2 * (n + t2))
    return np.asarray(np.maximum(gain - below, -width))


def _margin_statistic(
    gain: FloatLike, se: FloatLike, n: FloatLike, *, width: FloatLike, margin: FloatLike
) -> Array:
    """Return the number of standard errors under the null by which the gain exceeds -margin.

    Below the null the error is the observed one. The statistic equals ``quantile`` where
    :func:`margin_bound` equals -margin. It is ±inf if the margin is as wide as the scale or ``se``
    is 0.
    """
    gain, se, n = (np.asarray(x, dtype=np.float64) for x in (gain, se, n))
    width, margin = (np.asarray(x, dtype=np.float64) for x in (width, margin))
    above = gain + margin
    max_drop = np.maximum(gain + width, _TINY)
    share = np.clip(above / max_drop, 0.0, 1.0)
    error = np.sqrt((1 - share) * se**2 + share * (1 - share) * max_drop**2 / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above == 0, 0.0, above / error)


def _freedom(se: Array, df: FloatLike) -> Array:
    """Return the degrees of freedom, which are infinite without a measured error."""
    return np.where(se > 0, np.asarray(df, dtype=np.float64), np.inf)


def _unseen(n: FloatLike, alpha: float) -> Array:
    """Return the upper limit of a share if none of n draws shows a case: (1 - u)^n = alpha."""
    return np.asarray(-np.expm1(np.log(alpha) / np.asarray(n, dtype=np.float64)))


def margin_pvalue(
    gain: FloatLike,
    se: FloatLike,
    n: FloatLike,
    *,
    df: FloatLike,
    width: FloatLike,
    margin: FloatLike,
    sides: Sides = 1,
    clusters: bool = False,
) -> Array:
    """Return the p-value of "worse by the margin or more", or two-sided, of a larger gap.

    Parameters
    ----------
    gain, se, n : array_like
        As in :func:`margin_bound`.
    df : array_like
        Degrees of freedom of the error. They are not used if ``se`` is 0, because the bound is
        then a score bound.
    width : array_like
        As in :func:`margin_bound`.
    margin : array_like
        Largest acceptable gap, in score units.
    sides : {1, 2}, default 1
        Sides of the test: 1 for non-inferiority, 2 for equivalence, which takes the larger of both
        p-values.
    clusters : bool, default False
        True: ``n`` counts clusters, N² / Σm² of them if their sizes m differ, and whole clusters
        may fail. The p-value is at least the probability that none of n fails.

    Returns
    -------
    Array
        p-value, in [2.2e-308, 1] and never 0. NaN if an input is NaN. Inputs broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Methods: Margins

    Examples
    --------
    >>> round(float(margin_pvalue(0.0, 0.005, 300, df=299, width=1.0, margin=0.02)), 4)
    0.0178
    >>> p = margin_pvalue(0.004, 0.005, 300, df=299, width=1.0, margin=0.02, sides=2)
    >>> round(float(p), 4)
    0.0345
    >>> p = margin_pvalue(0.0, 0.0, 20, df=19, width=1.0, margin=0.15, clusters=True)
    >>> round(float(p), 4)  # 0.85²⁰
    0.0388
    """
    checks.choice("sides", sides, (1, 2))
    gain, se = (np.asarray(x, dtype=np.float64) for x in (gain, se))
    worst = gain if sides == 1 else -np.abs(gain)
    t = _margin_statistic(worst, se, n, width=width, margin=margin)
    freedom = _freedom(se, df)
    with np.errstate(invalid="ignore"):
        tail = np.where(np.isinf(freedom), special.ndtr(-t), special.stdtr(freedom, -t))
    if clusters:
        max_drop = np.maximum(worst + np.asarray(width, dtype=np.float64), _TINY)
        share = np.clip((worst + np.asarray(margin, dtype=np.float64)) / max_drop, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            none_lost = np.exp(np.asarray(n, dtype=np.float64) * np.log1p(-share))
        tail = np.maximum(tail, none_lost)
    return np.maximum(tail, P_FLOOR)


def margin_interval(
    gain: FloatLike,
    se: FloatLike,
    n: FloatLike,
    *,
    df: FloatLike,
    width: FloatLike,
    conf: float = 0.9,
    clusters: bool = False,
) -> tuple[Array, Array]:
    """Return the interval between the one-sided bounds at (1 - conf) / 2 in each direction.

    It lies inside ±margin where :func:`margin_pvalue` with two sides is below that level.

    Parameters
    ----------
    gain, se, n : array_like
        As in :func:`margin_bound`.
    df : array_like
        Degrees of freedom of the error. They are not used if ``se`` is 0, because the bound is
        then a score bound.
    width : array_like
        As in :func:`margin_bound`.
    conf : float, default 0.9
        Coverage, in (0, 1).
    clusters : bool, default False
        As in :func:`margin_pvalue`. With u the upper limit of the share of failing clusters if
        none of n fails, the lower limit is at most gain (1 - u) - u width.

    Returns
    -------
    tuple[Array, Array]
        Lower and upper limit in score units, within ±width. NaN if an input is NaN. Inputs
        broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15. Methods: Margins

    Examples
    --------
    >>> low, high = margin_interval(0.0, 0.005, 300, df=299, width=1.0)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.0138, 0.0138)
    >>> low, high = margin_interval(0.0, 0.0, 20, df=19, width=1.0, clusters=True)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.1391, 0.1391)
    """
    gain, se = (np.asarray(x, dtype=np.float64) for x in (gain, se))
    quantile = t_quantile((1 + conf) / 2, _freedom(se, df))
    low = margin_bound(gain, se, n, width=width, quantile=quantile)
    high = -margin_bound(-gain, se, n, width=width, quantile=quantile)
    if clusters:
        unseen = _unseen(n, (1 - conf) / 2)
        lost = unseen * np.asarray(width, dtype=np.float64)
        low = np.minimum(low, gain * (1 - unseen) - lost)
        high = np.maximum(high, gain * (1 - unseen) + lost)
    return low, high


def margin_least(clusters: FloatLike, *, width: FloatLike = 1.0, alpha: float = 0.05) -> Array:
    """Return the smallest margin that clusters without any difference can show.

    Equal models cannot show a smaller margin, except through a gain due to chance.

    Clopper and Pearson (1934), Biometrika 26: the limit of a share without an observed case.
    """
    checks.require(0 < alpha < 0.5, "alpha", "in (0, 0.5)", alpha)
    checks.positive("clusters", clusters)
    n = np.asarray(clusters, dtype=np.float64)
    z2 = float(z_alpha(alpha, sides=1)) ** 2
    share = np.maximum(_unseen(n, alpha), z2 / (n + z2))
    return np.asarray(share * np.asarray(width, dtype=np.float64))


def _margin_room(
    se: FloatLike,
    n: FloatLike,
    *,
    width: FloatLike,
    margin: FloatLike,
    quantile: FloatLike,
) -> Array:
    """Return the distance above -margin at which a gain is significant.

    Where :func:`_margin_statistic` equals ``quantile``: the root above t²l/n of (a² - a t²l/n)(a +
    l) = t² l se², with l the width beyond the margin; Newton from above, where convexity makes it
    safe.
    """
    t2 = np.square(np.asarray(quantile, dtype=np.float64))
    left = np.maximum(np.subtract(width, margin, dtype=np.float64), 0.0)
    min_distance, se_term = (
        t2 * left / np.asarray(n, dtype=np.float64),
        t2 * np.square(np.asarray(se)),
    )
    distance = min_distance / 2 + np.sqrt(np.square(min_distance / 2) + se_term)
    for _ in range(_STEPS):
        slope = (2 * distance - min_distance) * (distance + left) + distance * (
            distance - min_distance
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            step = (
                distance * (distance - min_distance) * (distance + left) - se_term * left
            ) / slope
        step = np.where(slope > 0, step, 0.0)
        distance = distance - step
        if not np.any(np.abs(step) > 1e-15 * distance):
            break
    return np.asarray(np.where(left > 0, distance, 0.0))


def margin_power(  # noqa: PLR0913
    margin: float,
    *,
    sigma: float,
    n: FloatLike,
    width: float,
    delta: float = 0.0,
    df: FloatLike | None = None,
    alpha: float = 0.05,
    sides: Sides = 1,
    clusters: bool = False,
) -> Array:
    """Return the probability of showing that a gap is within the margin, for normal differences.

    Integrates the normal probability that the mean is far enough inside over the chi distribution
    of the standard deviation, as Owen's Q function does for the t test.

    Parameters
    ----------
    margin : float
        Largest acceptable gap, in score units, > 0.
    sigma : float
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, or effective number of clustered items: one number or a 1-D array, each at
        least 2 without ``df``.
    width : float
        Best minus worst score, in score units.
    delta : float, default 0.0
        True gap, in score units.
    df : array_like, optional
        Degrees of freedom of the error, > 0; n - 1 if None.
    alpha : float, default 0.05
        Level of each one-sided test, in (0, 0.5).
    sides : {1, 2}, default 1
        Sides of the test: 1 for non-inferiority, 2 for equivalence.
    clusters : bool, default False
        As in :func:`margin_pvalue`; ``sigma`` is then that of a cluster's mean.

    Returns
    -------
    Array
        Probability, one for each number of items.

    References
    ----------
    Owen (1965), Biometrika 52. Methods: Margins

    Examples
    --------
    >>> round(float(margin_power(0.03, sigma=0.1, n=163, width=1.0)), 3)
    0.803
    """
    checks.choice("sides", sides, (1, 2))
    checks.positive("margin", margin)
    checks.positive("sigma", sigma)
    checks.require(0 < alpha < 0.5, "alpha", "in (0, 0.5)", alpha)
    items = np.atleast_1d(np.asarray(n, dtype=np.float64))
    freedom = np.broadcast_to(items - 1 if df is None else np.asarray(df, float), items.shape)
    checks.require(freedom > 0, "n", "at least 2 items", items)
    t = -np.asarray(t_quantile(alpha, freedom), dtype=np.float64)[:, None]
    root = np.sqrt(items)[:, None] / sigma
    low, high = chi_range(freedom)
    if sides == 2:
        high = np.clip(_widest(margin, width, sigma, items, t[:, 0]), low, high)
    min_distance: Array | float = 0.0
    if clusters:  # the gain at which gain (1 - u) - u width is -margin, less -margin
        min_distance = (max(width - margin, 0.0) * np.expm1(-np.log(alpha) / items))[:, None]

    def conditional_power(w: Array) -> Array:  # w = s / sigma
        distance = _margin_room(w / root, items[:, None], width=width, margin=margin, quantile=t)
        distance = np.maximum(distance, min_distance)
        prob = special.ndtr((margin + delta - distance) * root)
        if sides == 1:
            return np.asarray(prob)
        return np.maximum(prob - special.ndtr((delta - margin + distance) * root), 0.0)

    out = np.minimum(chi_mean(low, high, freedom, conditional_power), 1.0)
    return out[0] if np.ndim(n) == 0 else out


def _widest(margin: float, width: float, sigma: float, n: Array, t: Array) -> Array:
    """Return the spread, in sigmas, from which on no gap is shown to be within either margin."""
    left = max(width - margin, 0.0)
    if left == 0:
        return np.full_like(n, np.inf)
    remaining = np.maximum(margin - t * t * left / n, 0.0)
    return np.asarray(np.sqrt(remaining * margin * (margin + left) * n / left) / (t * sigma))


def margin_least_items(
    margin: float, *, width: float = 1.0, alpha: float = 0.05, clusters: bool = False
) -> float:
    """Return the fewest items at which identical scores of both models show the margin.

    Of n items without a difference the score bound of the gap is -width z² / (n + z²); for 0/1
    scores this is Tango's.

    Tango (1998), Stat. Med. 17.
    """
    if margin >= width:
        return 1.0
    z2 = float(z_alpha(alpha, sides=1)) ** 2
    none_lost = np.log(alpha) / np.log1p(-margin / width) if clusters else 0.0
    return float(np.floor(max(z2 * (width - margin) / margin, none_lost)) + 1)


def margin_n_star(
    margin: float,
    *,
    sigma: float,
    width: float,
    delta: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 1,
) -> float:
    """Return the smallest number of independent items with the power of :func:`margin_power`.

    Parameters
    ----------
    margin : float
        Largest acceptable gap, in score units, > 0.
    sigma : float
        Standard deviation of the per-item difference, in score units, > 0.
    width : float
        Best minus worst score, in score units.
    delta : float, default 0.0
        True gap, in score units.
    alpha : float, default 0.05
        Level of each one-sided test, in (0, 0.5).
    power : float, default 0.8
        Target power: probability of showing that the gap is within the margin, in (0, 1).
    sides : {1, 2}, default 1
        Sides of the test: 1 for non-inferiority, 2 for equivalence.

    Returns
    -------
    float
        A whole number of items, at least 2; ``inf`` when the true gap reaches the margin.

    References
    ----------
    Owen (1965), Biometrika 52.
    Methods: Margins

    Examples
    --------
    >>> margin_n_star(0.03, sigma=0.1, width=1.0)
    163.0
    """
    checks.fraction("power", power)
    distance = margin + delta if sides == 1 else margin - abs(delta)
    if distance <= 0:
        return float("inf")

    def is_sufficient(items: float) -> bool:
        reached = margin_power(
            margin, sigma=sigma, n=items, width=width, delta=delta, alpha=alpha, sides=sides
        )
        return bool(reached >= power)

    low, high = 1.0, 2.0
    while not is_sufficient(high):
        low, high = high, 2 * high
    return first_whole(is_sufficient, low, high)
