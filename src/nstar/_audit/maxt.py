"""Step-down max-T over pairs, from the p-values and standard errors of their gaps alone.

The variances of all differences determine the covariance of the means as far as differences
depend on it (double centring), under any design; so that is what draws are made from. What is
compared with the draws is the normal score of each p-value and not gap / error: p-values know
of few items, draws do not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import special

from nstar import stats
from nstar._typing import Array, IntArray
from nstar.stats._contrasts import batches, blocks, rank_to_reject, standard_errors

__all__ = [
    "FEWEST_ITEMS",
    "MOST_MODELS",
    "StepDown",
    "covariance",
    "critical_scores",
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
    found = stats.max_t(means, cov, pairs=pairs, scores=scores, alpha=alpha, draws=draws, rng=seed)
    adjusted = found.p_step.copy()
    last = int(np.argmin(scores))  # tested alone, which needs no draws
    adjusted[last] = max(p[last], np.delete(adjusted, last).max(initial=0.0))
    asked = critical_scores(adjusted, cov, (alpha,), draws=draws, seed=seed, pairs=found.pairs)
    return StepDown(p=adjusted, critical=asked[alpha], draws=draws)


def _maxima(cov: Array, steps: Sequence[IntArray], *, draws: int, seed: int) -> Array:
    """Largest |t| of each draw among the pairs of the first step, of the first two and so on."""
    errors = [standard_errors(cov, pairs) for pairs in steps]
    live = [(p[se > 0], 1 / se[se > 0]) for p, se in zip(steps, errors, strict=True)]
    found = []
    for z in batches(cov, draws, None, seed):
        top, tops = np.zeros(z.shape[1]), []
        for pairs, scale in live:
            for _, gap in blocks(z, pairs, scale):
                np.maximum(top, gap.max(axis=0), out=top)
            tops.append(top.copy())
        found.append(tops)
    return np.concatenate(found, axis=1)


def critical_scores(
    adjusted: Array,
    cov: Array,
    alphas: Sequence[float],
    *,
    draws: int,
    seed: int,
    pairs: IntArray,
) -> dict[float, float]:
    """Normal score that a pair must still reach at each level, given those rejected there.

    The lower the level, the more pairs are still open, so that one set of draws serves all.
    """
    falling = sorted(alphas, reverse=True)
    bounds = (np.inf, *falling)
    steps = [pairs[(adjusted > a) & (adjusted <= b)] for b, a in pairwise(bounds)]
    found = {a: float(stats.z_alpha(a)) for a in falling}
    if np.count_nonzero(adjusted > falling[-1]) > 1:
        maxima = _maxima(cov, steps, draws=draws, seed=seed)
        for a, largest in zip(falling, maxima, strict=True):
            if np.count_nonzero(adjusted > a) > 1 and largest.any():
                rank = rank_to_reject(a, draws)
                found[a] = float(np.partition(largest, -rank)[-rank])
    return found
