"""Hypothesis strategies shared by the law tests: valid inputs, degenerate ones included."""

from typing import NamedTuple

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from nstar._base.types import Array, IntArray

__all__ = [
    "Cells",
    "accuracies",
    "cluster_sums",
    "deltas",
    "feasible_rates",
    "levels",
    "paired_cells",
    "psi_delta",
]


class Cells(NamedTuple):
    """Counts of a paired 0/1 table, first model first."""

    n11: int
    n10: int
    n01: int
    n00: int

    @property
    def n(self) -> int:
        return sum(self)

    @property
    def margins(self) -> tuple[int, int]:
        """Items right for the first model and for the second."""
        return self.n11 + self.n10, self.n11 + self.n01


_EMPTIED = (
    (),
    (1,),  # the first model never wins alone
    (2,),
    (1, 2),  # nothing discordant
    (0, 3),  # everything discordant
    (2, 3),  # the first model is right on every item
    (1, 3),  # the second is
    (0, 1),  # the first model is wrong on every item
    (1, 2, 3),  # both are right on every item
    (0, 2, 3),  # all items discordant one way
)


def accuracies() -> st.SearchStrategy[float]:
    """Accuracies at which every quantity, rho included, is well defined."""
    return st.floats(0.02, 0.98)


def deltas(*, smallest: float = 1e-3, largest: float = 0.5) -> st.SearchStrategy[float]:
    """Gaps of either sign, never 0."""
    size = st.floats(smallest, largest)
    return st.one_of(size, size.map(lambda d: -d))


@st.composite
def paired_cells(draw: st.DrawFn, *, min_items: int = 1) -> Cells:
    """Paired tables: N < 10, empty cells, constant models, up to 80 000 items."""
    top = draw(st.sampled_from((2, 9, 200, 20_000)))
    emptied = draw(st.sampled_from(_EMPTIED))
    cells = Cells(*(0 if i in emptied else draw(st.integers(0, top)) for i in range(4)))
    assume(cells.n >= min_items)
    return cells


@st.composite
def feasible_rates(draw: st.DrawFn) -> tuple[float, float, float]:
    """(p_a, p_b, rho) inside the Fréchet bounds, edges included."""
    p_a, p_b = draw(accuracies()), draw(accuracies())
    low, high = max(0.0, p_a + p_b - 1), min(p_a, p_b)
    p11 = low + draw(st.floats(0, 1)) * (high - low)
    scale = np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
    return p_a, p_b, float((p11 - p_a * p_b) / scale)


@st.composite
def psi_delta(draw: st.DrawFn, *, smallest: float = 1e-3) -> tuple[float, float]:
    """(psi, delta) with smallest ≤ |delta| ≤ psi ≤ 1."""
    psi = draw(st.floats(smallest, 1))
    return psi, draw(deltas(smallest=smallest, largest=psi))


def levels() -> st.SearchStrategy[tuple[float, float]]:
    """(alpha, power) that somebody might ask for."""
    return st.tuples(st.floats(1e-4, 0.2), st.floats(0.5, 0.995))


@st.composite
def cluster_sums(
    draw: st.DrawFn, *, min_clusters: int = 2, max_clusters: int = 30, max_size: int = 50
) -> tuple[IntArray, Array]:
    """(sizes, sums): items per cluster and the sum of D over each, D in {-1, 0, 1}."""
    sizes = draw(st.lists(st.integers(1, max_size), min_size=min_clusters, max_size=max_clusters))
    sums = [draw(st.integers(-m, m)) for m in sizes]
    return np.array(sizes, dtype=np.int64), np.array(sums, dtype=np.float64)
