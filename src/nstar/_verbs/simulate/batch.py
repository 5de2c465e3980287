"""One batch of replications and what is counted of it: rejections, coverage, false boards.

A pure function of cell, seed and number, so it runs anywhere.
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
"""What any scenario gives."""

_SAMPLES = {
    "board": "a board of models",
    "judged": "a judge and labels",
    "two": "two models",
}
"""What a procedure takes and a scenario gives."""


def _given(sample: AnySample) -> str:
    if isinstance(sample, Board):
        return "board"
    return "judged" if isinstance(sample, JudgedSums) else "two"


def _taken(procedure: Callable[..., Any], kind: ProcedureKind) -> str:
    usual = "board" if kind in ("family", "ranks") else "two"
    return str(getattr(procedure, "takes", usual))


def _refuse_other(
    procedures: Iterable[tuple[str, Callable[..., Any], ProcedureKind]],
    sample: AnySample,
    scenario: str,
) -> None:
    """ParameterError if a procedure is for other samples than a scenario gives."""
    for name, procedure, kind in procedures:
        needs, has = _taken(procedure, kind), _given(sample)
        if needs != has:
            msg = f"{name} needs {_SAMPLES[needs]}, but scenario {scenario} has {_SAMPLES[has]}"
            raise ParameterError(msg)


def _target(kind: ProcedureKind, sample: Any) -> tuple[Any, Any]:
    """Ends of what an interval should hold."""
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
    """Replications in which it happened, by what the procedure answered."""
    if kind in ("test", "equivalence"):
        return int(np.count_nonzero(answer))
    if isinstance(sample, Board) and kind == "family":
        return int(np.count_nonzero(sample.false(answer).any(axis=1)))
    (low, high), (target_low, target_high) = answer, _target(kind, sample)
    is_covered = (low <= target_low) & (target_high <= high)
    return int(np.count_nonzero(is_covered.all(axis=1) if is_covered.ndim > 1 else is_covered))


_ELEMENTS = 1 << 16
"""Differences drawn at once: fewer cost more calls, more leave a processor's cache."""
_RESAMPLED = 1 << 15
"""The same where a procedure draws for them: what it draws depends on this."""
_BATCH = 8
"""Such draws of a batch, from one stream."""
_COUNTED = 1 << 13
"""Replications drawn at once where each is a few counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedProcedures:
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

    @property
    def procedures(self) -> list[tuple[str, Callable[..., Any], ProcedureKind]]:
        """Name, function without its parameter and kind of each."""
        plain = (*map(TESTS.plain, self.tests), *map(INTERVALS.plain, self.intervals))
        return list(zip(self.names, plain, self.kinds, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTally:
    """Events counted over some replications. Tallies add."""

    reps: int
    events: tuple[int, ...]
    truth: float
    sums: tuple[tuple[float, ...], ...] = ()
    """Of each procedure what boards showed, summed; empty where there is no board."""

    def __add__(self, other: "BatchTally") -> "BatchTally":
        """Both sets of replications."""
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


def _chunk(cell: Cell, *, resampled: bool) -> int:
    """Replications drawn at once."""
    max_elements = _RESAMPLED if resampled else _ELEMENTS
    return _COUNTED if _counted(cell) else max(1, max_elements // cell.items)


def batch_size(cell: Cell) -> int:
    """Replications of a batch; it depends on the cell alone, or answers would on the machine."""
    return _BATCH * (_COUNTED if _counted(cell) else max(1, _RESAMPLED // cell.items))


@cache
def _keep_freed_memory() -> None:
    """Let glibc keep the room of one draw for the next.

    It hands large blocks back when they are freed, and the next draw begins with page faults. How
    large grows to that of the largest block freed so far, up to 32 MB: this one, never touched.
    """
    np.empty((1 << 22) - 4096)


Procedure: TypeAlias = tuple[ProcedureKind, Callable[..., Any]]
"""What is counted of a procedure, and ``procedure(sample, rng)``."""


def _procedures(request: RequestedProcedures) -> list[Procedure]:
    """All that are asked for, found by name once for a batch."""
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
    """Of each procedure that draws its own, so that it does not change by company."""
    tests: list[Any] = [({"p": name}, TESTS.plain(name)) for name in request.tests]
    intervals: list[Any] = [({"i": name}, INTERVALS.plain(name)) for name in request.intervals]
    return [
        generator(request.seed, stream, number, key(use)) if draws(procedure) else None
        for use, procedure in tests + intervals
    ]


class _CellRun:
    """A cell on its way through a batch."""

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
        """Whether a procedure draws."""
        return any(own_rng is not None for own_rng in self._rngs)

    def go_on(self, rng: np.random.Generator, reps: int) -> None:
        """So many replications more."""
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
        """What was counted so far."""
        sums = tuple(tuple(np.atleast_1d(s).tolist()) if np.ndim(s) else () for s in self._sums)
        return BatchTally(
            reps=self._reps,
            events=tuple(self._events),
            truth=float(self._truth),
            sums=sums if any(sums) else (),
        )


def run_batch(cell: Cell, number: int, reps: int, request: RequestedProcedures) -> BatchTally:
    """The first ``reps`` replications of a batch."""
    _keep_freed_memory()
    rng = generator(request.seed, cell.stream(common=request.common), number)
    run = _CellRun(cell, number, request)
    for n_reps in _draws(cell, reps, resampled=run.resamples):
        run.go_on(rng, n_reps)
    return run.tally


def run_together(
    cells: Sequence[Cell], number: int, reps: int, request: RequestedProcedures
) -> tuple[BatchTally, ...]:
    """The same of several cells that share their random numbers; normals are drawn once."""
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
    """Replications of each draw of a batch."""
    size = _chunk(cell, resampled=resampled)
    for start in range(0, reps, size):
        yield min(size, reps - start)
