"""Every table that two 0/1 models can give, with its probability: rates without Monte Carlo."""

import numpy as np
from scipy import special

from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.simulate.procedures import INTERVALS, TESTS
from nstar._verbs.simulate.sample import Counts

_REACH = 9.0
"""Standard deviations that a count is followed to; beyond lies less than 1e-17."""
_MIN_TABLE_PROBABILITY = 1e-16
"""Probability of a table that is left out."""


class WeightedTables:
    """Tables with their probabilities, which add up to 1."""

    def __init__(self, counts: Counts, weight: Array) -> None:
        keep_mask = weight > _MIN_TABLE_PROBABILITY
        self.counts = Counts(
            items=counts.items,
            n10=counts.n10[keep_mask],
            n01=counts.n01[keep_mask],
            truth=counts.truth,
        )
        self.weight = weight[keep_mask] / weight[keep_mask].sum()

    def of(self, event: BoolArray) -> float:
        """Probability of the tables in which something is true."""
        return float(self.weight @ event)


def _span(items: int, share: float, spread: float) -> IntArray:
    """Counts worth looking at, around a mean."""
    half = _REACH * np.sqrt(items * spread) + _REACH
    low, high = max(0, int(items * share - half)), min(items, int(items * share + half) + 1)
    return np.arange(low, high + 1)


def _box(items: int, p10: float, p01: float) -> tuple[IntArray, IntArray]:
    first, second = (_span(items, p, p * (1 - p)) for p in (p10, p01))
    n10, n01 = (x.reshape(-1) for x in np.meshgrid(first, second, indexing="ij"))
    keep_mask = n10 + n01 <= items
    return n10[keep_mask], n01[keep_mask]


def tables(items: int, psi: float, delta: float) -> WeightedTables:
    """Tables of independent items with discordance ``psi`` and gap ``delta``."""
    p10, p01 = (psi + delta) / 2, max((psi - delta) / 2, 0.0)
    n10, n01 = _box(items, p10, p01)
    n00 = items - n10 - n01
    log_weight = (
        special.gammaln(items + 1.0)
        - sum(special.gammaln(n + 1.0) for n in (n10, n01, n00))
        + special.xlogy(n10, p10)
        + special.xlogy(n01, p01)
        + special.xlogy(n00, max(1 - p10 - p01, 0.0))
    )
    return WeightedTables(Counts(items=items, n10=n10, n01=n01, truth=delta), np.exp(log_weight))


def _log_choose(n: int, k: IntArray) -> Array:
    with np.errstate(invalid="ignore"):
        out = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    return np.where((k >= 0) & (k <= n), out, -np.inf)


def drawn_tables(items: int, n10: int, n01: int, n: int) -> WeightedTables:
    """Tables of ``items`` drawn without replacement from ``n`` with these discordant ones."""
    first, second = _box(items, n10 / n, n01 / n)
    rest = items - first - second
    log_weight = (
        _log_choose(n10, first)
        + _log_choose(n01, second)
        + _log_choose(n - n10 - n01, rest)
        - _log_choose(n, np.asarray(items))
    )
    counts = Counts(items=items, n10=first, n01=second, truth=(n10 - n01) / n)
    return WeightedTables(counts, np.exp(log_weight))


def rejection_of(test: str, weighed: WeightedTables, alpha: float) -> float:
    """Probability that a test of counts rejects."""
    return weighed.of(TESTS[test](weighed.counts, alpha, np.random.default_rng(0)))


def coverage_of(interval: str, weighed: WeightedTables, conf: float) -> float:
    """Probability that an interval of counts holds the true gap."""
    low, high = INTERVALS[interval](weighed.counts, conf, np.random.default_rng(0))
    truth = weighed.counts.truth
    slack = 1e-12
    return weighed.of(np.asarray((low <= truth + slack) & (truth - slack <= high)))
