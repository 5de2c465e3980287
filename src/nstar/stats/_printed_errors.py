"""Compare two reported values with reported errors: meanings of ±, Welch's test, correlation.

An error that a paper reports as ± is a standard deviation over runs, a standard error, or half an
interval. Two errors on the same items or seeds have an unknown correlation r in [-1, 1].
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import special

from nstar._base.types import Interval, Sides
from nstar.stats.critical import t_quantile, z_conf
from nstar.stats.mcnemar import P_FLOOR

PmReading: TypeAlias = Literal["sd", "sd-n", "se", "ci-t", "ci-z"]
"""Standard deviation with divisor n - 1 or n, standard error, or half an interval by t or by z."""


def se_factor(reading: PmReading, units: int | None, *, conf: float = 0.95) -> float:
    """Return the standard error of a mean over ``units`` runs (or items), as a multiple of its ±.

    Without a number of units, the multiple is known only for ``"se"`` and ``"ci-z"``.

    >>> [round(se_factor(r, 5), 4) for r in ("sd", "sd-n", "se", "ci-t", "ci-z")]
    [0.4472, 0.5, 1.0, 0.3602, 0.5102]
    """
    if reading == "se":
        return 1.0
    if reading == "ci-z" or units is None:
        return 1 / float(z_conf(conf))
    if reading == "ci-t":
        return 1 / float(t_quantile((1 + conf) / 2, units - 1))
    return 1 / float(np.sqrt(units if reading == "sd" else units - 1))


class Welch(NamedTuple):
    """Welch's test of two means from their standard errors."""

    t: float
    """Gap divided by its standard error, signed."""
    df: float
    """Degrees of freedom by the Welch–Satterthwaite formula."""


def welch(delta: float, se_a: float, se_b: float, df_a: float, df_b: float) -> Welch:
    """Return the statistic and the degrees of freedom, which are ``inf`` for known errors.

    >>> t, df = welch(0.8, 0.5, 0.4, 4, 4)
    >>> round(t, 4), round(df, 4)
    (1.2494, 7.6322)
    """
    a, b = se_a * se_a, se_b * se_b
    if a + b == 0:
        return Welch(float(np.sign(delta)) * np.inf, min(df_a, df_b))
    below = sum((v / (a + b)) ** 2 / df for v, df in ((a, df_a), (b, df_b)))
    return Welch(delta / float(np.sqrt(a + b)), np.inf if below == 0 else 1 / below)


def t_pvalue(t: float, df: float, *, sides: Sides = 2) -> float:
    """Return the p-value of a t statistic, never 0. One-sided tests are for a gap above 0.

    >>> round(t_pvalue(1.2494, 7.6323), 4)
    0.2485
    """
    at = -abs(t) if sides == 2 else -t
    tail = float(special.ndtr(at) if np.isinf(df) else special.stdtr(df, at))
    if np.isinf(t):
        tail = 0.0 if at < 0 else 1.0
    return float(max(min(sides * tail, 1.0), P_FLOOR))


def gap_error(se_a: float, se_b: float, r: float) -> float:
    """Return the standard error of a difference whose two errors have the correlation ``r``.

    >>> [round(gap_error(0.5, 0.4, r), 2) for r in (-1, 0, 1)]
    [0.9, 0.64, 0.1]
    """
    return float(np.sqrt(max(se_a * se_a + se_b * se_b - 2 * r * se_a * se_b, 0.0)))


def r_needed(delta: float, se_a: float, se_b: float, critical: float) -> float | None:
    """Return the smallest correlation of two errors for a gap of ``critical`` standard errors.

    Return -1 if every correlation suffices, and None if none does.

    >>> round(r_needed(0.8, 0.5, 0.4, 1.96), 3)
    0.609
    >>> r_needed(0.1, 0.5, 0.1, 1.96) is None
    True
    """
    target_variance = (delta / critical) ** 2
    if target_variance < (se_a - se_b) ** 2:
        return None
    if se_a * se_b == 0:
        return -1.0
    return float(max((se_a * se_a + se_b * se_b - target_variance) / (2 * se_a * se_b), -1.0))


def printed_around(value: float, half: float) -> Interval:
    """Return the range of nonnegative errors that round to a reported one.

    >>> printed_around(0.5, 0.05)
    Interval(low=0.45, high=0.55)
    """
    return Interval(max(value - half, 0.0), value + half)


def more_than_binomial(sd: float, p: float, items: int, runs: int, *, level: float = 0.01) -> bool:
    """Return whether runs on the same items vary more than independent answers could.

    For independent answers, the variance over runs is at most p (1 - p) / items. This maximum is
    reached if every item has the same success probability. A variance is considered larger if it
    is in the upper ``level`` tail of its χ² distribution.

    >>> more_than_binomial(0.005, 0.714, 1000, 5), more_than_binomial(0.03, 0.714, 1000, 5)
    (False, True)
    """
    max_variance = p * (1 - p) / items * float(special.chdtri(runs - 1, level)) / (runs - 1)
    return sd * sd > max_variance
