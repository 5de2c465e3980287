"""Simulated leaderboards: several models, 0/1 scores, the same items."""

from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Board:
    """Replications of M models with 0/1 scores on the same independent items.

    Pairs are those of :func:`numpy.triu_indices`, first minus second.
    """

    items: int
    """Items of each replication."""
    right: IntArray
    """Items that each model got right, (R, M)."""
    both: IntArray
    """Items that both of two models got right, (R, M, M); the diagonal is ``right``."""
    rates: Array
    """True accuracies, (M,)."""

    def __len__(self) -> int:
        """Replications."""
        return len(self.right)

    @property
    def models(self) -> int:
        """How many."""
        return self.right.shape[1]

    @property
    def truth(self) -> float:
        """True gap between the best and the worst model."""
        return float(np.ptp(self.rates))

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """First and second model of each pair, (P,)."""
        first, second = np.triu_indices(self.models, 1)
        return first, second

    @property
    def leads(self) -> IntArray:
        """Items by which the first model of each pair is ahead, (R, P)."""
        first, second = self.pairs
        return np.asarray(self.right[:, first] - self.right[:, second])

    @property
    def p(self) -> Array:
        """p-value of each pair by itself, nstar's default, (R, P)."""
        first, second = self.pairs
        shared = self.both[:, first, second]
        won, lost = self.right[:, first] - shared, self.right[:, second] - shared
        return stats.mcnemar_default_pvalue(won, lost, self.items)

    def covariance(self, replication: int) -> Array:
        """Covariance of the means of one replication, (M, M)."""
        gram, sums = self.both[replication], self.right[replication]
        return stats.gram_covariance(gram, sums, self.items) / self.items

    def false(self, reject: BoolArray) -> BoolArray:
        """Which rejected pairs are said to differ in a way they do not, (R, P).

        Who is ahead is said to be better. That is false of equal models, and of a model that is
        worse.
        """
        first, second = self.pairs
        gap = self.rates[first] - self.rates[second]
        return np.asarray(reject & (np.sign(self.leads) != np.sign(gap)))

    @property
    def true_ranks(self) -> tuple[IntArray, IntArray]:
        """Best and worst true rank of each model; equal ones share their places, (M,)."""
        ahead = self.rates > self.rates[:, None]
        return 1 + np.count_nonzero(ahead, axis=1), self.models - np.count_nonzero(ahead, axis=0)
