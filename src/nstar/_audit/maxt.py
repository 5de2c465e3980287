"""Step-down max-T over pairs, from the p-values and standard errors of their gaps alone.

The variances of all differences determine the covariance of the means as far as differences
depend on it (double centring), under any design; so that is what draws are made from. What is
compared with the draws is the normal score of each p-value and not gap / error: p-values know
of few items, draws do not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._typing import Array, IntArray

__all__ = [
    "FEWEST_ITEMS",
    "MOST_MODELS",
    "StepDown",
    "covariance",
    "critical_score",
    "default_draws",
    "normal_scores",
    "step_down",
]

MOST_MODELS = 300
"""Above this, Holm: draws cost models² each."""

FEWEST_ITEMS = 100
"""Below this, Holm: too few items to know how gaps are correlated."""

_WORK = 100_000_000
"""Pairs times draws that take about half a second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepDown:
    """Pairs in the order given, by default that of :func:`numpy.triu_indices`."""

    p: Array
    """Step-down adjusted p-values."""
    critical: float
    """Normal score that a pair must still reach, given those rejected; pairs at or above it are
    exactly those with an adjusted p-value of at most alpha."""
    draws: int


def default_draws(pairs: int) -> int:
    """As many as take about half a second, from 10,000 to 50,000."""
    return int(min(50_000, max(10_000, _WORK // max(pairs, 1))))


def covariance(se: Array, models: int) -> Array:
    """Covariance of means whose differences have these standard errors (pairs i < j)."""
    v = np.zeros((models, models))
    v[np.triu_indices(models, 1)] = np.square(se)
    v += v.T
    centred = v - v.mean(axis=0) - v.mean(axis=1)[:, None] + v.mean()
    return np.asarray(-0.5 * centred)


def normal_scores(p: Array) -> Array:
    """|z| of two-sided p-values."""
    return np.asarray(-special.ndtri(p / 2))


def step_down(
    p: Array,
    cov: Array,
    *,
    alpha: float,
    draws: int,
    seed: int,
    pairs: IntArray | None = None,
) -> StepDown:
    """Romano & Wolf's step-down test of some or all pairs, and the critical value it ends with."""
    means = np.zeros(len(cov))
    scores = normal_scores(p)
    same: dict[str, Any] = {"alpha": alpha, "draws": draws}
    found = stats.max_t(means, cov, pairs=pairs, scores=scores, rng=seed, **same)
    adjusted = found.p_step.copy()
    last = int(np.argmin(scores))  # tested alone, which needs no draws
    adjusted[last] = max(p[last], np.delete(adjusted, last).max(initial=0.0))
    critical = critical_score(adjusted, cov, seed=seed, pairs=found.pairs, **same)
    return StepDown(p=adjusted, critical=critical, draws=draws)


def critical_score(
    adjusted: Array, cov: Array, *, alpha: float, draws: int, seed: int, pairs: IntArray
) -> float:
    """Normal score that a pair must still reach, given those rejected at this level."""
    rest = pairs[adjusted > alpha]
    if len(rest) > 1:
        critical = stats.max_t_critical(cov, pairs=rest, alpha=alpha, draws=draws, rng=seed)
        if np.isfinite(critical):
            return critical
    return float(stats.z_alpha(alpha))
