"""Enumerate the counts of correct answers that round to two reported accuracies.

With N items, each accuracy corresponds to a range of whole numbers. A table is one count for each
model and the number of items that only the model with the lower score wins (``lost``). Where the
digits are coarse, counts are grouped in boxes, so that a search costs the same for a hundred items
and for a billion. A property that holds somewhere in a box counts as possible.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array

_PARTS = 32
"""Number of parts of each model's range; a range with fewer counts has one part per count."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Feasible:
    """Boxes of counts, with a range ``first`` for the first model and a range ``second``."""

    n: float
    """Number of items."""
    first: tuple[Array, Array]
    """Fewest and most correct answers of the first model, for each box."""
    second: tuple[Array, Array]
    """Fewest and most correct answers of the second model, for each box."""

    @property
    def single(self) -> bool:
        """Whether every box holds exactly one pair of counts."""
        return bool(
            np.all(self.first[0] == self.first[1]) and np.all(self.second[0] == self.second[1])
        )

    @property
    def least(self) -> tuple[Array, Array]:
        """Corner of each box with the smallest gap, first minus second."""
        return self.first[0], self.second[1]

    @property
    def most(self) -> tuple[Array, Array]:
        """Corner of each box with the largest gap, first minus second."""
        return self.first[1], self.second[0]

    @property
    def near(self) -> tuple[Array, Array]:
        """Corner at which the models are closest, with the better model first."""
        (a, b), (c, d) = self.least, self.most
        ahead, behind = a >= b, d >= c
        tie = np.maximum(a, d)  # the ranges overlap
        return (
            np.where(ahead, a, np.where(behind, d, tie)),
            np.where(ahead, b, np.where(behind, c, tie)),
        )

    @property
    def far(self) -> tuple[Array, Array]:
        """Corner at which the models are furthest apart, with the better model first."""
        (a, b), (c, d) = self.least, self.most
        turned = b - a > c - d
        return np.where(turned, b, c), np.where(turned, a, d)

    @property
    def most_lost(self) -> Array:
        """Largest number of items that only the model with the lower score can win."""
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
    """All counts within two ranges.

    Parameters
    ----------
    first, second : tuple of int
        Fewest and most right answers of each model, as :func:`nstar.stats.grim` gives them.
    n : int
        Items.

    Examples
    --------
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
