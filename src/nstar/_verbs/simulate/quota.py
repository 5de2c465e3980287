"""Quota of each cell, and portions: batches that are done in one go, so a job is worth sending.

Batches of cells with common random numbers go together, so that these are drawn once.

How batches are put together changes no number: each has random numbers of its own, and their
tallies are added in order, one by one.
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
"""What all jobs share: the cells, and what is wanted of each."""


class CellBatch(NamedTuple):
    """Some replications of a cell."""

    cell: int
    """Number of the cell."""
    number: int
    """Which batch of that cell."""
    reps: int


CellBatches: TypeAlias = tuple[CellBatch, ...]
"""Batches of one number and size that share their random numbers; most often one alone."""

_TOGETHER = 16
"""Cells that share a draw: enough to make it cheap, few enough to leave work for others."""


class FinishedPortion(NamedTuple):
    """A portion that was done."""

    tallies: tuple[tuple[int, BatchTally], ...]
    """Number of the cell and tally of each batch, in order."""
    seconds: float
    """How long they took."""


def run_portion(task: Task, portion: Sequence[CellBatches]) -> FinishedPortion:
    """Batches one after the other; scenarios and procedures are found by name, here or afar."""
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
    """Cuts batches into jobs that last some seconds, by what those that came back have taken.

    Examples
    --------
    >>> cut = PortionSizer(1.0, max_count=100)
    >>> cut.took(4, 0.5)
    >>> [len(job) for job in cut((CellBatch(0, k, 10),) for k in range(20))]
    [8, 8, 4]
    """

    def __init__(self, seconds: float, *, max_count: int) -> None:
        self._seconds, self._most, self._count = seconds, max(1, max_count), 1

    def took(self, batches: int, seconds: float) -> None:
        """So many batches took so long."""
        if self._seconds > 0:
            target_count = -(-self._seconds * batches // max(seconds, 1e-6))
            self._count = int(min(max(1.0, target_count), self._most))

    def __call__(self, all_batches: Iterable[CellBatches]) -> Iterator[tuple[CellBatches, ...]]:
        """Batches in order, some at a time; those that go together stay together."""
        portion: list[CellBatches] = []
        for together in all_batches:
            portion.append(together)
            if sum(map(len, portion)) >= self._count:
                yield tuple(portion)
                portion = []
        if portion:
            yield tuple(portion)


class CellQuota:
    """One cell: what is done, and how much is wanted."""

    def __init__(self, number: int, cell: Cell, reps: int, *, common: bool = False) -> None:
        self.number, self.cell, self.wanted, self.least = number, cell, reps, reps
        self.stream = cell.stream(common=common)
        self.size = batch_size(cell)
        self.batches, self.tally = 0, None  # type: int, BatchTally | None

    @property
    def reps(self) -> int:
        """Replications done."""
        return 0 if self.tally is None else self.tally.reps

    @property
    def spread(self) -> float:
        """Largest variance of a procedure's event."""
        assert self.tally is not None  # noqa: S101 every cell has had its first round
        events = (*self.tally.events, *board_events(self.tally.sums))
        return max(_spread(k, self.reps) for k in events)

    @property
    def first(self) -> int:
        """Batches of the first round."""
        return -(-self.least // self.size)

    @property
    def open(self) -> int:
        """Batches still to do."""
        return max(0, -(-self.wanted // self.size) - self.batches)

    def want(self, reps: int) -> None:
        """At least so many replications, in whole batches."""
        self.wanted = -(-reps // self.size) * self.size

    def left(self) -> Iterator[CellBatch]:
        """Batches still to do; whole ones, but for the last of a given number."""
        n_done, first = self.reps, self.batches
        for number in range(first, first + self.open):
            n_reps = min(self.size, self.wanted - n_done)
            n_done += n_reps
            yield CellBatch(self.number, number, n_reps)

    def add(self, tally: BatchTally) -> None:
        """One more batch is done."""
        self.tally = tally if self.tally is None else self.tally + tally
        self.batches += 1

    def more(self, precision: float, max_reps: int) -> int:
        """Replications at the next look; as many as there are if the error is small enough.

        Looks are at fixed numbers of batches, so that a run which was stopped between two of them
        ends where it would have ended.
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
    """All that is still to do, stream by stream: that of a cell, or of several."""
    streams: dict[int, list[CellQuota]] = {}
    for quota in quotas:
        streams.setdefault(quota.stream, []).append(quota)
    for sharing in streams.values():
        left = heapq.merge(*(q.left() for q in sharing), key=attrgetter("number"))
        for _, alike in groupby(left, key=attrgetter("number", "reps")):
            while together := tuple(islice(alike, _TOGETHER)):
                yield together


def next_look(batches: int) -> int:
    """Batches at the look after one at so many: a quarter more."""
    return max(batches + 1, batches * 5 // 4)


def _spread(events: float, reps: int) -> float:
    p = (events + 1) / (reps + 2)
    return p * (1 - p)
