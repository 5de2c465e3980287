"""Collect the results of jobs in order, with limited look-ahead, and add them as they arrive."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, TypeAlias, TypeVar

Job: TypeAlias = tuple[Any, ...]
"""Arguments of one job: small values and references to large shared values."""

R = TypeVar("R")

_SUM_TREE_FANOUT = 8
"""Number of results that one node of the tree adds."""


def iter_results(
    submit: Callable[[Job], Future[R]], jobs: Iterable[Job], ahead: int
) -> Iterator[R]:
    """Yield the results of all jobs in order, with at most ``ahead`` jobs started in advance.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(iter_results(lambda job: pool.submit(pow, *job), [(2, 3), (3, 2)], 4))
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


def reduce_in_order(
    parts: Iterator[R], add: Callable[[R, R], R], on_done: Callable[[int], None] | None = None
) -> R:
    """Return the sum of results in their order. ``on_done`` receives the number of each result.

    >>> reduce_in_order(iter([3, 4, 5]), int.__add__)
    12
    """
    total = next(parts)
    if on_done is not None:
        on_done(0)
    for number, part in enumerate(parts, start=1):
        total = add(total, part)
        if on_done is not None:
            on_done(number)
    return total


class SumTree:
    """Tree of references to results. Results of one level are added once there are enough.

    >>> tree = SumTree(sum)
    >>> for k in range(20):
    ...     tree.add(k)
    >>> tree.root()
    190
    """

    def __init__(self, add: Callable[[list[Any]], Any]) -> None:
        self._add = add
        self._levels: list[list[Any]] = []

    def add(self, reference: Any, level: int = 0) -> None:
        """Add one result."""
        if level == len(self._levels):
            self._levels.append([])
        references = self._levels[level]
        references.append(reference)
        if len(references) == _SUM_TREE_FANOUT:
            self._levels[level] = []
            self.add(self._add(references), level + 1)

    def root(self) -> Any:
        """Return the sum of all results."""
        rest: list[Any] = []
        for references in self._levels:
            rest += references
            if len(rest) > 1:
                rest = [self._add(rest)]
        return rest[0]


class InOrderNotifier:
    """Callback that reports finished jobs in order, whichever finishes first.

    >>> order = InOrderNotifier(print)
    >>> order.finished(1)
    >>> order.finished(0)
    0 1
    """

    def __init__(self, tell_of: Callable[[int], None] | None) -> None:
        self._tell, self._next, self._early = tell_of, 0, set[int]()

    def finished(self, number: int) -> None:
        """Record that a job is finished."""
        self._early.add(number)
        while self._next in self._early:
            self._early.remove(self._next)
            if self._tell is not None:
                self._tell(self._next)
            self._next += 1
