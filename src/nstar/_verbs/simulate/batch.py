"""One batch of replications and what is counted of it: rejections, coverage, false boards.

A pure function of cell, seed and number, so it runs anywhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from nstar._verbs.simulate.grid import Cell
from nstar._verbs.simulate.procedures import INTERVALS, TESTS, kind_of_interval, kind_of_test
from nstar._verbs.simulate.procedures.intervals import needed
from nstar._verbs.simulate.result import ProcedureKind
from nstar._verbs.simulate.sample import Board, SimulatedSample
from nstar._verbs.simulate.scenarios import SCENARIOS
from nstar._verbs.simulate.stream import generator, key
from nstar.errors import ParameterError

_OF_BOARDS = ("family", "ranks")


def _refuse_other(
    procedures: Iterable[tuple[str, ProcedureKind]], sample: SimulatedSample | Board, scenario: str
) -> None:
    """ParameterError if a procedure is for boards and the scenario is not, or the reverse."""
    for name, kind in procedures:
        if (kind in _OF_BOARDS) != isinstance(sample, Board):
            needs, has = "a board of models", "two models"
            if kind not in _OF_BOARDS:
                needs, has = has, needs
            msg = f"{name} needs {needs}; scenario {scenario} has {has}"
            raise ParameterError(msg)


def _target(kind: ProcedureKind, sample: Any) -> tuple[Any, Any]:
    """Ends of what an interval should hold."""
    if kind == "ranks":
        return sample.true_ranks
    if kind == "interval":
        return sample.truth, sample.truth
    if sample.sigma is None:
        msg = "q needs the true sigma of a difference, which this scenario does not tell"
        raise ParameterError(msg)
    q = sample.items / needed(sample, abs(sample.truth), sample.sigma**2)
    return q, q


def _count(kind: ProcedureKind, sample: SimulatedSample | Board, answer: Any) -> int:
    """Replications in which it happened, by what the procedure answered."""
    if isinstance(sample, Board) and kind == "family":
        return int(np.count_nonzero(sample.false(answer).any(axis=1)))
    if kind in ("test", "equivalence"):
        return int(np.count_nonzero(answer))
    (low, high), (least, most) = answer, _target(kind, sample)
    held = (low <= least) & (most <= high)
    return int(np.count_nonzero(held.all(axis=1) if held.ndim > 1 else held))


_ELEMENTS = 1 << 15
"""Differences drawn at once: what they need then stays in a processor's cache."""
_CHUNKS = 8
"""Draws of a batch, from one stream."""
_COUNTED = 1 << 13
"""Replications drawn at once where each is a few counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProceduresAsked:
    """What is wanted of every cell."""

    tests: tuple[str, ...]
    intervals: tuple[str, ...]
    alpha: float
    seed: int
    common: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Procedures in order, tests first."""
        return (*self.tests, *self.intervals)

    @property
    def kinds(self) -> tuple[ProcedureKind, ...]:
        """What is counted of each."""
        return (*map(kind_of_test, self.tests), *map(kind_of_interval, self.intervals))


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTally:
    """Events counted over some replications. Tallies add."""

    reps: int
    events: tuple[int, ...]
    truth: float

    def __add__(self, other: "BatchTally") -> "BatchTally":
        """Both sets of replications."""
        both = zip(self.events, other.events, strict=True)
        return BatchTally(
            reps=self.reps + other.reps, events=tuple(a + b for a, b in both), truth=other.truth
        )


def _chunk(cell: Cell) -> int:
    """Replications drawn at once."""
    counted = getattr(SCENARIOS[cell.scenario], "counted", False)
    return _COUNTED if counted else max(1, _ELEMENTS // cell.items)


def batch_size(cell: Cell) -> int:
    """Replications of a batch; it depends on the cell alone, or answers would on the machine."""
    return _CHUNKS * _chunk(cell)


@cache
def _keep_freed_memory() -> None:
    """Let glibc keep the room of one draw for the next.

    It hands large blocks back when they are freed, and the next draw begins with page faults. How
    large grows to that of the largest block freed so far, up to 32 MB: this one, never touched.
    """
    np.empty((1 << 22) - 4096)


def _events(
    sample: SimulatedSample | Board, ask: ProceduresAsked, rngs: list[np.random.Generator]
) -> list[int]:
    tests: list[Any] = [partial(TESTS[n], sample, ask.alpha) for n in ask.tests]
    intervals: list[Any] = [partial(INTERVALS[n], sample, 1 - ask.alpha) for n in ask.intervals]
    every = zip(ask.kinds, tests + intervals, rngs, strict=True)
    return [_count(kind, sample, answer(rng)) for kind, answer, rng in every]


def _generators(ask: ProceduresAsked, stream: int, number: int) -> list[np.random.Generator]:
    """Of each procedure its own, so that it does not change by company."""
    uses = [*({"p": name} for name in ask.tests), *({"i": name} for name in ask.intervals)]
    return [generator(ask.seed, stream, number, key(use)) for use in uses]


def run_batch(cell: Cell, number: int, reps: int, ask: ProceduresAsked) -> BatchTally:
    """The first ``reps`` replications of a batch."""
    _keep_freed_memory()
    stream = cell.stream(common=ask.common)
    rng = generator(ask.seed, stream, number)
    rngs = _generators(ask, stream, number)
    draw, size = SCENARIOS[cell.scenario], _chunk(cell)
    total, done, truth = np.zeros(len(ask.names), dtype=np.int64), 0, np.nan
    while done < reps:
        few = min(size, reps - done)
        sample = draw(rng, few, cell.items, **cell.parameters)
        if len(sample) != few:
            msg = f"scenario {cell.scenario} gave {len(sample)} replications instead of {few}"
            raise ParameterError(msg)
        _refuse_other(zip(ask.names, ask.kinds, strict=True), sample, cell.scenario)
        total += _events(sample, ask, rngs)
        truth = sample.truth
        done += few
    return BatchTally(reps=reps, events=tuple(total.tolist()), truth=float(truth))
