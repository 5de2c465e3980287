"""Portions: batches that are done in one go, so that a job is worth sending away.

How batches are put together changes no number: each has random numbers of its own, and their
tallies are added in order, one by one.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from nstar._verbs.simulate.batch import BatchTally, ProceduresAsked, run_batch
from nstar._verbs.simulate.grid import Cell

Task: TypeAlias = tuple[Sequence[Cell], ProceduresAsked]
"""What all jobs share: the cells, and what is wanted of each."""


class CellBatch(NamedTuple):
    """Some replications of a cell."""

    cell: int
    """Number of the cell."""
    number: int
    """Which batch of that cell."""
    reps: int


class Done(NamedTuple):
    """A portion that was done."""

    tallies: tuple[tuple[int, BatchTally], ...]
    """Number of the cell and tally of each batch, in order."""
    seconds: float
    """How long they took."""


def run_portion(task: Task, batches: Sequence[CellBatch]) -> Done:
    """Batches one after the other; scenarios and procedures are found by name, here or afar."""
    cells, ask = task
    start = time.perf_counter()
    tallies = tuple((b.cell, run_batch(cells[b.cell], b.number, b.reps, ask)) for b in batches)
    return Done(tallies, time.perf_counter() - start)


class Portions:
    """Cuts batches into jobs that last some seconds, by what those that came back have taken.

    Examples
    --------
    >>> cut = Portions(1.0, most=100)
    >>> cut.took(4, 0.5)
    >>> [len(job) for job in cut(CellBatch(0, k, 10) for k in range(20))]
    [8, 8, 4]
    """

    def __init__(self, seconds: float, *, most: int) -> None:
        self._seconds, self._most, self._count = seconds, max(1, most), 1

    def took(self, batches: int, seconds: float) -> None:
        """So many batches took so long."""
        if self._seconds > 0:
            wanted = -(-self._seconds * batches // max(seconds, 1e-6))
            self._count = int(min(max(1.0, wanted), self._most))

    def __call__(self, batches: Iterable[CellBatch]) -> Iterator[tuple[CellBatch, ...]]:
        """Batches in order, some at a time."""
        portion: list[CellBatch] = []
        for batch in batches:
            portion.append(batch)
            if len(portion) >= self._count:
                yield tuple(portion)
                portion = []
        if portion:
            yield tuple(portion)
