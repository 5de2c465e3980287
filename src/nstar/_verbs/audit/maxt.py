"""Step-down max-T test over pairs, from the p-values and standard errors of their gaps.

Under any design, the variances of all differences determine the part of the covariance of means on
which differences depend (by double centering). Draws use this covariance, shrunk to allow for its
noise. They are compared with the normal score of each p-value and not with gap / error, because
p-values account for small samples and draws do not.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from operator import add
from typing import TypeAlias

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._engine.pairs import PairStats
from nstar._engine.work import Progress, ThreadWorkers, WorkerPool
from nstar.stats._contrasts import (
    DrawBatch,
    NormalNull,
    NullDraws,
    largest,
    rank_to_reject,
    standard_errors,
)
from nstar.stats._marginal_ranks import MarginalRankFamily
from nstar.stats._midp import REACH
from nstar.stats._step_down import NullExceedances, PairLadder, StepFamily
from nstar.stats.flips import TIE, FlipNull, seed_of
from nstar.stats.mcnemar import P_FLOOR

_Live: TypeAlias = tuple[IntArray, Array]
"""Pairs whose gap has variance, with the inverse of their standard errors."""

_BATCH = 1024
"""Number of draws in a batch."""

_SECONDS_PER_PAIR_DRAW = 6e-9
"""Approximate seconds per pair and draw, for the size of jobs."""

_MIN_GRAINS_TO_DISTRIBUTE = 10.0
"""Number of jobs of preferred length below which this process does the work."""


def _pool_for(workers: WorkerPool | None, seconds: float) -> WorkerPool:
    """Choose where to run: here if the work is short, otherwise in the pool."""
    return (
        ThreadWorkers(1)
        if workers is None or seconds < _MIN_GRAINS_TO_DISTRIBUTE * workers.grain
        else workers
    )


def _jobs(
    null: NullDraws, workers: WorkerPool, pairs: int, draws: int, seed: int
) -> Iterator[list[DrawBatch]]:
    """Yield batches in order, grouped into jobs of the length that the pool prefers."""
    n_batches = max(
        1, math.ceil(workers.grain / (_SECONDS_PER_PAIR_DRAW * max(1, pairs) * _BATCH))
    )
    batches = null.starts(draws, seed)
    while portion := list(islice(batches, n_batches)):
        yield portion


def _memory(models: int, pairs: int) -> int:
    """Return the bytes of a job: the root, the pairs, and three batches of draws."""
    return 8 * models**2 + 64 * pairs + 24 * models * _BATCH


def _chance(half: Array, ladder: PairLadder, portion: Sequence[DrawBatch]) -> NullExceedances:
    exceedances = [NullExceedances.of(start.draw(half), ladder) for start in portion]
    return sum(exceedances[1:], start=exceedances[0])


def _draw_progress(
    progress: Progress | None, pairs: int, draws: int
) -> Callable[[int], None] | None:
    """Return a callback that reports draws as a share of all pairs, or None without a callback."""
    if progress is None:
        return None
    return lambda k: progress(pairs * min((k + 1) * _BATCH, draws) // draws, pairs)


def chance(
    null: NullDraws,
    ladder: PairLadder,
    *,
    draws: int,
    seed: int,
    workers: WorkerPool | None = None,
    progress: Progress | None = None,
) -> NullExceedances:
    """Return the exceedances by null draws, for each step of a sequence of pairs."""
    models, pairs = len(null.cov), len(ladder.pairs)
    if not pairs:
        return NullExceedances.none(ladder)
    workers = _pool_for(workers, _SECONDS_PER_PAIR_DRAW * pairs * draws)
    half, steps = workers.share(null.root), workers.share(ladder)
    jobs = ((half, steps, portion) for portion in _jobs(null, workers, pairs, draws, seed))
    on_done = _draw_progress(progress, pairs, draws) if workers.grain == 0 else None
    return workers.reduced(_chance, jobs, add, memory=_memory(models, pairs), on_done=on_done)


def _batch_maxima(half: Array, live: Sequence[_Live], portion: Sequence[DrawBatch]) -> Array:
    maxima = []
    for start in portion:
        z = start.draw(half)
        tops = [largest(z, pairs, scale) for pairs, scale in live]
        maxima.append(np.maximum.accumulate(tops, axis=0))
    return np.concatenate(maxima, axis=1)


def _maxima(
    null: NullDraws,
    live: Sequence[_Live],
    *,
    draws: int,
    seed: int,
    workers: WorkerPool | None = None,
) -> Array:
    """Return the largest |t| of each draw among the pairs of the first k steps, for each k."""
    models, pairs = len(null.cov), sum(len(p) for p, _ in live)
    workers = _pool_for(workers, _SECONDS_PER_PAIR_DRAW * pairs * draws)
    half, steps = workers.share(null.root), workers.share(tuple(live))
    jobs = ((half, steps, portion) for portion in _jobs(null, workers, pairs, draws, seed))
    maxima = workers.ordered(_batch_maxima, jobs, memory=_memory(models, pairs))
    return np.concatenate(list(maxima), axis=1)


def _hits(half: Array, family: MarginalRankFamily, portion: Sequence[DrawBatch]) -> IntArray:
    hits = [family.hits(start.draw(half)) for start in portion]
    return np.sum(hits, axis=0)


def ranks_alone(
    family: MarginalRankFamily, *, draws: int, seed: int, workers: WorkerPool | None = None
) -> tuple[IntArray, IntArray]:
    """Return :func:`nstar.stats.marginal_rank_sets`, computed by workers."""
    null, models, pairs = NormalNull(family.cov), len(family.cov), family.t.size
    workers = _pool_for(workers, _SECONDS_PER_PAIR_DRAW * pairs * draws)
    half, shared = workers.share(null.root), workers.share(family)
    jobs = ((half, shared, portion) for portion in _jobs(null, workers, pairs, draws, seed))
    return family.ranks(workers.reduced(_hits, jobs, add, memory=_memory(models, pairs)))


MOST_MODELS = 1000
"""Largest number of models for max-T, which takes about half a minute on two processors. Holm is
used above it.
"""

_PAIR_DRAWS_BUDGET = 100_000_000
"""Product of pairs and draws that takes about half a second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaxTResult:
    """Results of max-T for pairs, by default in the order of :func:`numpy.triu_indices`."""

    p: Array
    """Step-down adjusted p-values."""
    critical: float
    """Normal score that a further pair must reach, given the rejections. Pairs at or above it are
    exactly those with an adjusted p-value of at most alpha.
    """
    draws: int
    maxima: Array
    """Largest |z| of each draw among the pairs that draws can reach, ascending."""
    unreached: int
    """Number of pairs that no draw can reach and that ``maxima`` therefore omits."""

    def single_step(self, alpha: float) -> float:
        """Return the normal score of simultaneous intervals for all pairs; infinite if none exist.

        Bonferroni's inequality covers the pairs that are not simulated.
        """
        largest = self.maxima[::-1][: rank_to_reject(alpha, self.draws)]
        chance = np.arange(1, largest.size + 1) / (self.draws + 1)
        chance += self.unreached * 2 * special.ndtr(-largest)
        steps = np.flatnonzero(chance <= alpha * (1 + 1e-12))
        return float(largest[steps[-1]]) if steps.size else math.inf


@dataclass(frozen=True, slots=True)
class MaxTUnavailable:
    """Record that max-T is not available for a family."""

    reason: str
    """Reason why max-T is not available."""

    def __str__(self) -> str:
        return self.reason


def default_draws(pairs: int) -> int:
    """Return the number of draws that takes about half a second, from 10,000 to 50,000."""
    return int(min(50_000, max(10_000, _PAIR_DRAWS_BUDGET // max(pairs, 1))))


def covariance(se: Array, models: int) -> Array:
    """Return a covariance of means whose differences have these standard errors (pairs i < j)."""
    # Variances of differences determine the covariance of means up to terms that cancel in
    # every difference. Double centering picks the one with row sums 0.
    v = np.zeros((models, models))
    v[np.triu_indices(models, 1)] = np.square(se)
    v += v.T
    centered = v - v.mean(axis=0) - v.mean(axis=1)[:, None] + v.mean()
    return np.asarray(-0.5 * centered)


def shrunk_covariance(pairs: PairStats, models: int, items: int) -> Array:
    """Return the covariance for the draws, shrunk according to the number of items."""
    df = np.asarray(pairs.df, dtype=np.float64)
    rests_on = 1 + np.median(df[df > 0]) if (df > 0).any() else items  # a small task has few items
    return stats.shrink_covariance(covariance(pairs.se, models), float(min(items, rests_on)))


def flip_step_down(
    p: Array,
    null: FlipNull,
    *,
    alpha: float,
    draws: int | None,
    seed: int,
    workers: WorkerPool | None = None,
    progress: Progress | None = None,
) -> tuple[MaxTResult, Array]:
    """Apply joint sign flips of tasks, step-down, to the t tests of all pairs.

    Also return the p-values, with those of rejected pairs at most at the final critical value.
    Only equal differences on all tasks, whose t is infinite, need this.
    """
    draws = null.draws(draws)
    pairs = np.stack(np.triu_indices(len(null.cov), 1), axis=1)
    family = null.family(pairs, alpha=alpha, draws=draws)
    batches = seed_of(seed)
    exceedances = chance(
        null, family.ladder, draws=draws, seed=batches, workers=workers, progress=progress
    )
    reached = family.reached(exceedances)[1]
    beaten = reached + 1 <= family.limit
    maxima = exceedances.maxima
    if beaten.any() and not beaten.all():
        remaining = [_live(null.cov, pairs[~beaten])]
        maxima = _maxima(null, remaining, draws=draws, seed=batches, workers=workers)[0]
    last = float(null.sizes(pairs).min()) if beaten.all() else 0.0
    if not beaten.all():
        # a tie with the critical value is not a rejection
        last = float(np.partition(maxima, -family.limit)[-family.limit]) + TIE
    threshold = float(_flip_pvalues(null, np.array([last]))[0])
    step = MaxTResult(
        p=np.asarray((reached + 1) / (draws + 1)),
        critical=float(normal_scores(np.array([threshold]))[0]),
        draws=draws,
        maxima=normal_scores(_flip_pvalues(null, np.sort(exceedances.maxima))),
        unreached=0,
    )
    return step, np.where(beaten, np.minimum(p, threshold * (1 - 1e-9)), p)


def _flip_pvalues(null: FlipNull, sizes: Array) -> Array:
    """Return the p-values of t for sizes of flipped sums."""
    p = 2 * special.stdtr(null.tasks - 1, -null.t_of(sizes))
    return np.asarray(np.clip(p, P_FLOOR, 1.0))


def normal_scores(p: Array) -> Array:
    """Return |z| of two-sided p-values."""
    return np.asarray(-special.ndtri(p / 2))


def step_down(
    p: Array,
    cov: Array,
    *,
    alpha: float,
    draws: int,
    seed: int,
    pairs: IntArray | None = None,
    workers: WorkerPool | None = None,
    progress: Progress | None = None,
) -> MaxTResult:
    """Apply the step-down test of Romano and Wolf to some or all pairs.

    The result includes the final critical value.

    Pairs that differ by nine standard errors are not simulated, because no draw reaches that.
    """
    scores, means = normal_scores(p), np.zeros(len(cov))
    all_pairs = np.stack(np.triu_indices(len(cov), 1), axis=1) if pairs is None else pairs
    # No realistic number of draws reaches nine standard errors. Leaving such pairs out of the
    # ladder changes no adjusted p-value and saves most of the work if there are clear winners.
    in_reach = scores <= REACH
    family = StepFamily.of(
        means, cov, all_pairs[in_reach], scores=scores[in_reach], alpha=alpha, draws=draws
    )
    exceedances = chance(
        NormalNull(cov),
        family.ladder,
        draws=draws,
        seed=seed,
        workers=workers,
        progress=progress,
    )
    reached = np.zeros(len(all_pairs), dtype=np.int64)
    reached[in_reach] = family.reached(exceedances)[1]
    adjusted = np.asarray((reached + 1) / (draws + 1))
    last = int(np.argmin(scores))  # tested separately, which needs no draws
    adjusted[last] = max(p[last], np.delete(adjusted, last).max(initial=0.0))
    critical = critical_scores(
        adjusted, cov, (alpha,), draws=draws, seed=seed, pairs=all_pairs, workers=workers
    )
    return MaxTResult(
        p=adjusted,
        critical=critical[alpha],
        draws=draws,
        maxima=np.sort(exceedances.maxima),
        unreached=int(np.count_nonzero(~in_reach)),
    )


def _live(cov: Array, pairs: IntArray) -> _Live:
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
    workers: WorkerPool | None = None,
) -> dict[float, float]:
    """Return the normal score that a further pair must reach at each level, given the rejections.

    A lower level rejects fewer pairs, so one set of draws serves all levels.
    """
    falling = sorted(alphas, reverse=True)
    bounds = (np.inf, *falling)
    steps = [pairs[(adjusted > a) & (adjusted <= b)] for b, a in pairwise(bounds)]
    scores = {a: float(stats.z_alpha(a)) for a in falling}
    if np.count_nonzero(adjusted > falling[-1]) > 1:
        live = [_live(cov, step) for step in steps]
        largest_of = _maxima(NormalNull(cov), live, draws=draws, seed=seed, workers=workers)
        for a, largest in zip(falling, largest_of, strict=True):
            if np.count_nonzero(adjusted > a) > 1 and largest.any():
                rank = rank_to_reject(a, draws)
                scores[a] = float(np.partition(largest, -rank)[-rank])
    return scores
