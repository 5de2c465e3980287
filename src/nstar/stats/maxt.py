"""Step-down max-T: all pairs of models simultaneously, with their actual correlations.

Means of models on shared items are correlated, so their differences are too; Bonferroni and Holm
ignore that. Romano & Wolf 2005 compare each |t| with the largest |t| under the null among the
comparisons not yet rejected, simulated from the covariance of the means. That M × M matrix comes
from the Gram matrix and the sums (:func:`gram_covariance`) or, for clusters, from per-cluster sums
(:func:`cluster_covariance`). If it is estimated from few items, simulated maxima are too small;
:func:`shrink_covariance` corrects this.

B draws over P pairs cost O(B P) time, in blocks of fixed memory, for all steps together.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, IntArray, RNGLike
from nstar.stats._contrasts import (
    batches,
    blocks,
    checked_cov,
    checked_means,
    rank_to_reject,
    square,
    standard_errors,
)
from nstar.stats._step_down import NullExceedances, StepFamily

__all__ = [
    "MaxT",
    "cluster_covariance",
    "gram_covariance",
    "max_t",
    "max_t_critical",
    "shrink_covariance",
]

_DRAWS = 1024
"""Draws per batch. The batch size changes no result."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaxT:
    """Simultaneous comparison of pairs of means."""

    pairs: IntArray
    """Indices (first, second) of each pair, (P, 2)."""
    t: Array
    """(mean of first - mean of second) / standard error, (P,)."""
    p_single: Array
    """Single-step adjusted p-values, (P,): the largest |t| of all pairs exceeds this one."""
    p_step: Array
    """Step-down adjusted p-values, (P,), never above ``p_single``."""
    reject: BoolArray
    """Whether ``p_step`` is at most ``alpha``, (P,)."""
    critical: float
    """Single-step critical value of |t|: ``p_single`` ≤ ``alpha`` exactly above it."""
    alpha: float
    """Family-wise level."""
    draws: int
    """Simulated draws B; no p-value is below 1 / (B + 1)."""


def gram_covariance(gram: FloatLike, sums: FloatLike, n: int) -> Array:
    """Return the covariance matrix (divisor N) of item scores of M models, (G - s sᵀ / N) / N.

    Divide by ``n`` for the covariance of the M means. Cov(D_ij, D_kl) of two differences is
    S_ik - S_il - S_jk + S_jl.

    Parameters
    ----------
    gram : array_like
        XᵀX of the N × M score matrix, (M, M). Whole numbers are treated without rounding;
        graded scores should be centered first.
    sums : array_like
        Column sums of X, (M,).
    n : int
        Number of items N, at least 1.

    Returns
    -------
    Array
        (M, M), in squared score units.

    References
    ----------
    Methods: Families of comparisons

    Examples
    --------
    >>> gram_covariance([[3, 2], [2, 2]], [3, 2], 4).tolist()
    [[0.1875, 0.125], [0.125, 0.25]]
    """
    g, s = square("gram", gram), np.asarray(sums)
    checks.require(
        s.shape == (len(g),), "number of sums", f"{len(g)}, the number of models", s.size
    )
    checks.finite("sums", s)
    checks.require(n >= 1, "n", "at least 1 item", n)
    is_integer = g.dtype.kind in "iu" and s.dtype.kind in "iu" and g.size > 0
    if is_integer and int(n) * int(np.abs(g).max()) < 2**62:
        g, s = g.astype(np.int64), s.astype(np.int64)
        return np.asarray((n * g - np.outer(s, s)) / (float(n) * float(n)))
    s = s.astype(np.float64)
    return np.asarray((g - np.outer(s, s / n)) / n)


def pair_counts_from_gram(gram: FloatLike, sums: FloatLike) -> tuple[IntArray, IntArray]:
    """Return the discordant counts n10 (row correct, column wrong) and n01 of all pairs.

    n10[i, j] = s_i - g_ij and n01 = n10ᵀ. The diagonal of ``gram`` must equal ``sums``, as it does
    for 0/1 scores.
    """
    g, s = square("gram", gram), np.asarray(sums)
    checks.counts(gram=g, sums=s)
    checks.require(
        s.shape == (len(g),), "number of sums", f"{len(g)}, the number of models", s.size
    )
    checks.require(np.diagonal(g) == s, "sums", "the diagonal of gram (0/1 scores)", s)
    n10 = s.astype(np.int64)[:, None] - g.astype(np.int64)
    checks.require(n10 >= 0, "gram", "at most the sums", g)
    return n10, n10.T


def cluster_covariance(sums: FloatLike, sizes: FloatLike) -> Array:
    """Return the cluster-robust (CR2) covariance matrix of the M means over items.

    Σ_g r_g r_gᵀ / (1 - f_g) / N² with r_g = S_g - m_g mean and f_g = m_g / N. The variance of
    a difference taken from it equals :func:`nstar.stats.cluster.cluster_variance` of that pair.

    Parameters
    ----------
    sums : array_like
        Per-cluster sums of the scores, (M, G); residual sums r do as well, for centering them
        again changes nothing.
    sizes : array_like
        Items per cluster, (G,), each at least 1; at least two clusters.

    Returns
    -------
    Array
        (M, M), in squared score units.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28.
    Pustejovsky and Tipton (2018), J. Bus. Econ. Stat. 36.
    Methods: Strata and clusters

    Examples
    --------
    >>> c = cluster_covariance([[3, 1, 4], [2, 2, 2]], [5, 5, 10])
    >>> round(float(c[0, 0] + c[1, 1] - 2 * c[0, 1]), 6)
    0.013333
    """
    s, m = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    checks.require(s.ndim == 2, "number of axes of sums", "2 (models, clusters)", s.ndim)
    count = s.shape[1]
    checks.require(
        m.shape == (count,), "number of sizes", f"{count}, the number of clusters", m.size
    )
    checks.finite("sums", s)
    checks.counts(sizes=m)
    checks.require(m >= 1, "sizes", "at least 1 item", m)
    checks.require(m.size >= 2, "number of clusters", "at least 2", m.size)
    n = m.sum()
    residual = s - np.outer(s.sum(axis=1) / n, m)
    residual *= np.sqrt(n / (n - m)) / n
    return np.asarray(residual @ residual.T)


def shrink_covariance(cov: FloatLike, units: float) -> Array:
    """Shrink a covariance matrix of M means toward equal variances and correlations.

    Estimated from N items it has rank N - 1 at most and eigenvalues more unequal than the true
    ones. Maxima of draws from it are too small, more so the closer M is to N: with 100 equal
    models on 100 items, max-T would then find a difference on 6% of leaderboards. The matrix is
    mixed with the one that gives all differences one variance and one correlation (Tukey's), in
    the proportion that Chen, Wiesel, Eldar and Hero derive from the matrix itself (oracle
    approximating shrinkage). The proportion is close to 1 where models are similar, small where
    they differ more than chance explains, and smaller with every item.

    Parameters
    ----------
    cov : array_like
        Covariance matrix of the means, or of the item scores, (M, M), M ≥ 2.
    units : float
        Independent items N that it was estimated from, at least 2.

    Returns
    -------
    Array
        The mixture, (M, M), in the units of ``cov`` and centered: rows and columns add up to 0,
        which differences do not see.

    References
    ----------
    Chen, Wiesel, Eldar and Hero (2010), IEEE Transactions on Signal Processing 58. Methods:
    Families of comparisons

    Examples
    --------
    >>> cov = [[0.21, 0.12, 0.10], [0.12, 0.19, 0.11], [0.10, 0.11, 0.24]]
    >>> few, many = shrink_covariance(cov, 20), shrink_covariance(cov, 20_000)
    >>> [round(float(c[0, 0] + c[1, 1] - 2 * c[0, 1]), 3) for c in (few, many)]
    [0.207, 0.16]
    """
    c = checked_cov(cov)
    checks.require(len(c) >= 2, "number of models", "at least 2", len(c))
    checks.require(units >= 2, "units", "at least 2 items", units)
    c = c - c.mean(axis=0) - c.mean(axis=1)[:, None] + c.mean()
    rank = len(c) - 1
    total, squares = float(np.trace(c)), float(np.sum(c * c))
    signal = (units - 2 / rank) * (squares - total**2 / rank)  # N - 1 degrees of freedom
    noise = (1 - 2 / rank) * squares + total**2
    share = 1.0 if noise >= signal else noise / signal
    alike = (np.eye(len(c)) - 1 / len(c)) * (total / rank)
    return np.asarray((1 - share) * c + share * alike)


def checked_pairs(pairs: FloatLike | None, models: int) -> IntArray:
    if pairs is None:
        return np.stack(np.triu_indices(models, 1), axis=1).astype(np.int64)
    p = np.asarray(pairs)
    checks.require(p.ndim == 2, "number of axes of pairs", "2", p.ndim)
    checks.require(p.shape[1] == 2, "columns of pairs", "2", p.shape[1])
    checks.counts(pairs=p)
    checks.require(p < models, "pairs", f"indices below {models}", p)
    checks.require(p[:, 0] != p[:, 1], "pairs", "of two different models", p[:, 0])
    return p.astype(np.int64)


def max_t(
    means: FloatLike,
    cov_of_means: FloatLike,
    *,
    pairs: FloatLike | None = None,
    scores: FloatLike | None = None,
    alpha: float = 0.05,
    draws: int = 100_000,
    df: float | None = None,
    rng: RNGLike = None,
) -> MaxT:
    """Compare pairs of means, two-sided, with family-wise error of at most ``alpha``.

    Z ~ N(0, cov) is drawn ``draws`` times (eigendecomposition, negative eigenvalues clipped to 0);
    p = (r + 1) / (B + 1), where r counts draws whose largest |Z_i - Z_j| / se over the relevant
    pairs reaches the observed |t|. The single step takes all pairs, and the step-down procedure
    those that are not yet rejected.

    Parameters
    ----------
    means : array_like
        Means over items, in score units, (M,), M ≥ 2.
    cov_of_means : array_like
        Their covariance matrix, (M, M): ``gram_covariance(...) / n``, or
        :func:`cluster_covariance`; with fewer than some ten items a model
        :func:`shrink_covariance` of it.
    pairs : array_like, optional
        (P, 2) indices of the pairs in the family; all M (M - 1) / 2 by default.
    scores : array_like, optional
        (P,) statistics on a normal scale to be tested instead of difference / standard error:
        normal scores of p-values that know of small samples, which the draws do not. Only the
        correlations then come from ``cov_of_means``.
    alpha : float, default 0.05
        Level of the test, in (0, 1), two-sided and family-wise.
    draws : int, default 100000
        Number of draws B, at least 1 / alpha - 1; at 100,000 a p-value of .05 has Monte-Carlo
        error .0007.
    df : float, optional
        Degrees of freedom for draws of a multivariate t, > 0; normal by default.
    rng : int or numpy.random.Generator, optional
        Seed or generator, as taken by :func:`numpy.random.default_rng`.

    Returns
    -------
    MaxT
        Statistics, p-values and rejections pair by pair, and the critical value.

    Notes
    -----
    Pairs whose difference has no variance are left out of the family: p = 1 and t = 0 if the means
    are equal; else t = ±inf and p = 1 / (B + 1), a bound.

    References
    ----------
    Romano and Wolf (2005), J. Am. Stat. Assoc. 100. Methods: Families of comparisons

    Examples
    --------
    >>> cov = [[4e-4, 2e-4, 2e-4], [2e-4, 4e-4, 2e-4], [2e-4, 2e-4, 4e-4]]
    >>> r = max_t([0.80, 0.77, 0.70], cov, rng=1)
    >>> r.t.round(2).tolist(), r.reject.tolist()
    ([1.5, 5.0, 3.5], [False, True, True])
    >>> round(r.critical, 1)
    2.3
    """
    mean, cov = checked_means(means, cov_of_means)
    score_array = None if scores is None else np.asarray(scores, dtype=np.float64)
    chosen = checked_pairs(pairs, len(mean))
    family = StepFamily.of(mean, cov, chosen, scores=score_array, alpha=alpha, draws=draws)
    chance = NullExceedances.none(family.ladder)
    for z in batches(cov, draws if family.order.size else 0, df, rng, batch=_DRAWS):
        chance += NullExceedances.of(z, family.ladder)
    r_single, r_step = family.reached(chance)
    return MaxT(
        pairs=family.pairs,
        t=family.t,
        p_single=(r_single + 1) / (draws + 1),
        p_step=(r_step + 1) / (draws + 1),
        reject=r_step + 1 <= family.limit,
        critical=family.critical(chance),
        alpha=alpha,
        draws=draws,
    )


def max_t_critical(
    cov_of_means: FloatLike,
    *,
    pairs: FloatLike | None = None,
    alpha: float = 0.05,
    draws: int = 100_000,
    df: float | None = None,
    rng: RNGLike = None,
) -> float:
    """Return the critical value of |t| for all pairs simultaneously, the single step of max-T.

    Parameters
    ----------
    cov_of_means : array_like
        Covariance matrix of the means, (M, M). Its scale does not matter, so the covariance of the
        item scores serves as well.
    pairs : array_like, optional
        Pairs of models that are compared. Default: all.
    alpha : float, default 0.05
        Family-wise error rate.
    draws : int
        Number of draws from the null distribution.
    df : float, optional
        Degrees of freedom of the draws. The default draws from the normal distribution.
    rng : int or numpy.random.Generator, optional
        Seed or source of the random numbers.

    Returns
    -------
    float
        Standard errors; ``inf`` when no pair has a difference that varies.

    References
    ----------
    Romano and Wolf (2005), J. Am. Stat. Assoc. 100. Methods: Families of comparisons

    Examples
    --------
    Models of equal variance and correlation give Tukey's value, 2.344 for three:

    >>> round(max_t_critical([[2, 1, 1], [1, 2, 1], [1, 1, 2]], rng=1), 1)
    2.3
    """
    cov = checked_cov(cov_of_means)
    family = checked_pairs(pairs, len(cov))
    limit = rank_to_reject(alpha, draws)
    se = standard_errors(cov, family)
    family, se = family[se > 0], se[se > 0]
    if not se.size:
        return np.inf
    maxima = []
    for z in batches(cov, draws, df, rng, batch=_DRAWS):
        top = np.zeros(z.shape[1])
        for _, gap in blocks(z, family, 1 / se):
            np.maximum(top, gap.max(axis=0), out=top)
        maxima.append(top)
    return float(np.partition(np.concatenate(maxima), -limit)[-limit])
