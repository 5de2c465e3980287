"""Ranks that the data support: rank ranges, and lines between tiers.

"Not significantly different" is not transitive, so models do not form groups of equals. The
statements that hold with simultaneous confidence are "i beats j". They bound each rank (Mogstad,
Romano, Shaikh & Wilhelm 2024), and some separate all models above from all below.
"""

import numpy as np

from nstar._base import checks
from nstar._base.types import BoolArray, FloatLike, IntArray, RNGLike
from nstar.stats import _contrasts
from nstar.stats._marginal_ranks import MarginalRankFamily
from nstar.stats.maxt import MaxT

__all__ = ["beats", "marginal_rank_sets", "rank_sets", "tier_lines"]


def beats(means: FloatLike, result: MaxT) -> BoolArray:
    """Return the matrix of significant differences, true if row i is above column j.

    Rejections are step-down, so all statements hold simultaneously with probability 1 - alpha.

    Parameters
    ----------
    means : array_like
        Means, (M,), that were passed to :func:`nstar.stats.maxt.max_t`.
    result : MaxT
        Result of :func:`nstar.stats.maxt.max_t`.

    Returns
    -------
    BoolArray
        (M, M), true where the row beats the column; false for pairs outside the family.

    References
    ----------
    Romano and Wolf (2005), J. Am. Stat. Assoc. 100. Methods: Families of comparisons

    Examples
    --------
    >>> from nstar.stats import max_t
    >>> means = [0.80, 0.77, 0.70]
    >>> cov = [[4e-4, 2e-4, 2e-4], [2e-4, 4e-4, 2e-4], [2e-4, 2e-4, 4e-4]]
    >>> beats(means, max_t(means, cov, rng=1)).astype(int).tolist()
    [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    """
    mean = np.asarray(means, dtype=np.float64)
    checks.require(mean.ndim == 1, "number of axes of means", "1", mean.ndim)
    checks.require(result.pairs < mean.size, "pairs", f"indices below {mean.size}", result.pairs)
    first, second = result.pairs[result.reject].T
    better = np.zeros((mean.size, mean.size), dtype=np.bool_)
    up = mean[first] > mean[second]
    better[np.where(up, first, second), np.where(up, second, first)] = True
    return better


def _checked_better(better: FloatLike) -> BoolArray:
    b = _contrasts.square("better", better)
    checks.require((b == 0) | (b == 1), "better", "an array of true/false values", b)
    flags = b.astype(np.bool_)
    checks.require(~(flags & flags.T), "better", "true in only one direction for each pair", b)
    return flags


def rank_sets(better: FloatLike) -> tuple[IntArray, IntArray]:
    """Return the best and worst rank of each model that the significant differences allow.

    From simultaneous statements the ranges cover all ranks simultaneously. Tied models have all
    the ranks that they share.

    Parameters
    ----------
    better : array_like
        Boolean (M, M), true where the row beats the column; see :func:`beats`.

    Returns
    -------
    tuple[IntArray, IntArray]
        Best and worst rank, (M,) each: 1 + (number of models that beat it) and M - (number that it
        beats); 1 is best. 1 to M where nothing is known.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Rev. Econ. Stud. 91. Methods: Families of
    comparisons

    Examples
    --------
    >>> low, high = rank_sets([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    >>> low.tolist(), high.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    flags = _checked_better(better)
    low = 1 + np.count_nonzero(flags, axis=0)
    return low.astype(np.int64), (len(flags) - np.count_nonzero(flags, axis=1)).astype(np.int64)


def marginal_rank_sets(
    means: FloatLike,
    cov_of_means: FloatLike,
    *,
    models: FloatLike | None = None,
    scores: FloatLike | None = None,
    alpha: float = 0.05,
    draws: int = 100_000,
    df: float | None = None,
    rng: RNGLike = None,
) -> tuple[IntArray, IntArray]:
    """Return the best and worst rank of one model at a time.

    For model j the family is only the M - 1 pairs with j in them (single step, both directions),
    so the range is shorter than that of :func:`rank_sets` of all pairs. Each range holds with
    probability 1 - alpha on its own, not all of them together.

    Parameters
    ----------
    means, cov_of_means : array_like
        As in :func:`nstar.stats.maxt.max_t`.
    models : array_like, optional
        Indices of the selected models. The default is all models. The cost is O(draws · M) for
        each.
    scores : array_like, optional
        Sizes of statistics on a normal scale, (models wanted, M), to be tested instead of
        |difference| / standard error, as in :func:`nstar.stats.maxt.max_t`.
    alpha : float, default 0.05
        Level of the test, in (0, 1): 1 - coverage of each interval.
    draws : int
        Number of draws from the null distribution.
    df : float, optional
        Degrees of freedom, as in :func:`nstar.stats.maxt.max_t`.
    rng : int or numpy.random.Generator, optional
        Seed or source of the random numbers.

    Returns
    -------
    tuple[IntArray, IntArray]
        Best and worst rank of each selected model. Rank 1 is the best.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Rev. Econ. Stud. 91. Methods: Families of
    comparisons

    Examples
    --------
    >>> cov = [[4e-4, 2e-4, 2e-4], [2e-4, 4e-4, 2e-4], [2e-4, 2e-4, 4e-4]]
    >>> low, high = marginal_rank_sets([0.80, 0.77, 0.70], cov, models=[2], rng=1)
    >>> low.tolist(), high.tolist()
    ([3], [3])
    """
    family = MarginalRankFamily.of(means, cov_of_means, models, scores, alpha, draws)
    hits = np.zeros(family.t.shape, dtype=np.int64)
    for z in _contrasts.batches(family.cov, draws, df, rng):
        hits += family.hits(z)
    return family.ranks(hits)


def tier_lines(better: FloatLike, order: FloatLike) -> list[int]:
    """Return the ranks r after which each of the first r models beats each of the others.

    From simultaneous statements, the probability that any line is false is at most alpha.

    Parameters
    ----------
    better : array_like
        Boolean (M, M), true where the row beats the column; see :func:`beats`.
    order : array_like
        The models from best to worst, a permutation of 0 … M - 1.

    Returns
    -------
    list[int]
        Ranks in 1 … M - 1, ascending; empty if there is no line.

    References
    ----------
    Methods: Families of comparisons

    Examples
    --------
    >>> tier_lines([[0, 0, 1], [0, 0, 1], [0, 0, 0]], [0, 1, 2])
    [2]
    """
    flags, place = _checked_better(better), np.asarray(order)
    is_permutation = np.array_equal(np.sort(place, axis=None), np.arange(len(flags)))
    checks.require(is_permutation, "order", f"a permutation of 0 … {len(flags) - 1}", place.size)
    place = place.astype(np.int64)
    columns = np.arange(len(flags))
    # last place that each model fails to beat, itself included
    unbeaten = np.where(flags[np.ix_(place, place)], -1, columns).max(axis=1, initial=-1)
    reach = np.maximum.accumulate(np.maximum(unbeaten, columns))
    return [r for r in range(1, len(flags)) if reach[r - 1] < r]
