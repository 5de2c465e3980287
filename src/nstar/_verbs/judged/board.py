"""Many models scored by a judge, corrected by labels that all of them share.

One λ serves all models, so that all gaps have one covariance. The result is a matrix of scores
that an audit or a gate treats like any other, with degrees of freedom from the labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, Count, Interval
from nstar._data.matrix import LABEL_WEIGHT, Correction, ScoreMatrix
from nstar._verbs.compare.sample import refuse_conflicts
from nstar._verbs.judged.sample import (
    FEWEST,
    departure_size,
    label_strata,
    label_weights,
    labels_on,
    limits_of,
    on_one_scale,
    refuse_chosen,
    refuse_groups,
)
from nstar.errors import DataError, arg
from nstar.stats._label_strata import StratifiedScores, stratified_scores
from nstar.stats.judge import _JudgeScores, departure_variance, judge_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedModelRow:
    """One model of a ranking by a judge."""

    model: str
    """Name of the model."""
    judge_mean: float
    """Mean by the judge alone."""
    judge_rank: Count
    """Rank by the judge alone."""
    label_mean: float
    """Mean of the labels over labeled items."""
    bias: float
    """Bias of the judge for this model, less the mean bias over models."""
    bias_ci: Interval
    """Interval of the bias, unadjusted."""
    bias_pvalue: float
    """p-value of no bias, Holm-adjusted over the models if there are more than two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRanking:
    """Correction of a judge's scores of many models."""

    n_items: Count
    """Number of items that the judge scored for every model."""
    n_items_left_out: Count
    """Number of items that it scored for some models only."""
    n_labels: Count
    """Number of items that are labeled for every model."""
    judge_score_range: tuple[float, float] | None
    """Lowest and highest score of a judge on another scale than the labels, which is mapped to
    theirs; None if it is on theirs."""
    slope: float
    """Weight of the judge, the same for all models; 0: not used."""
    gain: float
    """Variance of a gap by labels alone over that of the result, median over pairs."""
    n_label_strata: Count | None
    """Number of strata by which the labels were drawn; None for a random sample of all items."""
    selection_pvalue: float | None
    """p-value of randomly selected labels, by the judge's scores; None if all are labeled."""
    confidence_level: float
    """Coverage of intervals."""
    models: tuple[JudgedModelRow, ...]
    """Models in the order of the judge alone."""

    @property
    def favored_models(self) -> tuple[JudgedModelRow, ...]:
        """Return models with a significant bias, largest first."""
        rows = [x for x in self.models if x.bias_pvalue <= 1 - self.confidence_level]
        return tuple(sorted(rows, key=lambda x: -abs(x.bias)))


def judged_board(
    judge: ScoreMatrix, label: ScoreMatrix
) -> tuple[Array, Array, BoolArray, tuple[float, float] | None]:
    """Return judgments and labels of the items that every model has, and these items.

    The last part is the range of a judge on another scale than the labels.

    Raise DataError if too few items are labeled for every model.
    """
    for matrix in (judge, label):
        refuse_conflicts(matrix)
    missing = [name for name in judge.models if name not in label.models]
    if missing:
        msg = f"{missing[0]} has no labels. Label the same items for every model."
        raise DataError(msg)
    judgments = judge.dense()
    is_complete: BoolArray = np.asarray(~np.isnan(judgments).any(axis=0))
    if not is_complete.any():
        msg = (
            "No item has judge scores for every model. Have the judge score the same items for "
            "all models."
        )
        raise DataError(msg)
    label_scores = labels_on(judge, label, judge.models)[:, is_complete]
    has_labels = ~np.isnan(label_scores).any(axis=0)
    label_scores[:, ~has_labels] = np.nan
    _refuse_few(np.stack([label.row(name) for name in judge.models]), int(has_labels.sum()))
    judgments, stretched = on_one_scale(judgments[:, is_complete], label_scores)
    return judgments, label_scores, is_complete, stretched


def _refuse_few(label_scores: Array, labels: int) -> None:
    if labels < FEWEST:
        max_labels = int((~np.isnan(label_scores)).sum(axis=1).max(initial=0))
        msg = (
            f"Only {labels} items are labeled for every model; at least {FEWEST} are needed to "
            "correct the judge"
        )
        if max_labels > labels:
            msg += f". One model has {max_labels} labels"
        msg += (
            ". Label the same items for every model. To use only the labels as scores, set "
            f"{arg('columns', 'score=NAME')}."
        )
        raise DataError(msg)


def _gain(
    label_scores: Array, known: BoolArray, scores: Array, unseen: float, weights: Array
) -> float:
    """Return the median ratio of a gap's variance by labels alone to that of the corrected gap."""
    i, j = np.triu_indices(len(scores), 1)
    label_variance, corrected_variance = (
        np.diag(c)[i] + np.diag(c)[j] - 2 * c[i, j]
        for c in (
            np.atleast_2d(np.cov(label_scores[:, known], aweights=weights)) / known.sum(),
            np.atleast_2d(np.cov(scores)) / scores.shape[1],
        )
    )
    corrected_variance = corrected_variance + unseen
    is_positive = corrected_variance > 0
    return (
        float(np.median(label_variance[is_positive] / corrected_variance[is_positive]))
        if is_positive.any()
        else 1.0
    )


def _places(
    judge: ScoreMatrix,
    judgments: Array,
    label_scores: Array,
    known: BoolArray,
    weights: Array,
    alpha: float,
) -> tuple[JudgedModelRow, ...]:
    bias = judgments[:, known] - label_scores[:, known]
    deviations = bias - bias.mean(axis=0)
    mean = deviations @ weights
    spread = np.square((deviations - mean[:, None]) * weights).sum(axis=1)
    n = 1 / float(weights @ weights)  # the number of labels, if they have equal weights
    se = np.sqrt(spread * n / (n - 1))
    half = float(stats.t_quantile(1 - alpha / 2, n - 1.0)) * se
    test = stats.StudentTest(alpha=alpha)
    p = np.where(se > 0, test.pvalue(mean / np.where(se > 0, se, 1.0), n - 1), 1.0)
    adjusted = np.asarray(stats.holm(p)) if len(p) > 2 else p  # of two, one mirrors the other
    by_judge, up = judgments.mean(axis=1), -1 if judge.lower_is_better else 1
    order = sorted(range(len(mean)), key=lambda k: (-up * by_judge[k], judge.models[k]))
    low, high = np.sort(np.stack([up * (mean - half), up * (mean + half)]), axis=0).tolist()
    return tuple(
        JudgedModelRow(
            model=judge.models[k],
            judge_mean=float(by_judge[k]),
            judge_rank=place,
            label_mean=float(label_scores[k, known] @ weights),
            bias=float(up * mean[k]),
            bias_ci=Interval(low[k], high[k]),
            bias_pvalue=float(adjusted[k]),
        )
        for place, k in enumerate(order, start=1)
    )


def corrected_matrix(
    judge: ScoreMatrix,
    label: ScoreMatrix,
    *,
    alpha: float = 0.05,
    declared: Sequence[str | None] = (),
) -> tuple[ScoreMatrix, JudgedRanking]:
    """Correct a judge's scores of many models by labels of some items, as one matrix.

    The test of which models the judge favors is two-sided at ``alpha``. ``declared`` are columns
    of clusters and strata, which are refused if labels were drawn by strata.

    Raise DataError if too few items are labeled for every model, or the labeled items look chosen.
    """
    judgments, label_scores, is_complete, stretched = judged_board(judge, label)
    known = ~np.isnan(label_scores[0])
    strata = label_strata(judge, is_complete, known)
    choice = refuse_chosen(judgments, known, strata)
    limits = limits_of(judgments, label_scores)
    departure = departure_size(label_scores, limits)
    correction: _JudgeScores | StratifiedScores
    if strata is None:
        correction = judge_scores(label_scores, judgments)
        unseen = float(departure_variance(known.sum(), judged=known.size, departure=departure))
    else:
        refuse_groups(*declared)
        correction = stratified_scores(label_scores, judgments, strata)
        unseen = strata.unseen(departure)
    groups = judge.groups_on(is_complete) if strata is None else {}
    weights = label_weights(strata, known)
    matrix = ScoreMatrix(
        task=judge.task,
        metric=label.metric,
        models=judge.models,
        items=tuple(x for x, keep in zip(judge.items, is_complete.tolist(), strict=True) if keep),
        groups={name: group for name, group in groups.items() if name != LABEL_WEIGHT},
        means=correction.scores,
        lower_is_better=judge.lower_is_better,
        alignment=judge.alignment,
        correction=Correction(known=known, limits=limits, unseen=unseen, df=float(correction.df)),
    )
    judged_ranking = JudgedRanking(
        n_items=judgments.shape[1],
        n_items_left_out=int((~is_complete).sum()),
        n_labels=int(known.sum()),
        judge_score_range=stretched,
        slope=correction.slope,
        gain=_gain(label_scores, known, correction.scores, unseen, weights),
        n_label_strata=None if strata is None else strata.labels.size,
        selection_pvalue=choice,
        confidence_level=1 - alpha,
        models=_places(judge, judgments, label_scores, known, weights, alpha),
    )
    return matrix, judged_ranking
