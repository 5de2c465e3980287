"""Samples in the order of the dataset: what may be counted does not depend on who is fast."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["SampleLine"]

Key: TypeAlias = tuple[str, int]
"""A sample's id and its epoch."""


@dataclass(slots=True)
class SampleLine:
    """Results that wait for those before them.

    Examples
    --------
    >>> line = SampleLine(["q1", "q2", "q3"], epochs=1)
    >>> for item in line.items:
    ...     line.schedule(item, 1)
    >>> line.add("q2", 1, 1.0)
    >>> line.ready()
    []
    >>> line.add("q1", 1, 0.0)
    >>> line.ready()
    [('q1', 0.0), ('q2', 1.0)]
    >>> line.rest()  # the run has ended, and q3 is without a result
    [('q3', None)]
    """

    items: Sequence[str]
    epochs: int
    results: dict[Key, float | None] = field(default_factory=dict)
    """Scores, None for a result that has none."""
    scheduled: set[Key] = field(default_factory=set)
    stopped: set[Key] = field(default_factory=set)
    counted: int = 0
    """Samples from the first on that were handed out."""

    def schedule(self, item: str, epoch: int) -> None:
        """Note that a sample runs; trying it again after an error changes nothing."""
        self.scheduled.add((item, epoch))

    def stop(self, item: str, epoch: int) -> None:
        """Note that a sample will not run."""
        self.stopped.add((item, epoch))

    def add(self, item: str, epoch: int, score: float | None) -> None:
        """Note a result."""
        self.results[item, epoch] = score

    def ready(self) -> list[tuple[str, float | None]]:
        """Samples all of whose epochs are in, as far as none before them is missing."""
        out = []
        while self.counted < len(self.items) and not self._missing(self.items[self.counted]):
            out.append(self._handed(self.items[self.counted]))
            self.counted += 1
        return out

    def rest(self) -> list[tuple[str, float | None]]:
        """At the end: samples that ran and waited; a run without a result has no score."""
        left = self.items[self.counted :]
        self.counted = len(self.items)
        return [self._handed(item) for item in left if self._missing(item) <= self.scheduled]

    def _missing(self, item: str) -> set[Key]:
        """Epochs of a sample that have no result."""
        return {(item, k) for k in range(1, self.epochs + 1)} - self.results.keys()

    def _handed(self, item: str) -> tuple[str, float | None]:
        return item, _mean(self.results.get((item, k)) for k in range(1, self.epochs + 1))

    @property
    def reused(self) -> int:
        """Results that came without being scheduled: of the run that this one retries."""
        return len(self.results.keys() - self.scheduled)

    @property
    def without_score(self) -> int:
        """Runs of a sample that brought no score: errors, and scorers that gave none."""
        scored = {key for key, score in self.results.items() if score is not None}
        return len((self.scheduled | self.results.keys()) - scored)


def _mean(scores: Iterable[float | None]) -> float | None:
    known = [s for s in scores if s is not None]
    return math.fsum(known) / len(known) if known else None
