"""Results of jobs: in their order, a few ahead, and added up as they arrive, here or in a tree."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, TypeAlias, TypeVar

Job: TypeAlias = tuple[Any, ...]
"""Arguments of one piece of work: small values, and large ones that were shared."""

R = TypeVar("R")

_SUM_TREE_FANOUT = 8
"""Results that a tree adds at once."""


def iter_results(
    submit: Callable[[Job], Future[R]], jobs: Iterable[Job], ahead: int
) -> Iterator[R]:
    """Results of all jobs in order, of which no more than ``ahead`` are begun before the first.

    Examples
    --------
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
    parts: Iterator[R], add: Callable[[R, R], R], done: Callable[[int], None] | None = None
) -> R:
    """The sum of some results in their order; ``done`` is told the number of each.

    Examples
    --------
    >>> reduce_in_order(iter([3, 4, 5]), int.__add__)
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


class SumTree:
    """References to results, added when there are enough of one kind.

    Examples
    --------
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
        """One more."""
        if level == len(self._levels):
            self._levels.append([])
        here = self._levels[level]
        here.append(reference)
        if len(here) == _SUM_TREE_FANOUT:
            self._levels[level] = []
            self.add(self._add(here), level + 1)

    def root(self) -> Any:
        """Everything."""
        rest: list[Any] = []
        for here in self._levels:
            rest += here
            if len(rest) > 1:
                rest = [self._add(rest)]
        return rest[0]


class InOrderNotifier:
    """Tells of finished jobs in their order, whatever finishes first.

    Examples
    --------
    >>> order = InOrderNotifier(print)
    >>> order.finished(1)
    >>> order.finished(0)
    0
    1
    """

    def __init__(self, tell_of: Callable[[int], None] | None) -> None:
        self._tell, self._next, self._early = tell_of, 0, set[int]()

    def finished(self, number: int) -> None:
        """A job is done."""
        self._early.add(number)
        while self._next in self._early:
            self._early.remove(self._next)
            if self._tell is not None:
                self._tell(self._next)
            self._next += 1
