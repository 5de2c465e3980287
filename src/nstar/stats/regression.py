"""Mean over all items from a random subset, adjusted by other models' scores on all items.

N items have scores of other models, and a new model ran on a random n of them. Its mean on the
subset is unbiased and noisy. The other models' scores show how the subset differs from all items:

    ȳ + β (x̄ of all - x̄ of the sample),   β by least squares of y on x in the sample.

This is the regression estimator of survey statistics. It is unbiased to first order for any
covariates if the sample is random. With one covariate it is :func:`judge_corrected`. For a gap to
a model that is known on all items, y is the difference on the sample and that model is among x.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike

__all__ = ["RegressionMean", "known_covariates", "regression_mean"]

_RANK = 1e-9
"""Share of the largest singular value below which a singular value counts as 0."""
_MIN_VARIANCE = 0.25
"""Share of its variance over all items that a direction must have in the sample to be used."""
_MAX_LEVERAGE = 0.5
"""Leverage of an item above which that item alone would determine a slope."""
_PER_COVARIATE = 10
"""Sampled items required per covariate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionMean:
    """Mean from a sample and the covariates of all items."""

    estimate: float
    """Mean over all N items."""
    se: float
    """Standard error for a claim about such items, of which the N are a sample."""
    se_own: float
    """Standard error as the mean of these N items; 0 if all were sampled."""
    se_weighted: float
    """Standard error as R's ``survey`` computes it: from residuals with calibration weights."""
    df: int
    """Degrees of freedom of t: sampled items less covariates less 1."""
    covariates: int
    """Number of covariates that are used; those that others imply are not."""
    r2: float
    """Share of the variance that the covariates explain, adjusted for their number, at least 0."""
    items: int
    """Number of items with known scores, N."""
    sampled: int
    """Number of sampled items, n."""
    residual: float
    """Residual standard deviation of an item, s_e."""
    sample_mean: float
    """Mean of the sample alone."""
    sample_se: float
    """Standard error of ``sample_mean`` for a claim about such items, s/√n."""


def regression_mean(y: FloatLike, x: FloatLike, *, unseen: float = 0.0) -> RegressionMean:
    """Return the mean over all items, from a random subset of them and covariates of all.

    Parameters
    ----------
    y : array_like
        Score of each item, or difference of two; NaN where it was not sampled, (N,).
    x : array_like
        Covariates, known on all items, (N, p); at least p + 2 items are sampled. Without any, the
        estimate is the mean of the sample.
    unseen : float, default 0.0
        Size of two residuals, one in each direction, that the sample may have missed, in score
        units. Their squares are added to those of the sample. By default none are added.

    Returns
    -------
    RegressionMean
        The variance as the mean of these N items is (1 - n/N) (n-1)/n Σ (g_i e_i / n(1 - h_i))²,
        as leaving out each item in turn would give it, with residuals e_i, their leverages h_i and
        weights g_i = 1 + n (x̄_N - x̄_n)ᵀ S⁻¹ (x_i - x̄_n), S the sums of squares and products;
        s_y²/N more as a claim about such items. t has n - p - 1 degrees of freedom.

    Notes
    -----
    Textbooks have s_e² (1/n - 1/N), which is too small where items differ in how well they are
    explained: of scores that are nearly all 0, a few items decide both β and the error. ``unseen``
    is for scores with a rare value: otherwise, residuals that did not occur in the sample are
    assumed to be impossible.

    A slope is used only in a direction of x that has at least a quarter of its variance over all
    items in the sample, and in which no item has a leverage above one half. Other slopes would be
    extrapolated, or rest on a single item. This choice does not depend on y.

    Covariates must not be chosen by looking at y; :func:`known_covariates` does not.

    References
    ----------
    Cochran (1977), Sampling Techniques, ch. 7. Särndal, Swensson and Wretman (1992), Model
    Assisted Survey Sampling, ch. 6. Methods: Fewer items

    Examples
    --------
    The sample contains the two easiest items, which the covariate shows:

    >>> regression = regression_mean(
    ...     [1, 1, 0, 0, np.nan, np.nan], np.array([[1, 1, 0, 0, 0, 0.0]]).T
    ... )
    >>> regression.sample_mean, round(regression.estimate, 6), round(regression.se_own, 6)
    (0.5, 0.333333, 0.0)
    """
    scores, known = np.asarray(y, dtype=np.float64), np.asarray(x, dtype=np.float64)
    checks.require(scores.ndim == 1, "number of axes of y", "1", scores.ndim)
    checks.require(known.ndim == 2, "number of axes of x", "2", known.ndim)
    checks.require(
        len(known) == scores.size,
        "number of rows of x",
        f"{scores.size}, the length of y",
        len(known),
    )
    checks.finite("x", known)
    is_sampled = ~np.isnan(scores)
    checks.finite("y", scores[is_sampled])
    checks.require(0 <= unseen < np.inf, "unseen", "finite and at least 0", unseen)
    sample, n, total = scores[is_sampled], int(np.count_nonzero(is_sampled)), scores.size
    checks.require(n >= known.shape[1] + 2, "sampled items", "at least p + 2", n)
    mean = float(sample.mean())
    basis, lead = _basis(known, is_sampled)
    centered = sample - mean
    slopes = basis.T @ centered
    residuals = centered - basis @ slopes
    df = n - 1 - len(slopes)
    missed, variance = 2 * float(unseen) ** 2 / df, float(centered @ centered) / (n - 1)
    left = float(residuals @ residuals) / df + missed
    part = 1 / n - 1 / total
    weights = 1 + n * (basis @ lead)
    deleted = weights * residuals / (1 - 1 / n - _leverages(basis))
    sampling_variance = part * (float(deleted @ deleted) * (n - 1) / n**2 + missed)
    return RegressionMean(
        estimate=mean + float(lead @ slopes),
        se=(sampling_variance + variance / total) ** 0.5,
        se_own=sampling_variance**0.5,
        se_weighted=float(np.square(weights * residuals).sum() / (n - 1) * part) ** 0.5,
        df=df,
        covariates=len(slopes),
        r2=max(0.0, 1 - left / variance) if variance > 0 else 0.0,
        items=total,
        sampled=n,
        residual=left**0.5,
        sample_mean=mean,
        sample_se=(variance / n) ** 0.5,
    )


def _basis(known: Array, is_sampled: BoolArray) -> tuple[Array, Array]:
    """Return orthonormal directions of the sampled covariates, and the offset of all items.

    A direction that hardly varies in the sample, or that one item alone determines, is left out,
    because its slope would be extrapolated to all items. The choice depends on the covariates
    alone. The result has (n, r) with r at most p, and the mean of all items less that of the
    sample, (r,).
    """
    centered = known - known.mean(axis=0)
    scale = np.sqrt(np.square(centered).mean(axis=0))
    varies = scale > _RANK * np.abs(known).max(axis=0, initial=0.0)
    u, s, _ = np.linalg.svd(centered[:, varies] / scale[varies], full_matrices=False)
    white = u[:, s > _RANK * s.max(initial=0.0)] * len(known) ** 0.5  # unit variance, all items
    center = white[is_sampled].mean(axis=0)
    sample = white[is_sampled] - center
    squares, axes = np.linalg.eigh(sample.T @ sample)
    wide = squares > _MIN_VARIANCE * len(sample)
    axes = axes[:, wide] / np.sqrt(squares[wide])
    basis, lead = sample @ axes, -center @ axes
    while (lever := _leverages(basis)).max() > _MAX_LEVERAGE:
        _, _, turned = np.linalg.svd(basis[[lever.argmax()]])
        basis, lead = basis @ turned[1:].T, turned[1:] @ lead
    return basis, lead


def _leverages(basis: Array) -> Array:
    """Return the leverage of each item, without the share 1/n of the mean."""
    return np.asarray(np.square(basis).sum(axis=1))


def known_covariates(scores: FloatLike, sampled: int, *, against: int | None = None) -> Array:
    """Return the covariates for a regression on models with known scores on all items.

    They are the score of the model that the new one is compared with, and the mean of all known
    models. Both are chosen without the new model's scores. More covariates, such as principal
    components or every known model, reduce the error by 1 to 3% and extrapolate from small
    samples.

    Parameters
    ----------
    scores : array_like
        Of the known models, (M, N); NaN for a score that is missing, in whose place stands what
        model and item have on average. Any value there is valid, a good one explains more.
    sampled : int
        Items that the new model ran on, n: there is a covariate for every 10 at most.
    against : int, optional
        Index of the known model with which the new one is compared, if any. It is the first
        covariate.

    Returns
    -------
    Array
        (N, p) with p = 2 or 1.

    References
    ----------
    Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, ch. 6. Methods: Fewer
    items

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> known_covariates(rng.random((8, 500)), 100, against=2).shape
    (500, 2)
    >>> known_covariates(rng.random((8, 500)), 100).shape
    (500, 1)
    """
    known = np.asarray(scores, dtype=np.float64)
    checks.require(known.ndim == 2, "number of axes of scores", "2", known.ndim)
    checks.require(len(known) >= 1, "number of known models", "at least 1", len(known))
    checks.counts(sampled=sampled)
    known = _filled(known)
    columns = [] if against is None else [known[against]]
    if len(known) > len(columns):
        columns.append(known.mean(axis=0))
    return np.stack(columns[: max(1, int(sampled) // _PER_COVARIATE)]).T


def _filled(known: Array) -> Array:
    """Return the scores with missing values replaced by averages of model and item."""
    missing = np.isnan(known)
    if not missing.any():
        return known
    n_present = (~missing).sum(axis=1)
    checks.require(n_present > 0, "items of each known model", "at least 1", n_present)
    model = np.nansum(known, axis=1) / n_present
    deviations = np.where(missing, 0.0, known - model[:, None])
    item = deviations.sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
    return np.where(missing, model[:, None] + item, known)
