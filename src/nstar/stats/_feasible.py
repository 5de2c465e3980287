"""Enumerate the counts of correct answers that round to two reported accuracies.

With N items, each accuracy corresponds to a range of whole numbers. A table consists of one count
for each model, and the number of items that only the model with the lower score wins (``lost``).
If few digits are reported, counts are grouped in boxes, so that a search takes the same time for a
hundred items as for a billion. A property that holds anywhere in a box is treated as possible.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array

_PARTS = 32
"""Number of parts of each model's range. A shorter range has one part per count."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Feasible:
    """Boxes of counts. Each has a range ``first`` for the first model and a range ``second``."""

    n: float
    """Number of items."""
    first: tuple[Array, Array]
    """Fewest and most correct answers of the first model, for each box."""
    second: tuple[Array, Array]
    """Fewest and most correct answers of the second model, for each box."""

    @property
    def single(self) -> bool:
        """Return whether every box contains exactly one pair of counts."""
        return bool(
            np.all(self.first[0] == self.first[1]) and np.all(self.second[0] == self.second[1])
        )

    @property
    def least(self) -> tuple[Array, Array]:
        """Return the corner of each box with the smallest gap, first minus second."""
        return self.first[0], self.second[1]

    @property
    def most(self) -> tuple[Array, Array]:
        """Return the corner of each box with the largest gap, first minus second."""
        return self.first[1], self.second[0]

    @property
    def near(self) -> tuple[Array, Array]:
        """Return the corner at which the models are closest, with the better model first."""
        (a, b), (c, d) = self.least, self.most
        ahead, behind = a >= b, d >= c
        tie = np.maximum(a, d)  # the ranges overlap
        return (
            np.where(ahead, a, np.where(behind, d, tie)),
            np.where(ahead, b, np.where(behind, c, tie)),
        )

    @property
    def far(self) -> tuple[Array, Array]:
        """Return the corner at which the models differ most, with the better model first."""
        (a, b), (c, d) = self.least, self.most
        turned = b - a > c - d
        return np.where(turned, b, c), np.where(turned, a, d)

    @property
    def most_lost(self) -> Array:
        """Return the largest number of items that only the model with the lower score can win."""
        return np.asarray(
            np.minimum(
                np.minimum(self.first[1], self.second[1]),
                self.n - np.maximum(self.first[0], self.second[0]),
            )
        )


def _parts(low: int, high: int) -> tuple[Array, Array]:
    edges = np.unique(np.linspace(low, high + 1, min(high - low + 1, _PARTS) + 1).astype(np.int64))
    return edges[:-1].astype(np.float64), edges[1:].astype(np.float64) - 1


def feasible(first: tuple[int, int], second: tuple[int, int], n: int) -> Feasible:
    """Return all counts within two ranges.

    The ranges are numbers of correct answers, as returned by :func:`nstar.stats.grim`.

    >>> counts = feasible((892, 893), (882, 883), 1250)
    >>> counts.single, sorted((counts.least[0] - counts.least[1]).tolist())
    (True, [9.0, 10.0, 10.0, 11.0])
    """
    (a_low, a_high), (b_low, b_high) = _parts(*first), _parts(*second)
    shape = (a_low.size, b_low.size)

    def flat(values: Array) -> Array:
        return np.broadcast_to(values, shape).ravel()

    return Feasible(
        n=float(n),
        first=(flat(a_low[:, None]), flat(a_high[:, None])),
        second=(flat(b_low), flat(b_high)),
    )
