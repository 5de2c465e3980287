"""The three claims of a gate at one look, at a size fixed in advance.

The tests and the interval are those of ``nstar compare``, but "not worse by the margin" allows for
losses too rare to have shown wherever counts of 0/1 scores do not decide.
"""

import math

from scipy import special

from nstar import stats
from nstar._compare import Pair
from nstar._gate.claims import Evidence
from nstar._gate.rare import lower_bound, standardised
from nstar._typing import Interval

__all__ = ["exposed", "fixed", "gain_of", "width_of", "wins_of"]


def gain_of(pair: Pair) -> float:
    """How much better the candidate is, in score units."""
    return -pair.delta if pair.lower_is_better else pair.delta


def width_of(pair: Pair) -> float:
    """Best minus worst score."""
    return pair.limits[1] - pair.limits[0]


def wins_of(pair: Pair) -> tuple[int, int, int] | None:
    """Items only the candidate, only the baseline did well on, and all, where counts decide."""
    c = pair.counts
    if c is None or pair.design.kind != "items":
        return None
    return (c.n01, c.n10, c.n) if pair.lower_is_better else (c.n10, c.n01, c.n)


def exposed(pair: Pair) -> float:
    """Items on which a rare loss could have shown; in clusters they count as the design says."""
    return pair.n / max(pair.design.design_effect or 1.0, 1.0)


def _df(pair: Pair) -> float:
    """Infinite where no error was measured, as in the interval of ``nstar compare``."""
    d = pair.design
    return math.inf if d.se == 0 and d.kind != "cluster" else d.df


def _bounds(pair: Pair, *, margin: bool) -> tuple[float, float]:
    """One-sided bounds of the gain; the lower one is for the margin, if there is any."""
    low, high = (float(v) for v in pair.ci)
    low, high = (-high, -low) if pair.lower_is_better else (low, high)
    if wins_of(pair) is not None or not margin:
        return low, high
    quantile = stats.t_quantile((1 + pair.conf) / 2, _df(pair))
    gain, se, n = gain_of(pair), pair.design.se, exposed(pair)
    return float(lower_bound(gain, se, n, width=width_of(pair), quantile=quantile)), high


def _p_within(pair: Pair, margin: float) -> float:
    counts, n, df = wins_of(pair), exposed(pair), _df(pair)
    if counts is not None:
        return float(stats.noninferiority_pvalue(*counts, margin=margin))
    t = standardised(gain_of(pair), pair.design.se, n, width=width_of(pair), margin=margin)
    p = special.stdtr(df, -t) if math.isfinite(df) else special.ndtr(-t)
    return max(float(p), stats.P_FLOOR)


def _method(pair: Pair, *, margin: bool) -> str:
    rare = ", with rare losses at the margin's end" if margin and wins_of(pair) is None else ""
    return f"{pair.design.ci_method} interval{rare}, {pair.design.p_method} test"


def fixed(pair: Pair, margin: float | None, alpha: float) -> Evidence:
    """The claims at one look: p-value and interval must both speak, as in ``nstar compare``."""
    gain, given = gain_of(pair), margin is not None
    low, high = _bounds(pair, margin=given)
    p_worse = pair.p / 2 if gain < 0 else 1 - pair.p / 2
    p_better = pair.p / 2 if gain > 0 else 1 - pair.p / 2
    return Evidence(
        ci=Interval(-high, -low) if pair.lower_is_better else Interval(low, high),
        conf=pair.conf,
        method=_method(pair, margin=given),
        p_within=None if margin is None else _p_within(pair, margin),
        p_worse=p_worse,
        p_better=p_better,
        within=margin is not None and low > -margin,
        worse=p_worse <= alpha and high < 0,
        better=p_better <= alpha and low > 0,
        any_filling=wins_of(pair) is not None,
    )
