"""Simulated evaluations: many replications of one cell, as counts or as per-item differences."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from nstar._base.types import Array, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """Replications of a table of two 0/1 scores per item, independent items.

    A replication is four numbers however many items it has, so that a million of them fit.
    """

    items: int
    """Items of each replication."""
    n10: IntArray
    """Items only the first model got right, (R,)."""
    n01: IntArray
    """Items only the second model got right, (R,)."""
    truth: float
    """True gap, first minus second."""
    sigma: float | None = None
    """True standard deviation of a difference; None if it is not known."""

    def __len__(self) -> int:
        """Replications."""
        return len(self.n10)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """Replications of per-item differences, items in the order in which they arrive."""

    d: Array
    """First minus second, (R, N). Procedures may not change it."""
    truth: float
    """True mean difference."""
    sizes: IntArray | None = None
    """Items of each cluster, which stand one after the other; None without clusters."""
    limits: tuple[float, float] = (0.0, 1.0)
    """Worst and best possible score."""
    sigma: float | None = None
    """True standard deviation of a difference of independent items; None if it is not known."""
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Replications."""
        return len(self.d)

    @property
    def items(self) -> int:
        """Items of each replication."""
        return self.d.shape[1]

    @property
    def mean(self) -> Array:
        """Mean difference of each replication, made once, (R,)."""
        if "mean" not in self._made:
            self._made["mean"] = np.einsum("ij->i", self.d) / self.items
        return self._made["mean"]

    @property
    def sd(self) -> Array:
        """Standard deviation (ddof 1) of each replication, made once, (R,)."""
        if "sd" not in self._made:
            squares = np.einsum("ij,ij->i", self.d, self.d)
            rest = np.maximum(squares - self.items * np.square(self.mean), 0.0)
            rest[rest <= 1e-14 * squares] = 0.0
            self._made["sd"] = np.sqrt(rest / (self.items - 1))
        return self._made["sd"]

    def _by_cluster(self, values: Array) -> Array:
        if self.sizes is None:
            msg = "this scenario has no clusters"
            raise ValueError(msg)
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        return np.asarray(np.add.reduceat(values, starts, axis=1))

    @property
    def cluster_sums(self) -> Array:
        """Sum of the differences of each cluster, made once, (R, G)."""
        if "sums" not in self._made:
            self._made["sums"] = self._by_cluster(self.d)
        return self._made["sums"]

    @property
    def cluster_squares(self) -> Array:
        """Sum of the squared differences of each cluster, made once, (R, G)."""
        if "squares" not in self._made:
            self._made["squares"] = self._by_cluster(np.square(self.d))
        return self._made["squares"]


SimulatedSample: TypeAlias = Counts | Scores
"""What a scenario of two models gives and a procedure takes."""
