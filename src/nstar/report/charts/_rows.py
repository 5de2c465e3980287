"""Rows of a figure: how high each is, and which of many have a label."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_THIN = 2.0
"""Least height of a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRows:
    """Rows one below the other; where they are thin only some have a label."""

    n: int
    """Rows."""
    top: float
    """Upper edge of the first."""
    step: float
    """Height of a row."""
    label: float
    """Height of a label."""

    @property
    def crowded(self) -> bool:
        """Whether rows are too thin for a label each."""
        return self.step < self.label

    @property
    def bottom(self) -> float:
        """Lower edge of the last."""
        return self.top + self.n * self.step

    def __call__(self, i: float) -> float:
        """Middle of a row."""
        return self.top + (i + 0.5) * self.step

    def labelled(self, wanted: Iterable[int] = ()) -> list[int]:
        """Rows with a label: all, or the wanted, the first, the last and every k-th that fit."""
        if not self.crowded:
            return list(range(self.n))
        apart = math.ceil(self.label / self.step)
        taken: set[int] = set()
        for i in (*wanted, 0, self.n - 1, *range(0, self.n, apart), *range(self.n)):
            if taken.isdisjoint(range(i - apart + 1, i + apart)):
                taken.add(i)
        return sorted(taken)


def rows(n: int, top: float, *, full: float, most: int) -> ChartRows:
    """Rows of full height up to so many; of more, thinner ones in the same room."""
    if n <= most:
        return ChartRows(n=n, top=top, step=full, label=full)
    step = max(full * most / n, _THIN)
    return ChartRows(n=n, top=top + (full - step) / 2, step=step, label=full)
