"""Correct a judge's scores of many items by human labels of a few items.

The judge gives scores f to all T items. People give labels D to n random items. The mean of the
judge's scores is biased. The mean of the labels is unbiased but noisy. The regression estimator
corrects the mean of the labels by the difference between the judge's scores of all items and of
the labeled items:

    D̄ + λ (f̄ of all - f̄ of the labeled),   λ = Cov(D, f) / Var(f) among the labeled.

This is prediction-powered inference (PPI++) with the λ of survey statistics. It is valid for any
bias of the judge if the labeled items were chosen at random. For two models, D and f are
differences, first minus second. For one model, they are its scores.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike
from nstar.stats.mcnemar import P_FLOOR
from nstar.stats.proportion import clopper_pearson_interval

__all__ = [
    "CellMean",
    "Corrected",
    "JudgedMean",
    "LabelChoice",
    "judge_cells",
    "judge_corrected",
    "judge_influence",
    "label_choice",
    "prediction_powered",
]

LEAST_LABELS = 30
"""Number of labels below which λ is too uncertain, so that labels alone are better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMean:
    """Mean estimated from judge and labels together, and from each alone."""

    estimate: float
    """Corrected mean."""
    se: float
    """Standard error of the estimate."""
    df: float
    """Degrees of freedom of t: number of labels minus 2."""
    slope: float
    """λ: weight of the judge; 0 if its scores do not vary among the labeled items."""
    r: float
    """Correlation of judge and labels; NaN if either does not vary."""
    items: int
    """Number of judged items, T."""
    labels: int
    """Number of labeled items, n."""
    label_mean: float
    """Mean of the labels alone."""
    label_se: float
    """Standard error of ``label_mean``, with n - 1 degrees of freedom."""
    judge_mean: float
    """Mean of the judge alone, over all items."""
    judge_se: float
    """Standard error of ``judge_mean`` if the judge were unbiased."""
    bias: float
    """Mean of judge minus label over the labeled items."""
    bias_se: float
    """Standard error of ``bias``, with n - 1 degrees of freedom."""


class Corrected(NamedTuple):
    """A mean and its standard error."""

    estimate: float
    se: float


class CellMean(NamedTuple):
    """Mean over cells of the judge's scores."""

    estimate: float
    variance: float
    """Variance within cells, assuming that the share of each cell is known."""


class _JudgeScores(NamedTuple):
    """Scores of several models, corrected by labels, for use in comparisons."""

    scores: Array
    """Scores (M, T) whose means are the corrected means, with the covariances of these means."""
    slope: float
    """λ: weight of the judge, the same for all models."""
    df: int
    """Degrees of freedom of t: number of labels minus 2."""


class LabelChoice(NamedTuple):
    """Test of whether the judge scores labeled items like the others."""

    labeled: float
    """Mean judge score of labeled items."""
    unlabeled: float
    """Mean judge score of the other items."""
    z: float
    """Difference of the two means in standard errors."""
    p: float
    """Two-sided p-value under random labeling."""


def _label_arrays(
    truth: FloatLike, judged: FloatLike, min_labels: int
) -> tuple[Array, Array, BoolArray]:
    d, f = np.asarray(truth, dtype=np.float64), np.asarray(judged, dtype=np.float64)
    checks.require(d.ndim == 1, "number of axes of truth", "1", d.ndim)
    checks.require(
        f.shape == d.shape, "length of judged", f"{d.size}, the length of truth", f.size
    )
    checks.finite("judged", f)
    known = ~np.isnan(d)
    checks.finite("truth", d[known])
    n = int(np.count_nonzero(known))
    checks.require(n >= min_labels, "number of labels", f"at least {min_labels}", n)
    return d, f, known


def _slope(d: Array, f: Array) -> float:
    spread = np.square(f - f.mean()).sum()
    return float((d - d.mean()) @ (f - f.mean()) / spread) if spread > 0 else 0.0


def departure_variance(labels: FloatLike, *, judged: FloatLike, departure: FloatLike) -> Array:
    """Return a variance that allows for unobserved disagreements between judge and labels.

    A judge that agrees with every label may still be wrong on other items. The variance allows for
    one additional disagreement of size w in each direction. The variance is 2 w² / (n - 2) (1/n -
    1/T). The size w is 1 for 0/1 scores and half of the scale for graded scores.

    Agresti and Coull (1998), American Statistician 52, for pseudo-observations.
    """
    n, t, w = (np.asarray(x, dtype=np.float64) for x in (labels, judged, departure))
    checks.require(n >= 3, "labels", "at least 3", n)
    checks.at_most(n, t, "labels", "at most the items judged")
    checks.nonnegative("departure", w)
    return np.asarray(2 * w * w / (n - 2) * (1 / n - 1 / t))[()]


def _correlation(d: Array, f: Array) -> float:
    """Return Pearson's correlation in [-1, 1]; rounding can exceed 1 for a perfect judge."""
    spread = float(d.std() * f.std())
    if spread == 0:
        return float("nan")
    return float(np.clip(np.mean((d - d.mean()) * (f - f.mean())) / spread, -1.0, 1.0))


def judge_corrected(
    truth: FloatLike, judged: FloatLike, *, slope: float | None = None, departure: float = 0.0
) -> JudgedMean:
    """Return the mean of human labels, estimated from a judge of all items and some labels.

    Parameters
    ----------
    truth : array_like
        Label of each item, (T,), with NaN for unlabeled items. At least 3 labels. For two models,
        the difference of their labels, first minus second.
    judged : array_like
        The judge's score of each item, (T,). For two models, the difference of their scores.
    slope : float, optional
        λ. The default is estimated from these labels.
    departure : float, default 0.0
        Size w of two unobserved disagreements of judge and labels that are added to the observed
        ones. 1 for 0/1 scores, half of the scale for graded ones, as the comparison uses it; by
        default 0, the plain regression estimator.

    Returns
    -------
    JudgedMean
        Estimate with the variance s_e² (1/n - 1/T) + s_D²/T, where s_e² = (SSE + 2 w²) / (n - 2)
        is the residual variance of D given f. Student's t has n - 2 degrees of freedom, too.

    Notes
    -----
    The estimate is valid whatever errors the judge makes if the labeled items are a random sample
    of all items. With fewer than :data:`LEAST_LABELS` labels, λ is too uncertain, and labels alone
    are better. Without ``departure``, the intervals of a nearly perfect judge are far too short.

    References
    ----------
    Cochran (1977), Sampling Techniques, ch. 7. Angelopoulos, Duchi and Zrnic (2023),
    arXiv:2311.01453. Methods: Judges

    Examples
    --------
    A judge whose scores are all one point too high, and otherwise correct:

    >>> judged = np.array([1.0, 2, 1, 2, 2, 2, 1, 2])
    >>> truth = [0, 1, 0, 1, *[np.nan] * 4]
    >>> estimate = judge_corrected(truth, judged)
    >>> estimate.estimate, estimate.bias, estimate.label_mean
    (0.625, 1.0, 0.5)
    """
    d, f, known = _label_arrays(truth, judged, 3)
    d, labeled = d[known], f[known]
    n, total = d.size, f.size
    lam = _slope(d, labeled) if slope is None else float(slope)
    checks.finite("slope", lam)
    residual = d - d.mean() - lam * (labeled - labeled.mean())
    left = float(residual @ residual) / (n - 2)
    unseen = float(departure_variance(n, judged=total, departure=departure))
    label_variance = float(d.var(ddof=1))
    bias = labeled - d
    return JudgedMean(
        estimate=float(d.mean() + lam * (f.mean() - labeled.mean())),
        se=float(left * (1 / n - 1 / total) + label_variance / total + unseen) ** 0.5,
        df=n - 2,
        slope=lam,
        r=_correlation(d, labeled),
        items=total,
        labels=n,
        label_mean=float(d.mean()),
        label_se=float(label_variance / n) ** 0.5,
        judge_mean=float(f.mean()),
        judge_se=float(f.var(ddof=1) / total) ** 0.5,
        bias=float(bias.mean()),
        bias_se=float(bias.var(ddof=1) / n) ** 0.5,
    )


def judge_influence(
    truth: FloatLike, judged: FloatLike, *, slope: float | None = None, fitted: int = 0
) -> Array:
    """Return the contribution of each item to the corrected mean, ψ, whose mean is 0.

    For items in groups, pass these values to :func:`cluster_sums`, as for an ordinary mean. The
    products of two sets of values give a covariance.

    Parameters
    ----------
    truth, judged : array_like
        As in :func:`judge_corrected`.
    slope : float, optional
        λ. The default is estimated from these labels.
    fitted : int, default 0
        Numbers that were estimated from the labels, p: residuals of these are too small, and are
        enlarged by √(n / (n - p (1 - n/T))). 2 for a mean and λ, 1 for a mean alone; by default 0,
        the values as they are.

    Returns
    -------
    Array
        ψ = L/π (D - D̄ - λ (f - f̄ of the labeled)) + λ (f - f̄ of all), (T,), with L = 1 for the
        labeled, a share π of all.

    References
    ----------
    Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, ch. 6. Methods: Judges

    Examples
    --------
    >>> psi = judge_influence([0, 1, np.nan, np.nan], [0, 1, 1, 0])
    >>> psi.tolist()
    [-0.5, 0.5, 0.5, -0.5]
    """
    d, f, known = _label_arrays(truth, judged, 2)
    lam = _slope(d[known], f[known]) if slope is None else float(slope)
    checks.finite("slope", lam)
    n = int(np.count_nonzero(known))
    share = n / d.size
    lost = fitted * (1 - share)
    checks.require(
        0 <= lost < n, "fitted", "at least 0 and less than the number of labels", fitted
    )
    centered = d - d[known].mean() - lam * (f - f[known].mean())
    centered *= np.sqrt(n / (n - lost))
    return np.asarray(np.where(known, centered, 0.0) / share + lam * (f - f.mean()))


def judge_r_limit(
    departures: FloatLike, *, labels: FloatLike, variance: FloatLike, conf: float = 0.95
) -> Array:
    """Return a lower limit of the correlation of judge and labels from how often they differ.

    If judge and labels rarely differ, the variance of the few disagreements does not show how many
    more are possible. An exact limit of their share does. The limit is √(1 - U / variance), at
    least 0, where U is Clopper and Pearson's upper limit of the share of departures.

    Clopper and Pearson (1934), Biometrika 26.
    """
    checks.positive("variance", variance)
    max_departure = clopper_pearson_interval(departures, labels, conf=conf).high
    left = 1 - np.asarray(max_departure) / np.asarray(variance, dtype=np.float64)
    return np.sqrt(np.maximum(left, 0.0))[()]


def judge_scores(truth: FloatLike, judged: FloatLike) -> _JudgeScores:
    """Return scores of several models, corrected by labels, for comparisons like plain scores.

    A ranking needs one covariance matrix for all gaps, so all models share one λ. It is the slope
    of labels on judgments within items, after subtracting the means over models. For two models,
    it equals the λ of :func:`judge_corrected` for their difference. The result is the corrected
    mean plus what each item adds to it (:func:`judge_influence` with two parameters fitted).
    Therefore, s² / T of a difference is the variance of a corrected gap with n - 2 degrees of
    freedom.

    Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, ch. 6.
    """
    y, f = np.asarray(truth, dtype=np.float64), np.asarray(judged, dtype=np.float64)
    checks.require(y.ndim == 2, "number of axes of truth", "2", y.ndim)
    checks.require(len(y) >= 2, "number of models", "at least 2", len(y))
    checks.require(f.shape == y.shape, "shape of judged", "that of truth", f.size)
    checks.finite("judged", f)
    known = ~np.isnan(y).any(axis=0)
    n, total = int(np.count_nonzero(known)), y.shape[1]
    checks.require(
        np.isnan(y[:, ~known]), "labels of an item", "present for all models or for none", n
    )
    checks.finite("truth", y[:, known])
    checks.require(n >= 3, "number of labels", "at least 3", n)
    label_values, judge_values = y[:, known], f[:, known]
    label_values = label_values - label_values.mean(axis=1, keepdims=True)
    judge_values = judge_values - judge_values.mean(axis=1, keepdims=True)
    contrasts = judge_values - judge_values.mean(axis=0)
    spread = float(np.square(contrasts).sum())
    slope = float((contrasts * label_values).sum()) / spread if spread > 0 else 0.0
    scale = (total / n) * (n / (n - 2 * (1 - n / total))) ** 0.5
    centered = f - f.mean(axis=1, keepdims=True)
    scores = slope * centered
    scores[:, known] += scale * (label_values - slope * judge_values)
    moved = f.mean(axis=1) - f[:, known].mean(axis=1)
    scores += (y[:, known].mean(axis=1) + slope * moved)[:, None]
    return _JudgeScores(scores=scores, slope=slope, df=n - 2)


def judge_cells(truth: FloatLike, cell: FloatLike) -> CellMean:
    """Return the mean of human labels, estimated by cells of the judge's scores.

    Labels are averaged within each cell, and cells are weighted by their share of all items. The
    judge's scale does not matter, but every cell needs labels. With about 200 labels or more, this
    estimate is as precise as the regression. With fewer labels, it is less precise.

    Parameters
    ----------
    truth : array_like
        Label of each item, (T,), with NaN for unlabeled items.
    cell : array_like
        Cell of each item, whole numbers from 0, (T,): of two models judged pass or fail, 2 f_A +
        f_B.

    Returns
    -------
    CellMean
        Σ W_c D̄_c and Σ W_c² s_c² / n_c.

    Raises
    ------
    ParameterError
        A cell has items but fewer than 2 labels.

    References
    ----------
    Tenenbein (1970), JASA 65. Methods: Judges

    Examples
    --------
    >>> judge_cells([0, 0, 1, 1, np.nan, np.nan], [0, 0, 1, 1, 1, 1]).estimate
    0.6666666666666666
    """
    checks.counts(cell=cell)
    d, f, known = _label_arrays(truth, cell, 2)
    code = f.astype(np.int64)
    items = np.bincount(code)
    labels = np.bincount(code[known], minlength=items.size)
    checks.require(labels[items > 0] >= 2, "labels of each cell", "at least 2", labels[items > 0])
    has_items = items > 0
    share = items[has_items] / d.size
    mean = (
        np.bincount(code[known], weights=d[known], minlength=items.size)[has_items]
        / labels[has_items]
    )
    place = np.cumsum(has_items) - 1
    squares = np.square(d[known] - mean[place[code[known]]])
    within = np.bincount(place[code[known]], weights=squares) / (labels[has_items] - 1)
    return CellMean(float(share @ mean), float(share**2 @ (within / labels[has_items])))


def prediction_powered(
    truth: FloatLike,
    judged: FloatLike,
    unlabeled: FloatLike,
    *,
    weight: float | None = None,
) -> Corrected:
    """Return the mean by PPI++, as ``ppi_py`` computes it, from labeled and unlabeled items.

    This function is provided for comparison with that library. :func:`judge_corrected` returns the
    same estimate with λ replaced by λ (T - n)/T. Its error allows for the estimation of λ, and it
    uses t instead of z.

    Parameters
    ----------
    truth : array_like
        Labels, (n,).
    judged : array_like
        The judge's scores of the same items, (n,).
    unlabeled : array_like
        The judge's scores of the other items, (N,).
    weight : float, optional
        λ of the unlabeled mean; by default Cov(D, f) / ((1 + n/N) Var f) with the variance of f
        over all items.

    Returns
    -------
    Corrected
        λ mean(f unlabeled) + mean(D - λ f), and its standard error.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), arXiv:2311.01453. Methods: Judges

    Examples
    --------
    >>> prediction_powered([0, 1, 0, 1], [0, 1, 0, 1], [1, 1, 1, 0], weight=1).estimate
    0.75
    """
    d, f, _ = _label_arrays(truth, judged, 2)
    checks.finite("truth", d)
    u = np.asarray(unlabeled, dtype=np.float64)
    checks.finite("unlabeled", u)
    checks.require(u.size >= 2, "number of unlabeled", "at least 2", u.size)
    n, rest = d.size, u.size
    if weight is None:
        spread = float(np.concatenate([f, u]).var(ddof=1))
        weight = float(np.cov(d, f, ddof=0)[0, 1]) / ((1 + n / rest) * spread) if spread else 0.0
    checks.finite("weight", weight)
    rectified = d - weight * f
    variance = weight**2 * float(u.var()) / rest + float(rectified.var()) / n
    return Corrected(float(weight * u.mean() + rectified.mean()), variance**0.5)


def label_choice(truth: FloatLike, judged: FloatLike) -> LabelChoice:
    """Test whether the judge scores labeled items like the other items.

    Parameters
    ----------
    truth : array_like
        Label of each item, (T,), with NaN for unlabeled items. At least 2 items must have labels,
        and 2 must not.
    judged : array_like
        The judge's score of each item, (T,).

    Returns
    -------
    LabelChoice
        Both means, and a test of their difference by the variance of a random sample of the same
        number of items. A small p-value shows that items were not selected at random, so a
        correction by their labels would be wrong. A large p-value does not prove that they were.

    References
    ----------
    Cochran (1977), Sampling Techniques, ch. 2. Methods: Judges

    Examples
    --------
    The 20 of 100 items with the highest scores of the judge:

    >>> judged = np.linspace(1, 0, 100)
    >>> label_choice([1] * 20 + [np.nan] * 80, judged).p < 1e-6
    True
    """
    _, f, known = _label_arrays(truth, judged, 2)
    inside, outside = f[known], f[~known]
    checks.require(outside.size >= 2, "items without a label", "at least 2", outside.size)
    gap = float(inside.mean() - outside.mean())
    se = float(f.var(ddof=1) * (1 / inside.size + 1 / outside.size)) ** 0.5
    z = gap / se if se > 0 else np.inf * np.sign(gap) if gap else 0.0
    return LabelChoice(
        labeled=float(inside.mean()),
        unlabeled=float(outside.mean()),
        z=float(z),
        p=float(np.clip(2 * special.ndtr(-abs(z)), P_FLOOR, 1.0)),
    )
