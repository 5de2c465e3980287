"""Results that arrive in any order: added in a tree, and told of in their order."""

from collections.abc import Callable
from typing import Any

_FAN = 8
"""Results added at once."""


class Tree:
    """References to results, added when there are enough of one kind.

    Examples
    --------
    >>> tree = Tree(sum)
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
        if len(here) == _FAN:
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


class InOrder:
    """Tells of finished jobs in their order, whatever finishes first.

    Examples
    --------
    >>> order = InOrder(print)
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
