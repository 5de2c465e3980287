"""Plan the replications of each cell, and group batches into jobs of suitable length.

Batches of cells with common random numbers are run together, so that these are drawn once.

The grouping of batches does not affect results: each batch has its own random numbers, and tallies
are added in order.
"""

import heapq
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from nstar._verbs.simulate.batch import (
    BatchTally,
    RequestedProcedures,
    batch_size,
    run_batch,
    run_together,
)
from nstar._verbs.simulate.board_sums import board_events
from nstar._verbs.simulate.grid import Cell

Task: TypeAlias = tuple[Sequence[Cell], RequestedProcedures]
"""Inputs that all jobs share: the cells, and the requested procedures."""


class CellBatch(NamedTuple):
    """A batch of replications of a cell."""

    cell: int
    """Index of the cell."""
    number: int
    """Index of the batch within the cell."""
    reps: int


CellBatches: TypeAlias = tuple[CellBatch, ...]
"""Batches of the same number and size that share their random numbers; usually only one."""

_TOGETHER = 16
"""Number of cells that share a draw: enough to be efficient, few enough for other workers."""


class FinishedPortion(NamedTuple):
    """Results of a job."""

    tallies: tuple[tuple[int, BatchTally], ...]
    """Index of the cell and tally of each batch, in order."""
    seconds: float
    """Duration of the job."""


def run_portion(task: Task, portion: Sequence[CellBatches]) -> FinishedPortion:
    """Return the tallies of several batches. Scenarios and procedures are found by name."""
    cells, request = task
    start = time.perf_counter()
    tallies = [pair for batches in portion for pair in _run(cells, request, batches)]
    return FinishedPortion(tuple(tallies), time.perf_counter() - start)


def _run(
    cells: Sequence[Cell], request: RequestedProcedures, batches: CellBatches
) -> Iterator[tuple[int, BatchTally]]:
    first, *others = batches
    if not others:
        yield first.cell, run_batch(cells[first.cell], first.number, first.reps, request)
        return
    cell_numbers = [b.cell for b in batches]
    tallies = run_together([cells[k] for k in cell_numbers], first.number, first.reps, request)
    yield from zip(cell_numbers, tallies, strict=True)


class PortionSizer:
    """Groups batches into jobs of a few seconds, based on the duration of earlier jobs.

    >>> cut = PortionSizer(1.0, max_count=100)
    >>> cut.took(4, 0.5)
    >>> [len(job) for job in cut((CellBatch(0, k, 10),) for k in range(20))]
    [8, 8, 4]
    """

    def __init__(self, seconds: float, *, max_count: int) -> None:
        self._seconds, self._most, self._count = seconds, max(1, max_count), 1

    def took(self, batches: int, seconds: float) -> None:
        """Record the duration of a number of batches."""
        if self._seconds > 0:
            target_count = -(-self._seconds * batches // max(seconds, 1e-6))
            self._count = int(min(max(1.0, target_count), self._most))

    def __call__(self, all_batches: Iterable[CellBatches]) -> Iterator[tuple[CellBatches, ...]]:
        """Yield groups of batches in order. Batches that share random numbers stay together."""
        portion: list[CellBatches] = []
        for together in all_batches:
            portion.append(together)
            if sum(map(len, portion)) >= self._count:
                yield tuple(portion)
                portion = []
        if portion:
            yield tuple(portion)


class CellQuota:
    """Progress of one cell, and the number of batches that it needs."""

    def __init__(self, number: int, cell: Cell, reps: int, *, common: bool = False) -> None:
        self.number, self.cell, self.wanted, self.least = number, cell, reps, reps
        self.stream = cell.stream(common=common)
        self.size = batch_size(cell)
        self.batches, self.tally = 0, None  # type: int, BatchTally | None

    @property
    def reps(self) -> int:
        """Number of completed replications."""
        return 0 if self.tally is None else self.tally.reps

    @property
    def spread(self) -> float:
        """Largest variance of a procedure's event."""
        assert self.tally is not None  # noqa: S101 every cell has had its first round
        events = (*self.tally.events, *board_events(self.tally.sums))
        return max(_spread(k, self.reps) for k in events)

    @property
    def first(self) -> int:
        """Number of batches in the first round."""
        return -(-self.least // self.size)

    @property
    def open(self) -> int:
        """Batches that are not complete."""
        return max(0, -(-self.wanted // self.size) - self.batches)

    def want(self, reps: int) -> None:
        """Request at least a number of replications, in whole batches."""
        self.wanted = -(-reps // self.size) * self.size

    def left(self) -> Iterator[CellBatch]:
        """Yield the incomplete batches. All are full except the last one of a given number."""
        n_done, first = self.reps, self.batches
        for number in range(first, first + self.open):
            n_reps = min(self.size, self.wanted - n_done)
            n_done += n_reps
            yield CellBatch(self.number, number, n_reps)

    def add(self, tally: BatchTally) -> None:
        """Record one more batch."""
        self.tally = tally if self.tally is None else self.tally + tally
        self.batches += 1

    def more(self, precision: float, max_reps: int) -> int:
        """Return the replications at the next look, or the current number if it is enough.

        Looks are at fixed numbers of batches, so that an interrupted run ends at the same number
        as an uninterrupted one.
        """
        look = self.first
        while look < self.batches:
            look = next_look(look)
        if look == self.batches:
            if self.spread <= self.reps * precision**2:
                return self.reps
            look = next_look(look)
        return max(self.reps, min(look * self.size, max_reps))


def open_batches(quotas: Sequence[CellQuota]) -> Iterator[CellBatches]:
    """Yield all incomplete batches, by stream: those of a cell, or of several cells."""
    streams: dict[int, list[CellQuota]] = {}
    for quota in quotas:
        streams.setdefault(quota.stream, []).append(quota)
    for sharing in streams.values():
        left = heapq.merge(*(q.left() for q in sharing), key=attrgetter("number"))
        for _, alike in groupby(left, key=attrgetter("number", "reps")):
            while together := tuple(islice(alike, _TOGETHER)):
                yield together


def next_look(batches: int) -> int:
    """Return the number of batches at the next look, a quarter more than at this one."""
    return max(batches + 1, batches * 5 // 4)


def _spread(events: float, reps: int) -> float:
    p = (events + 1) / (reps + 2)
    return p * (1 - p)
