"""Run one batch of replications, and count rejections, coverage, and errors on leaderboards.

The result is a pure function of cell, seed, and batch number, so any worker can compute it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import add
from typing import Any, TypeAlias

import numpy as np

from nstar._verbs.simulate.board_sums import board_sums
from nstar._verbs.simulate.grid import Cell
from nstar._verbs.simulate.judged_sums import JudgedSums
from nstar._verbs.simulate.procedures import (
    INTERVALS,
    TESTS,
    draws,
    kind_of_interval,
    kind_of_test,
)
from nstar._verbs.simulate.procedures.intervals import needed
from nstar._verbs.simulate.result import ProcedureKind
from nstar._verbs.simulate.sample import Board, SimulatedSample
from nstar._verbs.simulate.scenarios import SCENARIOS
from nstar._verbs.simulate.stream import SharedNormals, generator, key
from nstar.errors import ParameterError

AnySample: TypeAlias = SimulatedSample | Board | JudgedSums
"""Sample from any scenario."""

_SAMPLES = {
    "board": "a board of models",
    "judged": "a judge and labels",
    "two": "two models",
}
"""Types of samples that procedures take and scenarios give."""


def _given(sample: AnySample) -> str:
    if isinstance(sample, Board):
        return "board"
    return "judged" if isinstance(sample, JudgedSums) else "two"


def _refuse_other(
    procedures: Iterable[tuple[str, Callable[..., Any], ProcedureKind]],
    sample: AnySample,
    scenario: str,
) -> None:
    """Raise ParameterError if a procedure takes other samples than a scenario gives."""
    for name, procedure, kind in procedures:
        usual = "board" if kind in ("family", "ranks") else "two"
        needs, has = str(getattr(procedure, "takes", usual)), _given(sample)
        if needs != has:
            only = "only " if has == "two" else ""
            msg = (
                f"{name} needs {_SAMPLES[needs]}, but scenario {scenario} has "
                f"{only}{_SAMPLES[has]}"
            )
            raise ParameterError(msg)


def _target(kind: ProcedureKind, sample: Any) -> tuple[Any, Any]:
    """Return the bounds of the true value that an interval should contain."""
    if kind == "ranks":
        return sample.true_ranks
    if kind == "interval":
        return sample.truth, sample.truth
    if sample.sigma is None:
        msg = "q needs the true SD of a difference, which this scenario does not define."
        raise ParameterError(msg)
    q = sample.items / needed(sample, abs(sample.truth), sample.sigma**2)
    return q, q


def _count(kind: ProcedureKind, sample: AnySample, answer: Any) -> int:
    """Return the number of replications in which the event occurred."""
    if kind in ("test", "equivalence"):
        return int(np.count_nonzero(answer))
    if isinstance(sample, Board) and kind == "family":
        return int(np.count_nonzero(sample.false(answer).any(axis=1)))
    (low, high), (target_low, target_high) = answer, _target(kind, sample)
    is_covered = (low <= target_low) & (target_high <= high)
    return int(np.count_nonzero(is_covered.all(axis=1) if is_covered.ndim > 1 else is_covered))


_ELEMENTS = 1 << 16
"""Number of differences drawn at a time: fewer need more calls, more exceed a processor's cache.
"""
_RESAMPLED = 1 << 15
"""Number of differences drawn at a time if a procedure draws random numbers, which depend on it.
"""
_BATCH = 8
"""Number of such draws in a batch, from one stream."""
_COUNTED = 1 << 13
"""Number of replications drawn at a time if each consists of a few counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedProcedures:
    """Procedures requested for every cell."""

    tests: tuple[str, ...]
    intervals: tuple[str, ...]
    alpha: float
    seed: int
    common: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the procedures in order, tests first."""
        return (*self.tests, *self.intervals)

    @property
    def kinds(self) -> tuple[ProcedureKind, ...]:
        """Kind of event that is counted for each procedure."""
        return (*map(kind_of_test, self.tests), *map(kind_of_interval, self.intervals))

    @property
    def procedures(self) -> list[tuple[str, Callable[..., Any], ProcedureKind]]:
        """Name, function without its parameter, and kind of each procedure."""
        plain = (*map(TESTS.plain, self.tests), *map(INTERVALS.plain, self.intervals))
        return list(zip(self.names, plain, self.kinds, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTally:
    """Numbers of events over some replications. Tallies can be added."""

    reps: int
    events: tuple[int, ...]
    truth: float
    sums: tuple[tuple[float, ...], ...] = ()
    """Sums of leaderboard outcomes for each procedure; empty if there is no leaderboard."""

    def __add__(self, other: "BatchTally") -> "BatchTally":
        """Return the tally of both sets of replications."""
        event_pairs = zip(self.events, other.events, strict=True)
        sums = zip(self.sums, other.sums, strict=True)
        return BatchTally(
            reps=self.reps + other.reps,
            events=tuple(a + b for a, b in event_pairs),
            truth=other.truth,
            sums=tuple(tuple(map(add, a, b)) for a, b in sums),
        )


def _counted(cell: Cell) -> bool:
    return getattr(SCENARIOS[cell.scenario], "counted", False)


def batch_size(cell: Cell) -> int:
    """Return the replications of a batch.

    The number depends only on the cell, not on the machine.
    """
    return _BATCH * (_COUNTED if _counted(cell) else max(1, _RESAMPLED // cell.items))


@cache
def _keep_freed_memory() -> None:
    """Make glibc keep the memory of one draw for the next.

    By default, glibc returns large blocks to the system when they are freed, so the next draw
    starts with page faults. Its threshold grows to the size of the largest block freed so far, up
    to 32 MB. This function frees one such block, which is never used.
    """
    np.empty((1 << 22) - 4096)


Procedure: TypeAlias = tuple[ProcedureKind, Callable[..., Any]]
"""Kind of event that is counted for a procedure, and ``procedure(sample, rng)``."""


def _procedures(request: RequestedProcedures) -> list[Procedure]:
    """Return all requested procedures, found by name once per batch."""
    tests: list[Any] = [partial(_at, TESTS[name], request.alpha) for name in request.tests]
    intervals: list[Any] = [
        partial(_at, INTERVALS[name], 1 - request.alpha) for name in request.intervals
    ]
    return list(zip(request.kinds, tests + intervals, strict=True))


def _at(
    procedure: Callable[..., Any], level: float, sample: Any, rng: np.random.Generator | None
) -> Any:
    return procedure(sample, level, rng)


def _generators(
    request: RequestedProcedures, stream: int, number: int
) -> list[np.random.Generator | None]:
    """Return a separate generator for each procedure, so that others do not change its draws."""
    tests: list[Any] = [({"p": name}, TESTS.plain(name)) for name in request.tests]
    intervals: list[Any] = [({"i": name}, INTERVALS.plain(name)) for name in request.intervals]
    return [
        generator(request.seed, stream, number, key(use)) if draws(procedure) else None
        for use, procedure in tests + intervals
    ]


class _CellRun:
    """State of a cell within a batch."""

    def __init__(self, cell: Cell, number: int, request: RequestedProcedures) -> None:
        self._cell, self._asked = cell, request.procedures
        self._draw = SCENARIOS[cell.scenario]
        self._procedures = _procedures(request)
        self._rngs = _generators(request, cell.stream(common=request.common), number)
        self._events = [0] * len(self._asked)
        self._sums: list[Any] = [0.0] * len(self._asked)
        self._reps, self._truth = 0, np.nan

    @property
    def resamples(self) -> bool:
        """Return whether any procedure draws random numbers."""
        return any(own_rng is not None for own_rng in self._rngs)

    def go_on(self, rng: np.random.Generator, reps: int) -> None:
        """Simulate a number of further replications."""
        sample = self._draw(rng, reps, self._cell.items, **self._cell.parameters)
        if len(sample) != reps:
            msg = (
                f"Scenario {self._cell.scenario} returned {len(sample)} replications instead of "
                f"{reps}."
            )
            raise ParameterError(msg)
        if not self._reps:
            _refuse_other(self._asked, sample, self._cell.scenario)
        for k, ((kind, procedure), own_rng) in enumerate(
            zip(self._procedures, self._rngs, strict=True)
        ):
            answer = procedure(sample, own_rng)
            self._events[k] += _count(kind, sample, answer)
            if isinstance(sample, Board) and kind == "family":
                self._sums[k] += board_sums(sample, answer)
        self._reps += reps
        self._truth = sample.truth

    @property
    def tally(self) -> BatchTally:
        """Return the counts so far."""
        sums = tuple(tuple(np.atleast_1d(s).tolist()) if np.ndim(s) else () for s in self._sums)
        return BatchTally(
            reps=self._reps,
            events=tuple(self._events),
            truth=float(self._truth),
            sums=sums if any(sums) else (),
        )


def run_batch(cell: Cell, number: int, reps: int, request: RequestedProcedures) -> BatchTally:
    """Return the tally of the first ``reps`` replications of a batch."""
    _keep_freed_memory()
    rng = generator(request.seed, cell.stream(common=request.common), number)
    run = _CellRun(cell, number, request)
    for n_reps in _draws(cell, reps, resampled=run.resamples):
        run.go_on(rng, n_reps)
    return run.tally


def run_together(
    cells: Sequence[Cell], number: int, reps: int, request: RequestedProcedures
) -> tuple[BatchTally, ...]:
    """Return the tallies of several cells that share random numbers; normals are drawn once."""
    _keep_freed_memory()
    rng = SharedNormals(
        generator(request.seed, cells[0].stream(common=request.common), number), len(cells)
    )
    runs = [_CellRun(cell, number, request) for cell in cells]
    for n_reps in _draws(cells[0], reps, resampled=runs[0].resamples):
        for reader, run in enumerate(runs):
            run.go_on(rng.read_by(reader), n_reps)
        rng.forget()
    return tuple(run.tally for run in runs)


def _draws(cell: Cell, reps: int, *, resampled: bool) -> Iterator[int]:
    """Yield the number of replications in each draw of a batch."""
    max_elements = _RESAMPLED if resampled else _ELEMENTS
    size = _COUNTED if _counted(cell) else max(1, max_elements // cell.items)
    for start in range(0, reps, size):
        yield min(size, reps - start)
