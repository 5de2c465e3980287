"""Is the gap smaller than a margin declared in advance?"""

import math

from scipy import special

from nstar import stats
from nstar._compare.design import Differences, student_interval
from nstar._compare.parts import Counts, Equivalence, Reading
from nstar._compare.reading import unanimous_interval
from nstar._typing import Interval
from nstar.errors import ParameterError

__all__ = ["equivalence"]


def _tango(counts: Counts, margin: float, conf: float) -> tuple[Interval, float, float]:
    b, c, n = counts.n10, counts.n01, counts.n
    low, high = stats.paired_interval(b, c, n, conf=conf)
    both = float(stats.equivalence_pvalue(b, c, n, margin=margin))
    below = float(stats.noninferiority_pvalue(b, c, n, margin=margin))
    return Interval(float(low), float(high)), both, below


def _student(delta: float, reading: Reading, margin: float) -> tuple[float, float]:
    """p-values of "at least the margin apart" and of "behind by the margin or more"."""
    down, up = (
        max(float(special.stdtr(reading.df, -(margin + x) / reading.se)), stats.P_FLOOR)
        for x in (delta, -delta)
    )
    return max(down, up), down


def equivalence(
    x: Differences, reading: Reading, counts: Counts | None, margin: float
) -> Equivalence:
    """Two one-sided tests at alpha, and the interval of coverage 1 - 2 alpha they amount to."""
    alpha = x.criteria.alpha
    if alpha >= 0.5:
        msg = f"alpha must be below 0.5 for an equivalence test; got {alpha:g}"
        raise ParameterError(msg)
    conf = 1 - 2 * alpha
    p: float | None
    below: float | None
    if counts is not None and reading.kind == "items":
        ci, p, below = _tango(counts, margin, conf)
    elif reading.se > 0:
        ci = student_interval(x.delta, reading.se, reading.df, conf)
        p, below = _student(x.delta, reading, margin)
    else:
        units = reading.groups if reading.kind == "cluster" else x.d.size
        ci = unanimous_interval(x.delta, units or x.d.size, x.width, conf)
        p = below = None
    sigma = reading.se * math.sqrt(x.d.size)
    power = x.criteria.power
    return Equivalence(
        margin=margin,
        conf=conf,
        ci=ci,
        p=p,
        equivalent=bool(-margin < ci.low and ci.high < margin),
        p_noninferior=below,
        noninferior=bool(ci.low > -margin),
        n_star=(
            float(stats.equivalence_n_star(margin, sigma=sigma, alpha=alpha, power=power))
            if sigma > 0
            else math.inf
        ),
    )
