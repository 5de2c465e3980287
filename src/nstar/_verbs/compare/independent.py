"""Gaps of independent items: McNemar and Tango, or t and sign flips."""

import math
from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base.types import Array, Interval, RNGLike
from nstar._verbs.compare.task_comparison import GapEstimate, PairedCounts
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError


def confidence(criteria: Criteria) -> float:
    """Return the coverage of the interval that matches the test: 1 - alpha, or 1 - 2 alpha."""
    conf = 1 - 2 * criteria.alpha / criteria.sides
    if conf <= 0:
        msg = f"alpha must be below 0.5 for a one-sided test; got {criteria.alpha:g}"
        raise ParameterError(msg)
    return conf


def pvalue_for(p: float, delta: float, criteria: Criteria) -> float:
    """Convert the two-sided p-value of a symmetric test to the alternative of the criteria."""
    if criteria.sides == 2:
        return p
    return p / 2 if criteria.can_detect(delta) else 1 - p / 2


def flips(d: Array, rng: RNGLike) -> tuple[float, str]:
    """Return the two-sided p-value of sign flips of items, or of clusters, and its method.

    The differences are sorted and oriented first. The test does not depend on order or direction,
    but random flips do, and the p-value must not change with the order of rows or models.
    """
    sign_flips = stats.sign_flip_test(np.sort(d if d.sum() >= 0 else -d), rng=rng)
    return sign_flips.p, f"{sign_flips.method} sign flips"


def unanimous_interval(delta: float, units: float, width: float, conf: float) -> Interval:
    """Return the interval of the gap if all ``units`` show exactly the same gap.

    No variance was observed, so ± t standard errors would have no width. But at most a share z² /
    (units + z²) of such units (the score limit for 0 out of ``units``) could show any other gap
    between -width and width. At delta = 0 and width 1 this is Tango's interval.
    """
    z2 = float(stats.z_conf(conf)) ** 2
    share = z2 / (units + z2)
    return Interval(delta - share * (width + delta), delta + share * (width - delta))


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """McNemar's p-values for one alternative."""

    midp: float
    exact: float
    default: float
    method: str


def mcnemar(counts: PairedCounts, criteria: Criteria) -> McNemar:
    """Return the mid-p and exact p-values, and which of them is the default."""
    b, c = (counts.n10, counts.n01)[:: criteria.sign]
    midp = float(stats.mcnemar_pvalue(b, c))
    exact = float(stats.mcnemar_pvalue(b, c, method="exact"))
    usual = float(stats.mcnemar_default_pvalue(b, c, counts.n))
    chosen = "midp" if usual == midp else "exact"
    if criteria.sides == 1 and b + c > 0:
        # P(X = max) is exact - midp, so the other tail needs no further sum
        exact = exact / 2 if b > c else 1 - (midp - exact / 2)
        midp = 0.5 if b == c else midp / 2 if b > c else 1 - midp / 2
    return McNemar(
        midp=midp,
        exact=exact,
        default=midp if chosen == "midp" else exact,
        method=f"McNemar {'mid-p' if chosen == 'midp' else 'exact'}",
    )


def binary_reading(counts: PairedCounts, test: McNemar, criteria: Criteria) -> GapEstimate:
    """Return Tango's interval and McNemar's test."""
    b, c, n = counts.n10, counts.n01, counts.n
    low, high = stats.paired_interval(b, c, n, conf=confidence(criteria))
    return GapEstimate(
        kind="independent",
        se=float(stats.sigma_hat(b, c, n)) / math.sqrt(n),
        df=math.inf,
        ci=Interval(float(low), float(high)),
        ci_method="Tango score",
        pvalue=test.default,
        pvalue_method=test.method,
    )


def graded_reading(d: Array, width: float, criteria: Criteria, rng: RNGLike) -> GapEstimate:
    """Return the t interval and the sign-flip test of per-item differences."""
    delta, n, conf = float(d.mean()), d.size, confidence(criteria)
    same = bool((d == d[0]).all())
    sd = 0.0 if same else float(d.std(ddof=1))
    if same:
        ci, method = unanimous_interval(delta, n, width, conf), "no-spread score"
    else:
        low, high = stats.t_interval(delta, sd, n, conf=conf)
        ci, method = Interval(float(low), float(high)), "t"
    p, test = flips(d, rng)
    return GapEstimate(
        kind="independent",
        se=sd / math.sqrt(n),
        df=float(n - 1),
        ci=ci,
        ci_method=method,
        pvalue=p if not d.any() else pvalue_for(p, delta, criteria),
        pvalue_method=test,
    )
