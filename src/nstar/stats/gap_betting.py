"""Bets on the gap of 0/1 scores: e-values against any gap, and a confidence sequence.

Against "the gap is at most g", a share k of the capital is bet on every item. The capital is
multiplied by 1 - k + k (1 + D) / (1 + g), which has mean at most 1 for any discordance. The share
is mixed over 0 < k < 1 with density ∝ (1 - k²)^(a - 1), so the capital depends on the counts of D
= 1, 0, -1 alone. For g = 0 and both directions in equal parts this is McNemar's e-process with a
Beta(a, a) mixture, so the sequence excludes 0 exactly when that test rejects. The capital of each
direction is convex in g, so the sequence is an interval. Waudby-Smith and Ramdas (2024) describe
such bets on a mean, and Orabona and Jun (2024) the mixture by a Beta distribution.
"""

from functools import cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, Interval
from nstar.stats._blocks import map_blocks, map_blocks2
from nstar.stats._roots import bisect, bracketed

__all__ = ["Tail", "equivalence_log_e", "gap_log_e", "gap_sequence", "noninferiority_log_e"]

Tail: TypeAlias = Literal["both", "above", "below"]
"""Tested side of the null gap: larger (above), smaller (below), or either."""

_TAILS = ("both", "above", "below")
_POINTS = 64
_MIN_ANGLE_SHARE = 0.05
"""Share of the largest angle below which an angle is replaced by 0."""
_POWER = 3
"""Power of the variable that gives the angle from 0, because sin^(2a - 1) is not smooth there."""
_DROP = 40.0
"""Exponent down to which the integrand is evaluated: exp(-40) of its peak."""
_EDGE = 1 - 1e-15
"""Distance from ±1 within which gaps are treated as ±1."""


@cache
def _rule() -> tuple[Array, Array]:
    """Return nodes and weights on (0, 1): a plain rule, and one for an angle that starts at 0."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    x, w = 0.5 * (nodes + 1), 0.5 * weights
    return np.array([x, x**_POWER]), np.array([w, w * _POWER * x ** (_POWER - 1)])


class _BetExponents(NamedTuple):
    """Exponents of one direction: numbers of items that win, draw, and lose, and the odds."""

    win: Array
    draw: Array
    lose: Array
    null: Array
    a: Array

    def log_height(self, angle: Array) -> Array:
        """Return the log of mixture density × capital at k = cos(angle), without its constant."""
        k = np.cos(angle)
        prior = 2 * special.xlogy(self.a - 0.5, np.sin(angle))
        won = self.win * np.log1p(k * (1 - self.null) / (1 + self.null))
        tied = self.draw * np.log1p(-k * self.null / (1 + self.null))
        lost = 2 * special.xlogy(self.lose, np.sqrt(2) * np.sin(angle / 2))
        return np.asarray(prior + won + tied + lost)

    def rises(self, angle: Array) -> BoolArray:
        """Return whether the height increases with the angle. It has one peak."""
        k, s = np.cos(angle), np.sin(angle)
        r, q = (1 - self.null) / (1 + self.null), self.null / (1 + self.null)
        slope = self.win * r / (1 + k * r) - self.draw * q / (1 - k * q)
        return np.asarray(
            (2 * self.a - 1) * k + self.lose * (1 + k) > slope * s * s  # by -sin² · d/dk
        )


def _log_capital(bets: _BetExponents) -> Array:
    """Return the log capital of one direction, by a Gauss–Legendre rule around the single peak."""
    zero, right = np.zeros_like(bets.win), np.full_like(bets.win, 0.5 * np.pi)
    peak = bisect(bets.rises, zero, right, steps=34)
    floor = bets.log_height(peak) - _DROP
    low = bisect(lambda x: bets.log_height(x) < floor, zero, peak, steps=22)
    high = bisect(lambda x: bets.log_height(x) >= floor, peak, right, steps=22)
    high = np.where(bets.log_height(right) >= floor, right, high)
    low = np.where(low < _MIN_ANGLE_SHARE * high, zero, low)
    nodes, weights = (rule[np.where(low > 0, 0, 1)] for rule in _rule())
    angle = low[:, None] + (high - low)[:, None] * nodes
    column = _BetExponents(*(v[:, None] for v in bets))
    height = column.log_height(angle) - (floor + _DROP)[:, None]
    area = (np.exp(height) * weights).sum(axis=1) * (high - low)
    constant = np.log(0.5) + special.betaln(0.5, bets.a)
    return np.asarray(floor + _DROP + np.log(area) - constant)


def _log_e(b: Array, c: Array, n: Array, null: Array, a: Array, tail: Tail) -> Array:
    gap = np.clip(null, -_EDGE, _EDGE)
    above = _BetExponents(b, n - b - c, c, gap, a)
    below = _BetExponents(c, n - b - c, b, -gap, a)
    with np.errstate(divide="ignore"):
        if tail != "both":
            return _log_capital(above if tail == "above" else below)
        either = _BetExponents(*(np.concatenate(pair) for pair in zip(above, below, strict=True)))
        up, down = np.split(_log_capital(either), 2)
    return np.asarray(np.logaddexp(up, down) - np.log(2.0))


def _check_mixture(b: Array, c: Array, n: Array, a: Array) -> None:
    checks.discordant(b, c, n)
    checks.within("a", a, (0.5, np.inf), "finite and at least ½", ends=(True, False))


def gap_log_e(
    n10: FloatLike,
    n01: FloatLike,
    n: FloatLike,
    *,
    null: FloatLike = 0.0,
    a: FloatLike = 0.5,
    tail: Tail = "both",
) -> Array:
    """Return the log of the e-value against a gap of ``null`` from counts of 0/1 scores.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only the first and only the second model answered correctly.
    n : array_like
        Number of items that both models answered, at least 1.
    null : array_like, default 0.0
        Hypothesized gap, first minus second, a proportion in (-1, 1).
    a : array_like, default 0.5
        Mixture, at least ½, such as the result of :func:`tuned_beta` for the planned discordant
        items.
    tail : {"both", "above", "below"}, default "both"
        ``above`` bets that the gap is larger than ``null``, ``below`` that it is smaller, and
        ``both`` on each in equal parts.

    Returns
    -------
    Array
        log E, which is valid at any time. Reject as soon as it is ``log(1 / alpha)`` or more.
        Inputs broadcast.

    Notes
    -----
    The error is about 1e-11, plus a rounding error of 2e-17 per item, or 2e-5 for 1e12 items.

    References
    ----------
    Waudby-Smith, Ramdas (2024), J. R. Stat. Soc. B 86.
    Orabona, Jun (2024), IEEE Trans. Inf. Theory 70.
    Methods: Interim looks.

    Examples
    --------
    For a gap of 0, it is McNemar's e-process:

    >>> round(float(gap_log_e(400, 300, 5000)), 4)
    3.6657
    >>> round(float(gap_log_e(400, 300, 5000, null=-0.01, tail="above")), 2)
    13.21
    """
    checks.table(n10, n01, n)
    checks.choice("tail", tail, _TAILS)

    def block(b: Array, c: Array, items: Array, gap: Array, shape: Array) -> Array:
        _check_mixture(b, c, items, shape)
        checks.within("null", gap, (-1, 1), "in (-1, 1)", ends=(False, False))
        return _log_e(b, c, items, gap, shape, tail)

    return map_blocks(block, n10, n01, n, null, a)


def noninferiority_log_e(
    n10: FloatLike, n01: FloatLike, n: FloatLike, *, margin: FloatLike, a: FloatLike = 0.5
) -> Array:
    """Return the log of the e-value against "the first model is worse by ``margin`` or more".

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only the first and only the second model answered correctly.
    n : array_like
        Number of items that both models answered, at least 1.
    margin : array_like
        Margin declared in advance, a proportion in (0, 1).
    a : array_like, default 0.5
        Mixture, at least ½, such as the result of :func:`tuned_beta` for the planned discordant
        items.

    Returns
    -------
    Array
        log E. The model is shown to be non-inferior as soon as it is ``log(1 / alpha)`` or more.
        Inputs broadcast.

    References
    ----------
    Waudby-Smith, Ramdas (2024), J. R. Stat. Soc. B 86.
    Orabona, Jun (2024), IEEE Trans. Inf. Theory 70.
    Methods: Interim looks.

    Examples
    --------
    >>> round(float(noninferiority_log_e(60, 60, 1000, margin=0.05)), 2)
    7.77
    """
    return gap_log_e(n10, n01, n, null=-_margin(margin), a=a, tail="above")


def equivalence_log_e(
    n10: FloatLike, n01: FloatLike, n: FloatLike, *, margin: FloatLike, a: FloatLike = 0.5
) -> Array:
    """Return the log of the e-value against "the models differ by ``margin`` or more".

    It is the smaller of the two one-sided e-values. One of these is valid for either sign of the
    true gap, and the smaller one does not exceed it.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only the first and only the second model answered correctly.
    n : array_like
        Number of items that both models answered, at least 1.
    margin : array_like
        Margin declared in advance, a proportion in (0, 1).
    a : array_like, default 0.5
        Mixture, at least ½, such as the result of :func:`tuned_beta` for the planned discordant
        items.

    Returns
    -------
    Array
        log E. The models are shown to be equivalent as soon as it is ``log(1 / alpha)`` or more.
        Inputs broadcast.

    References
    ----------
    Waudby-Smith, Ramdas (2024), J. R. Stat. Soc. B 86.
    Orabona, Jun (2024), IEEE Trans. Inf. Theory 70.
    Methods: Interim looks.

    Examples
    --------
    >>> round(float(equivalence_log_e(70, 60, 1000, margin=0.05)), 2)
    3.83
    """
    m = _margin(margin)
    above = gap_log_e(n10, n01, n, null=-m, a=a, tail="above")
    return np.minimum(above, gap_log_e(n10, n01, n, null=m, a=a, tail="below"))


def _margin(margin: FloatLike) -> Array:
    checks.within("margin", margin, (0, 1), "in (0, 1)", ends=(False, False))
    return np.asarray(margin, dtype=np.float64)


def gap_sequence(
    n10: FloatLike,
    n01: FloatLike,
    n: FloatLike,
    *,
    conf: FloatLike = 0.95,
    a: FloatLike = 0.5,
) -> Interval:
    """Return the confidence sequence for the gap of 0/1 scores, first minus second.

    It contains all gaps with an e-value below 1/alpha. For independent items in random order, its
    simultaneous coverage at all times is at least ``conf``. It excludes 0 exactly when
    :func:`mcnemar_log_e` with the same ``a`` rejects.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only the first and only the second model answered correctly.
    n : array_like
        Number of items that both models answered, at least 1.
    conf : array_like, default 0.95
        Coverage, in (0, 1).
    a : array_like, default 0.5
        Mixture, at least ½, such as the result of :func:`tuned_beta` for the planned discordant
        items.

    Returns
    -------
    Interval
        Limits, proportions in [-1, 1]. The upper limit is 1 if the first model won every item, and
        the lower limit is -1 if the second did. Inputs broadcast.

    References
    ----------
    Waudby-Smith, Ramdas (2024), J. R. Stat. Soc. B 86.
    Orabona, Jun (2024), IEEE Trans. Inf. Theory 70.
    Methods: Interim looks.

    Examples
    --------
    >>> low, high = gap_sequence(400, 300, 5000)
    >>> round(float(low), 4), round(float(high), 4)
    (0.001, 0.0393)
    """
    checks.table(n10, n01, n)

    def block(b: Array, c: Array, items: Array, level: Array, shape: Array) -> tuple[Array, Array]:
        _check_mixture(b, c, items, shape)
        checks.fraction("conf", level)
        twice = [np.tile(v, 2) for v in (b, c, items, shape, -np.log1p(-level))]

        def over(gap: Array) -> Array:
            wins, losses, of, mixture, limit = twice
            log_e = _log_e(wins, losses, of, gap, mixture, "both")
            return np.clip(log_e - limit, -_DROP, _DROP)

        best, edge = np.tile((b - c) / items, 2), np.repeat([-1.0, 1.0], len(b))
        low, high = np.split(bracketed(over, edge, best), 2)
        return np.where(c == items, -1.0, low), np.where(b == items, 1.0, high)

    return Interval(*map_blocks2(block, n10, n01, n, conf, a))
