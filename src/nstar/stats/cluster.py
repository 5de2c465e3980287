"""Clusters: groups of items, such as passages or repositories, that are a random sample.

The estimand is always the mean over items. A group g of a pair of models is summarized by its size
m_g, its sum S_g of per-item differences and, if needed, its sum of squares Q_g. Groups are on the
last axis and pairs on the leading axes, so that one call can process one pair or millions.
``sizes`` has the shape (G,) if all pairs share their items. Otherwise, it broadcasts against
``sums``. A pair has no items in a group of size 0.

Data cannot show whether groups are a random sample. If they define the benchmark, such as subjects
or languages, they are strata, :func:`nstar.stats.strata.strata_variance`. For clusters
:func:`cluster_variance` is robust, with t quantiles on the Bell–McCaffrey degrees of freedom.
"""

import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray, Interval, RNGLike
from nstar.errors import DegenerateDataWarning
from nstar.stats._blocks import map_blocks
from nstar.stats._groups import by_rows, check_groups, rows_per_block, squares_about_mean
from nstar.stats.critical import t_quantile
from nstar.stats.mcnemar import P_FLOOR

__all__ = [
    "AnovaIcc",
    "ClusterKind",
    "ClusterSums",
    "anova_icc",
    "bell_mccaffrey_df",
    "cluster_interval",
    "cluster_pvalue",
    "cluster_sign_flip_pvalue",
    "cluster_sums",
    "cluster_variance",
]

ClusterKind: TypeAlias = Literal["CR0", "CR1", "CR2", "CR3"]
_KINDS = ("CR0", "CR1", "CR2", "CR3")

_EPS = float(np.finfo(np.float64).eps)
_FLIP_CELLS = 1 << 20
_EXACT_CLUSTERS = 20
"""Largest number of clusters for which sign flips are enumerated (2¹⁹ of them, by symmetry)."""

_FLIP_SLACK = 1e-12
"""Share of Σ|S_g| by which a flipped sum may differ from the observed one and still be a tie."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusterSums:
    """Sizes and sums of groups of items, from which all functions here are computed."""

    sizes: IntArray
    """Items per group, (G,)."""
    sums: Array
    """Sum of the values per group, (..., G)."""
    squares: Array
    """Sum of squared values per group, (..., G)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnovaIcc:
    """One-way analysis of variance of items in groups."""

    msb: Array
    """Mean square between groups."""
    msw: Array
    """Mean square within groups."""
    m0: Array
    """Effective group size (N - Σm²/N) / (G - 1), at most the mean size."""
    icc: Array
    """Intraclass correlation (msb - msw) / (msb + (m0 - 1) msw), which may be negative."""


def cluster_sums(
    values: FloatLike, codes: FloatLike, *, clusters: int | None = None
) -> ClusterSums:
    """Return sizes, sums, and sums of squares of groups of items.

    Parameters
    ----------
    values : array_like
        Values of items, usually differences, (..., N), with items on the last axis.
    codes : array_like
        Group of each item, whole numbers from 0, (N,). A number that does not occur is a group of
        size 0.
    clusters : int, optional
        Number of groups. The default is one more than the largest code.

    Returns
    -------
    ClusterSums
        Sizes (G,), sums and sums of squares (..., G).

    References
    ----------
    Methods: Strata and clusters.

    Examples
    --------
    >>> s = cluster_sums([1, 0, -1, 1, 1], [0, 0, 1, 1, 1])
    >>> s.sizes.tolist(), s.sums.tolist(), s.squares.tolist()
    ([2, 3], [1.0, 1.0], [1.0, 3.0])
    """
    x = np.asarray(values, dtype=np.float64)
    checks.counts(codes=codes)
    code = np.asarray(codes).astype(np.int64, copy=False)
    items = x.shape[-1] if x.ndim else 0
    checks.require(
        code.shape == (items,), "number of codes", f"{items}, the number of items", code.size
    )
    checks.require(code.size >= 1, "number of items", "at least 1", code.size)
    groups = int(code.max()) + 1 if clusters is None else int(clusters)
    checks.require(code < groups, "codes", f"below clusters = {groups}", code)
    rows = x.reshape(-1, code.size)
    sums, squares = np.empty((len(rows), groups)), np.empty((len(rows), groups))
    step = rows_per_block(code.size)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        checks.finite("values", part)
        place = (np.arange(len(part))[:, None] * groups + code).ravel()
        for out, weight in ((sums, part), (squares, part * part)):
            flat = np.bincount(place, weights=weight.ravel(), minlength=len(part) * groups)
            out[start : start + step] = flat.reshape(len(part), groups)
    shape = (*x.shape[:-1], groups)
    return ClusterSums(
        sizes=np.bincount(code, minlength=groups),
        sums=sums.reshape(shape),
        squares=squares.reshape(shape),
    )


def _residuals(sums: Array, sizes: Array) -> Array:
    """Return sums minus those of the overall mean, exactly 0 if they are only rounding error."""
    n = sizes.sum(axis=-1, keepdims=True)
    share = sizes * (sums.sum(axis=-1, keepdims=True) / n)
    residual = sums - share
    rounding = _EPS * (sizes + 4) * (np.abs(sums) + np.abs(share))
    return np.where(np.abs(residual) > rounding, residual, 0.0)


def _variance(sums: Array, sizes: Array, kind: ClusterKind) -> Array:
    n = sizes.sum(axis=-1, keepdims=True)
    residual = _residuals(sums, sizes)
    power = {"CR0": 0, "CR1": 0, "CR2": 1, "CR3": 2}[kind]
    # n / (n - m) is 1 / (1 - f) without the rounding error of f near 1
    weight = (n / (n - sizes)) ** power
    total = np.sum(residual * residual * weight, axis=-1) / (n * n)[..., 0]
    if kind == "CR1":
        groups = np.count_nonzero(sizes, axis=-1)
        total = total * (groups / (groups - 1))
    return np.asarray(total)


def cluster_variance(sums: FloatLike, sizes: FloatLike, *, kind: ClusterKind = "CR2") -> Array:
    """Return the cluster-robust variance of the mean over items.

    With r_g = S_g - m_g mean and f_g = m_g / N: CR0 = Σ r² / N², CR1 = CR0 G / (G - 1), CR2 = Σ r²
    / (1 - f) / N², CR3 = Σ r² / (1 - f)² / N². CR2 is unbiased for independent items with equal
    variances (Bell & McCaffrey 2002). CR0 and CR1 are far too small for few or unequal clusters.

    Parameters
    ----------
    sums : array_like
        Per-cluster sums of the values, (..., G).
    sizes : array_like
        Items per cluster, (G,) or (..., G). At least two clusters must have items.
    kind : {"CR0", "CR1", "CR2", "CR3"}, default "CR2"
        Type of variance estimate.

    Returns
    -------
    Array
        Variance in squared score units, one for each row. It is 0 if all clusters have the same
        mean. Rows broadcast.

    References
    ----------
    Bell, McCaffrey (2002), Survey Methodology 28, 169–181.
    Methods: Strata and clusters.

    Examples
    --------
    The mean is 0.1 and the residuals are 2, -2 and 0: (4 + 4) / 0.75 / 40².

    >>> round(float(cluster_variance([3, -1, 2], [10, 10, 20])), 6)
    0.006667
    """
    checks.choice("kind", kind, _KINDS)

    def block(s: Array, m: Array) -> tuple[Array]:
        check_groups(m, s)
        return (_variance(s, m, kind),)

    return by_rows(block, 1, sums, sizes)[0]


def bell_mccaffrey_df(sizes: FloatLike) -> Array:
    """Return the Bell–McCaffrey degrees of freedom of the CR2 variance of an item mean.

    They are 1 / [Σ f_g² + Σ_{g≠h} a_g a_h] with f_g = m_g / N and a_g = f_g² / (1 - f_g). This is
    Satterthwaite's value under independence (Pustejovsky & Tipton 2018).

    Parameters
    ----------
    sizes : array_like
        Items per cluster, (..., G); at least two clusters.

    Returns
    -------
    Array
        Degrees of freedom, one for each row. They are G - 1 for equal sizes, and approach 1 if one
        cluster has almost all items.

    References
    ----------
    Bell, McCaffrey (2002), Survey Methodology 28, 169–181.
    Pustejovsky, Tipton (2018), J. Bus. Econ. Stat. 36.
    Methods: Strata and clusters.

    Examples
    --------
    >>> float(bell_mccaffrey_df([20] * 6)), round(float(bell_mccaffrey_df([5, 10, 30, 80])), 3)
    (5.0, 1.496)
    """

    def block(m: Array) -> tuple[Array]:
        check_groups(m)
        n = m.sum(axis=-1, keepdims=True)
        f = m / n
        a = f * (m / (n - m))
        # Σ_{g≠h} a_g a_h by running sums: (Σa)² - Σa² would cancel when one a is huge
        cross = 2 * np.sum(a[..., 1:] * np.cumsum(a, axis=-1)[..., :-1], axis=-1)
        return (1 / ((f * f).sum(axis=-1) + cross),)

    return by_rows(block, 1, sizes)[0]


def _mean_and_variance(sums: FloatLike, sizes: FloatLike) -> list[Array]:
    def block(s: Array, m: Array) -> tuple[Array, Array]:
        check_groups(m, s)
        return s.sum(axis=-1) / m.sum(axis=-1), _variance(s, m, "CR2")

    return by_rows(block, 2, sums, sizes)


_ROUNDING = 1e-9  # five equal clusters give 4 degrees of freedom, up to the last bits


def caution(sizes: FloatLike, df: FloatLike) -> str | None:
    """Return why the t test of clusters of these sizes is only approximate, if it is."""
    m = np.asarray(sizes, dtype=np.float64)
    share = float(np.max(m.max(axis=-1) / m.sum(axis=-1), initial=0.0))
    min_df = float(np.min(df, initial=np.inf))
    reasons = []
    if share > 0.5 + _ROUNDING:
        reasons.append(f"the largest cluster has {100 * share:.0f}% of the items (more than half)")
    if min_df < 4 - _ROUNDING:
        reasons.append(f"the clusters give only {min_df:.1f} degrees of freedom (fewer than 4)")
    if not reasons:
        return None
    return f"The cluster-robust t test is approximate, because {' and '.join(reasons)}."


def _trusted_df(sizes: FloatLike) -> Array:
    """Return Bell–McCaffrey df, and warn the caller's caller if they are unreliable."""
    df = bell_mccaffrey_df(sizes)
    msg = caution(sizes, df)
    if msg is not None:
        warnings.warn(msg, DegenerateDataWarning, stacklevel=3)
    return df


def cluster_interval(sums: FloatLike, sizes: FloatLike, *, conf: float = 0.95) -> Interval:
    """Return the confidence interval for the mean over items if clusters are a random sample.

    The interval is mean ± t √CR2 with the Bell–McCaffrey degrees of freedom.

    Parameters
    ----------
    sums : array_like
        Per-cluster sums of the values, (..., G).
    sizes : array_like
        Items per cluster, (G,) or (..., G).
    conf : float, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        Limits in score units, one pair for each row. The width is 0 if all clusters have the same
        mean. Rows broadcast.

    Raises
    ------
    ParameterError
        Fewer than two clusters have items.

    Warns
    -----
    DegenerateDataWarning
        A cluster has more than half of the items, or there are fewer than 4 degrees of freedom.

    References
    ----------
    Bell, McCaffrey (2002), Survey Methodology 28, 169–181.
    Methods: Strata and clusters.

    Examples
    --------
    >>> low, high = cluster_interval([3, -1, 2, 0, 1, 4], [10, 10, 20, 10, 10, 20])
    >>> round(float(low), 4), round(float(high), 4)
    (-0.0168, 0.2418)
    """
    checks.fraction("conf", conf)
    mean, variance = _mean_and_variance(sums, sizes)
    df = _trusted_df(sizes)
    half = t_quantile((1 + conf) / 2, df) * np.sqrt(variance)
    return Interval(np.asarray(mean - half)[()], np.asarray(mean + half)[()])


def cluster_pvalue(sums: FloatLike, sizes: FloatLike) -> Array:
    """Return the two-sided p-value of a zero mean over items if clusters are a random sample.

    The statistic is mean / √CR2, and its distribution is Student's t with the Bell–McCaffrey
    degrees of freedom.

    Parameters
    ----------
    sums : array_like
        Per-cluster sums of the values, (..., G).
    sizes : array_like
        Items per cluster, (G,) or (..., G); at least two clusters.

    Returns
    -------
    Array
        p-value, one for each row. It is 1 if the mean is 0. If the mean is not 0 but all cluster
        means are equal, it is 2.2e-308, a bound. Rows broadcast.

    Warns
    -----
    DegenerateDataWarning
        Under the conditions of :func:`cluster_interval`.

    References
    ----------
    Bell, McCaffrey (2002), Survey Methodology 28, 169–181.
    Methods: Strata and clusters.

    Examples
    --------
    >>> round(float(cluster_pvalue([3, -1, 2, 0, 1, 4], [10, 10, 20, 10, 10, 20])), 4)
    0.074
    """
    mean, variance = _mean_and_variance(sums, sizes)
    df = _trusted_df(sizes)

    def block(gap: Array, var: Array, nu: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(gap == 0, 0.0, np.abs(gap) / np.sqrt(var))
        return np.asarray(np.clip(2 * special.stdtr(nu, -t), P_FLOOR, 1.0))

    return map_blocks(block, mean, variance, df)


def _anova(s: Array, q: Array, m: Array) -> tuple[Array, Array, Array]:
    check_groups(m, s, q)
    n, groups = m.sum(axis=-1), np.count_nonzero(m, axis=-1)
    checks.require(n > groups, "number of items", "above the number of clusters", n)
    safe = np.maximum(m, 1)
    residual = _residuals(s, m)
    msb = np.sum(residual * residual / safe, axis=-1) / (groups - 1)
    within = np.sum(squares_about_mean(s, q, m), axis=-1)
    m0 = (n - np.sum(m * m, axis=-1) / n) / (groups - 1)
    return msb, within / (n - groups), m0


def anova_icc(sums: FloatLike, squares: FloatLike, sizes: FloatLike) -> AnovaIcc:
    """Return the intraclass correlation of items in groups, by one-way analysis of variance.

    Center values with a large common mean first, because the mean square within groups is a
    difference of sums of squares.

    Parameters
    ----------
    sums, squares : array_like
        Per-group sums of the values and of their squares, (..., G).
    sizes : array_like
        Items per group, (G,) or (..., G). There must be at least two groups, one of them with two
        items.

    Returns
    -------
    AnovaIcc
        Mean squares, effective size, and ICC, one for each row. The ICC may be negative, and it is
        0 if all values are equal. Rows broadcast.

    References
    ----------
    Methods: Strata and clusters.

    Examples
    --------
    >>> s = cluster_sums([1, 1, 0, 1, 0, 0, -1, 0], [0, 0, 0, 0, 1, 1, 1, 1])
    >>> a = anova_icc(s.sums, s.squares, s.sizes)
    >>> float(a.msb), float(a.msw), round(float(a.icc), 4)
    (2.0, 0.25, 0.6364)
    """
    msb, msw, m0 = by_rows(_anova, 3, sums, squares, sizes)
    spread = msb + (m0 - 1) * msw
    with np.errstate(divide="ignore", invalid="ignore"):
        icc = np.asarray(np.where(spread > 0, (msb - msw) / spread, 0.0))[()]
    return AnovaIcc(msb=msb, msw=msw, m0=m0, icc=icc)


def leave_one_cluster_out(sums: FloatLike, sizes: FloatLike) -> Array:
    """Return the mean over the items of all clusters but one, for each cluster.

    The mean is (ΣS - S_g) / (N - m_g). For a cluster without items, it is the mean over all items.
    """
    s, m = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    check_groups(m, s)
    rest = m.sum(axis=-1, keepdims=True) - m
    return np.asarray((s.sum(axis=-1, keepdims=True) - s) / rest)


def _flip_exact(rows: Array) -> Array:
    bar = np.abs(rows.sum(axis=1)) - _FLIP_SLACK * np.abs(rows).sum(axis=1)
    # |·| is symmetric, so the first sign may be fixed: half of the flips
    total = rows[:, :1]
    for g in range(1, rows.shape[1]):
        column = rows[:, g : g + 1]
        total = np.concatenate([total + column, total - column], axis=1)
    hits = np.count_nonzero(np.abs(total) >= bar[:, None], axis=1)
    return np.asarray(hits / total.shape[1])


def _flip_random(rows: Array, resamples: int, rng: np.random.Generator) -> Array:
    groups = rows.shape[1]
    bar = np.abs(rows.sum(axis=1)) - _FLIP_SLACK * np.abs(rows).sum(axis=1)
    hits = np.zeros(len(rows), dtype=np.int64)
    # one set of flips for all rows, in batches whose size depends only on G
    batch = max(1, _FLIP_CELLS // groups)
    for start in range(0, resamples, batch):
        count = min(batch, resamples - start)
        signs = 2.0 * rng.integers(0, 2, size=(count, groups), dtype=np.int8) - 1.0
        step = max(1, _FLIP_CELLS // count)
        for first in range(0, len(rows), step):
            part = slice(first, first + step)
            hits[part] += np.count_nonzero(np.abs(signs @ rows[part].T) >= bar[part], axis=0)
    return np.asarray((hits + 1) / (resamples + 1))


def cluster_sign_flip_pvalue(
    sums: FloatLike, *, n_resamples: int = 9999, rng: RNGLike = None
) -> Array:
    """Return the two-sided p-value of a zero mean by flipping the signs of whole clusters.

    The test is exact if the cluster sums are symmetric about 0. For G ≤ 20, all 2^G flips are
    enumerated. Otherwise, the p-value is (r + 1) / (B + 1) over random flips. Use at least 20 /
    level of them, or :func:`sign_flip_test` of one vector of sums, which is accurate in far tails.

    Parameters
    ----------
    sums : array_like
        Sums of the differences in each cluster, (..., G), with at least two clusters. All rows
        share one set of random flips.
    n_resamples : int, default 9999
        Number of random flips B, at least 1, used for more than 20 clusters.
    rng : int or numpy.random.Generator, optional
        Pseudorandom number generator state, or a seed for :func:`numpy.random.default_rng`.

    Returns
    -------
    Array
        p-value, one for each row. It is 1 if all sums are 0. If flips are enumerated, it is at
        least 2^(1-G), so fewer than 6 clusters cannot reach 0.05. If flips are drawn, it is at
        least 1 / (B + 1).

    References
    ----------
    Fisher (1935), The Design of Experiments.
    Phipson, Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9.
    Methods: Strata and clusters.

    Examples
    --------
    >>> float(cluster_sign_flip_pvalue([3, 1, 2, 2, 1, 4]))
    0.03125
    """
    s = np.asarray(sums, dtype=np.float64)
    checks.finite("sums", s)
    groups = s.shape[-1] if s.ndim else 1
    checks.require(groups >= 2, "number of clusters", "at least 2", groups)
    checks.require(n_resamples >= 1, "n_resamples", "at least 1", n_resamples)
    rows = s.reshape(-1, groups)
    if groups > _EXACT_CLUSTERS:
        p = _flip_random(rows, n_resamples, np.random.default_rng(rng))
    else:
        step = max(1, _FLIP_CELLS >> (groups - 1))
        blocks = [_flip_exact(rows[i : i + step]) for i in range(0, len(rows), step)]
        p = np.concatenate([np.empty(0), *blocks])
    return np.asarray(p.reshape(s.shape[:-1]))[()]
