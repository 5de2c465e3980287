"""Simulated evaluations: replications of one cell, as counts, per-item differences or boards."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray


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

    @property
    def sums(self) -> IntArray:
        """Sum of the differences of each replication, (R,)."""
        return self.n10 - self.n01

    @property
    def squares(self) -> IntArray:
        """Sum of the squared differences of each replication, (R,)."""
        return self.n10 + self.n01


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots: cached_property needs a __dict__
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

    def __len__(self) -> int:
        """Replications."""
        return len(self.d)

    @property
    def items(self) -> int:
        """Items of each replication."""
        return self.d.shape[1]

    @cached_property
    def sums(self) -> Array:
        """Sum of the differences of each replication, made once, (R,)."""
        return np.asarray(np.einsum("ij->i", self.d))

    @cached_property
    def squares(self) -> Array:
        """Sum of the squared differences of each replication, made once, (R,)."""
        return np.asarray(np.vecdot(self.d, self.d))

    @property
    def mean(self) -> Array:
        """Mean difference of each replication, (R,)."""
        return self.sums / self.items

    @cached_property
    def sd(self) -> Array:
        """Standard deviation (ddof 1) of each replication, made once, (R,)."""
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
        """Sum of the differences of each cluster, made once, (R, G)."""
        return self._by_cluster(self.d)

    @cached_property
    def cluster_squares(self) -> Array:
        """Sum of the squared differences of each cluster, made once, (R, G)."""
        return self._by_cluster(np.square(self.d))


SimulatedSample: TypeAlias = Counts | Scores
"""What a scenario of two models gives and a procedure takes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTests:
    """Gaps of a board whose items are in clusters, or some of whose cells are missing."""

    leads: Array
    """Items by which the first model of each pair is ahead, of those both have, (R, P)."""
    p: Array
    """p-value of each pair by itself, as an audit has it, (R, P)."""
    scored: IntArray
    """Items that each model has a score for, (R, M)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Board:
    """Replications of M models with 0/1 scores on the same items.

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
    tests: PairTests | None = None
    """Gaps of pairs where items are in clusters or cells are missing; None if items are
    independent and complete, so that counts say it all."""

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
    def scores(self) -> Array:
        """Accuracy of each model on the items it has, (R, M)."""
        return self.right / (self.items if self.tests is None else self.tests.scored)

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """First and second model of each pair, (P,)."""
        first, second = np.triu_indices(self.models, 1)
        return first, second

    @property
    def leads(self) -> Array:
        """Items by which the first model of each pair is ahead, of those both have, (R, P)."""
        if self.tests is not None:
            return self.tests.leads
        first, second = self.pairs
        return np.asarray(self.right[:, first] - self.right[:, second])

    @property
    def p(self) -> Array:
        """p-value of each pair by itself, nstar's default, (R, P)."""
        if self.tests is not None:
            return self.tests.p
        first, second = self.pairs
        shared = self.both[:, first, second]
        won, lost = self.right[:, first] - shared, self.right[:, second] - shared
        return stats.mcnemar_default_pvalue(won, lost, self.items)

    def covariance(self, replication: int) -> Array:
        """Covariance of the means of one replication, (M, M)."""
        gram, sums = self.both[replication], self.right[replication]
        return stats.gram_covariance(gram, sums, self.items) / self.items

    def wins(self, reject: BoolArray) -> BoolArray:
        """Whether the row is significantly ahead of the column, by rejected pairs, (R, M, M)."""
        first, second = self.pairs
        ahead, beats = self.leads > 0, np.zeros((len(self), self.models, self.models), np.bool_)
        beats[:, first, second] = reject & ahead
        beats[:, second, first] = reject & ~ahead
        return beats

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
