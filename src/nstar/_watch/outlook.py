"""Where a run is heading: the chance of a decision by its end, and how many items it may take.

Neither enters the evidence, so both may be wrong without costing a false word. The future is
drawn from what is known now: the mean of the items to come is normal around the gap so far, with
the error of both, the past and the future (predictive probability; Spiegelhalter, Freedman and
Blackburn 1986).
"""

import numpy as np
from scipy import special

from nstar._typing import Array, BoolArray
from nstar._watch.capital import capital_decides
from nstar._watch.evidence import Evidence, Stakes
from nstar._watch.question import Question
from nstar.stats.confseq import asymptotic_log_e
from nstar.stats.eprocess import mcnemar_log_e
from nstar.stats.gap_bets import gap_log_e

__all__ = ["chance_by_end", "items_more"]

_FUTURES = 400
_TIMES = 160
_STRETCHES = 32
"""Stretches that the capital of bets is forecast over until the end."""
_REACH = 20
"""Horizons to look ahead for a decision at the present gap."""


def _binary(question: Question, gap: Array, n: Array, psi: float) -> BoolArray:
    """Whether counts like these decide."""
    of = np.maximum(np.round(n), 1).astype(np.int64)
    discordant = np.minimum(np.ceil(psi * of), of).astype(np.int64)
    wins = np.clip(np.round((discordant + gap * of) / 2), 0, discordant).astype(np.int64)
    losses, a = discordant - wins, question.mixture
    decided = mcnemar_log_e(wins, losses, a=a) >= question.limit
    if question.margin is None:
        return np.asarray(decided)
    m = question.margin
    within = gap_log_e(wins, losses, of, null=-m, a=a, tail="above") >= question.limit
    if question.equivalence:
        within &= gap_log_e(wins, losses, of, null=m, a=a, tail="below") >= question.limit
    return np.asarray(decided | within)


def _graded(question: Question, gap: Array, n: Array, sd: float) -> BoolArray:
    """Whether means like these decide."""
    tuned, alpha, limit = question.horizon, question.alpha, question.limit
    of = np.maximum(n, 1.0)
    decided = asymptotic_log_e(gap, sd, of, tuned_at=tuned, alpha=alpha) >= limit
    if question.margin is None:
        return np.asarray(decided)
    m = question.margin
    low = asymptotic_log_e(gap, sd, of, tuned_at=tuned, null=-m, alpha=alpha, tail="above")
    within = low >= limit
    if question.equivalence:
        high = asymptotic_log_e(gap, sd, of, tuned_at=tuned, null=m, alpha=alpha, tail="below")
        within &= high >= limit
    return np.asarray(decided | within)


def _decides(evidence: Evidence, question: Question, gap: Array, n: Array) -> BoolArray:
    sd = evidence.sd
    if question.scale == "graded":
        return _graded(question, gap, n, sd)
    return _binary(question, gap, n, min(sd * sd + evidence.gap**2, 1.0))


def _times(n: int, last: int, most: int) -> Array:
    """Numbers of items from the next one to the last, close together at first."""
    return np.unique(np.round(np.geomspace(n + 1, last, most)))


def chance_by_end(evidence: Evidence, question: Question) -> float | None:
    """Probability that the run is decided at its last item, given the items so far.

    None while the spread is unknown. But for bets it leaves out decisions between now and the
    end, which are few: the evidence is sharpest at the end.
    """
    n, end, sd = evidence.n, question.horizon, evidence.sd
    if n >= end:
        return 0.0
    if n < 2 or sd <= 0:
        return None
    quantile = special.ndtri((np.arange(_FUTURES) + 0.5) / _FUTURES)
    finals = evidence.gap + sd * np.sqrt((end - n) / (end * n)) * quantile
    if isinstance(evidence, Stakes):
        means = np.clip((end * finals - n * evidence.gap) / (end - n), -1, 1)
        times = _times(n, end, _STRETCHES)
        return float(capital_decides(evidence.state, question, means, times)[:, -1].mean())
    if question.scale == "binary":
        finals = np.clip(finals, -1, 1)
    decided = _decides(evidence, question, finals, np.full(_FUTURES, float(end)))
    return float(decided.mean())


def items_more(evidence: Evidence, question: Question) -> int | None:
    """Items until a decision if the gap stays as it is; None if that is out of sight."""
    n = evidence.n
    if n < 2 or evidence.sd <= 0:
        return None
    times = _times(n, _REACH * max(question.horizon, n), _TIMES)
    if isinstance(evidence, Stakes):
        decided = capital_decides(evidence.state, question, np.array([evidence.gap]), times)[0]
    else:
        decided = _decides(evidence, question, np.full(len(times), evidence.gap), times)
    return int(times[np.argmax(decided)]) - n if decided.any() else None
