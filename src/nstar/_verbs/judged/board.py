"""Many models by a judge's scores, corrected by labels that all of them share.

One λ serves all models, so that all gaps have one covariance: what comes out is a matrix of
scores that an audit or a gate treats like any other, with as much freedom as there are labels.
"""

import math

import numpy as np

from nstar import stats
from nstar._base.record import record
from nstar._base.types import Array, BoolArray, Count, Interval
from nstar._data.matrix import Correction, ScoreMatrix
from nstar._verbs.compare.sample import refuse_conflicts
from nstar._verbs.judged.sample import (
    FEWEST,
    departure_size,
    labels_on,
    limits_of,
    on_one_scale,
    refuse_chosen,
)
from nstar.errors import DataError, arg


@record()
class JudgedModelRow:
    """One model of a ranking as the judge sees it."""

    model: str
    """Model."""
    judge_mean: float
    """Its mean by the judge alone."""
    judge_rank: Count
    """Its place by that."""
    label_mean: float
    """Its mean over labeled items, by the labels."""
    bias: float
    """How far the judge favors it: its bias less that of the models together."""
    bias_ci: Interval
    """Its interval, alone."""
    bias_pvalue: float
    """p-value of no favor, Holm over the models if there are more than two."""


@record()
class JudgedRanking:
    """How a judge's scores of many models were corrected."""

    n_items: Count
    """Items that the judge scored for every model."""
    n_items_left_out: Count
    """Items that it scored for some only."""
    n_labels: Count
    """Items that are labeled for every model."""
    judge_score_range: tuple[float, float] | None
    """Lowest and highest score of a judge on another scale than the labels, which stands here
    stretched over theirs; None if it is on theirs."""
    slope: float
    """How far the judge is believed, the same for all models; 0: not at all."""
    gain: float
    """Variance of a gap by labels alone over that of the answer, in the middle of all pairs."""
    selection_pvalue: float | None
    """p-value of labeled items being like the others to the judge; None if all are labeled."""
    confidence_level: float
    """Coverage of intervals."""
    models: tuple[JudgedModelRow, ...]
    """Models, as the judge alone would rank them."""

    @property
    def favored_models(self) -> tuple[JudgedModelRow, ...]:
        """Models that the judge favors, or wrongs, beyond chance; the furthest first."""
        found = [x for x in self.models if x.bias_pvalue <= 1 - self.confidence_level]
        return tuple(sorted(found, key=lambda x: -abs(x.bias)))


def _brought_together(judge: ScoreMatrix, label: ScoreMatrix) -> tuple[Array, Array, BoolArray]:
    """Judgments and labels of the items that every model has, and which items those are."""
    for matrix in (judge, label):
        refuse_conflicts(matrix)
    missing = [name for name in judge.models if name not in label.models]
    if missing:
        msg = f"{missing[0]} has no labels. Label the same items for every model"
        raise DataError(msg)
    said = judge.dense()
    whole: BoolArray = np.asarray(~np.isnan(said).any(axis=0))
    if not whole.any():
        msg = "No item has judge scores for every model"
        raise DataError(msg)
    told = labels_on(judge, label, judge.models)[:, whole]
    some = ~np.isnan(told).any(axis=0)
    told[:, ~some] = np.nan
    return said[:, whole], told, whole


def _refuse_few(told: Array, labels: int) -> None:
    if labels < FEWEST:
        most = int((~np.isnan(told)).sum(axis=1).max(initial=0))
        msg = (
            f"Only {labels} items are labeled for every model; {FEWEST} are needed to correct the "
            "judge"
        )
        if most > labels:
            msg += f", and one model has {most}. Label the same items for every model"
        msg += f". To use labels alone as scores, set {arg('columns', 'score=NAME')}"
        raise DataError(msg)


def _gain(told: Array, known: BoolArray, scores: Array, departure: float) -> float:
    """Variance of gaps by labels alone over that of corrected ones, in the middle of pairs."""
    i, j = np.triu_indices(len(scores), 1)
    alone, both = (
        np.diag(c)[i] + np.diag(c)[j] - 2 * c[i, j]
        for c in (
            np.atleast_2d(np.cov(told[:, known])) / known.sum(),
            np.atleast_2d(np.cov(scores)) / scores.shape[1],
        )
    )
    both = both + stats.departure_variance(
        int(known.sum()), judged=scores.shape[1], departure=departure
    )
    seen = both > 0
    return float(np.median(alone[seen] / both[seen])) if seen.any() else 1.0


def _places(
    judge: ScoreMatrix, said: Array, told: Array, known: BoolArray, alpha: float
) -> tuple[JudgedModelRow, ...]:
    bias = said[:, known] - told[:, known]
    apart = bias - bias.mean(axis=0)
    n = apart.shape[1]
    mean, se = apart.mean(axis=1), apart.std(axis=1, ddof=1) / math.sqrt(n)
    half = float(stats.t_quantile(1 - alpha / 2, n - 1.0)) * se
    p = np.array(
        [
            float(stats.t_pvalue(m, s * math.sqrt(n), n)) if s > 0 else 1.0
            for m, s in zip(mean.tolist(), se.tolist(), strict=True)
        ]
    )
    adjusted = np.asarray(stats.holm(p)) if len(p) > 2 else p  # of two, one mirrors the other
    by_judge, up = said.mean(axis=1), -1 if judge.lower_is_better else 1
    order = sorted(range(len(mean)), key=lambda k: (-up * by_judge[k], judge.models[k]))
    low, high = np.sort(np.stack([up * (mean - half), up * (mean + half)]), axis=0).tolist()
    return tuple(
        JudgedModelRow(
            model=judge.models[k],
            judge_mean=float(by_judge[k]),
            judge_rank=place,
            label_mean=float(told[k, known].mean()),
            bias=float(up * mean[k]),
            bias_ci=Interval(low[k], high[k]),
            bias_pvalue=float(adjusted[k]),
        )
        for place, k in enumerate(order, start=1)
    )


def corrected_matrix(
    judge: ScoreMatrix, label: ScoreMatrix, *, alpha: float = 0.05
) -> tuple[ScoreMatrix, JudgedRanking]:
    """A judge's scores of many models, corrected by labels of some items, as one matrix.

    Whom the judge favors is told at ``alpha``, two-sided.

    Raises
    ------
    DataError
        Too few items are labeled for every model, or the labeled items look chosen.
    """
    said, told, whole = _brought_together(judge, label)
    known = ~np.isnan(told[0])
    labels = int(known.sum())
    _refuse_few(np.stack([label.row(name) for name in judge.models]), labels)
    said, stretched = on_one_scale(said, told)
    choice = refuse_chosen(said, known)
    found, limits = stats.judge_scores(told, said), limits_of(said, told)
    departure = departure_size(told, limits)
    matrix = ScoreMatrix(
        task=judge.task,
        metric=label.metric,
        models=judge.models,
        items=tuple(x for x, keep in zip(judge.items, whole.tolist(), strict=True) if keep),
        groups=judge.groups_on(whole),
        means=found.scores,
        lower_is_better=judge.lower_is_better,
        alignment=judge.alignment,
        correction=Correction(known=known, limits=limits, departure=departure),
    )
    about = JudgedRanking(
        n_items=said.shape[1],
        n_items_left_out=int((~whole).sum()),
        n_labels=labels,
        judge_score_range=stretched,
        slope=found.slope,
        gain=_gain(told, known, found.scores, departure),
        selection_pvalue=choice,
        confidence_level=1 - alpha,
        models=_places(judge, said, told, known, alpha),
    )
    return matrix, about
