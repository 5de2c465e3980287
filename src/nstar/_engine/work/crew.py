"""Crew: who does the work, in this process or elsewhere; results come in the order of the jobs."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias, TypeVar

Job: TypeAlias = tuple[Any, ...]
"""Arguments of one piece of work: small values, and large ones that were shared."""

R = TypeVar("R")
T = TypeVar("T")


class Crew(Protocol):
    """Who does the work.

    Work is a function of a module, jobs are its arguments, and a result depends on its job alone:
    it may be computed anywhere, and again after a failure.
    """

    @property
    def width(self) -> int:
        """Jobs under way at once."""

    @property
    def grain(self) -> float:
        """Seconds that a job should last at least, to be worth its way; 0 if jobs cost nothing."""

    def share(self, value: T) -> T:
        """A large value for many jobs, handed out once; what is returned stands for it."""

    def ordered(
        self, work: Callable[..., R], jobs: Iterable[Job], *, memory: int = 0
    ) -> Iterator[R]:
        """``work(*job)`` of every job, in order; few of them wait at any time.

        ``memory`` is what one job needs, in bytes, for those who place jobs by it.
        """

    def reduced(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        add: Callable[[R, R], R],
        *,
        memory: int = 0,
        done: Callable[[int], None] | None = None,
    ) -> R:
        """The sum of all results; ``add`` must be exact in any order, or sums would differ.

        It may change its first argument.
        ``done`` is called with the number of each job that is finished, in order.
        """

    def close(self) -> None:
        """Send everybody home; what has not begun is dropped."""
