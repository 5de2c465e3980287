"""A mean over all items from a random part of them, by what others did on all of them.

N items are known for other models; a new one ran on a random n. Its mean on those is right and
noisy; how the others did on the sample and on all items tells what the sample happened to be:

    ȳ + β (x̄ of all - x̄ of the sample),   β by least squares of y on x in the sample.

The regression estimator of survey statistics, right to first order whatever the others are worth
so long as the sample is random. With one covariate it is :func:`judge_corrected`. For a gap to a
model that is known on all items, y is the difference on the sample and that model is among x.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike

__all__ = ["RegressionMean", "known_covariates", "regression_mean"]

_COMPONENTS = 3
"""Principal components that are used: more models explain little more and cost freedom."""
_PER_COVARIATE = 10
"""Sampled items for each covariate."""
_MAX_COMPONENT_MODELS = 500
"""Models that components are made from; of more, every second, third … one."""
_RANK = 1e-9
"""Singular values below this share of the largest count as nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionMean:
    """A mean by a sample and what is known on all items."""

    estimate: float
    """Mean over all N items."""
    se: float
    """Its standard error as a claim about such items, of which the N are a sample."""
    se_own: float
    """Its standard error as the mean of these N items; 0 if all were sampled."""
    se_weighted: float
    """The same as R's ``survey`` has it: from residuals weighted by calibration."""
    df: int
    """Degrees of freedom of t: sampled items less covariates less 1."""
    covariates: int
    """Covariates that count: those that others imply do not."""
    r2: float
    """Share of the variance that they explain, adjusted for their number, at least 0."""
    items: int
    """Items known, N."""
    sampled: int
    """Items sampled, n."""
    residual: float
    """Standard deviation of an item that they leave, s_e."""
    sample_mean: float
    """Mean of the sample alone."""
    sample_se: float
    """Its standard error as a claim about such items, s/√n."""


def regression_mean(y: FloatLike, x: FloatLike) -> RegressionMean:
    """Mean over all items, from a random part of them and covariates of all.

    Parameters
    ----------
    y
        Score of each item, or difference of two; NaN where it was not sampled, (N,).
    x
        Covariates, known on all items, (N, p); at least p + 2 items are sampled.

    Returns
    -------
    RegressionMean
        The variance as the mean of these N items is (1 - n/N) (n-1)/n Σ (g_i e_i / n(1 - h_i))²,
        as leaving out each item in turn would give it, with residuals e_i, their leverages h_i
        and weights g_i = 1 + n (x̄_N - x̄_n)ᵀ S⁻¹ (x_i - x̄_n), S the sums of squares and products;
        s_y²/N more as a claim about such items. t has n - p - 1 degrees of freedom.

    Notes
    -----
    Textbooks have s_e² (1/n - 1/N), which is too small where items differ in how well they are
    explained: of scores that are nearly all 0, a few items decide both β and the error.
    Covariates must not be chosen by looking at y;
    :func:`known_covariates` does not.

    References
    ----------
    Cochran (1977), Sampling Techniques, ch. 7.
    Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, ch. 6.
    Methods: Fewer items

    Examples
    --------
    The sample had the two easiest items, and the covariate knows it:

    >>> found = regression_mean([1, 1, 0, 0, np.nan, np.nan], np.array([[1, 1, 0, 0, 0, 0.0]]).T)
    >>> found.sample_mean, round(found.estimate, 6), round(found.se_own, 6)
    (0.5, 0.333333, 0.0)
    """
    scores, known = np.asarray(y, dtype=np.float64), np.asarray(x, dtype=np.float64)
    checks.require(scores.ndim == 1, "number of axes of y", "1", scores.ndim)
    checks.require(known.ndim == 2, "number of axes of x", "2", known.ndim)
    checks.require(len(known) == scores.size, "number of items of x", "as of y", len(known))
    checks.finite("x", known)
    there = ~np.isnan(scores)
    checks.finite("y", scores[there])
    told, seen = scores[there], known[there]
    n, total = told.size, scores.size
    checks.require(n >= known.shape[1] + 2, "sampled items", "at least p + 2", n)
    mean, middle = float(told.mean()), seen.mean(axis=0)
    basis, lead = _basis(seen - middle, known.mean(axis=0) - middle)
    loads = basis.T @ (told - mean)
    rest = told - mean - basis @ loads
    df = n - 1 - len(loads)
    left, whole = float(rest @ rest) / df, float(told.var(ddof=1))
    part = 1 / n - 1 / total
    weights = 1 + n * (basis @ lead)
    alone = 1 - 1 / n - np.square(basis).sum(axis=1)
    without = np.where(alone > _RANK, weights * rest / np.maximum(alone, _RANK), 0.0)
    own = float(without @ without) * part * (n - 1) / n**2
    return RegressionMean(
        estimate=mean + float(lead @ loads),
        se=(own + whole / total) ** 0.5,
        se_own=own**0.5,
        se_weighted=float(np.square(weights * rest).sum() / (n - 1) * part) ** 0.5,
        df=df,
        covariates=len(loads),
        r2=max(0.0, 1 - left / whole) if whole > 0 else 0.0,
        items=total,
        sampled=n,
        residual=left**0.5,
        sample_mean=mean,
        sample_se=(whole / n) ** 0.5,
    )


def _basis(seen: Array, moved: Array) -> tuple[Array, Array]:
    """Orthonormal covariates of the sample, (n, r), and how far all items lie from it in them."""
    scale = np.sqrt(np.square(seen).sum(axis=0))
    kept = scale > 0
    u, s, v = np.linalg.svd(seen[:, kept] / scale[kept], full_matrices=False)
    there = s > _RANK * s[0] if s.size else np.zeros(0, np.bool_)
    lead = (v[there] @ (moved[kept] / scale[kept])) / s[there]
    return u[:, there], lead


def known_covariates(scores: FloatLike, sampled: int, *, against: int | None = None) -> Array:
    """What regression uses of models that are known on all items.

    Their mean, and the first 3 principal components of their scores: chosen without a look at
    the new model, and few, so that the sample's size hardly matters. All models at once would
    need ten sampled items for each, and cover less than promised below that.

    Parameters
    ----------
    scores
        Of the known models, (M, N); NaN for a score that is missing, in whose place stands what
        model and item have on average. Any value there is valid, a good one explains more.
    sampled
        Items that the new model ran on, n: there is a covariate for every 10 at most.
    against
        Which known model the new one is compared with, if any: it is the first covariate.

    Returns
    -------
    Array
        (N, p) with p ≤ 5, or 4 without ``against``; at least 1 column.

    References
    ----------
    Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, ch. 6.
    Methods: Fewer items

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> known_covariates(rng.random((8, 500)), 100, against=2).shape
    (500, 5)
    >>> known_covariates(rng.random((8, 500)), 20).shape
    (500, 2)
    """
    known = np.asarray(scores, dtype=np.float64)
    checks.require(known.ndim == 2, "number of axes of scores", "2", known.ndim)
    checks.require(len(known) >= 1, "number of known models", "at least 1", len(known))
    checks.counts(sampled=sampled)
    known = _whole(known)
    columns = [] if against is None else [known[against]]
    most = max(1, int(sampled) // _PER_COVARIATE)
    if len(known) > len(columns):
        columns.append(known.mean(axis=0))
    parts = min(_COMPONENTS, len(known) - 1, most - len(columns))
    if parts > 0:
        columns.extend(_components(known, parts))
    return np.stack(columns[:most]).T


def _whole(known: Array) -> Array:
    """Scores with the averages of model and item where one is missing."""
    missing = np.isnan(known)
    if not missing.any():
        return known
    there = (~missing).sum(axis=1)
    checks.require(there > 0, "items of each known model", "at least 1", there)
    model = np.nansum(known, axis=1) / there
    apart = np.where(missing, 0.0, known - model[:, None])
    item = apart.sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
    return np.where(missing, model[:, None] + item, known)


def _components(known: Array, count: int) -> Array:
    """The first principal components, (count, N), the widest first."""
    some = known[:: -(-len(known) // _MAX_COMPONENT_MODELS)]
    centred = some - some.mean(axis=1, keepdims=True)
    _, axes = np.linalg.eigh(centred @ centred.T)
    return np.asarray(axes[:, ::-1][:, :count].T @ centred)
