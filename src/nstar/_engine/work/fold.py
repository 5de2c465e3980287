"""Results in the order of their jobs, a few ahead, and added up where they arrive."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from nstar._engine.work.crew import Job

R = TypeVar("R")


def in_order(submit: Callable[[Job], Future[R]], jobs: Iterable[Job], ahead: int) -> Iterator[R]:
    """Results of all jobs in order, of which no more than ``ahead`` are begun before the first.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(in_order(lambda job: pool.submit(pow, *job), [(2, 3), (3, 2)], 4))
    [8, 9]
    """
    waiting: deque[Future[R]] = deque()
    try:
        for job in jobs:
            waiting.append(submit(job))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def folded(
    parts: Iterator[R], add: Callable[[R, R], R], done: Callable[[int], None] | None = None
) -> R:
    """The sum of some results in their order; ``done`` is told the number of each.

    Examples
    --------
    >>> folded(iter([3, 4, 5]), int.__add__)
    12
    """
    total = next(parts)
    if done is not None:
        done(0)
    for number, part in enumerate(parts, start=1):
        total = add(total, part)
        if done is not None:
            done(number)
    return total
