"""Check reported figures: whether a percentage can be k/N, and whether p and interval agree."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Interval
from nstar.stats.critical import z_conf
from nstar.stats.mcnemar import P_FLOOR

__all__ = ["Grim", "PrintedP", "grim", "p_from_interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grim:
    """Result of a check whether a reported proportion can be a whole number of items out of n."""

    possible: bool
    """Whether some k/n rounds to the reported value."""
    informative: bool
    """Whether the digits are fine enough for the check to fail: n × one unit in the last place <
    1."""
    low: int
    """Smallest k that rounds to the reported value (nearest k when none does)."""
    high: int
    """Largest k that rounds to the reported value (nearest k when none does)."""
    nearest: float
    """k/n closest to the reported value, a proportion."""
    truncation: int | None
    """Smallest k that gives the reported value if truncated instead of rounded; None: none."""


def grim(p: float, n: int, *, decimals: int) -> Grim:
    """Check whether a reported proportion is possible for n items (GRIM test).

    Parameters
    ----------
    p : float
        Reported value as a proportion in [0, 1] (71.4% is 0.714).
    n : int
        Items the source says it is a share of, a whole number of at least 1.
    decimals : int
        Digits after the point *of the proportion* (71.4% has 3), a whole number ≥ 0.

    Returns
    -------
    Grim
        Whether some k/n rounds to the reported value, and which; a half may round either way. If
        none does, some k/n may still give the value with its digits cut off.

    References
    ----------
    Brown and Heathers (2017), Soc. Psychol. Personal. Sci. 8.
    Methods: Reported figures

    Examples
    --------
    >>> grim(0.714, 1000, decimals=3).possible
    True
    >>> result = grim(0.0234, 216, decimals=4)
    >>> result.possible, round(result.nearest, 5)
    (False, 0.02315)

    88/164 is 0.53659: 0.537 if rounded, 0.536 if truncated.

    >>> result = grim(0.536, 164, decimals=3)
    >>> result.possible, result.truncation
    (False, 88)
    """
    checks.probability("p", p)
    checks.counts(n=n, decimals=decimals)
    checks.require(n >= 1, "n", "at least 1", n)
    unit = 10.0**-decimals
    slack = 1e-9 * unit  # either rounding of a half counts as possible
    low = int(np.ceil((p - unit / 2 - slack) * n))
    high = int(np.floor((p + unit / 2 + slack) * n))
    low, high = max(low, 0), min(high, n)
    nearest = min(max(round(p * n), 0), n)
    possible = low <= high
    first = max(int(np.ceil((p - slack) * n)), 0)
    return Grim(
        possible=possible,
        informative=n * unit < 1,
        low=low if possible else nearest,
        high=high if possible else nearest,
        nearest=nearest / n,
        truncation=first if first <= n and first / n < p + unit - slack else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedP:
    """Values that an estimate and its reported interval imply, next to the reported p."""

    se: float
    """Standard error implied by the width of the interval, in its units."""
    t: float
    """|estimate| / se."""
    p_two_sided: float
    """Two-sided normal p implied by the interval."""
    p_one_sided: float
    """Probability below t, which resampling scripts sometimes report as p."""
    verdict: Literal["consistent", "zero", "one-sided", "inconsistent"]
    """Relation of the reported p to these values."""


_SLACK = (0.1, 0.05)
"""Disagreement in |T|, absolute plus relative, that rounding and the interval method can explain.
"""


def _verdict(p: float, t: float) -> Literal["consistent", "zero", "one-sided", "inconsistent"]:
    if p <= 0:
        return "zero"
    slack = _SLACK[0] + _SLACK[1] * t
    if abs(_t_from_p(p) - t) <= slack:
        return "consistent"
    if abs(abs(float(special.ndtri(p))) - t) <= slack:
        return "one-sided"
    return "inconsistent"


def p_from_interval(
    estimate: float,
    interval: Interval,
    *,
    p: float | None = None,
    conf: float = 0.95,
) -> PrintedP:
    """Compare a reported p-value with the one that a reported interval implies.

    Parameters
    ----------
    estimate : float
        Reported gap.
    interval : Interval
        Reported limits of the gap, in the same unit, low < high.
    p : float, optional
        Reported p-value, in [0, 1]; ``None`` only computes what the interval implies.
    conf : float, default 0.95
        Coverage, in (0, 1), of the interval.

    Returns
    -------
    PrintedP
        What the interval implies, and a word: "zero" for a reported p of 0, "consistent" without
        one.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    A two-sided p of 0.71 cannot come from [-11.09, 6.20] around -2.34; a one-sided one can:

    >>> check = p_from_interval(-2.34, Interval(-11.09, 6.20), p=0.71)
    >>> check.verdict, round(check.p_two_sided, 2), round(check.p_one_sided, 2)
    ('one-sided', 0.6, 0.7)
    """
    low, high = float(interval.low), float(interval.high)
    checks.finite("estimate", estimate)
    checks.finite("interval", [low, high])
    checks.require(high > low, "interval", "low < high", high - low)
    if p is not None:
        checks.probability("p", p)
    se = (high - low) / (2 * float(z_conf(conf)))
    t = abs(estimate) / se
    two = float(max(2 * special.ndtr(-t), P_FLOOR))
    one = float(special.ndtr(t))
    word = "consistent" if p is None else _verdict(p, t)
    return PrintedP(se=se, t=t, p_two_sided=two, p_one_sided=one, verdict=word)


def _t_from_p(p: float) -> float:
    """Return the |T| that corresponds to a two-sided p-value (normal theory)."""
    checks.require(0 < p <= 1, "p", "in (0, 1]", p)
    return float(-special.ndtri(p / 2))
