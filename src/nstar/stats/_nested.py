"""Change of means when items are added or removed.

Most items belong to both sets, so the two means are correlated, and the sum of their variances is
far too large.
"""

import math
from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array, BoolArray

_MIN_DRAWS = 999
_DRAWS_PER_BLOCK = 128
_TIE = 1 + 1e-9
"""Ratio of two equal statistics, up to rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedChanges:
    """Changes of the means of several models, from the old to the new items."""

    change: Array
    """Change of each mean, (M,)."""
    se: Array
    """Standard error of each change."""
    critical: float
    """Absolute t from which on a change is significant in the family of all models."""
    pvalue: Array
    """Adjusted p-value of each change."""


def nested_change(values: Array, old: BoolArray, new: BoolArray) -> tuple[Array, Array]:
    """Return the change of a mean from the old to the new items, and its standard error.

    Items are assumed to be exchangeable: the added and removed ones are like all others. The
    standard error is s √(1/N₀ + 1/N₁ − 2K/(N₀N₁)) for N₀ old, N₁ new, and K common items, with the
    standard deviation s of all items. If items are only added, it is s √(1/N₀ − 1/N₁).

    >>> values = np.array([0.0, 1.0, 1.0, 0.0])
    >>> change, se = nested_change(values, np.arange(4) < 2, np.ones(4, bool))
    >>> float(change), round(float(se), 4)
    (0.0, 0.2887)
    """
    weights = _weights(old, new)
    spread = np.std(values, axis=-1, ddof=1)
    return np.asarray(values @ weights), np.asarray(spread * np.sqrt(weights @ weights))


def _weights(old: BoolArray, new: BoolArray) -> Array:
    return np.asarray(new / new.sum() - old / old.sum())


def nested_changes(
    values: Array, old: BoolArray, new: BoolArray, *, alpha: float, seed: int
) -> NestedChanges:
    """Test all changes of (M, N) values by max-T over random exchanges of the items.

    If items are exchangeable, so are their roles: old, new, or both. A standard error is the same
    for every exchange. The test therefore holds its level for any number of items, also if few
    items determine the change and failures are rare, where Student's t does not.
    """
    change, se = nested_change(values, old, new)
    scores = np.divide(values, se[:, None], out=np.zeros_like(values), where=se[:, None] > 0)
    draws = max(_MIN_DRAWS, math.ceil(10 / alpha) - 1)
    rng, weights = np.random.default_rng(seed), _weights(old, new)
    largest = np.empty(draws)
    for start in range(0, draws, _DRAWS_PER_BLOCK):
        size = min(_DRAWS_PER_BLOCK, draws - start)
        exchanged = rng.permuted(np.tile(weights, (size, 1)), axis=1)
        largest[start : start + size] = np.abs(scores @ exchanged.T).max(axis=0)
    largest.sort()
    t = np.abs(scores @ weights)
    at_least = draws - np.searchsorted(largest, t / _TIE, side="left")
    rank = math.floor(alpha * (draws + 1))
    return NestedChanges(
        change=change,
        se=se,
        critical=float(largest[draws - rank]) * _TIE,
        pvalue=np.asarray((1 + at_least) / (draws + 1)),
    )
