"""Quota: what is done of one cell, and how much is wanted."""

from collections.abc import Iterator

from nstar._verbs.simulate.batch import BatchTally, batch_size
from nstar._verbs.simulate.grid import Cell
from nstar._verbs.simulate.portion import CellBatch


class Quota:
    """One cell: what is done, and how much is wanted."""

    def __init__(self, number: int, cell: Cell, reps: int) -> None:
        self.number, self.cell, self.wanted, self.least = number, cell, reps, reps
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
        return max(_spread(k, self.reps) for k in self.tally.events)

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
        done, first = self.reps, self.batches
        for number in range(first, first + self.open):
            few = min(self.size, self.wanted - done)
            done += few
            yield CellBatch(self.number, number, few)

    def add(self, tally: BatchTally) -> None:
        """One more batch is done."""
        self.tally = tally if self.tally is None else self.tally + tally
        self.batches += 1

    def more(self, precision: float, most: int) -> int:
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
        return max(self.reps, min(look * self.size, most))


def next_look(batches: int) -> int:
    """Batches at the look after one at so many: a quarter more."""
    return max(batches + 1, batches * 5 // 4)


def _spread(events: int, reps: int) -> float:
    p = (events + 1) / (reps + 2)
    return p * (1 - p)
