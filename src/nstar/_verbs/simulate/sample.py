"""Simulated evaluations: replications as counts, per-item differences, or leaderboards."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """Replications of the paired table of two 0/1 scores, for independent items.

    A replication has only four numbers, so that a million of them fit in memory.
    """

    items: int
    """Number of items of each replication."""
    n10: IntArray
    """Number of items that only the first model answered correctly, (R,)."""
    n01: IntArray
    """Number of items that only the second model answered correctly, (R,)."""
    truth: float
    """True gap, first minus second."""
    sigma: float | None = None
    """True standard deviation of a difference; None if unknown."""

    def __len__(self) -> int:
        """Return the number of replications."""
        return len(self.n10)

    @property
    def sums(self) -> IntArray:
        """Return the sum of the differences of each replication, (R,)."""
        return self.n10 - self.n01

    @property
    def squares(self) -> IntArray:
        """Return the sum of the squared differences of each replication, (R,)."""
        return self.n10 + self.n01


@dataclass(frozen=True, kw_only=True, eq=False)  # cached_property needs a __dict__
class Scores:
    """Replications of per-item differences, with items in the order of arrival."""

    d: Array
    """First minus second, (R, N). Procedures must not change it."""
    truth: float
    """True mean difference."""
    sizes: IntArray | None = None
    """Number of items of each cluster, which are contiguous; None without clusters."""
    limits: tuple[float, float] = (0.0, 1.0)
    """Worst and best possible score."""
    sigma: float | None = None
    """True standard deviation of a difference of independent items; None if unknown."""

    def __len__(self) -> int:
        """Return the number of replications."""
        return len(self.d)

    @property
    def items(self) -> int:
        """Return the number of items of each replication."""
        return self.d.shape[1]

    @cached_property
    def sums(self) -> Array:
        """Return the sum of the differences of each replication, (R,)."""
        return np.asarray(np.einsum("ij->i", self.d))

    @cached_property
    def squares(self) -> Array:
        """Return the sum of the squared differences of each replication, (R,)."""
        return np.asarray(np.vecdot(self.d, self.d))

    @property
    def mean(self) -> Array:
        """Return the mean difference of each replication, (R,)."""
        return self.sums / self.items

    @cached_property
    def sd(self) -> Array:
        """Return the standard deviation (ddof 1) of each replication, (R,)."""
        rest = self.squares - self.items * np.square(self.mean)
        rest[rest <= 1e-14 * self.squares] = 0.0
        return np.sqrt(rest / (self.items - 1))

    def _by_cluster(self, values: Array) -> Array:
        if self.sizes is None:
            msg = "This scenario has no clusters."
            raise ValueError(msg)
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        return np.asarray(np.add.reduceat(values, starts, axis=1))

    @cached_property
    def cluster_sums(self) -> Array:
        """Return the sum of the differences of each cluster, (R, G)."""
        return self._by_cluster(self.d)

    @cached_property
    def cluster_squares(self) -> Array:
        """Return the sum of the squared differences of each cluster, (R, G)."""
        return self._by_cluster(np.square(self.d))


SimulatedSample: TypeAlias = Counts | Scores
"""Sample of a scenario with two models, which a procedure takes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTests:
    """Tests of a leaderboard's pairs if items are in clusters or scores are missing."""

    leads: Array
    """Lead of the first model of each pair in shared items, (R, P)."""
    p: Array
    """Unadjusted p-value of each pair, as in an audit, (R, P)."""
    scored: IntArray
    """Number of items with a score of each model, (R, M)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Board:
    """Replications of M models with 0/1 scores on the same items.

    Pairs are those of :func:`numpy.triu_indices`, first minus second.
    """

    items: int
    """Number of items of each replication."""
    right: IntArray
    """Number of items that each model answered correctly, (R, M)."""
    both: IntArray
    """Number of items that both models of a pair answered correctly, (R, M, M); the diagonal is
    ``right``.
    """
    rates: Array
    """True accuracies, (M,)."""
    tests: PairTests | None = None
    """Tests of pairs if items are in clusters or scores are missing; None if items are independent
    and complete, so that counts are sufficient.
    """

    def __len__(self) -> int:
        """Return the number of replications."""
        return len(self.right)

    @property
    def models(self) -> int:
        """Return the number of models."""
        return self.right.shape[1]

    @property
    def truth(self) -> float:
        """Return the true gap between the best and the worst model."""
        return float(np.ptp(self.rates))

    @property
    def scores(self) -> Array:
        """Return the accuracy of each model on its items, (R, M)."""
        return self.right / (self.items if self.tests is None else self.tests.scored)

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """Return the first and second model of each pair, (P,)."""
        first, second = np.triu_indices(self.models, 1)
        return first, second

    @property
    def leads(self) -> Array:
        """Return the lead of the first model of each pair in shared items, (R, P)."""
        if self.tests is not None:
            return self.tests.leads
        first, second = self.pairs
        return np.asarray(self.right[:, first] - self.right[:, second])

    @property
    def p(self) -> Array:
        """Return the unadjusted p-value of each pair by nstar's default test, (R, P)."""
        if self.tests is not None:
            return self.tests.p
        first, second = self.pairs
        shared = self.both[:, first, second]
        won, lost = self.right[:, first] - shared, self.right[:, second] - shared
        return stats.mcnemar_default_pvalue(won, lost, self.items)

    def covariance(self, replication: int) -> Array:
        """Return the covariance of the means of one replication, (M, M)."""
        gram, sums = self.both[replication], self.right[replication]
        return stats.gram_covariance(gram, sums, self.items) / self.items

    def wins(self, reject: BoolArray) -> BoolArray:
        """Return whether the row's model is significantly better than the column's, (R, M, M)."""
        first, second = self.pairs
        ahead, beats = self.leads > 0, np.zeros((len(self), self.models, self.models), np.bool_)
        beats[:, first, second] = reject & ahead
        beats[:, second, first] = reject & ~ahead
        return beats

    def false(self, reject: BoolArray) -> BoolArray:
        """Return which rejected pairs are false statements, (R, P).

        A rejection states that the leading model is better. This is false if the models are equal
        or the leading model is worse.
        """
        first, second = self.pairs
        gap = self.rates[first] - self.rates[second]
        return np.asarray(reject & (np.sign(self.leads) != np.sign(gap)))

    @property
    def true_ranks(self) -> tuple[IntArray, IntArray]:
        """Return the best and worst true rank of each model. Equal models share ranks, (M,)."""
        ahead = self.rates > self.rates[:, None]
        return 1 + np.count_nonzero(ahead, axis=1), self.models - np.count_nonzero(ahead, axis=0)
