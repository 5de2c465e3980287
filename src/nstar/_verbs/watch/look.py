"""One look at the evidence: what it has shown, and what can still be expected of it."""

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
"""A run whose chance of a decision by its end is below this is called futile."""
_TIE = 1e-12
"""Slack in log E at the threshold, far above rounding error."""
_CHECKS = 100
"""How often in a run the outlook is computed."""
_FIRST_CHECK = 0.1
"""Share of the run before which futility is not judged."""


def _log_margin(evidence: Evidence, question: WatchQuestion) -> float | None:
    """Log e-value for the margin, as the question has it."""
    margin = question.margin
    if margin is None:
        return None
    above = evidence.log_above(-margin)
    return min(above, evidence.log_below(margin)) if question.equivalence else above


def look(evidence: Evidence, question: WatchQuestion, standing: WatchState) -> None:
    """Note what the evidence shows; a margin that was shown need not be shown again."""
    limit = question.log_e_value_threshold - _TIE
    log_e = evidence.log_differs()
    within = _log_margin(evidence, question) if standing.word is None else None
    standing.top = max(standing.top, log_e)
    standing.top_margin = max(standing.top_margin, within or 0.0)
    if standing.word in ("better", "worse"):
        return
    shown = judge_watch(
        evidence.lead,
        differs=log_e >= limit,
        within=within is not None and within >= limit,
        equivalence=question.equivalence,
    )
    if shown == "better" or (shown is not None and standing.word is None):
        standing.decide(shown, evidence.n, evidence.sequence())
    elif standing.word is None and _check_due(evidence.n, question.items):
        standing.foresee(outlook(evidence, question))


def _check_due(n: int | IntArray, end: int) -> BoolArray:
    """Every hundredth of the run, once there is something to go by, and at its end."""
    of = np.asarray(n)
    some = (of >= max(_FIRST_CHECK * end, 10)) & (of % max(end // _CHECKS, 1) == 0)
    return np.asarray(some | (of >= end))


def look_along(way: EvidenceBatch, question: WatchQuestion, standing: WatchState) -> None:
    """Note what :func:`look` after each item of a stretch would have noted."""
    differs = way.log_e >= question.log_e_value_threshold - _TIE
    standing.top = max(standing.top, float(way.log_e.max()))
    done = 0
    if standing.word is None:
        done = _first_word(way, question, standing, differs)
    if standing.word in ("noninferior", "equivalent"):
        ahead = np.flatnonzero((differs & (way.lead > 0))[done:])
        if ahead.size:
            evidence = way.at(done + int(ahead[0]))
            standing.decide("better", evidence.n, evidence.sequence())


def _first_word(
    way: EvidenceBatch, question: WatchQuestion, standing: WatchState, differs: BoolArray
) -> int:
    """Note the first word of a stretch and the outlook before it; how many items that took."""
    log_within = _margins(way, question)
    within = log_within >= question.log_e_value_threshold - _TIE
    shown = differs | within
    done = int(np.argmax(shown)) + 1 if shown.any() else len(shown)
    standing.top_margin = max(standing.top_margin, float(log_within[:done].max()))
    due = np.flatnonzero(_check_due(way.n[:done], question.items) & ~shown[:done])
    if due.size:
        standing.foresee(outlook(way.at(int(due[-1])), question))
    found = judge_watch(
        float(way.lead[done - 1]),
        differs=bool(differs[done - 1]),
        within=bool(within[done - 1]),
        equivalence=question.equivalence,
    )
    if found is not None:
        standing.decide(found, int(way.n[done - 1]), way.at(done - 1).sequence())
    return done


def _margins(way: EvidenceBatch, question: WatchQuestion) -> Array:
    """Log e-values for the margin, as the question has it; 0 without one."""
    margin = question.margin
    if margin is None:
        return np.zeros_like(way.log_e)
    above = way.log_above(-margin)
    return np.minimum(above, way.log_below(margin)) if question.equivalence else above


def note_end(n: int, question: WatchQuestion, standing: WatchState) -> None:
    """No decision can come once every item of the benchmark has, with or without a score."""
    if standing.word is None and n + standing.unscored >= question.items:
        standing.foresee(WatchOutlook(0.0, 0.0, 0.0))


def word(standing: WatchState) -> WatchWord:
    """The word now."""
    if standing.word is not None:
        return standing.word
    hopeless = standing.chance is not None and standing.chance < FUTILE
    return "futile" if hopeless else "open"


def summary(evidence: Evidence, question: WatchQuestion, standing: WatchState) -> Decision:
    """The word and the evidence for it."""
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
