"""How models differ over items, and what other models' scores explain of it."""

from itertools import pairwise

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._verbs.shrink.pool import Pool
from nstar._verbs.shrink.result import Spreads
from nstar.errors import DataError
from nstar.stats import cluster_sums, explained_by_others, iid_variance, strata_variance
from nstar.stats._subset import difficulty_strata


def measured(pool: Pool, strata: int) -> Spreads:
    """From all pairs, from neighbours, and from each model in turn as if it were new.

    Raises
    ------
    DataError
        No two models differ.
    """
    x = pool.scores
    covariance = np.cov(x)
    own = np.diag(covariance)
    pairs = np.maximum(own[:, None] + own - 2 * covariance, 0.0)
    sd = float(np.sqrt(np.median(pairs[np.triu_indices(len(x), 1)])))
    if sd <= 1e-9 * max(float(np.abs(x).max()), 1e-300):
        msg = "most pairs of models have the same score on every item: nothing tells them apart"
        raise DataError(msg)
    order = np.random.default_rng(0).permutation(x.shape[1])
    explained = explained_by_others(x[:, order])
    residual = (1 - np.clip(explained, 0, 1)) * own
    ranked = np.argsort(x.mean(axis=1), kind="stable").astype(np.int64)
    known = max(_against_known(pairs, residual, ranked), 1.0)
    return Spreads(
        models=len(x),
        sd=sd,
        known_factor=known,
        r2=1 - 1 / known,
        score_r2=float(np.median(explained)),
        score_sd=float(np.sqrt(np.median(own))),
        score_factor=_usual([_saved(pool, x[k], x[k], 1, strata) for k in ranked]),
        gap_factor=_gap_factor(pool, ranked, strata),
    )


def _against_known(pairs: Array, residual: Array, ranked: IntArray) -> float:
    """Variance of a neighbour's gap over what is left of the new model's, their median."""
    a, b = ranked[:-1], ranked[1:]
    gaps = np.concatenate([pairs[a, b], pairs[a, b]])
    left = np.concatenate([residual[a], residual[b]])
    varies = (gaps > 0) & (left > 0)
    return float(np.median(gaps[varies] / left[varies])) if varies.any() else 1.0


def _gap_factor(pool: Pool, ranked: IntArray, strata: int) -> float | None:
    if pool.models < 3:
        return None
    x = pool.scores
    found = [_saved(pool, x[a] - x[b], x[a] + x[b], 2, strata) for a, b in pairwise(ranked)]
    return _usual(found)


def _saved(pool: Pool, values: Array, own: Array, new: int, strata: int) -> float | None:
    """Variance without strata over that within strata of what the other models find hard."""
    others = (pool.total - own) / (pool.models - new)
    sums = cluster_sums(values, difficulty_strata(others, strata))
    within = float(strata_variance(sums.sums, sums.squares, sums.sizes))
    whole = float(iid_variance(sums.sums, sums.squares, sums.sizes))
    return whole / within if within > 0 else None


def _usual(factors: list[float | None]) -> float:
    known = [f for f in factors if f is not None]
    return float(np.median(known)) if known else 1.0
