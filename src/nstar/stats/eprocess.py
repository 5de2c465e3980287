"""McNemar's test that is valid after every item, by an e-process of wins and losses.

If neither model is better, each discordant item is the toss of a fair coin. After b wins and c
losses, bets with a Beta(a, a) mixture of coins have the capital E = 2^(b+c) B(a+b, a+c) / B(a, a).
E has mean 1 at every look, so the probability that it ever reaches 1/alpha is at most alpha (Ville
1939). Items must be in random order. Concordant items do not change E. Values are logarithms,
because E exceeds the range of float64 in long runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, IntArray, Interval
from nstar.stats._blocks import map_blocks, map_blocks2
from nstar.stats._roots import bisect, mixture_root
from nstar.stats._streaming_state import StreamingState
from nstar.stats.mcnemar import P_FLOOR

__all__ = [
    "EProcess",
    "e_process_leads",
    "mcnemar_log_e",
    "tuned_beta",
    "win_rate_sequence",
]

_TIE = 1e-12
"""Tolerance for log E at the threshold, far above rounding error."""


def least_leads(n: Array, reached: Callable[[Array], BoolArray]) -> IntArray:
    """Return the smallest sufficient lead after each number of discordant items.

    The lead exceeds the number of items if none suffices.
    """
    low, high = np.full_like(n, -1.0), np.floor(n / 2) + 1
    while (high - low > 1).any():
        midpoint = np.floor((low + high) / 2)
        up = reached(np.minimum(2 * midpoint + n % 2, n))
        low, high = np.where(up, low, midpoint), np.where(up, midpoint, high)
    return np.asarray(2 * high + n % 2, dtype=np.int64)


def _log_e(wins: Array, losses: Array, a: Array) -> Array:
    fair = (wins + losses) * np.log(2.0)
    return np.asarray(fair + special.betaln(a + wins, a + losses) - special.betaln(a, a))


def mcnemar_log_e(n10: FloatLike, n01: FloatLike, *, a: FloatLike = 0.5) -> Array:
    """Return the log of the e-value against "neither model is better", from discordant counts.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only the first and only the second model answered correctly.
    a : array_like, default 0.5
        Parameter of the Beta(a, a) mixture, > 0. The value ½ requires no plan. :func:`tuned_beta`
        is better if the number of items is planned.

    Returns
    -------
    Array
        log E. Reject as soon as it is ``log(1 / alpha)`` or more. It is 0 without discordant
        items. Its rounding error is about 1e-15 per discordant item, or 1e-3 for 1e12 of them.
        Inputs broadcast.

    References
    ----------
    Ville (1939), Étude critique de la notion de collectif.
    Methods: Interim looks.

    Examples
    --------
    >>> round(float(mcnemar_log_e(400, 300)), 4), round(float(np.log(20)), 4)
    (3.6657, 2.9957)
    """
    checks.counts(n10=n10, n01=n01)

    def block(wins: Array, losses: Array, shape: Array) -> Array:
        checks.positive("a", shape)
        return _log_e(wins, losses, shape)

    return map_blocks(block, n10, n01, a)


def tuned_beta(discordant: FloatLike, *, alpha: FloatLike = 0.05) -> Array:
    """Return the mixture a whose e-process is best near a planned number of discordant items.

    The Beta(a, a) mixture bets on gaps with standard deviation 1/√(2a + 1). A normal mixture is
    tightest at n if its variance is r / n with r = -W₋₁(-alpha²/e) - 1 (Howard et al. 2021).
    Therefore a = (n / r - 1) / 2, which is (0.122 n - 1) / 2 for alpha = 5%.

    Parameters
    ----------
    discordant : array_like
        Number of discordant items at the planned end, psi · N, at least 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).

    Returns
    -------
    Array
        Mixture a, at least ½. Inputs broadcast.

    References
    ----------
    Howard, Ramdas, McAuliffe, Sekhon (2021), Ann. Stat. 49.
    Methods: Interim looks.

    Examples
    --------
    >>> round(float(tuned_beta(200)), 2), float(tuned_beta(10))
    (11.68, 0.5)
    """

    def block(n: Array, level: Array) -> Array:
        checks.nonnegative("discordant", n)
        checks.fraction("alpha", level)
        return np.maximum(0.5 * (n / mixture_root(level) - 1), 0.5)

    return map_blocks(block, discordant, alpha)


def win_rate_sequence(
    n10: FloatLike, n01: FloatLike, *, conf: FloatLike = 0.95, a: FloatLike = 0.5
) -> Interval:
    """Return the confidence sequence for theta = P(first wins | discordant), a proportion.

    It contains all theta with an e-value below 1/alpha. Its simultaneous coverage at all times is
    at least ``conf``, and it excludes ½ exactly when :func:`mcnemar_log_e` rejects.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only the first and only the second model answered correctly.
    conf : array_like, default 0.95
        Coverage, in (0, 1).
    a : array_like, default 0.5
        Parameter of the Beta(a, a) mixture, > 0, fixed in advance, such as the result of
        :func:`tuned_beta` for the planned number of discordant items.

    Returns
    -------
    Interval
        Limits, proportions in [0, 1]. The lower limit is 0 without wins, and the upper limit is 1
        without losses. Inputs broadcast.

    References
    ----------
    Ville (1939), Étude critique de la notion de collectif.
    Methods: Interim looks.

    Examples
    --------
    >>> low, high = win_rate_sequence(400, 300)
    >>> round(float(low), 4), round(float(high), 4)
    (0.5034, 0.6377)
    """
    checks.counts(n10=n10, n01=n01)

    def block(b: Array, c: Array, level: Array, shape: Array) -> tuple[Array, Array]:
        checks.fraction("conf", level)
        checks.positive("a", shape)
        mixture = special.betaln(shape + b, shape + c) - special.betaln(shape, shape)
        limit = mixture + np.log1p(-level)

        def inside(theta: Array) -> BoolArray:
            return np.asarray(special.xlogy(b, theta) + special.xlog1py(c, -theta) > limit)

        with np.errstate(invalid="ignore"):
            best = np.where(b + c > 0, b / (b + c), 0.5)
        low = bisect(lambda theta: ~inside(theta), np.zeros_like(b), best)
        high = bisect(inside, best, np.ones_like(b))
        return np.where(b == 0, 0.0, low), np.where(c == 0, 1.0, high)

    return Interval(*map_blocks2(block, n10, n01, conf, a))


def e_process_leads(items: int, alpha: float = 0.05, a: float = 0.5) -> IntArray:
    """Return the smallest |wins - losses| that rejects after 0 … ``items`` discordant items.

    Parameters
    ----------
    items : int
        Number of discordant items at the end, a whole number, at least 0.
    alpha : float, default 0.05
        Level of the test, in (0, 1).
    a : float, default 0.5
        Beta(a, a) mixture, > 0.

    Returns
    -------
    IntArray
        Leads after 0, 1, …, ``items`` discordant items, of the same parity as these numbers. A
        lead exceeds the number of items if no lead suffices.

    References
    ----------
    Methods: Interim looks.

    Examples
    --------
    At least seven consecutive wins are needed to reject:

    >>> e_process_leads(9)
    array([2, 3, 4, 5, 6, 7, 8, 7, 8, 9])
    """
    checks.counts(items=items)
    checks.fraction("alpha", alpha)
    checks.positive("a", a)
    n = np.arange(items + 1, dtype=np.float64)

    def reached(lead: Array) -> BoolArray:
        wins = (n + lead) / 2
        return np.asarray(_log_e(wins, n - wins, np.asarray(a)) >= -np.log(alpha) - _TIE)

    return least_leads(n, reached)


@dataclass(frozen=True, slots=True, kw_only=True)
class EProcess(StreamingState):
    """Wins and losses, updated one item at a time.

    References
    ----------
    Ville (1939), Étude critique de la notion de collectif. Methods: Interim looks.

    Examples
    --------
    >>> state = EProcess(a=0.5)
    >>> for difference in [1, 0, 1, 1, 1, 1, 1, 1]:
    ...     state = state.update(difference)
    >>> round(state.log_e, 3), round(state.pvalue, 4)
    (3.289, 0.0373)
    >>> EProcess.from_dict(state.to_dict()) == state
    True
    """

    a: float = 0.5
    """Parameter of the Beta(a, a) mixture, > 0, fixed before the first item."""
    n10: int = 0
    """Number of items that only the first model answered correctly."""
    n01: int = 0
    """Number of items that only the second model answered correctly."""
    n: int = 0
    """Number of items."""
    log_e_max: float = 0.0
    """Largest log E after any item so far."""

    def __post_init__(self) -> None:
        checks.positive("a", self.a)
        checks.counts(n10=self.n10, n01=self.n01, n=self.n)
        checks.discordant(self.n10, self.n01, self.n)
        checks.nonnegative("log_e_max", self.log_e_max)

    def _check_saved(self) -> None:
        discordant = self.n10 + self.n01
        lower, upper = self.log_e - _TIE * (1 + discordant), discordant * np.log(2.0)
        allowed = f"from {lower:.6g}, E now, to {upper:.6g}, all bets won"
        checks.within("log_e_max", self.log_e_max, (lower, upper), allowed)

    @property
    def log_e(self) -> float:
        """Return the log of the e-value after the last item."""
        return float(mcnemar_log_e(self.n10, self.n01, a=self.a))

    @property
    def pvalue(self) -> float:
        """Return 1 / max E, a p-value that is valid at any stopping time and never 0."""
        return max(float(np.exp(-self.log_e_max)), P_FLOOR)

    def update(self, difference: float) -> Self:
        """Return the state after one more item: 1, 0, or -1 for a win, agreement, or loss."""
        checks.require(difference in (-1, 0, 1), "difference", "-1, 0 or 1", difference)
        n10, n01 = self.n10 + int(difference == 1), self.n01 + int(difference == -1)
        now = float(mcnemar_log_e(n10, n01, a=self.a)) if difference else 0.0
        top = max(self.log_e_max, now)
        return type(self)(a=self.a, n10=n10, n01=n01, n=self.n + 1, log_e_max=top)
