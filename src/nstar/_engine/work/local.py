"""Local: threads of this process. Nothing to install, nothing is copied."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from nstar._engine.work.crew import Job
from nstar._engine.work.direct import Nearby
from nstar._engine.work.fold import in_order

R = TypeVar("R")


class Local(Nearby):
    """So many threads; with one, the work is done where it is asked for.

    Examples
    --------
    >>> list(Local(2).ordered(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """

    grain = 0.0

    def __init__(self, width: int) -> None:
        self.width = width

    def ordered(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        *,
        memory: int = 0,  # noqa: ARG002 there is nobody to place
    ) -> Iterator[R]:
        """Results in the order of the jobs; few of them wait at any time."""
        if self.width == 1:
            yield from (work(*job) for job in jobs)
            return
        pool = ThreadPoolExecutor(self.width)
        try:
            yield from in_order(lambda job: pool.submit(work, *job), jobs, 2 * self.width + 1)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Threads end with their work."""
