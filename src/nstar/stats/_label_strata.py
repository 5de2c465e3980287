"""Labels drawn by strata of the judge's scores, with a known probability in each stratum.

Labels are worth more where the judge sees a difference between models. They are then drawn more
often there, so that plain means of the labels are wrong. A mean is W_1 ē_1 + … + W_H ē_H + λ f̄,
with the share W_h of a stratum among all judged items, its mean ē_h of y - λ f over labeled items,
and the judge's mean f̄ over all items. Its variance is

    Σ W_h² (1 - n_h/T_h) s_h²/n_h + s_y²/T.

Cochran (1977), Sampling Techniques, ch. 5 and 7.
"""

from typing import NamedTuple

import numpy as np

from nstar._base.types import Array, IntArray
from nstar.stats._roots import bisect
from nstar.stats.judge_plan import neyman_labels

LEAST_IN_STRATUM = 5
"""Smallest number of labels in a stratum, unless all its items are labeled."""
_ROUNDING = 1e-9
_LEAST_FREEDOM = 4.0
"""Smallest number of degrees of freedom, because strata with few labels estimate it poorly."""
_LEAST_SPREAD = 0.01
"""Least standard deviation in a stratum, relative to the largest one."""
_FLOOR = 0.25
"""Least share of the labels in a stratum, relative to its share of the items."""


class LabelStrata(NamedTuple):
    """Strata of judged items, and the labels in each."""

    codes: IntArray
    """Stratum of each item, (T,)."""
    items: Array
    """Number of items T_h in each stratum, (H,)."""
    labels: Array
    """Number of labels n_h in each stratum, (H,)."""

    @property
    def share(self) -> Array:
        """Return the share W_h of each stratum."""
        return self.items / self.items.sum()

    @property
    def sampling(self) -> Array:
        """Return W_h² (1 - n_h/T_h) / n_h, by which a variance in each stratum is multiplied."""
        return np.square(self.share) * (1 - self.labels / self.items) / self.labels

    def unseen(self, departure: float) -> float:
        """Return the variance of two unobserved disagreements, spread over all labels."""
        return 2 * departure**2 * float((self.sampling / self.labels.sum()).sum())

    def freedom(self, variance: Array, rest: float) -> float:
        """Return Satterthwaite's degrees of freedom, for variances in strata and s_y²/T."""
        parts = self.sampling * variance
        doubt = np.square(parts) / np.maximum(self.labels - 1, 1)
        total = float(doubt.sum())
        n = float(self.labels.sum())
        df = (float(parts.sum()) + rest) ** 2 / total if total > 0 else n
        return max(min(df, n - self.labels.size), _LEAST_FREEDOM)


class StratifiedScores(NamedTuple):
    """Corrected scores of several models, as plain scores of the judged items."""

    scores: Array
    """Mean of each model plus what each item adds to it, (M, T)."""
    slope: float
    """λ, the same for all models."""
    label_means: Array
    """Means of the labels, weighted by strata, (M,)."""
    label_variance: float
    """Variance of a difference of labels over all items, mean over pairs of models."""
    df: float
    """Degrees of freedom of a gap, for the mean variance over pairs of models."""


def stratified_scores(truth: Array, judged: Array, strata: LabelStrata) -> StratifiedScores:
    """Return scores whose plain means and covariances are those of the corrected means.

    ``truth`` and ``judged`` are (M, T); labels are NaN where an item has none. For a single
    model, the variance is that of its mean.
    """
    known = ~np.isnan(truth[0])
    code, share = strata.codes[known], strata.share
    weight = (share / strata.labels)[code]  # adds up to 1
    y, f = truth[:, known], judged[:, known]
    y_means, f_means = y @ weight, judged.mean(axis=1)
    pairs = max(len(y) - 1, 1)
    contrasts = f - (f @ weight)[:, None]
    if len(y) > 1:
        contrasts = contrasts - contrasts.mean(axis=0)
    spread = float((contrasts * contrasts @ weight).sum())
    slope = float((contrasts * (y - y_means[:, None]) @ weight).sum()) / spread if spread else 0.0
    rest = y - slope * f
    means = _by_stratum(rest, code, strata.labels)
    within = rest - means[:, code]
    n, groups = code.size, strata.labels.size
    within_f = contrasts - _by_stratum(contrasts, code, strata.labels)[:, code]
    is_flat = float(np.abs(within_f).max()) < _ROUNDING  # strata contain all that the judge says
    fitted = 1.0 if is_flat else (n - groups) / max(n - groups - 1, 1)
    enlarged = np.sqrt(fitted * strata.labels / np.maximum(strata.labels - 1, 1))
    scores = means[:, strata.codes] + slope * judged
    scores[:, known] += within * (enlarged * strata.items / strata.labels)[code]
    total = means @ share + slope * f_means

    def variance(values: Array) -> Array:
        """Return variances in strata of a difference, from values about a mean, (H,)."""
        x = values - values.mean(axis=0) if len(values) > 1 else values
        squares = np.square(x).sum(axis=0) * ((2 if len(values) > 1 else 1) / pairs)
        return np.bincount(code, squares, groups) / np.maximum(strata.labels - 1, 1)

    in_strata = variance(within) * fitted
    centered = y - y_means[:, None]
    label_variance = float(share @ (variance(centered) * (strata.labels - 1) / strata.labels))
    return StratifiedScores(
        scores=scores - scores.mean(axis=1, keepdims=True) + total[:, None],
        slope=slope,
        label_means=y_means,
        label_variance=label_variance,
        df=strata.freedom(in_strata, label_variance / strata.codes.size),
    )


def _by_stratum(values: Array, code: IntArray, labels: Array) -> Array:
    """Return the mean of each row in each stratum, (M, H)."""
    return np.stack([np.bincount(code, row, labels.size) for row in values]) / labels


def judge_strata(judged: Array) -> IntArray:
    """Return the stratum of each item by the judge's differences between models, (T,).

    Two models have three strata: the judge prefers one of them, neither, or the other. More models
    have no spread, at most the median spread, or more.

    >>> judge_strata(np.array([[1.0, 0, 1, 0], [0.0, 1, 1, 0]])).tolist()
    [2, 0, 1, 1]
    """
    if len(judged) == 2:
        return np.asarray(np.sign(judged[0] - judged[1]) + 1, np.int64)
    spread = np.square(judged - judged.mean(axis=0)).sum(axis=0).round(12)
    median_spread = np.median(spread[spread > 0]) if spread.any() else 0.0
    return np.asarray((spread > 0) * 1 + (spread > median_spread), np.int64)


def allocate_labels(
    items: Array, sd: Array, labels: int, existing: Array | None = None
) -> IntArray:
    """Return the number of labels in each stratum (Neyman's, with floors), (H,).

    A stratum has at least a quarter of its proportional share and 5 labels, and at least
    ``existing``, the labels that it already has. No stratum has more labels than items.

    >>> allocate_labels(np.array([150.0, 650, 200]), np.array([0.6, 0.3, 0.55]), 300).tolist()
    [68, 148, 84]
    """
    share, spread = items / items.sum(), np.maximum(sd, _LEAST_SPREAD * sd.max(initial=0.0))
    floors = np.maximum(np.ceil(_FLOOR * labels * share), LEAST_IN_STRATUM)
    floors = np.minimum(np.maximum(floors, 0 if existing is None else existing), items)
    ideal_shares = neyman_labels(share, spread, labels=labels).share

    def bounded(scale: float) -> Array:
        return np.clip(scale * ideal_shares, floors, items)

    target = max(float(min(labels, items.sum())), float(floors.sum()))
    high = float((items / ideal_shares).max())
    result = bounded(float(bisect(lambda x: bounded(float(x)).sum() < target, 0.0, high)))
    counts = np.floor(result + _ROUNDING)
    missing = round(target - counts.sum())
    remainder = np.where(counts < items, result - counts, -1.0)
    counts[np.argsort(-remainder, kind="stable")[:missing]] += 1
    return counts.astype(np.int64)
