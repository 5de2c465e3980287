"""Bets on bounded differences, which are valid without normality from the first item on.

For differences in [-1, 1] and a hypothesized mean g, capital is bet on every item with a stake
that is fixed before the item is observed. If the mean is g, the expected capital is at most 1 at
all times. Half of the capital bets that the mean is larger, and half that it is smaller (hedged
capital, Waudby-Smith and Ramdas 2024, section 4). The bets are valid for any dependence of the
variance on the past, with items in random order.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Interval
from nstar.stats._streaming_state import StreamingState

__all__ = ["Bets", "bernstein_sequence", "betting_log_e", "betting_sequence"]

_CAUTION = 0.5
"""Largest share of the capital that one item may cost."""
_CANDIDATES = 2001
"""Gaps that the sequence evaluates, in steps of 0.001."""


def _unit(d: FloatLike) -> Array:
    """Return differences as numbers in [0, 1], after a check of their range."""
    x = np.asarray(d, dtype=np.float64)
    checks.require(x.ndim == 1, "number of axes of d", "1", x.ndim)
    checks.within("d", x, (-1, 1), "differences in [-1, 1]")
    return np.asarray((x + 1) / 2)


def _running(x: Array) -> tuple[Array, Array]:
    """Return the mean and variance after each item, shrunk toward ½ and ¼ by one pseudo-item."""
    count = np.arange(2.0, len(x) + 2)
    mean = (0.5 + np.cumsum(x)) / count
    return mean, (0.25 + np.cumsum(np.square(x - mean))) / count


def _stakes(x: Array, alpha: float) -> Array:
    """Return the stake on each item, computed from earlier items."""
    variance = np.concatenate([[0.25], _running(x)[1][:-1]])
    t = np.arange(1.0, len(x) + 1)
    return np.sqrt(2 * np.log(2 / alpha) / (variance * t * np.log(t + 1)))


def _log_sides(x: Array, stakes: Array, means: Array) -> tuple[Array, Array]:
    """Return the log capital of bets on a larger and on a smaller mean, after the last item."""
    above, below = np.zeros_like(means), np.zeros_like(means)
    for value, stake in zip(x.tolist(), stakes.tolist(), strict=True):
        deviations = value - means
        above += np.log1p(np.minimum(stake, _CAUTION / means) * deviations)
        below += np.log1p(-np.minimum(stake, _CAUTION / (1 - means)) * deviations)
    return above, below


def betting_log_e(d: FloatLike, *, null: float = 0.0, alpha: float = 0.05) -> Array:
    """Return the log of the hedged capital against a mean difference of ``null``, after each item.

    Parameters
    ----------
    d : array_like
        Differences in [-1, 1], in the order of observation.
    null : float, default 0.0
        Hypothesized mean, in (-1, 1).
    alpha : float, default 0.05
        Level for which the stakes are tuned, in (0, 1). The capital is valid at any level.

    Returns
    -------
    Array
        log E after each item. Reject as soon as it is ``log(1 / alpha)`` or more. The array is
        empty without items.

    References
    ----------
    Waudby-Smith, Ramdas (2024), J. R. Stat. Soc. B 86, section 4.
    Methods: Interim looks.

    Examples
    --------
    Half of the capital bets on each direction, and one item changes it by at most half:

    >>> np.exp(betting_log_e([1.0, 1.0])).tolist()
    [0.75, 1.125]
    >>> d = [0.3, 0.1, 0.4, 0.2] * 20
    >>> bool(betting_log_e(d)[-1] >= np.log(20))
    True
    """
    x = _unit(d)
    checks.fraction("alpha", alpha)
    checks.within("null", null, (-1, 1), "in (-1, 1)", ends=(False, False))
    m = (1 + null) / 2
    stakes, deviations = _stakes(x, alpha), x - m
    above = np.cumsum(np.log1p(np.minimum(stakes, _CAUTION / m) * deviations))
    below = np.cumsum(np.log1p(-np.minimum(stakes, _CAUTION / (1 - m)) * deviations))
    return np.maximum(above, below) - np.log(2.0)


def betting_sequence(d: FloatLike, *, conf: float = 0.95) -> Interval:
    """Return the confidence sequence for the mean difference after the last item.

    Parameters
    ----------
    d : array_like
        Differences in [-1, 1], in the order of observation.
    conf : float, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        Limits in score units. They are the range of gaps, in steps of 0.001, with a capital below
        1/alpha, extended by one step on each side. (-1, 1) without items.

    References
    ----------
    Waudby-Smith, Ramdas (2024), J. R. Stat. Soc. B 86, section 4.
    Methods: Interim looks.

    Examples
    --------
    >>> low, high = betting_sequence([0.3, 0.1, 0.4, 0.2] * 20)
    >>> round(float(low), 3), round(float(high), 3)
    (0.139, 0.319)
    """
    checks.fraction("conf", conf)
    x, alpha = _unit(d), 1 - conf
    gaps = np.linspace(-1, 1, _CANDIDATES)
    sides = _log_sides(x, _stakes(x, alpha), (1 + gaps[1:-1]) / 2)
    return _hull(gaps, np.maximum(*sides) - np.log(2.0), -float(np.log(alpha)))


def _hull(gaps: Array, log_e: Array, limit: float) -> Interval:
    """Return the interval between the last gap excluded below and the first excluded above.

    ``gaps`` includes ±1.
    """
    included = np.flatnonzero(log_e < max(limit, np.min(log_e) + 1e-12))
    return Interval(float(gaps[included[0]]), float(gaps[included[-1] + 2]))


def bernstein_sequence(d: FloatLike, *, conf: float = 0.95) -> Interval:
    """Return the empirical-Bernstein confidence sequence, which is wider but has a closed form.

    Parameters
    ----------
    d : array_like
        Differences in [-1, 1], in the order of observation, at least one.
    conf : float, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        Limits for the mean difference after the last item, in score units, in [-1, 1].

    References
    ----------
    Waudby-Smith, Ramdas (2024), J. R. Stat. Soc. B 86, theorem 2. Methods: Interim looks.

    Examples
    --------
    >>> low, high = bernstein_sequence([0.3, 0.1, 0.4, 0.2] * 20)
    >>> round(float(low), 3), round(float(high), 3)
    (0.063, 0.437)
    """
    checks.fraction("conf", conf)
    x, alpha = _unit(d), 1 - conf
    checks.require(len(x) >= 1, "length of d", "at least 1", len(x))
    before = np.concatenate([[0.5], _running(x)[0][:-1]])
    stakes = np.minimum(_stakes(x, alpha), _CAUTION)
    spread = np.square(x - before) * (-np.log1p(-stakes) - stakes)
    center = float(stakes @ x / stakes.sum())
    half = float((np.log(2 / alpha) + spread.sum()) / stakes.sum())
    return Interval(max(2 * (center - half) - 1, -1.0), min(2 * (center + half) - 1, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bets(StreamingState):
    """Capital against a few hypothesized gaps, updated one item at a time.

    For non-inferiority, bet against the gap -margin and use ``log_above``. For equivalence, bet
    against -margin and margin, and use the smaller of ``log_above`` for -margin and ``log_below``
    for margin.

    References
    ----------
    Waudby-Smith, Ramdas (2024), J. R. Stat. Soc. B 86, section 4. Methods: Interim looks.

    Examples
    --------
    >>> state = Bets(nulls=(-0.05, 0.0))
    >>> for difference in [0.3, 0.1, 0.4, 0.2] * 20:
    ...     state = state.update(difference)
    >>> [bool(e > np.log(20)) for e in state.log_above]
    [True, True]
    """

    nulls: tuple[float, ...] = (0.0,)
    """Hypothesized gaps in (-1, 1), fixed before the first item."""
    alpha: float = 0.05
    """Level for which the stakes are tuned. The capital is valid at any level."""
    n: int = 0
    """Number of items."""
    total: float = 0.0
    """Sum of (1 + difference) / 2."""
    squares: float = 0.0
    """Sum of the squared distances from the mean after each item."""
    log_above: tuple[float, ...] = ()
    """Log capital of bets that the mean is larger, for each hypothesized gap."""
    log_below: tuple[float, ...] = ()
    """Log capital of bets that the mean is smaller, for each hypothesized gap."""

    def __post_init__(self) -> None:
        checks.within("nulls", self.nulls, (-1, 1), "in (-1, 1)", ends=(False, False))
        checks.fraction("alpha", self.alpha)
        checks.counts(n=self.n)
        checks.nonnegative("total", self.total)
        checks.nonnegative("squares", self.squares)
        for name in ("log_above", "log_below"):
            values = getattr(self, name) or (0.0,) * len(self.nulls)
            checks.finite(name, values)
            known = f"{len(self.nulls)}, one for each supposed gap"
            checks.require(len(values) == len(self.nulls), f"length of {name}", known, len(values))
            object.__setattr__(self, name, values)

    def _check_saved(self) -> None:
        for name in ("total", "squares"):
            checks.at_most(getattr(self, name), self.n, name, f"at most n, {self.n}")
        for name in ("log_above", "log_below"):
            logs = np.asarray(getattr(self, name))
            checks.require((self.n > 0) | (logs == 0), name, "0 before the first item", logs)

    @property
    def log_e(self) -> tuple[float, ...]:
        """Return the log of the hedged capital against each gap, in both directions."""
        hedged = np.maximum(self.log_above, self.log_below) - np.log(2.0)
        return tuple(hedged.tolist())

    def update(self, difference: float) -> Self:
        """Return the state after one more item with a difference in [-1, 1]."""
        checks.within("difference", difference, (-1, 1), "in [-1, 1]")
        x, n = (float(difference) + 1) / 2, self.n + 1
        variance = (0.25 + self.squares) / n
        stake = np.sqrt(2 * np.log(2 / self.alpha) / (variance * n * np.log(n + 1)))
        means = (1 + np.asarray(self.nulls, dtype=np.float64)) / 2
        up, down = _log_sides(np.array([x]), np.array([stake]), means)
        total = self.total + x
        mean = (0.5 + total) / (n + 1)
        return type(self)(
            nulls=self.nulls,
            alpha=self.alpha,
            n=n,
            total=total,
            squares=self.squares + (x - mean) * (x - mean),
            log_above=tuple((up + self.log_above).tolist()),
            log_below=tuple((down + self.log_below).tolist()),
        )
