"""Nearby: a crew that shares values by handing them over and adds results up where they arrive."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from nstar._engine.work.crew import Job
from nstar._engine.work.fold import folded

R = TypeVar("R")
T = TypeVar("T")


class Nearby(ABC):
    """What crews without a store of their own have in common."""

    def share(self, value: T) -> T:
        """The value itself."""
        return value

    @abstractmethod
    def ordered(
        self, work: Callable[..., R], jobs: Iterable[Job], *, memory: int = 0
    ) -> Iterator[R]:
        """Results in the order of the jobs; few of them wait at any time."""

    def reduced(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        add: Callable[[R, R], R],
        *,
        memory: int = 0,
        done: Callable[[int], None] | None = None,
    ) -> R:
        """One after the other, here."""
        return folded(self.ordered(work, jobs, memory=memory), add, done)

    @abstractmethod
    def close(self) -> None:
        """Send everybody home."""
