"""Right answers that print as two accuracies do, for searches over every table behind them.

With N items two accuracies are ranges of whole numbers; a table is a count for each model and
the number of items on which the model that is behind wins (``lost``). Where digits are coarse
the counts are taken in boxes, so that a search costs the same for a hundred items and for a
billion; what holds somewhere in a box counts as possible.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array

_PARTS = 32
"""Parts of each model's range: single counts where there are no more of them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Feasible:
    """Boxes of counts: the first model from ``first[0]`` to ``first[1]``, the second likewise."""

    n: float
    """Items."""
    first: tuple[Array, Array]
    """Fewest and most right answers of the first model, a box each."""
    second: tuple[Array, Array]
    """The same of the second."""

    @property
    def single(self) -> bool:
        """Every box is one pair of counts."""
        return bool(
            np.all(self.first[0] == self.first[1]) and np.all(self.second[0] == self.second[1])
        )

    @property
    def least(self) -> tuple[Array, Array]:
        """The corner with the smallest gap, first minus second."""
        return self.first[0], self.second[1]

    @property
    def most(self) -> tuple[Array, Array]:
        """The corner with the largest gap, first minus second."""
        return self.first[1], self.second[0]

    @property
    def near(self) -> tuple[Array, Array]:
        """The corner where the models are closest, the better one first."""
        (a, b), (c, d) = self.least, self.most
        ahead, behind = a >= b, d >= c
        tie = np.maximum(a, d)  # the ranges overlap
        return (
            np.where(ahead, a, np.where(behind, d, tie)),
            np.where(ahead, b, np.where(behind, c, tie)),
        )

    @property
    def far(self) -> tuple[Array, Array]:
        """The corner where they are furthest apart, the better one first."""
        (a, b), (c, d) = self.least, self.most
        turned = b - a > c - d
        return np.where(turned, b, c), np.where(turned, a, d)

    @property
    def most_lost(self) -> Array:
        """Most items that the model which is behind can have won."""
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
