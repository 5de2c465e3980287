"""Work in parallel, results in order: the same answer however many hands there are."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["ordered"]

R = TypeVar("R")


def ordered(jobs: Iterator[Callable[[], R]], workers: int) -> Iterator[R]:
    """Results in the order of the jobs; few of them wait at any time."""
    if workers == 1:
        yield from (job() for job in jobs)
        return
    pool = ThreadPoolExecutor(workers)
    waiting: deque[Future[R]] = deque()
    try:
        for job in jobs:
            waiting.append(pool.submit(job))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
