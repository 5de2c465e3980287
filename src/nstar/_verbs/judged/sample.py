"""Judgments and labels of two models, in one order of items."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.matrix import LABEL_WEIGHT, ScoreMatrix, two_values
from nstar._verbs.compare.sample import refuse_conflicts, restricted
from nstar.errors import DataError, ParameterError, arg
from nstar.stats._label_looks import label_looks
from nstar.stats._label_strata import LEAST_IN_STRATUM, LabelStrata
from nstar.stats.judge import LEAST_LABELS

FEWEST = LEAST_LABELS
"""Smallest number of labels that correct a judge."""
_MIN_LABELS = 3
"""Smallest number of labels with a result."""
_MISFIT = 1.5
"""Largest factor between the weight of labels and the number of items per label."""
_CHOSEN = 0.001
"""Level at which labels count as selected: one random sample in a thousand is refused."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedSample:
    """Items that the judge scored for both models."""

    judge: tuple[Array, Array]
    """Judge's scores of the first and of the second model, (T,) each."""
    label: tuple[Array, Array]
    """Labels of both models, NaN where one has none, (T,) each."""
    cluster: str | None
    """Column whose groups are a random sample."""
    codes: IntArray | None
    """Group of each item in that column, (T,)."""

    stretched: tuple[float, float] | None = None
    """Original range of a judge that was mapped to the scale of the labels."""
    strata: LabelStrata | None = None
    """Strata by which the labels were drawn; None for a random sample of all items."""

    @property
    def known(self) -> BoolArray:
        """Return which items are labeled."""
        return ~np.isnan(self.label[0])

    @property
    def truth(self) -> Array:
        """Return the difference of labels, NaN where there is none."""
        return self.label[0] - self.label[1]

    @property
    def judge_difference(self) -> Array:
        """Return the difference of judgments."""
        return self.judge[0] - self.judge[1]

    @property
    def score_range(self) -> tuple[float, float]:
        """Return the worst and best possible score: 0 and 1, or the observed ones."""
        return limits_of(np.stack(self.judge), np.stack(self.label))

    @property
    def binary(self) -> bool:
        """Return whether labels have only two values, as 0 and 1."""
        return is_two_valued(np.stack(self.label))

    @property
    def label_values(self) -> tuple[float, float]:
        """Return the two values of such labels: 0 and 1, or the lowest and the highest."""
        label_scores = np.stack(self.label)
        low, high = float(np.nanmin(label_scores)), float(np.nanmax(label_scores))
        return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)

    @property
    def label_range(self) -> float:
        """Return their distance."""
        return self.label_values[1] - self.label_values[0]

    @property
    def departure(self) -> float:
        """Return the size of an unobserved disagreement of judge and labels."""
        return departure_size(np.stack(self.label), self.score_range)


def limits_of(judgments: Array, label_scores: Array) -> tuple[float, float]:
    """Return the worst and best possible score: 0 and 1, or the observed extremes."""
    low, high = (float(f([f(judgments), f(label_scores)])) for f in (np.nanmin, np.nanmax))
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def is_two_valued(label_scores: Array) -> bool:
    """Return whether labels are 0 and 1, or two other values."""
    values = label_scores[~np.isnan(label_scores)]
    return bool(((values == 0) | (values == 1)).all()) or two_values(*label_scores) is not None


def departure_size(label_scores: Array, limits: tuple[float, float]) -> float:
    """Return the size of an unobserved disagreement of judge and labels."""
    scale = limits[1] - limits[0]
    return scale if is_two_valued(label_scores) else scale / 2


def labels_on(judge: ScoreMatrix, label: ScoreMatrix, names: Sequence[str]) -> Array:
    """Return labels of some models on the items of the judge, NaN where there is none, (M, N)."""
    place = {item: k for k, item in enumerate(label.items)}
    at = np.array([place.get(item, -1) for item in judge.items])
    return np.stack([np.append(label.row(name), np.nan)[at] for name in names])


def judged_sample(
    judge: ScoreMatrix, label: ScoreMatrix, names: tuple[str, str], cluster: str | None
) -> JudgedSample:
    """Combine two models of two matrices, one of the judge and one of the labels.

    Raise DataError if there are no judged items of both, too few labels or all alike, rows that
    contradict each other, or no such groups.
    """
    for matrix in (judge, label):
        refuse_conflicts(matrix)
    judgments = [judge.row(name) for name in names]
    judged = ~np.isnan(judgments[0]) & ~np.isnan(judgments[1])
    if not judged.any():
        msg = (
            f"No item has judge scores for both {names[0]} and {names[1]}. Have the judge score "
            "the same items for both models."
        )
        raise DataError(msg)
    label_scores = labels_on(judge, label, names)
    has_labels = ~np.isnan(label_scores[0]) & ~np.isnan(label_scores[1])
    labels = int(np.count_nonzero(has_labels & judged))
    if labels < _MIN_LABELS:
        label_counts = [int(np.count_nonzero(~np.isnan(x[judged]))) for x in label_scores]
        msg = (
            f"Only {labels} judged items are labeled for both models ({names[0]} has "
            f"{label_counts[0]:,} labels, {names[1]} {label_counts[1]:,}); at least {_MIN_LABELS} "
            f"are needed ({FEWEST} to correct the judge). Label the same items for both."
        )
        raise DataError(msg)
    first, second = (np.where(has_labels, x, np.nan)[judged] for x in label_scores)
    heard, stretched = on_one_scale(
        np.stack([x[judged] for x in judgments]), np.stack([first, second])
    )
    gap = (first - second)[~np.isnan(first)]
    if np.ptp(gap) == 0:
        msg = (
            f"All {labels} labeled items have the same gap between {names[0]} and {names[1]} "
            f"({gap[0]:g}), so no standard error can be estimated. Label more items."
        )
        raise DataError(msg)
    strata = label_strata(judge, judged, ~np.isnan(first))
    if strata is not None:
        refuse_groups(cluster)
    return JudgedSample(
        strata=strata,
        judge=(heard[0], heard[1]),
        stretched=stretched,
        label=(first, second),
        cluster=cluster,
        codes=None if cluster is None else _codes(judge, cluster, judged),
    )


def on_one_scale(
    judgments: Array, label_scores: Array
) -> tuple[Array, tuple[float, float] | None]:
    """Return the judge on the scale of the labels, and its range if that was another one.

    Scales differ if one of them appears to be 0 to 1 and the other does not. The corrected gap is
    the same on any scale, but the judge's own result and its bias need the same scale.
    """
    ends = [(float(np.nanmin(x)), float(np.nanmax(x))) for x in (judgments, label_scores)]
    within = [low >= 0 and high <= 1 for low, high in ends]
    (low, high), (min_label, max_label) = ends
    if within[0] == within[1] or low == high:
        return judgments, None
    if within[1]:
        min_label, max_label = 0.0, 1.0
    else:
        low, high = 0.0, 1.0
    return min_label + (judgments - low) * ((max_label - min_label) / (high - low)), (low, high)


def _codes(matrix: ScoreMatrix, column: str, judged: BoolArray) -> IntArray:
    """Return the group of each judged item."""
    if column not in matrix.groups:
        available = ", ".join(matrix.groups) or "none"
        msg = f"No group column {column} for {arg('cluster')}. Available: {available}."
        raise DataError(msg)
    groups = restricted(matrix.groups[column], judged)
    if len(groups.labels) < 2:
        msg = f"All items are in one {column}; clusters need at least two. Drop {arg('cluster')}."
        raise DataError(msg)
    return np.asarray(groups.codes, dtype=np.int64)


def label_strata(judge: ScoreMatrix, judged: BoolArray, known: BoolArray) -> LabelStrata | None:
    """Return the strata by which labels were drawn; None if all items were equally likely.

    Raise DataError if weights are missing, labels are too few, or the two contradict each other.
    """
    grouping = judge.groups.get(LABEL_WEIGHT)
    if grouping is None:
        return None
    column = grouping.codes[judged]
    missing = int(np.count_nonzero(column < 0))
    if missing:
        msg = (
            f"{LABEL_WEIGHT} is empty for {missing:,} of {column.size:,} judged items. Set it for "
            "all of them, as in the list of drawn items."
        )
        raise DataError(msg)
    used, place = np.unique(column, return_inverse=True)
    codes = np.asarray(place.reshape(-1), np.int64)
    items = np.bincount(codes).astype(np.float64)
    labels = np.bincount(codes[known], minlength=items.size).astype(np.float64)
    for k, code in enumerate(used.tolist()):
        text = grouping.labels[code]
        try:
            weight = float(text)
        except ValueError:
            weight = math.nan
        where = f"{LABEL_WEIGHT} {text:.20}: "
        if not weight >= 1 or math.isinf(weight):
            msg = f"{where}a weight is a number of judged items per label, at least 1."
            raise DataError(msg)
        if labels[k] < min(LEAST_IN_STRATUM, items[k]):
            msg = (
                f"{where}only {labels[k]:.0f} of {items[k]:,.0f} items are labeled; at least "
                f"{LEAST_IN_STRATUM} are needed. Label more of them."
            )
            raise DataError(msg)
        if not 1 / _MISFIT <= items[k] / labels[k] / weight <= _MISFIT:
            msg = (
                f"{where}{labels[k]:,.0f} of {items[k]:,.0f} items are labeled, which is "
                f"{items[k] / labels[k]:.3g} items per label. Label all items that were drawn, or "
                "correct the weights."
            )
            raise DataError(msg)
    return None if items.size == 1 else LabelStrata(codes, items, labels)


def label_weights(strata: LabelStrata | None, known: BoolArray) -> Array:
    """Return the weight of each label in a mean; the weights add up to 1."""
    if strata is None:
        return np.full(int(known.sum()), 1 / int(known.sum()))
    return np.asarray((strata.share / strata.labels)[strata.codes[known]])


def refuse_groups(*columns: str | None) -> None:
    """Refuse clusters and strata of items together with labels drawn by strata."""
    if any(columns):
        msg = (
            f"Labels were drawn by strata ({LABEL_WEIGHT}), and errors of such labels are known "
            f"only for independent items. Remove {arg('cluster')} and {arg('strata')}, or label a "
            "random subset."
        )
        raise ParameterError(msg)


def label_groups(codes: IntArray, known: BoolArray, column: str | None) -> IntArray:
    """Return the labels of each group that has some."""
    counts = np.bincount(codes[known])
    if np.count_nonzero(counts) < 2:
        msg = (
            f"All labeled items are in one {column}; clusters need at least two. Label items in "
            "other clusters."
        )
        raise DataError(msg)
    return np.asarray(counts[counts > 0])


_LOOKS = {
    "mean": "all models",
    "spread": "the spread of the models",
    "difference": "the difference of the models",
}
"""Properties by which labeled items are compared with the others."""


def refuse_chosen(
    judgments: Array, known: BoolArray, strata: LabelStrata | None = None
) -> float | None:
    """Raise DataError if labeled items differ from the others by the judge's scores, (M, T).

    Items are compared within strata, if labels were drawn by strata. The result is the p-value of
    items labeled at random, over all looks; None if all are labeled.
    """
    codes = np.zeros(known.size, np.int64) if strata is None else strata.codes
    groups = [codes == k for k in range(codes.max() + 1)]
    looks_by_stratum = [label_looks(judgments[:, group], known[group]) for group in groups]
    all_looks = [looks for looks in looks_by_stratum if looks is not None]
    if not all_looks:
        return None
    looks = min(all_looks, key=lambda x: x.p)
    p, worst = min(1.0, len(all_looks) * looks.p), looks.choice
    if p < _CHOSEN:
        msg = (
            f"Labeled items do not look random: the judge's mean for {_LOOKS[looks.look]} is "
            f"{worst.labeled:.3g} on them, {worst.unlabeled:.3g} elsewhere (p = {p:.1g}). Label a "
            f"random subset. If labels were drawn by strata, add their weights ({LABEL_WEIGHT})."
        )
        raise DataError(msg)
    return p
