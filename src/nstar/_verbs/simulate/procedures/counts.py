"""Tests of two 0/1 scores: McNemar's, by the smallest rejecting count at each discordant total."""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from nstar import stats
from nstar._base.types import BoolArray, IntArray
from nstar._verbs.simulate.procedures.base import TESTS, Test, as_counts
from nstar._verbs.simulate.sample import Counts, SimulatedSample
from nstar.stats import McNemarMethod

_PSI_EXACT = 0.8
"""Share of discordant items above which nstar's default turns exact."""


@lru_cache(maxsize=256)
def limits(items: int, method: McNemarMethod, alpha: float) -> IntArray:
    """Smallest max(n10, n01) that rejects, by discordant items 0 … ``items``."""
    return stats.rejection_limits(np.arange(items + 1), method=method, alpha=alpha)


def reaches(counts: Counts, limit: IntArray) -> BoolArray:
    """Whether the larger discordant count reaches the limit of its total."""
    return np.asarray(np.maximum(counts.n10, counts.n01) >= limit[counts.n10 + counts.n01])


def _added(name: str, about: str, limits_at: Callable[..., IntArray]) -> Test:
    """A test by the limits at some items and level, registered."""

    def test(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
        counts = as_counts(sample, name)
        return reaches(counts, limits_at(counts.items, alpha=alpha))

    test.__name__, test.__doc__ = name, about
    return TESTS.add(test)


_METHODS: dict[McNemarMethod, str] = {
    "midp": "McNemar's test with mid-p (0/1 scores).",
    "exact": "McNemar's exact test (0/1 scores).",
    "asymptotic": "McNemar's test by the normal law (0/1 scores).",
    "corrected": "McNemar's test by the normal law with continuity correction (0/1 scores).",
}
for _method, _about in _METHODS.items():
    _added(_method, _about, partial(limits, method=_method))


@lru_cache(maxsize=64)
def _default_limits(items: int, alpha: float) -> IntArray:
    dense = np.arange(items + 1) > _PSI_EXACT * items
    return np.where(dense, limits(items, "exact", alpha), limits(items, "midp", alpha))


mcnemar = _added(
    "mcnemar",
    "nstar's default for 0/1 scores: mid-p, exact where over 80 % of items are discordant.",
    _default_limits,
)


@lru_cache(maxsize=64)
def _wald_limits(items: int, alpha: float) -> IntArray:
    """Smallest max(n10, n01) with gap² >= z² (n - gap² / N): the interval that excludes 0."""
    n = np.arange(items + 1)
    z2 = float(stats.z_alpha(alpha)) ** 2
    gap = np.sqrt(z2 * n / (1 + z2 / items))
    least = np.ceil((n + gap) / 2 - 1e-9).astype(np.int64)
    return np.where(n == 0, 1, np.maximum(least, n // 2 + 1))


_added(
    "wald", "Gap over its own standard error against the normal law (0/1 scores).", _wald_limits
)
