"""The three claims of a gate by e-values, which are valid at every look.

For scores in [0, 1] of independent items, bets on the gap need no approximation. Other scores use
a normal mixture over the standard error, which relies on the central limit theorem from 30 units
on and fails if losses are rare and large. For clusters that may fail entirely, the e-value against
the margin is at most that of bets on clusters that all show the mean gap.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nstar import stats
from nstar._base.types import Array, Interval
from nstar._verbs.compare import TaskComparison
from nstar._verbs.gate import threshold
from nstar._verbs.gate.bets import (
    EDGE,
    bet_shares,
    graded_log_e,
    graded_sequence,
    identical_log_e,
    log_capital,
    lower_limit,
)
from nstar._verbs.gate.claims import EValueTuning, GateEvidence, LogEValues, units_of
from nstar._verbs.gate.fixed_look import gain_of, width_of, wins_of
from nstar.stats.mcnemar import P_FLOOR


class EvidenceInput(NamedTuple):
    """One comparison, and the differences that bets need if counts do not suffice."""

    pair: TaskComparison
    """Candidate and baseline."""
    gaps: Array | None
    """Candidate minus baseline by item, for graded scores in [0, 1] of independent items."""

    @property
    def bets(self) -> bool:
        """Return whether e-values need no approximation."""
        return self.gaps is not None or wins_of(self.pair) is not None


def _log_e(one: EvidenceInput, null: float, tail: stats.Tail, tuning: EValueTuning) -> float:
    """Return the log e-value against a gain of ``null``, on one side of it."""
    pair, counts = one.pair, wins_of(one.pair)
    if one.gaps is not None:
        gains = -one.gaps if pair.lower_is_better else one.gaps
        return graded_log_e(gains, null=null, a=tuning.mixture, tail=tail)
    if counts is not None:
        return float(stats.gap_log_e(*counts, null=null, a=tuning.mixture, tail=tail))
    n = units_of(pair)
    return float(
        stats.asymptotic_log_e(
            gain_of(pair),
            pair.estimate.se * math.sqrt(n),
            n,
            tuned_at=tuning.units,
            null=null,
            alpha=tuning.alpha,
            tail=tail,
        )
    )


def identical_passes(
    one: EvidenceInput, margin: float | None, n: float, tuning: EValueTuning
) -> bool:
    """Return whether bets on n items without a loss show the claim of a PASS."""
    if one.pair.threshold is not None:
        return _p(threshold.perfect_log_e(one.pair, margin, n, tuning)) <= tuning.alpha
    a, margin = tuning.mixture, margin or 0.0
    if one.gaps is not None:
        e = identical_log_e(n, margin=margin, a=a)
    else:
        e = float(stats.gap_log_e(0, 0, n, null=-margin, a=a, tail="above"))
    return _p(e) <= tuning.alpha


def _mean_gain(pair: TaskComparison) -> Array:
    """Return the gain as a share of the scale, as if every cluster had shown it."""
    return np.array([np.clip(gain_of(pair) / width_of(pair), -EDGE, EDGE)])


def _within_log_e(one: EvidenceInput, margin: float, tuning: EValueTuning) -> float:
    """Return the log e-value against a loss of the margin.

    It allows for failing clusters that are not in the sample.
    """
    log_e_value = _log_e(one, -margin, "above", tuning)
    clusters, null = one.pair.estimate.whole_clusters, -margin / width_of(one.pair)
    if clusters is None or null <= -1:
        return log_e_value
    return min(
        log_e_value, log_capital(_mean_gain(one.pair), null, bet_shares(tuning.mixture), clusters)
    )


def log_e(one: EvidenceInput, margin: float | None, tuning: EValueTuning) -> LogEValues:
    """Return the e-values of this comparison against the null of each claim."""
    if one.pair.threshold is not None:
        return threshold.log_e(one.pair, one.gaps, margin, tuning)
    return LogEValues(
        None if margin is None else _within_log_e(one, margin, tuning),
        _log_e(one, 0.0, "below", tuning),
        _log_e(one, 0.0, "above", tuning),
    )


def _within_bound(pair: TaskComparison, ci: Interval, tuning: EValueTuning) -> Interval:
    """Return the interval, whose limit toward a loss allows for clusters that fail entirely."""
    clusters = pair.estimate.whole_clusters
    if clusters is None:
        return ci
    limit, shares = -math.log(tuning.alpha), bet_shares(tuning.mixture)
    lower_bound = width_of(pair) * lower_limit(_mean_gain(pair), shares, limit, clusters)
    return _spanned(
        ci,
        Interval(-lower_bound, -lower_bound)
        if pair.lower_is_better
        else Interval(lower_bound, lower_bound),
    )


def _sequence(one: EvidenceInput, tuning: EValueTuning) -> Interval:
    conf, pair = 1 - 2 * tuning.alpha, one.pair
    if pair.threshold is not None:
        return threshold.sequence(pair, one.gaps, tuning)
    if one.gaps is not None:
        return graded_sequence(one.gaps, conf=conf, a=tuning.mixture)
    c = pair.counts
    if c is not None and pair.estimate.kind == "independent":
        low, high = stats.gap_sequence(c.n10, c.n01, c.n, conf=conf, a=tuning.mixture)
    else:
        n = units_of(pair)
        sd = pair.estimate.se * math.sqrt(n)
        low, high = stats.asymptotic_sequence(pair.gap, sd, n, tuned_at=tuning.units, conf=conf)
    if pair.score_range == (0.0, 1.0):
        low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    return Interval(float(low), float(high))


def _p(log_e: float) -> float:
    return min(max(math.exp(-max(log_e, 0.0)), P_FLOOR), 1.0)


def anytime(
    evidence: LogEValues,
    one: EvidenceInput,
    tuning: EValueTuning,
    filled: Sequence[EvidenceInput] = (),
) -> GateEvidence:
    """Return the claims from e-values; each is shown when E reaches 1 / alpha at any look.

    The interval spans that of the shared items (``one``) and those with missing scores ``filled``
    in.
    """
    e, alpha = evidence, tuning.alpha
    within = None if e.not_worse is None else _p(e.not_worse)
    of = "gap" if one.pair.threshold is None else "score"
    sequences = [(x.pair, _sequence(x, tuning)) for x in (one, *filled)]
    if within is not None and one.pair.threshold is None:
        sequences = [(pair, _within_bound(pair, ci, tuning)) for pair, ci in sequences]
    return GateEvidence(
        ci=_spanned(*(ci for _, ci in sequences)),
        confidence_level=1 - 2 * alpha,
        pvalue_method=f"e-values of bets on the {of}" if one.bets else "asymptotic e-values",
        pvalue_not_worse=within,
        pvalue_worse=_p(e.worse),
        pvalue_better=_p(e.better),
        is_shown_not_worse=within is not None and within <= alpha,
        is_shown_worse_unadjusted=_p(e.worse) <= alpha,
        is_shown_better=_p(e.better) <= alpha,
        holds_for_any_missing_scores=one.bets,
    )


def uncontradicted(
    history_evidence: GateEvidence,
    own_evidence: GateEvidence,
    pair: TaskComparison,
    margin: float | None,
) -> GateEvidence:
    """Return the claims of a history, without those that this evaluation contradicts.

    Pooled evidence for a claim never falls. A worse candidate under the same name must not profit
    from it, and a candidate that was shown to be worse must not be run until it passes. In the
    second case no claim counts, unless this evaluation alone shows a loss below the margin.
    """
    gain = gain_of(pair)
    sure = replace(
        history_evidence,
        is_shown_not_worse=history_evidence.is_shown_not_worse
        and margin is not None
        and gain > -margin,
        is_shown_worse_unadjusted=history_evidence.is_shown_worse_unadjusted and gain < 0,
        is_shown_better=history_evidence.is_shown_better and gain > 0,
    )
    harmless = own_evidence.is_shown_worse_unadjusted and own_evidence.is_shown_not_worse
    if (
        history_evidence.is_shown_worse_unadjusted
        and (sure.is_shown_not_worse or sure.is_shown_better)
        and not harmless
    ):
        return replace(
            history_evidence,
            is_shown_not_worse=False,
            is_shown_worse_unadjusted=False,
            is_shown_better=False,
            evaluations_conflict=True,
        )
    return sure


def _spanned(*intervals: Interval) -> Interval:
    """Return the smallest interval that contains all intervals."""
    return Interval(min(i.low for i in intervals), max(i.high for i in intervals))


def _larger(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else max(first, second)


def cautious(common: GateEvidence, against: GateEvidence, favor: GateEvidence) -> GateEvidence:
    """Return claims that hold for the worst and the best values of missing scores.

    ``against`` has missing scores against the candidate, which a claim of no harm must survive.
    ``favor`` has them in its favor, which a claim of harm must survive. The interval spans all
    three.
    """
    return GateEvidence(
        ci=_spanned(common.ci, against.ci, favor.ci),
        confidence_level=common.confidence_level,
        pvalue_method=common.pvalue_method,
        pvalue_not_worse=_larger(common.pvalue_not_worse, against.pvalue_not_worse),
        pvalue_worse=max(common.pvalue_worse, favor.pvalue_worse),
        pvalue_better=max(common.pvalue_better, against.pvalue_better),
        is_shown_not_worse=common.is_shown_not_worse and against.is_shown_not_worse,
        is_shown_worse_unadjusted=common.is_shown_worse_unadjusted
        and favor.is_shown_worse_unadjusted,
        is_shown_better=common.is_shown_better and against.is_shown_better,
        holds_for_any_missing_scores=common.holds_for_any_missing_scores,
    )


def cautious_log_e(common: LogEValues, against: LogEValues, favor: LogEValues) -> LogEValues:
    """Return the smaller e-values for these cases, which are e-values again."""
    within = None
    if common.not_worse is not None and against.not_worse is not None:
        within = min(common.not_worse, against.not_worse)
    return LogEValues(within, min(common.worse, favor.worse), min(common.better, against.better))
