"""Evidence of every model against every other, updated one item at a time.

Rows are compared with columns: ``lead()[i, j]`` is the log e-value that i is better than j. Scores
are oriented so that higher is better. NaN is a missing score and does not affect that model's
pairs.
"""

from abc import ABC, abstractmethod

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray, Interval
from nstar._verbs.race.question import MIXTURE, RaceQuestion
from nstar.stats.gap_betting import gap_log_e, gap_sequence
from nstar.stats.racing import lead_log_e

_CAUTION = 0.5
"""Largest share of the capital that one item may cost, as in :class:`nstar.stats.Bets`."""
_MAX_FORECAST_FACTOR = 100
"""Largest forecast of items, as a multiple of the items so far."""


class RaceEvidence(ABC):
    """Interface of all kinds of evidence, models by models."""

    def __init__(self, question: RaceQuestion) -> None:
        size = len(question.models)
        self.question = question
        self.n: IntArray = np.zeros((size, size), dtype=np.int64)
        """Items that both have a score for."""

    @abstractmethod
    def add(self, scores: Array, running: BoolArray) -> None:
        """Add one more item, for the pairs of active models."""

    @abstractmethod
    def lead(self, rows: IntArray, columns: IntArray) -> Array:
        """Return log e-values for "row is better than column" of these pairs."""

    @abstractmethod
    def safe(self, rows: IntArray, columns: IntArray) -> Array:
        """Return log e-values for "row is not worse than column by the margin" of these pairs."""

    @abstractmethod
    def gap(self, row: int, column: int) -> float:
        """Return the mean of row minus column; higher is better."""

    @abstractmethod
    def sequence(self, row: int, column: int) -> Interval | None:
        """Return the confidence sequence of that gap, at the level that drops.

        None without one.
        """

    @abstractmethod
    def scaled(self, row: int, column: int, items: int) -> float | None:
        """Log e-value for "row is better" after this many items at the current rates."""


class CountEvidence(RaceEvidence):
    """Evidence for 0/1 scores: wins, and the half of McNemar's e-process that bets on the row."""

    def __init__(self, question: RaceQuestion) -> None:
        super().__init__(question)
        self._wins = np.zeros_like(self.n)

    def add(self, scores: Array, running: BoolArray) -> None:
        known = running & np.isfinite(scores)
        won, lost = known & (scores == scores.max(initial=-np.inf, where=known)), known
        if won.any() and (lost & ~won).any():
            self._wins += won[:, None] & (lost & ~won)
        self.n += known[:, None] & known

    def lead(self, rows: IntArray, columns: IntArray) -> Array:
        counts = self._wins[rows, columns], self._wins[columns, rows]
        return lead_log_e(*counts, a=MIXTURE)

    def safe(self, rows: IntArray, columns: IntArray) -> Array:
        n = self.n[rows, columns]
        out = np.zeros(n.shape)
        has_items = n > 0
        counts = (c[has_items] for c in (self._wins[rows, columns], self._wins[columns, rows], n))
        null = -(self.question.margin or 0.0)
        if has_items.any():
            out[has_items] = gap_log_e(*counts, null=null, a=MIXTURE, tail="above")
        return out

    def gap(self, row: int, column: int) -> float:
        wins, losses = self._wins[row, column], self._wins[column, row]
        return float(wins - losses) / max(int(self.n[row, column]), 1)

    def sequence(self, row: int, column: int) -> Interval | None:
        n = int(self.n[row, column])
        if not n:
            return Interval(-1.0, 1.0)
        wins, losses = int(self._wins[row, column]), int(self._wins[column, row])
        conf = 1 - 2 * float(np.exp(-self.question.log_e_value_threshold))
        low, high = gap_sequence(wins, losses, n, conf=conf, a=MIXTURE)
        return Interval(float(low), float(high))

    def scaled(self, row: int, column: int, items: int) -> float | None:
        share = items / max(int(self.n[row, column]), 1)
        wins, losses = self._wins[row, column] * share, self._wins[column, row] * share
        return float(lead_log_e(round(float(wins)), round(float(losses)), a=MIXTURE))


class BettingEvidence(RaceEvidence):
    """Evidence for graded scores in [0, 1]: bets that are valid for any distribution."""

    def __init__(self, question: RaceQuestion) -> None:
        super().__init__(question)
        shape = self.n.shape
        self._total, self._squares = np.zeros(shape), np.zeros(shape)
        self._nulls = (0.0, -(question.margin or 0.0))
        self._logs = np.zeros((2, *shape))
        self._aim = 2 * (np.log(2.0) + question.log_e_value_threshold)

    def add(self, scores: Array, running: BoolArray) -> None:
        known = running & np.isfinite(scores)
        cells = np.ix_(known, known)
        x = (scores[known][:, None] - scores[known] + 1) / 2
        n = self.n[cells] + 1
        variance = (0.25 + self._squares[cells]) / n
        stakes = np.sqrt(self._aim / (variance * n * np.log(n + 1)))
        for logs, null in zip(self._logs, self._nulls, strict=True):
            m = (1 + null) / 2
            logs[cells] += np.log1p(np.minimum(stakes, _CAUTION / m) * (x - m))
        self._total[cells] += x
        residual = x - (0.5 + self._total[cells]) / (n + 1)
        self._squares[cells] += residual * residual
        self.n[cells] = n

    def lead(self, rows: IntArray, columns: IntArray) -> Array:
        return np.asarray(self._logs[0][rows, columns])

    def safe(self, rows: IntArray, columns: IntArray) -> Array:
        return np.asarray(self._logs[1][rows, columns])

    def gap(self, row: int, column: int) -> float:
        n = int(self.n[row, column])
        return 2 * float(self._total[row, column]) / n - 1 if n else 0.0

    def sequence(self, row: int, column: int) -> Interval | None:  # noqa: ARG002
        return None

    def scaled(self, row: int, column: int, items: int) -> float | None:  # noqa: ARG002
        return None


def begin(question: RaceQuestion) -> RaceEvidence:
    """Return the evidence before the first item."""
    return CountEvidence(question) if question.scale == "binary" else BettingEvidence(question)


def items_more(evidence: RaceEvidence, leader: int, behind: int) -> int | None:
    """Return the items until the leader drops a model at the current rates of wins and losses."""
    n, limit = int(evidence.n[leader, behind]), evidence.question.log_e_value_threshold
    low, high = n, n * _MAX_FORECAST_FACTOR
    top = evidence.scaled(leader, behind, high)
    if not n or top is None or top < limit:
        return None
    while high - low > max(1, low // 100):
        midpoint = (low + high) // 2
        log_e = evidence.scaled(leader, behind, midpoint)
        low, high = (low, midpoint) if log_e is not None and log_e >= limit else (midpoint, high)
    return max(high - n, 1)
