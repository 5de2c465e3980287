"""One look at the evidence: what it shows, and the probability of a later decision."""

import math

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray, Interval
from nstar._verbs.verdict import WatchWord, judge_watch
from nstar._verbs.watch.batch_evidence import EvidenceBatch
from nstar._verbs.watch.evidence import Evidence
from nstar._verbs.watch.outlook import WatchOutlook, items_more, outlook
from nstar._verbs.watch.question import WatchQuestion
from nstar._verbs.watch.result import Decision
from nstar._verbs.watch.state import WatchState
from nstar.stats.mcnemar import P_FLOOR

FUTILE = 0.01
"""Probability of a decision below which a run is called futile."""
_TIE = 1e-12
"""Slack in log E at the threshold, far above rounding error."""
_CHECKS = 100
"""Number of forecasts in a run."""
_FIRST_CHECK = 0.1
"""Share of the run before which futility is not judged."""


def _log_margin(evidence: Evidence, question: WatchQuestion) -> float | None:
    """Return the log e-value for the margin, as the question defines it."""
    margin = question.margin
    if margin is None:
        return None
    above = evidence.log_above(-margin)
    return min(above, evidence.log_below(margin)) if question.equivalence else above


def look(evidence: Evidence, question: WatchQuestion, standing: WatchState) -> None:
    """Record what the evidence shows; a margin that was shown need not be shown again."""
    limit = question.log_e_value_threshold - _TIE
    log_e = evidence.log_differs()
    within = _log_margin(evidence, question) if standing.word is None else None
    standing.top = max(standing.top, log_e)
    standing.top_margin = max(standing.top_margin, within or 0.0)
    if standing.word in ("better", "worse"):
        return
    verdict = judge_watch(
        evidence.lead,
        differs=log_e >= limit,
        within=within is not None and within >= limit,
        equivalence=question.equivalence,
    )
    if verdict == "better" or (verdict is not None and standing.word is None):
        standing.decide(verdict, evidence.n, evidence.sequence())
    elif standing.word is None and _check_due(evidence.n, question.items):
        standing.foresee(outlook(evidence, question))


def _check_due(n: int | IntArray, end: int) -> BoolArray:
    """Return whether a forecast is due: at every hundredth of the run, and at its end."""
    of = np.asarray(n)
    is_scheduled = (of >= max(_FIRST_CHECK * end, 10)) & (of % max(end // _CHECKS, 1) == 0)
    return np.asarray(is_scheduled | (of >= end))


def look_along(batch: EvidenceBatch, question: WatchQuestion, standing: WatchState) -> None:
    """Record what :func:`look` after each item of a batch would have recorded."""
    differs = batch.log_e >= question.log_e_value_threshold - _TIE
    standing.top = max(standing.top, float(batch.log_e.max()))
    n_done = 0
    if standing.word is None:
        n_done = _first_decision(batch, question, standing, differs)
    if standing.word in ("noninferior", "equivalent"):
        ahead = np.flatnonzero((differs & (batch.lead > 0))[n_done:])
        if ahead.size:
            evidence = batch.at(n_done + int(ahead[0]))
            standing.decide("better", evidence.n, evidence.sequence())


def _first_decision(
    batch: EvidenceBatch, question: WatchQuestion, standing: WatchState, differs: BoolArray
) -> int:
    """Record the first decision of a batch and the forecast before it.

    Return the items that it took.
    """
    log_within = _margins(batch, question)
    within = log_within >= question.log_e_value_threshold - _TIE
    has_verdict = differs | within
    n_done = int(np.argmax(has_verdict)) + 1 if has_verdict.any() else len(has_verdict)
    standing.top_margin = max(standing.top_margin, float(log_within[:n_done].max()))
    due = np.flatnonzero(_check_due(batch.n[:n_done], question.items) & ~has_verdict[:n_done])
    if due.size:
        standing.foresee(outlook(batch.at(int(due[-1])), question))
    verdict = judge_watch(
        float(batch.lead[n_done - 1]),
        differs=bool(differs[n_done - 1]),
        within=bool(within[n_done - 1]),
        equivalence=question.equivalence,
    )
    if verdict is not None:
        standing.decide(verdict, int(batch.n[n_done - 1]), batch.at(n_done - 1).sequence())
    return n_done


def _margins(batch: EvidenceBatch, question: WatchQuestion) -> Array:
    """Return log e-values for the margin, as the question defines it; 0 without one."""
    margin = question.margin
    if margin is None:
        return np.zeros_like(batch.log_e)
    above = batch.log_above(-margin)
    return np.minimum(above, batch.log_below(margin)) if question.equivalence else above


def note_end(n: int, question: WatchQuestion, standing: WatchState) -> None:
    """Record that no decision can follow the last item, with or without a score."""
    if standing.word is None and n + standing.unscored >= question.items:
        standing.foresee(WatchOutlook(0.0, 0.0, 0.0))


def word(standing: WatchState) -> WatchWord:
    """Return the current verdict, if any."""
    if standing.word is not None:
        return standing.word
    hopeless = standing.chance is not None and standing.chance < FUTILE
    return "futile" if hopeless else "open"


def summary(evidence: Evidence, question: WatchQuestion, standing: WatchState) -> Decision:
    """Return the verdict and the evidence for it."""
    state, within = word(standing), _log_margin(evidence, question)
    left = max(question.items - evidence.n - standing.unscored, 0)
    saved = left if state != "open" else 0
    price, open_ = standing.mean_cost, standing.word is None
    sign, (low, high) = 1, standing.narrowed(evidence.sequence())
    if question.lower_is_better:
        sign, low, high = -1, -high, -low
    return Decision(
        verdict=state,
        n_items=evidence.n,
        n_items_planned=question.items,
        n_items_left=left,
        decided_at=standing.decided_at,
        gap=sign * evidence.gap if evidence.n else math.nan,
        confidence_sequence=Interval(low, high),
        log_e_value=evidence.log_differs(),
        pvalue=_p(standing.top),
        log_e_value_margin=within,
        pvalue_margin=None if within is None else _p(max(standing.top_margin, within)),
        decision_probability=standing.chance if open_ else None,
        decision_probability_at_gap=standing.chance_as_seen if open_ else None,
        decision_probability_at_zero=standing.chance_if_none if open_ else None,
        more_items=items_more(evidence, question) if open_ else None,
        n_items_saved=saved,
        cost_saved=None if price is None else price * saved,
    )


def _p(top: float) -> float:
    return max(float(np.exp(-top)), P_FLOOR)
