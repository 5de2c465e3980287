"""Evidence after each of many items, in vectorized form.

A long log is counted in seconds this way. Sums are taken in the order of the items, so every
number equals that of the item-by-item computation.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._verbs.watch.evidence import Evidence, Side
from nstar._verbs.watch.question import Method
from nstar.stats import Tail
from nstar.stats.betting import Bets
from nstar.stats.confseq import RunningMean, asymptotic_log_e
from nstar.stats.eprocess import EProcess, mcnemar_log_e
from nstar.stats.gap_betting import gap_log_e

_CAUTION = 0.5
"""Largest share of the capital that one item may cost, as in the bets themselves."""


class EvidenceBatch(ABC):
    """Values of :class:`Evidence` after each item of a batch."""

    n: IntArray
    """Numbers of items."""
    log_e: Array
    """Log e-values against "the gap is 0"."""
    lead: Array
    """Positive where the first model is ahead."""
    _before: Any

    def log_above(self, null: float) -> Array:
        """Log e-values against "the gap is ``null`` or less"."""
        return self._log_e(null, "above")

    def log_below(self, null: float) -> Array:
        """Log e-values against "the gap is ``null`` or more"."""
        return self._log_e(null, "below")

    @abstractmethod
    def _log_e(self, null: float, side: Side) -> Array:
        """Log e-values against a gap that is not on this side of ``null``."""

    def at(self, k: int) -> Evidence:
        """Return the evidence after the item with index k of the batch."""
        evidence: Evidence = replace(self._before, state=self._state_at(k))
        return evidence

    @abstractmethod
    def _state_at(self, k: int) -> Any:
        """Return the state of the kernel after the item with index k."""


class _Counts(EvidenceBatch):
    """Batch of 0/1 scores."""

    def __init__(self, before: Any, d: Array) -> None:
        self._before, self._state = before, before.state
        s: EProcess = before.state
        self._wins, self._losses = s.n10 + np.cumsum(d > 0), s.n01 + np.cumsum(d < 0)
        self.n = s.n + np.arange(1, d.size + 1)
        self.log_e = mcnemar_log_e(self._wins, self._losses, a=s.a)
        self.lead = (self._wins - self._losses) / self.n
        bet = np.where(d != 0, self.log_e, 0.0)
        self._top = np.maximum(np.maximum.accumulate(bet), s.log_e_max)

    def _log_e(self, null: float, side: Side) -> Array:
        counts = self._wins, self._losses, self.n
        return gap_log_e(*counts, null=null, a=self._state.a, tail=side)

    def _state_at(self, k: int) -> EProcess:
        return EProcess(
            a=self._state.a,
            n10=int(self._wins[k]),
            n01=int(self._losses[k]),
            n=int(self.n[k]),
            log_e_max=float(self._top[k]),
        )


class _Means(EvidenceBatch):
    """Batch of graded scores without bounds."""

    def __init__(self, before: Any, d: Array) -> None:
        self._before, state = before, before.state
        states: list[tuple[float, float]] = []
        n, mean, squares = state.n, state.mean, state.squares
        for value in d.tolist():
            n += 1
            step = value - mean
            mean += step / n
            squares += step * (value - mean)
            states.append((mean, squares))
        self.n = state.n + np.arange(1, d.size + 1)
        self.lead, self._squares = np.array(states).T
        self._sd = np.sqrt(np.where(self.n > 1, self._squares / np.maximum(self.n - 1, 1), 0.0))
        self.log_e = self._log_e(0.0, "both")

    def _log_e(self, null: float, side: Tail) -> Array:
        rest: dict[str, Any] = {"tuned_at": self._before.question.items, "tail": side}
        alpha = self._before.question.alpha
        return asymptotic_log_e(self.lead, self._sd, self.n, null=null, alpha=alpha, **rest)

    def _state_at(self, k: int) -> RunningMean:
        mean, squares = float(self.lead[k]), float(self._squares[k])
        return RunningMean(n=int(self.n[k]), mean=mean, squares=squares)


def _added(first: Any, increments: Array) -> Array:
    """Return running sums from the earlier value."""
    return np.cumsum(np.concatenate([np.array([first]), increments]), axis=0)[1:]


class _Stakes(EvidenceBatch):
    """Batch of graded scores in [0, 1]."""

    def __init__(self, before: Any, d: Array) -> None:
        self._before, self._state = before, before.state
        s: Bets = before.state
        x, self.n = (d + 1) / 2, s.n + np.arange(1, d.size + 1)
        self._total = _added(s.total, x)
        residual = x - (0.5 + self._total) / (self.n + 1)
        self._squares = _added(s.squares, residual * residual)
        variance = (0.25 + np.concatenate([[s.squares], self._squares[:-1]])) / self.n
        aim = 2 * np.log(2 / s.alpha)
        stakes = np.sqrt(aim / (variance * self.n * np.log(self.n + 1)))[:, None]
        m = (1 + np.asarray(s.nulls, dtype=np.float64)) / 2
        off = x[:, None] - m
        self._above = _added(s.log_above, np.log1p(np.minimum(stakes, _CAUTION / m) * off))
        down = -np.minimum(stakes, _CAUTION / (1 - m)) * off
        self._below = _added(s.log_below, np.log1p(down))
        up, down = self.log_above(0.0), self.log_below(0.0)
        self.log_e = np.maximum(up, down) - np.log(2.0)
        self.lead = up - down

    def _at(self, null: float) -> int:
        return int(np.searchsorted(self._state.nulls, null - 1e-12))

    def _log_e(self, null: float, side: Side) -> Array:
        logs = self._above if side == "above" else self._below
        return np.asarray(logs[:, self._at(null)])

    def _state_at(self, k: int) -> Bets:
        return Bets(
            nulls=self._state.nulls,
            alpha=self._state.alpha,
            n=int(self.n[k]),
            total=float(self._total[k]),
            squares=float(self._squares[k]),
            log_above=tuple(self._above[k].tolist()),
            log_below=tuple(self._below[k].tolist()),
        )


_WAYS: dict[Method, Any] = {"e-process": _Counts, "asymptotic": _Means, "bets": _Stakes}


def stretch(before: Evidence, method: Method, differences: Array) -> EvidenceBatch:
    """Return the evidence after each of these differences, one or more."""
    batch: EvidenceBatch = _WAYS[method](before, differences)
    return batch
