"""Tests for 0/1 scores, by the smallest rejecting count at each number of discordant items."""

from functools import lru_cache

import numpy as np

from nstar import stats
from nstar._base.types import BoolArray, IntArray
from nstar._verbs.simulate.procedures.base import TESTS, as_counts
from nstar._verbs.simulate.sample import Counts, SimulatedSample
from nstar.stats import McNemarMethod

_PSI_EXACT = 0.8
"""Share of discordant items above which nstar's default test is exact."""


@lru_cache(maxsize=256)
def limits(items: int, method: McNemarMethod, alpha: float) -> IntArray:
    """Return the smallest max(n10, n01) that rejects, for 0 … ``items`` discordant items."""
    return stats.rejection_limits(np.arange(items + 1), method=method, alpha=alpha)


def reaches(counts: Counts, limit: IntArray) -> BoolArray:
    """Return whether the larger discordant count reaches its limit."""
    return np.asarray(np.maximum(counts.n10, counts.n01) >= limit[counts.n10 + counts.n01])


@TESTS.add
def midp(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """McNemar's mid-p test (0/1 scores)."""
    counts = as_counts(sample, "midp")
    return reaches(counts, limits(counts.items, "midp", alpha))


@TESTS.add
def exact(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Exact McNemar test (0/1 scores)."""
    counts = as_counts(sample, "exact")
    return reaches(counts, limits(counts.items, "exact", alpha))


@TESTS.add
def asymptotic(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """McNemar's asymptotic test (0/1 scores)."""
    counts = as_counts(sample, "asymptotic")
    return reaches(counts, limits(counts.items, "asymptotic", alpha))


@TESTS.add
def corrected(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """McNemar's asymptotic test with a continuity correction (0/1 scores)."""
    counts = as_counts(sample, "corrected")
    return reaches(counts, limits(counts.items, "corrected", alpha))


@lru_cache(maxsize=64)
def _default_limits(items: int, alpha: float) -> IntArray:
    dense = np.arange(items + 1) > _PSI_EXACT * items
    return np.where(dense, limits(items, "exact", alpha), limits(items, "midp", alpha))


@TESTS.add
def mcnemar(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """McNemar's mid-p test, or the exact test if over 80% of items are discordant."""
    counts = as_counts(sample, "mcnemar")
    return reaches(counts, _default_limits(counts.items, alpha))


@lru_cache(maxsize=64)
def _wald_limits(items: int, alpha: float) -> IntArray:
    """Return the smallest max(n10, n01) whose Wald interval excludes 0."""
    n = np.arange(items + 1)
    z2 = float(stats.z_alpha(alpha)) ** 2
    gap = np.sqrt(z2 * n / (1 + z2 / items))
    threshold = np.ceil((n + gap) / 2 - 1e-9).astype(np.int64)
    return np.where(n == 0, 1, np.maximum(threshold, n // 2 + 1))


@TESTS.add
def wald(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Wald test: the gap divided by its estimated standard error (0/1 scores)."""
    counts = as_counts(sample, "wald")
    return reaches(counts, _wald_limits(counts.items, alpha))
