"""Tests of independent items that the user chose by name."""

from dataclasses import replace

import numpy as np

from nstar import stats
from nstar._base.parameter_types import PairedTest
from nstar._base.types import Interval
from nstar._verbs.compare.grouped import Differences
from nstar._verbs.compare.independent import McNemar, confidence, graded_reading
from nstar._verbs.compare.task_comparison import GapEstimate
from nstar.errors import DataError, arg

_METHODS: dict[PairedTest, str] = {
    "wilcoxon": "Wilcoxon signed-rank",
    "t": "paired t",
    "bootstrap": "bootstrap",
    "mcnemar-exact": "McNemar exact",
    "mcnemar-midp": "McNemar mid-p",
}
_DIGITS = 12
"""Decimals of differences, relative to the scale, that count as equal ranks."""


def check_test(test: PairedTest, x: Differences) -> None:
    """Raise DataError if these differences do not allow the test."""
    if test.startswith("mcnemar") and not x.binary:
        msg = (
            f"{arg('test', test)} needs one score per item that is 0 or 1, and these scores are "
            f"graded. Use {arg('test', 'sign-flip')}."
        )
        raise DataError(msg)
    if test in ("t", "bootstrap") and x.d[0] != 0 and (x.d == x.d[0]).all():
        msg = (
            f"{arg('test', test)} needs differences that vary, but every item shows the same gap. "
            f"Use {arg('test', 'sign-flip')}."
        )
        raise DataError(msg)


def named_reading(
    test: PairedTest, x: Differences, default: GapEstimate, mcnemar: McNemar | None
) -> GapEstimate:
    """Return the p-value of the named test, and the interval that matches it.

    McNemar's tests keep Tango's interval, the bootstrap has its percentile interval, and all other
    tests have the t interval.
    """
    if test in {"mcnemar-exact", "mcnemar-midp"}:
        # None only for missing scores outside 0 and 1, because check_test refuses graded scores.
        p = default.pvalue if mcnemar is None else getattr(mcnemar, test.removeprefix("mcnemar-"))
        return replace(default, pvalue=p, pvalue_method=_METHODS[test])
    graded = default
    if mcnemar is not None:
        graded = graded_reading(x.d, x.width, x.criteria, x.rng)
    if test == "sign-flip":
        return graded
    graded = replace(graded, pvalue_method=_METHODS[test])
    if graded.se == 0 and test != "wilcoxon":
        return graded  # all scores are equal; check_test refuses other equal differences
    if test == "bootstrap":
        return _bootstrapped(graded, x)
    rule, n = x.criteria, x.d.size
    if test == "t":
        mean, sd = rule.sign * x.delta, graded.se * float(np.sqrt(n))
        return replace(graded, pvalue=float(stats.t_pvalue(mean, sd, n, sides=rule.sides)))
    # Equal differences of scores such as 0.3 - 0.1 and 0.2 must have equal ranks.
    ranked = np.round(rule.sign * x.d / x.width, _DIGITS)
    return replace(graded, pvalue=stats.wilcoxon_pvalue(ranked, sides=rule.sides))


def _bootstrapped(graded: GapEstimate, x: Differences) -> GapEstimate:
    """Return the p-value and the percentile interval of resampled items.

    Neither changes with the order of the items or of the models, as in :func:`flips`.
    """
    rule = x.criteria
    side = -1 if np.sort(x.d).sum() < 0 else 1
    oriented = np.sort(side * x.d)
    tested = oriented if rule.sides == 2 else np.sort(rule.sign * x.d)
    limits = stats.bootstrap_interval(oriented, conf=confidence(rule), rng=x.rng)
    low, high = sorted(side * float(limit) for limit in limits)
    return replace(
        graded,
        ci=Interval(low, high),
        ci_method="percentile bootstrap",
        pvalue=stats.bootstrap_pvalue(tested, rng=x.rng, sides=rule.sides),
    )
