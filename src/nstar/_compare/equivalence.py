"""Is the gap smaller than a margin declared in advance?"""

import math

from nstar import stats
from nstar._compare.margin import MarginTest
from nstar._compare.parts import Equivalence
from nstar._verdict import Criteria
from nstar.errors import ParameterError

__all__ = ["equivalence"]


def equivalence(test: MarginTest, margin: float, criteria: Criteria) -> Equivalence:
    """Two one-sided tests at alpha, and the interval of coverage 1 - 2 alpha they amount to."""
    alpha, power = criteria.alpha, criteria.power
    if alpha >= 0.5:
        msg = f"alpha must be below 0.5 for an equivalence test; got {alpha:g}"
        raise ParameterError(msg)
    ci = test.interval(1 - 2 * alpha)
    sigma = test.reading.se * math.sqrt(test.items)
    return Equivalence(
        margin=margin,
        conf=1 - 2 * alpha,
        ci=ci,
        p=test.pvalue(margin, sides=2),
        equivalent=bool(-margin < ci.low and ci.high < margin),
        p_noninferior=test.pvalue(margin, sides=1),
        noninferior=bool(ci.low > -margin),
        n_star=(
            float(stats.equivalence_n_star(margin, sigma=sigma, alpha=alpha, power=power))
            if sigma > 0
            else math.inf
        ),
    )
