"""One model against a fixed threshold: the exact test, its sample size, and an e-process.

The e-process is a one-sided mixture of binomial likelihood ratios. Its prior is a Beta(a, b)
distribution restricted to accuracies above the threshold. Every restricted accuracy exceeds the
threshold, so the mean of E is at most 1 for all accuracies up to the threshold. The probability
that E ever reaches 1/alpha is then at most alpha (Ville 1939). Items must be in random order.
"""

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._binomial import upper_tail
from nstar.stats._blocks import map_blocks
from nstar.stats.critical import z_alpha
from nstar.stats.mcnemar import P_FLOOR
from nstar.stats.proportion import one_sample_n_star

__all__ = [
    "least_items_above",
    "threshold_items",
    "threshold_log_e",
    "threshold_power",
    "threshold_prior",
    "threshold_pvalue",
]

_PRIOR_SHARE = 0.12
"""Items of the prior as a share of the planned items: r / 2 of Howard et al. (2021) at 5%."""


def _check_counts(x: Array, n: Array, p0: Array) -> None:
    checks.counts(x=x, n=n)
    checks.require(n >= 1, "n", "at least 1", n)
    checks.require(x <= n, "x", "at most n", x)
    checks.fraction("p0", p0)


def threshold_pvalue(x: FloatLike, n: FloatLike, *, p0: FloatLike) -> Array:
    """Return the exact one-sided p-value for H0: accuracy ≤ ``p0``.

    It is the binomial probability of ``x`` or more correct answers. To test whether the accuracy
    is below a threshold, count wrong answers: ``threshold_pvalue(n - x, n, p0=1 - p0)``.

    Parameters
    ----------
    x : array_like
        Number of correct answers, a whole number, 0 ≤ x ≤ n.
    n : array_like
        Number of items, a whole number of at least 1.
    p0 : array_like
        Threshold, a proportion in (0, 1).

    Returns
    -------
    Array
        In [2.2e-308, 1], never 0. Inputs broadcast.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26.
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(threshold_pvalue(92, 100, p0=0.85)), 4)
    0.0275
    """

    def block(right: Array, items: Array, null: Array) -> Array:
        _check_counts(right, items, null)
        return np.clip(upper_tail(right, items, null), P_FLOOR, 1.0)

    return map_blocks(block, x, n, p0)


def _least_right(n: Array, p0: float, alpha: float) -> Array:
    """Return the fewest correct answers that the exact test rejects; n + 1 if none."""
    guess = n * p0 + z_alpha(alpha, sides=1) * np.sqrt(n * p0 * (1 - p0))
    smallest = np.clip(np.floor(guess) - 2, 0, n + 1)
    while np.any(too_high := (smallest > 0) & (upper_tail(smallest - 1, n, p0) <= alpha)):
        smallest = np.where(too_high, smallest - 1, smallest)
    while np.any(too_low := (smallest <= n) & (upper_tail(smallest, n, p0) > alpha)):
        smallest = np.where(too_low, smallest + 1, smallest)
    return smallest


def threshold_power(p1: float, n: FloatLike, *, p0: float, alpha: float = 0.05) -> Array:
    """Return the exact power to show that an accuracy ``p1`` is above ``p0``.

    Parameters
    ----------
    p1 : float
        True accuracy, a proportion in (0, 1).
    n : array_like
        Number of items, a whole number of at least 1.
    p0 : float
        Threshold, a proportion in (0, 1).
    alpha : float, default 0.05
        Level of the one-sided test, in (0, 1).

    Returns
    -------
    Array
        Probability, in the shape of ``n``. It is the size of the test at p1 = p0, and 0 for so few
        items that no result is significant.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(threshold_power(0.9, 304, p0=0.85)), 4)
    0.8357
    """
    checks.fraction("p1", p1)
    checks.fraction("p0", p0)
    checks.fraction("alpha", alpha)
    checks.counts(n=n)
    items = np.asarray(n, dtype=np.float64)
    checks.require(items >= 1, "n", "at least 1", items)
    return np.asarray(upper_tail(_least_right(items, p0, alpha), items, p1))[()]


def threshold_items(p1: float, *, p0: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return the number of items from which on the exact test keeps its power.

    The power of an exact test is not monotone in the number of items. Every larger number
    of items also has at least this power.

    Parameters
    ----------
    p1 : float
        True accuracy, a proportion in (0, 1), above ``p0``.
    p0 : float
        Threshold, a proportion in (0, 1).
    alpha : float, default 0.05
        Level of the one-sided test, in (0, 1).
    power : float, default 0.8
        Target power: probability of showing that ``p1`` is above ``p0``, in (0, 1).

    Returns
    -------
    int
        Number of items.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> threshold_items(0.9, p0=0.85)
    304
    """
    checks.fraction("p1", p1)
    checks.fraction("p0", p0)
    checks.fraction("power", power)
    checks.require(p1 > p0, "p1", "above p0", p1)
    approx = float(one_sample_n_star(p1, p0=p0, alpha=alpha, power=power, sides=1))
    # Rounding to whole counts moves the power by at most 1/√(2π n p0 q0), which more items make
    # up for within a few √(n / p0 q0).
    reach = 50 + 6 * np.sqrt(approx / (p0 * (1 - p0)))
    sizes = np.arange(max(approx - reach, 1) // 1, approx + reach)
    misses = sizes[threshold_power(p1, sizes, p0=p0, alpha=alpha) < power]
    return int(misses.max(initial=sizes[0] - 1)) + 1


def least_items_above(p0: FloatLike, *, alpha: FloatLike = 0.05) -> Array:
    """Return the fewest items that can show an accuracy above ``p0``, if all are correct.

    Parameters
    ----------
    p0 : array_like
        Threshold, a proportion in (0, 1).
    alpha : array_like, default 0.05
        Level of the one-sided test, in (0, 1).

    Returns
    -------
    Array
        Number of items: the smallest n with p0ⁿ ≤ alpha. Inputs broadcast.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> float(least_items_above(0.95))
    59.0
    """

    def block(null: Array, level: Array) -> Array:
        checks.fraction("p0", null)
        checks.fraction("alpha", level)
        smallest = np.ceil(np.log(level) / np.log(null) - 1)
        return smallest + (null**smallest > level)

    return map_blocks(block, p0, alpha)


def threshold_prior(p1: FloatLike, items: FloatLike) -> tuple[Array, Array]:
    """Return the Beta(a, b) prior of :func:`threshold_log_e` for a planned number of items.

    Before the restriction, its mean is ``p1`` and it weighs as much as 12% of the planned items,
    unless the minimum of ½ applies.

    Parameters
    ----------
    p1 : array_like
        Expected accuracy, a proportion in (0, 1).
    items : array_like
        Planned number of items, at least 1.

    Returns
    -------
    tuple[Array, Array]
        ``a`` and ``b``, each at least ½. Inputs broadcast.

    References
    ----------
    Howard, Ramdas, McAuliffe, Sekhon (2021), Ann. Stat. 49.
    Methods: Interim looks

    Examples
    --------
    >>> [round(float(x), 1) for x in threshold_prior(0.9, 1000)]
    [108.0, 12.0]
    """
    rate, planned = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (p1, items)))
    checks.fraction("p1", rate)
    checks.require(planned >= 1, "items", "at least 1", planned)
    weight = _PRIOR_SHARE * planned
    return np.maximum(weight * rate, 0.5)[()], np.maximum(weight * (1 - rate), 0.5)[()]


def _log_upper(a: Array, b: Array, p0: Array) -> Array:
    """Return the log of the probability above ``p0`` of a Beta(a, b) variable."""
    with np.errstate(divide="ignore"):
        log_tail = np.log(special.betainc(b, a, 1 - p0))
    deep = ~np.isfinite(log_tail)
    if np.any(deep):
        # The leading terms of the continued fraction of the incomplete beta function.
        front = b * np.log1p(-p0) + a * np.log(p0) - special.betaln(a, b) - np.log(b)
        ratio = (a + b) / (b + 1) * (1 - p0)
        series = 1 + ratio * (1 + (a + b + 1) / (b + 2) * (1 - p0))
        log_tail = np.where(deep, front + np.log(series), log_tail)
    return log_tail


def threshold_log_e(
    x: FloatLike, n: FloatLike, *, p0: FloatLike, a: FloatLike = 0.5, b: FloatLike = 0.5
) -> Array:
    """Return the log of the e-value against "the accuracy is at most ``p0``".

    For the opposite claim, count wrong answers:
    ``threshold_log_e(n - x, n, p0=1 - p0, a=b, b=a)``.

    Parameters
    ----------
    x : array_like
        Number of correct answers so far, a whole number, 0 ≤ x ≤ n.
    n : array_like
        Number of items so far, a whole number of at least 1.
    p0 : array_like
        Threshold, a proportion in (0, 1).
    a, b : array_like, default 0.5
        Parameters of the Beta prior, > 0, which is restricted to accuracies above ``p0``. See
        :func:`threshold_prior` if the number of items is planned.

    Returns
    -------
    Array
        log E. Reject as soon as it is ``log(1 / alpha)`` or more. Inputs broadcast.

    References
    ----------
    Ville (1939), Étude critique de la notion de collectif. Robbins (1970), Ann. Math. Stat. 41.
    Methods: Interim looks

    Examples
    --------
    >>> round(float(threshold_log_e(180, 200, p0=0.85, a=10.5, b=1.5)), 4)
    1.1183
    """

    def block(right: Array, items: Array, null: Array, one: Array, other: Array) -> Array:
        _check_counts(right, items, null)
        checks.positive("a", one)
        checks.positive("b", other)
        wrong = items - right
        posterior = special.betaln(one + right, other + wrong) + _log_upper(
            one + right, other + wrong, null
        )
        prior = special.betaln(one, other) + _log_upper(one, other, null)
        return posterior - prior - right * np.log(null) - wrong * np.log1p(-null)

    return map_blocks(block, x, n, p0, a, b)
