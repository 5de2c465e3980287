"""Claims of a gate about one model: its score is above a threshold, or below it.

Both claims come from one test of a mean against a fixed score, at one look or at every look. With
a margin, a PASS requires only that the score is above the threshold minus the margin.
"""

import math

import numpy as np

from nstar import stats
from nstar._base.types import Array, Interval
from nstar._verbs.compare import TaskComparison
from nstar._verbs.compare.threshold import ThresholdTest
from nstar._verbs.gate.bets import EDGE, bet_shares, graded_log_e, log_capital
from nstar._verbs.gate.claims import EValueTuning, GateEvidence, LogEValues, units_of
from nstar._verbs.gate.result import NeededToDecide
from nstar._verbs.verdict import Criteria

_STEPS = 30
"""Bisection steps for a limit, to 1e-9 of the scale."""
_POWER = 0.8
"""Power of the planned items at the accuracy for which e-values are tuned."""


def target_of(pair: TaskComparison, margin: float | None) -> float:
    """Return the score that a PASS must exceed: the threshold, or one worse by the margin."""
    threshold = pair.threshold or 0.0
    slack = margin or 0.0
    return threshold + slack if pair.lower_is_better else threshold - slack


def fixed_claims(pair: TaskComparison, margin: float | None, alpha: float) -> GateEvidence:
    """Return the claims at one look. The limits of the interval are those of the same tests."""
    test, threshold = ThresholdTest.of(pair), pair.threshold or 0.0
    p_better, p_worse = test.pvalue(threshold), test.turned().pvalue(threshold)
    p_within = None if margin is None else test.pvalue(target_of(pair, margin))
    low, high = sorted((test.limit(alpha), test.turned().limit(alpha)))
    return GateEvidence(
        ci=Interval(low - threshold, high - threshold),
        confidence_level=pair.confidence_level,
        pvalue_method="exact binomial test" if test.is_exact else "t test with rare scores",
        pvalue_not_worse=p_within,
        pvalue_worse=p_worse,
        pvalue_better=p_better,
        is_shown_not_worse=p_within is not None and p_within <= alpha,
        is_shown_worse_unadjusted=p_worse <= alpha,
        is_shown_better=p_better <= alpha,
        holds_for_any_missing_scores=test.is_exact,
    )


def upper_bound(pair: TaskComparison, level: float) -> float:
    """Return the one-sided upper limit of the gain at this level."""
    limit = ThresholdTest.of(pair).turned().limit(level)
    return abs(limit - (pair.threshold or 0.0)) * (1 if _is_better(pair, limit) else -1)


def _is_better(pair: TaskComparison, value: float) -> bool:
    threshold = pair.threshold or 0.0
    return value < threshold if pair.lower_is_better else value > threshold


def pass_probability(pair: TaskComparison, margin: float, rule: Criteria) -> float:
    """Return the probability of a PASS if the true score is the threshold."""
    test = ThresholdTest.of(pair)
    return test.power(target_of(pair, margin), pair.threshold or 0.0, rule)


def needed(pair: TaskComparison, margin: float | None, rule: Criteria) -> NeededToDecide:
    """Return the items at which the observed score, or the threshold itself, gives a verdict."""
    test, threshold = ThresholdTest.of(pair), pair.threshold or 0.0
    target = target_of(pair, margin)
    passes = test.share(pair.mean_a) > test.share(target)
    if passes:
        items = test.needed(target, pair.mean_a, rule)
    else:
        items = test.turned().needed(threshold, pair.mean_a, rule)
    return NeededToDecide(
        n_items_if_equal=test.needed(target, threshold, rule) if margin else math.inf,
        n_items_if_observed=items,
        verdict_if_observed=("pass" if passes else "regression") if math.isfinite(items) else None,
        n_runs=None,
    )


def _planned_accuracy(p0: float, tuning: EValueTuning) -> float:
    """Return the accuracy above ``p0`` that the planned items detect with 80% power."""
    reach = float(stats.z_alpha(tuning.alpha, sides=1) + stats.z_power(_POWER))
    return min(p0 + reach * math.sqrt(p0 * (1 - p0) / tuning.units), (1 + p0) / 2)


def _counted_log_e(n_best: float, n: float, p0: float, tuning: EValueTuning) -> float:
    a, b = stats.threshold_prior(_planned_accuracy(p0, tuning), tuning.units)
    return float(stats.threshold_log_e(n_best, n, p0=p0, a=a, b=b))


def _log_e(
    test: ThresholdTest,
    value: float,
    pair: TaskComparison,
    gaps: Array | None,
    tuning: EValueTuning,
) -> float:
    """Return the log e-value against "the mean is not better than ``value``"."""
    width = abs(test.best - test.worst)
    if test.is_exact:
        return _counted_log_e(test.n_best, pair.n_items, test.share(value), tuning)
    if gaps is not None:
        shares = (gaps + (pair.threshold or 0.0) - test.worst) / (test.best - test.worst)
        return graded_log_e(shares - 1, null=test.share(value) - 1, a=tuning.mixture, tail="above")
    n = units_of(pair)
    log_e_value = float(
        stats.asymptotic_log_e(
            width * (test.share(pair.mean_a) - test.share(value)),
            pair.estimate.se * math.sqrt(n),
            n,
            tuned_at=tuning.units,
            alpha=tuning.alpha,
            tail="above",
        )
    )
    clusters = pair.estimate.whole_clusters
    if clusters is None:
        return log_e_value
    mean_loss = np.array([np.clip(test.share(pair.mean_a) - 1, -EDGE, 0.0)])
    shares = bet_shares(tuning.mixture)
    return min(log_e_value, log_capital(mean_loss, test.share(value) - 1, shares, clusters))


def log_e(
    pair: TaskComparison, gaps: Array | None, margin: float | None, tuning: EValueTuning
) -> LogEValues:
    """Return the e-values of one model's scores against the null of each claim."""
    test, threshold = ThresholdTest.of(pair), pair.threshold or 0.0

    def above(value: float) -> float:
        return _log_e(test, value, pair, gaps, tuning)

    return LogEValues(
        None if margin is None else above(target_of(pair, margin)),
        _log_e(test.turned(), threshold, pair, gaps, tuning),
        above(threshold),
    )


def perfect_log_e(
    pair: TaskComparison, margin: float | None, n: float, tuning: EValueTuning
) -> float:
    """Return the log e-value for a PASS after n perfect scores."""
    test = ThresholdTest.of(pair)
    p0 = test.share(target_of(pair, margin))
    if test.is_exact:
        return _counted_log_e(n, n, p0, tuning)
    return log_capital(np.zeros(1), p0 - 1, bet_shares(tuning.mixture), n)


def sequence(pair: TaskComparison, gaps: Array | None, tuning: EValueTuning) -> Interval:
    """Return the confidence sequence of the gap to the threshold."""
    test = ThresholdTest.of(pair)
    ends = sorted(_limit(t, pair, gaps, tuning) for t in (test, test.turned()))
    return Interval(*(end - (pair.threshold or 0.0) for end in ends))


def _limit(
    test: ThresholdTest, pair: TaskComparison, gaps: Array | None, tuning: EValueTuning
) -> float:
    """Return the best score that the mean is shown to exceed, or the worst score if none is."""
    scale, limit = test.best - test.worst, -math.log(tuning.alpha)
    low, high = 1 - EDGE, min(test.share(pair.mean_a), EDGE)

    def is_shown(share: float) -> bool:
        return _log_e(test, test.worst + share * scale, pair, gaps, tuning) >= limit

    if low >= high or not is_shown(low):
        return test.worst
    for _ in range(_STEPS):
        center = (low + high) / 2
        low, high = (center, high) if is_shown(center) else (low, center)
    return test.worst + low * scale
