"""Is the gap smaller than a margin declared in advance?"""

from nstar._verbs.compare.margin import MarginTest, Planned
from nstar._verbs.compare.result import Equivalence
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError


def equivalence(test: MarginTest, margin: float, criteria: Criteria) -> Equivalence:
    """Two one-sided tests at alpha, and the interval of coverage 1 - 2 alpha they amount to."""
    alpha = criteria.alpha
    if alpha >= 0.5:
        msg = f"alpha must be below 0.5 for an equivalence test; got {alpha:g}"
        raise ParameterError(msg)
    ci = test.interval(1 - 2 * alpha)
    return Equivalence(
        margin=margin,
        conf=1 - 2 * alpha,
        ci=ci,
        p=test.pvalue(margin, sides=2),
        equivalent=bool(-margin < ci.low and ci.high < margin),
        p_noninferior=test.pvalue(margin, sides=1),
        noninferior=bool(ci.low > -margin),
        n_star=test.needed(margin, criteria, Planned()),
    )
