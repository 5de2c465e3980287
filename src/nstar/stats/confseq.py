"""Asymptotic confidence sequence for the mean difference of graded scores.

The sequence is a normal mixture (Robbins 1970; Howard et al. 2021) around the running mean, with
the running standard deviation in place of sigma (Waudby-Smith et al. 2024). It relies on the
central limit theorem and needs about 30 items, whereas bets (``nstar.stats.betting``) are always
valid. Items must be in random order.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Interval
from nstar.stats._blocks import map_blocks, map_blocks2
from nstar.stats._roots import mixture_root
from nstar.stats._streaming_state import StreamingState
from nstar.stats.gap_betting import Tail

__all__ = ["RunningMean", "asymptotic_log_e", "asymptotic_sequence"]

FIRST_LOOK = 30
"""Number of items before which the asymptotic sequence is the whole real line."""


def _variance(n: Array, level: Array) -> Array:
    checks.positive("tuned_at", n)
    checks.fraction("alpha", level)
    return np.asarray(mixture_root(level) / n)


def mixture_variance(tuned_at: FloatLike, *, alpha: FloatLike = 0.05) -> Array:
    """Return the variance of the normal mixture whose boundary is lowest at item ``tuned_at``.

    It is rho² = (-W₋₁(-alpha²/e) - 1) / n.

    Robbins (1970), Ann. Math. Stat. 41. Howard, Ramdas, McAuliffe, Sekhon (2021), Ann. Stat. 49.
    """
    return map_blocks(_variance, tuned_at, alpha)


def mixture_boundary(n: FloatLike, *, tuned_at: FloatLike, alpha: FloatLike = 0.05) -> Array:
    """Return the boundary that |Σd - n · gap| / sigma ever crosses with probability alpha.

    At ``n = tuned_at`` it is √n times :func:`anytime_critical`.

    Robbins (1970), Ann. Math. Stat. 41. Howard, Ramdas, McAuliffe, Sekhon (2021), Ann. Stat. 49.
    """

    def block(t: Array, horizon: Array, level: Array) -> Array:
        checks.positive("n", t)
        tuned = _variance(horizon, level)
        growth = t * tuned + 1
        return np.sqrt(growth / tuned * (np.log(growth) - 2 * np.log(level)))

    return map_blocks(block, n, tuned_at, alpha)


def _check_scores(mean: Array, sd: Array, n: Array) -> None:
    checks.finite("mean", mean)
    checks.nonnegative("sd", sd)
    checks.within("n", n, (1, np.inf), "at least 1 item", ends=(True, False))


def asymptotic_sequence(
    mean: FloatLike,
    sd: FloatLike,
    n: FloatLike,
    *,
    tuned_at: FloatLike,
    conf: FloatLike = 0.95,
) -> Interval:
    """Return the confidence sequence for the mean difference, in score units.

    Parameters
    ----------
    mean, sd : array_like
        Mean and standard deviation (ddof 1) of the differences so far, in score units.
    n : array_like
        Number of items so far, at least 1.
    tuned_at : array_like
        Number of items at which the sequence is narrowest, > 0. It must be fixed in advance and is
        usually the planned end.
    conf : array_like, default 0.95
        Coverage, in (0, 1). It holds asymptotically at all times from item 30 on.

    Returns
    -------
    Interval
        Limits in score units. They are infinite below 30 items, and for sd = 0, because equal
        differences do not show their spread. Inputs broadcast.

    References
    ----------
    Robbins (1970), Ann. Math. Stat. 41.
    Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas (2024), Ann. Stat. 52.
    Methods: Interim looks.

    Examples
    --------
    >>> low, high = asymptotic_sequence(0.02, 0.12, 500, tuned_at=1000)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0035, 0.0365)
    """
    checks.fraction("conf", conf)

    def block(m: Array, s: Array, t: Array, edge: Array) -> tuple[Array, Array]:
        _check_scores(m, s, t)
        half = np.where((t >= FIRST_LOOK) & (s > 0), s * edge / t, np.inf)
        return m - half, m + half

    alpha = 1 - np.asarray(conf, dtype=np.float64)
    edge = mixture_boundary(n, tuned_at=tuned_at, alpha=alpha)
    return Interval(*map_blocks2(block, mean, sd, n, edge))


def asymptotic_log_e(
    mean: FloatLike,
    sd: FloatLike,
    n: FloatLike,
    *,
    tuned_at: FloatLike,
    null: FloatLike = 0.0,
    alpha: FloatLike = 0.05,
    tail: Tail = "both",
) -> Array:
    """Return the log of the asymptotic e-value against a mean difference of ``null``.

    Parameters
    ----------
    mean, sd : array_like
        Mean and standard deviation (ddof 1) of the differences so far, in score units.
    n : array_like
        Number of items so far, at least 1.
    tuned_at : array_like
        Number of items at which the sequence is narrowest, > 0. It must be fixed in advance and is
        usually the planned end.
    null : array_like, default 0.0
        Hypothesized mean difference, in score units.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), to which the mixture is tuned.
    tail : {"both", "above", "below"}, default "both"
        ``both`` reaches log(1/alpha) exactly when the sequence with coverage 1 - alpha excludes
        ``null``. ``above`` bets that the mean is larger, and ``below`` that it is smaller, by half
        a normal mixture. Use ``above`` with null = -margin for non-inferiority, and the smaller of
        the two sides for equivalence.

    Returns
    -------
    Array
        log E. Reject if it is ``log(1 / alpha)`` or more. It is 0 before item 30 and for sd = 0.
        Inputs broadcast.

    References
    ----------
    Robbins (1970), Ann. Math. Stat. 41.
    Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas (2024), Ann. Stat. 52.
    Methods: Interim looks.

    Examples
    --------
    >>> round(float(asymptotic_log_e(0.02, 0.12, 500, tuned_at=1000)), 3)
    4.769
    """
    checks.choice("tail", tail, ("both", "above", "below"))

    def block(m: Array, s: Array, t: Array, tuned: Array, gap: Array) -> Array:
        _check_scores(m, s, t)
        checks.finite("null", gap)
        known = (t >= FIRST_LOOK) & (s > 0)
        growth = t * tuned + 1
        z = t * (m - gap) / np.where(known, s, 1.0) * np.sqrt(tuned / growth)
        log_e = 0.5 * (z * z - np.log(growth))
        if tail != "both":
            log_e += np.log(2.0) + special.log_ndtr(z if tail == "above" else -z)
        return np.where(known, log_e, 0.0)

    return map_blocks(block, mean, sd, n, mixture_variance(tuned_at, alpha=alpha), null)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningMean(StreamingState):
    """Running mean and variance of the differences, updated one item at a time (Welford 1962).

    References
    ----------
    Welford (1962), for the update. Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas (2024), Ann. Stat.
    52, for the sequence. Methods: Interim looks.

    Examples
    --------
    >>> state = RunningMean()
    >>> for difference in [0.5, -0.25, 0.125]:
    ...     state = state.update(difference)
    >>> state.n, state.mean, round(state.sd, 4)
    (3, 0.125, 0.375)
    """

    n: int = 0
    """Number of items."""
    mean: float = 0.0
    """Mean difference so far."""
    squares: float = 0.0
    """Sum of squared deviations from the mean."""

    def __post_init__(self) -> None:
        checks.counts(n=self.n)
        checks.finite("mean", self.mean)
        checks.nonnegative("squares", self.squares)

    def _check_saved(self) -> None:
        first, second = self.n > 0 or self.mean == 0, self.n > 1 or self.squares == 0
        checks.require(first, "mean", "0 before the first item", self.mean)
        checks.require(second, "squares", "0 before the second item", self.squares)

    @property
    def sd(self) -> float:
        """Return the standard deviation (ddof 1), or 0 before the second item."""
        return float(np.sqrt(self.squares / (self.n - 1))) if self.n > 1 else 0.0

    def update(self, difference: float) -> Self:
        """Return the state after one more item."""
        checks.finite("difference", difference)
        n, value = self.n + 1, float(difference)
        step = value - self.mean
        mean = self.mean + step / n
        return type(self)(n=n, mean=mean, squares=self.squares + step * (value - mean))

    def sequence(self, *, tuned_at: float, conf: float = 0.95) -> Interval:
        """Return the current asymptotic confidence sequence, the whole line before item 30."""
        return asymptotic_sequence(
            self.mean, self.sd, max(self.n, 1), tuned_at=tuned_at, conf=conf
        )
