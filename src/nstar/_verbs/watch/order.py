"""Detect items that do not come in random order, which can cause a premature decision.

Two tests need only the last item: the number of runs of equal groups (Wald and Wolfowitz 1940; for
more than two groups Barton and David 1957), and the number of upward steps in the item ids. They
are applied after 25, 50, 100 … items, by Bernstein's bound with the exact variance, because the
tail is too long for a normal limit with many small groups.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np

from nstar._verbs.watch.state_checks import check_count, refuse
from nstar.errors import ParameterError

Sorted: TypeAlias = Literal["groups", "items"]

_FIRST = 25
"""Number of items at the first check; the next is at twice as many."""
_LOG_FALSE = -9.2
"""Log of the bound's level, 1 in 10,000, which all looks share."""
_DIGITS = re.compile(r"(\d+)")


class _OrderDeviation(NamedTuple):
    """Deviation of a count from its mean over all orders, and its variance over them."""

    off: float
    variance: float

    def log_bound(self) -> float:
        """Return the log of Bernstein's bound for a count this far off; steps are of 1."""
        t = max(self.off, 0.0)
        return -0.5 * t * t / (self.variance + t / 3) if self.variance > 0 else 0.0


@lru_cache(maxsize=4)
def _natural_sort_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts q2 before q10."""
    parts = _DIGITS.split(name[:200])
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p)


def _log_level(n: int) -> float | None:
    """Return the log level of the check after n items: half of what is left.

    None if there is none.
    """
    looks = n // _FIRST
    if looks * _FIRST != n or looks & (looks - 1) or not looks:
        return None
    return _LOG_FALSE - looks.bit_length() * float(np.log(2.0))


@dataclass(slots=True, kw_only=True)
class OrderCheck:
    """Statistics of the order so far.

    >>> order = OrderCheck()
    >>> for k in range(60):
    ...     order.add(item=f"q{k * 7 % 60}", group="law" if k < 25 else "art")
    >>> order.sorted, order.runs
    ('groups', 2)
    """

    groups: dict[str, int] = field(default_factory=dict)
    """Number of items by group."""
    grouped: int = 0
    """Number of items with a group."""
    runs: int = 0
    """Number of runs of items of one group."""
    steps: int = 0
    """Number of items with an id that follow another one with an id."""
    up: int = 0
    """Number of these items whose id is larger."""
    last_item: str | None = None
    last_group: str | None = None
    sorted: Sorted | None = None
    """Key that the items appear to be sorted by, from the first significant check."""

    def add(self, *, item: str | None, group: str | None) -> None:
        """Add one more item."""
        if group is not None:
            self.runs += group != self.last_group
            self.groups[group] = self.groups.get(group, 0) + 1
            self.last_group = group
            self.grouped += 1
            self._judge_groups()
        if item is not None:
            if self.last_item is not None:
                self.steps += 1
                self.up += _natural_sort_key(item) > _natural_sort_key(self.last_item)
                self._judge_items()
            self.last_item = item

    def _judge_groups(self) -> None:
        level = _log_level(self.grouped)
        if level is not None and self.too_few_runs().log_bound() < level:
            self.sorted = "groups"

    def _judge_items(self) -> None:
        level = _log_level(self.steps)
        if level is None or self.sorted is not None:
            return
        off, variance = self.too_many_up()
        if _OrderDeviation(abs(off), variance).log_bound() < level - np.log(2.0):
            self.sorted = "items"

    def too_few_runs(self) -> _OrderDeviation:
        """Return the deficit of runs of groups, relative to random orders of these groups."""
        sizes = np.array(list(self.groups.values()), dtype=np.float64)
        n, squares, cubes = sizes.sum(), np.square(sizes).sum(), (sizes**3).sum()
        variance = squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3
        return _OrderDeviation(
            float(1 + n - squares / n - self.runs), float(variance / (n * n * (n - 1)))
        )

    def too_many_up(self) -> _OrderDeviation:
        """Return the excess of upward steps, relative to random orders of the ids."""
        return _OrderDeviation(self.up - self.steps / 2, (self.steps + 2) / 12)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "groups": dict(self.groups)
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Restore from :meth:`to_dict`."""
        if set(saved) != set(cls.__slots__):
            msg = f"saved order must contain {', '.join(cls.__slots__)}; got {', '.join(saved)}"
            raise ParameterError(msg)
        order = cls(**{**saved, "groups": dict(saved["groups"])})
        for name, count in order.groups.items():
            check_count(f"size of group {name[:40]!r}", count)
        check_count("grouped", order.grouped, sum(order.groups.values()))
        check_count("runs", order.runs, order.grouped)
        check_count("up", order.up, check_count("steps", order.steps))
        for last in (order.last_item, order.last_group):
            if last is not None and not isinstance(last, str):
                refuse("order", "names", last)
        if order.sorted not in (None, "groups", "items"):
            refuse("order", "by groups or items", order.sorted)
        return order
