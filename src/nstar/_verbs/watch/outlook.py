"""Forecast a run: the probability of a decision by its end, and the items until a decision.

Forecasts do not affect the evidence, so a wrong forecast causes no false verdict. The probability
is computed for three true gaps, on which it depends most: the observed gap, zero, and an average
over the gaps that the items so far leave open. For the average, the mean of future items is normal
around the observed gap, with the errors of past and future items (predictive probability with a
flat prior; Spiegelhalter, Freedman and Blackburn 1986). For equal models, this average is far too
high, because the observed gap is due to chance.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.watch.evidence import BoundedEvidence, Evidence
from nstar._verbs.watch.question import WatchQuestion
from nstar.stats.betting import Bets
from nstar.stats.confseq import asymptotic_log_e
from nstar.stats.eprocess import mcnemar_log_e
from nstar.stats.gap_betting import gap_log_e

_CAUTION = 0.5
"""Largest share of the capital that one item may cost, as in the bets themselves."""


class _FutureItems:
    """Future items in a few segments, for each of several means."""

    def __init__(self, bets: Bets, means: Array, times: Array) -> None:
        self._bets = bets
        edges = np.concatenate([[float(bets.n)], times])
        midpoints, self._items = (edges[1:] + edges[:-1] + 1) / 2, np.diff(edges)
        variance = (0.25 + bets.squares) / (bets.n + 1)
        aim = 2 * np.log(2 / bets.alpha)
        self._stakes = np.sqrt(aim / (variance * midpoints * np.log(midpoints + 1)))
        center = np.clip((1 + means) / 2, 0, 1)[:, None]
        self._center = center
        self._spread = np.minimum(np.sqrt(variance), np.minimum(center, 1 - center))

    def log_capital(self, null: float, side: int) -> Array:
        """Return the log capital of bets above (1) or below (-1) a gap, means by segments."""
        m = (1 + null) / 2
        max_stake = _CAUTION / (m if side > 0 else 1 - m)
        stakes, distance = side * np.minimum(self._stakes, max_stake), self._center - m
        growth = np.log1p(stakes * (distance + self._spread)) + np.log1p(
            stakes * (distance - self._spread)
        )
        current = self._bets.log_above if side > 0 else self._bets.log_below
        now = current[int(np.searchsorted(self._bets.nulls, null - 1e-12))]
        return np.asarray(now + np.cumsum(self._items * growth / 2, axis=1))


def _capital_decides(bets: Bets, question: WatchQuestion, means: Array, times: Array) -> BoolArray:
    """Return whether the run is decided by each time (columns), for each future mean.

    This is a forecast and not evidence. Each future item has one of two equally likely values, one
    standard deviation on either side of the mean. Stakes are those of :class:`nstar.stats.Bets` at
    the current standard deviation.

    ``times`` are increasing numbers of items, all above those so far; ``means`` are in [-1, 1].
    """
    future, limit = _FutureItems(bets, means, times), question.log_e_value_threshold
    log_e = np.maximum(future.log_capital(0.0, 1), future.log_capital(0.0, -1)) - np.log(2.0)
    decided = log_e >= limit
    if question.margin is not None:
        within = future.log_capital(-question.margin, 1) >= limit
        if question.equivalence:
            within &= future.log_capital(question.margin, -1) >= limit
        decided |= within
    return np.logical_or.accumulate(decided, axis=1)


_FUTURES = 400
_TIMES = 160
_STRETCHES = 32
"""Number of segments in which the capital of bets is forecast."""
_REACH = 20
"""Number of horizons to search for a decision at the current gap."""


def _binary(question: WatchQuestion, gap: Array, n: Array, psi: float) -> BoolArray:
    """Return whether 0/1 scores with these means decide."""
    of = np.maximum(np.round(n), 1).astype(np.int64)
    discordant = np.minimum(np.ceil(psi * of), of).astype(np.int64)
    wins = np.clip(np.round((discordant + gap * of) / 2), 0, discordant).astype(np.int64)
    counts = np.stack([wins, discordant - wins, of])
    unique_counts, inverse = np.unique(
        counts, axis=1, return_inverse=True
    )  # simulated futures share their counts
    return _counts_decide(question, *unique_counts)[inverse.ravel()]


def _counts_decide(
    question: WatchQuestion, wins: IntArray, losses: IntArray, of: IntArray
) -> BoolArray:
    """Return whether these numbers of wins and losses among the items decide."""
    a = question.mixture
    decided = mcnemar_log_e(wins, losses, a=a) >= question.log_e_value_threshold
    if question.margin is None:
        return np.asarray(decided)
    m = question.margin
    within = (
        gap_log_e(wins, losses, of, null=-m, a=a, tail="above") >= question.log_e_value_threshold
    )
    if question.equivalence:
        within &= (
            gap_log_e(wins, losses, of, null=m, a=a, tail="below")
            >= question.log_e_value_threshold
        )
    return np.asarray(decided | within)


def _graded(question: WatchQuestion, gap: Array, n: Array, sd: float) -> BoolArray:
    """Return whether graded scores with these means decide."""
    tuned, alpha, limit = question.items, question.alpha, question.log_e_value_threshold
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


def _decides(evidence: Evidence, question: WatchQuestion, gap: Array, n: Array) -> BoolArray:
    sd = evidence.sd
    if question.scale == "graded":
        return _graded(question, gap, n, sd)
    return _binary(question, gap, n, min(sd * sd + evidence.gap**2, 1.0))


def _times(n: int, last: int, n_times: int) -> Array:
    """Return item counts from the next one through the last one, more closely spaced at first."""
    return np.unique(np.round(np.geomspace(n + 1, last, n_times)))


class WatchOutlook(NamedTuple):
    """Probability that the run is decided at its last item, given the items so far.

    Decisions before the end are rare, because the evidence is tuned to the end, and are ignored.
    For a true gap of 0, they are included, because then all decisions are due to chance.
    """

    chance: float | None = None
    """Average over the true gaps that the items so far leave open; None if unknown."""
    as_seen: float | None = None
    """Probability if the true gap equals the observed gap."""
    if_none: float | None = None
    """Upper bound of the probability if the true gap is 0, at any item until the end. With a
    margin, it is the probability of showing the margin at the end if that is larger.
    """


def _decided(evidence: Evidence, question: WatchQuestion, finals: Array) -> BoolArray:
    """Return which final means decide."""
    n, end = evidence.n, question.items
    if isinstance(evidence, BoundedEvidence):
        means = np.clip((end * finals - n * evidence.gap) / (end - n), -1, 1)
        times = _times(n, end, _STRETCHES)
        return _capital_decides(evidence.state, question, means, times)[:, -1]
    if question.scale == "binary":
        finals = np.clip(finals, -1, 1)
    of = np.full(len(finals), float(end))
    return _decides(evidence, question, finals, of)


def outlook(evidence: Evidence, question: WatchQuestion) -> WatchOutlook:
    """Return the forecast for the rest of the run."""
    n, end, sd, gap = evidence.n, question.items, evidence.sd, evidence.gap
    if n >= end:
        return WatchOutlook(0.0, 0.0, 0.0)
    if n < 2 or sd <= 0:
        return WatchOutlook()
    luck = sd * special.ndtri((np.arange(_FUTURES) + 0.5) / _FUTURES)
    to_come = luck * np.sqrt(end - n) / end
    any_gap = gap + luck * np.sqrt((end - n) / (end * n))
    finals = np.concatenate([any_gap, gap + to_come, gap * n / end + to_come])
    chance, as_seen, if_none = _decided(evidence, question, finals).reshape(3, -1).mean(axis=1)
    by_luck = math.exp(
        min(evidence.log_differs() - question.log_e_value_threshold, 0.0)
    )  # Ville's inequality
    return WatchOutlook(float(chance), float(as_seen), max(float(if_none), by_luck))


def items_more(evidence: Evidence, question: WatchQuestion) -> int | None:
    """Return the items until a decision if the gap stays the same; None if out of reach."""
    n = evidence.n
    if n < 2 or evidence.sd <= 0:
        return None
    times = _times(n, _REACH * max(question.items, n), _TIMES)
    if isinstance(evidence, BoundedEvidence):
        decided = _capital_decides(evidence.state, question, np.array([evidence.gap]), times)[0]
    else:
        decided = _decides(evidence, question, np.full(len(times), evidence.gap), times)
    return int(times[np.argmax(decided)]) - n if decided.any() else None
