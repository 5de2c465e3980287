"""Step-down max-T over pairs, from the p-values and standard errors of their gaps alone.

The variances of all differences determine the covariance of the means as far as differences
depend on it (double centring), under any design; shrunk by what may be noise in it, that is what
draws are made from. What is compared with the draws is the normal score of each p-value and not
gap / error: p-values know of few items, draws do not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._engine.pairs import PairStats
from nstar._engine.work import Crew
from nstar._verbs.audit.draws import Live, chance, maxima
from nstar.stats._contrasts import rank_to_reject, standard_errors
from nstar.stats._step_down import StepFamily

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


def shrunk(pairs: PairStats, models: int, items: int) -> Array:
    """The covariance to draw from, by as many items as the errors of the pairs i < j rest on."""
    df = np.asarray(pairs.df, dtype=np.float64)
    rests_on = 1 + np.median(df[df > 0]) if (df > 0).any() else items  # few in a small task
    return stats.shrink_covariance(covariance(pairs.se, models), float(min(items, rests_on)))


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
    crew: Crew | None = None,
) -> StepDown:
    """Romano & Wolf's step-down test of some or all pairs, and the critical value it ends with."""
    scores, means = normal_scores(p), np.zeros(len(cov))
    every = np.stack(np.triu_indices(len(cov), 1), axis=1) if pairs is None else pairs
    family = StepFamily.of(means, cov, every, scores=scores, alpha=alpha, draws=draws)
    _, reached = family.reached(chance(cov, family.ladder, draws=draws, seed=seed, crew=crew))
    adjusted = np.asarray((reached + 1) / (draws + 1))
    last = int(np.argmin(scores))  # tested alone, which needs no draws
    adjusted[last] = max(p[last], np.delete(adjusted, last).max(initial=0.0))
    asked = critical_scores(
        adjusted, cov, (alpha,), draws=draws, seed=seed, pairs=every, crew=crew
    )
    return StepDown(p=adjusted, critical=asked[alpha], draws=draws)


def _live(cov: Array, pairs: IntArray) -> Live:
    se = standard_errors(cov, pairs)
    return pairs[se > 0], 1 / se[se > 0]


def critical_scores(
    adjusted: Array,
    cov: Array,
    alphas: Sequence[float],
    *,
    draws: int,
    seed: int,
    pairs: IntArray,
    crew: Crew | None = None,
) -> dict[float, float]:
    """Normal score that a pair must still reach at each level, given those rejected there.

    The lower the level, the more pairs are still open, so that one set of draws serves all.
    """
    falling = sorted(alphas, reverse=True)
    bounds = (np.inf, *falling)
    steps = [pairs[(adjusted > a) & (adjusted <= b)] for b, a in pairwise(bounds)]
    found = {a: float(stats.z_alpha(a)) for a in falling}
    if np.count_nonzero(adjusted > falling[-1]) > 1:
        live = [_live(cov, some) for some in steps]
        largest_of = maxima(cov, live, draws=draws, seed=seed, crew=crew)
        for a, largest in zip(falling, largest_of, strict=True):
            if np.count_nonzero(adjusted > a) > 1 and largest.any():
                rank = rank_to_reject(a, draws)
                found[a] = float(np.partition(largest, -rank)[-rank])
    return found
