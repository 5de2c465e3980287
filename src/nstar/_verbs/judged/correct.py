"""Compute all statistics of a judged comparison of two models."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray, Interval
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.independent import (
    binary_reading,
    confidence,
    mcnemar,
    unanimous_interval,
)
from nstar._verbs.compare.task_comparison import PairedCounts
from nstar._verbs.judged.result import Judged, JudgedBy, JudgedGap, JudgedModel
from nstar._verbs.judged.sample import (
    FEWEST,
    JudgedSample,
    judged_sample,
    label_groups,
    label_weights,
    refuse_chosen,
)
from nstar._verbs.verdict import Criteria, PairWord, judge_pair
from nstar.errors import DataError
from nstar.stats._label_strata import LabelStrata, StratifiedScores, stratified_scores
from nstar.stats.judge import departure_variance
from nstar.stats.mcnemar import P_FLOOR


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """Question about the judged items."""

    cluster: str | None = None
    """Column whose groups are a random sample."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level, power, and alternative hypothesis."""


MeanEstimate = tuple[float, float, float]
"""An estimate, its standard error, and the degrees of freedom of the error."""


def _test(rule: Criteria) -> stats.StudentTest:
    return stats.StudentTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)


def interval_and_p(
    at: MeanEstimate, items: int, rule: Criteria, width: float
) -> tuple[Interval, float]:
    """Return interval and p-value of a gap; ``width`` is its largest possible size."""
    delta, se, df = at
    test = _test(rule)
    if se == 0:
        p = float(test.pvalue(0.0, df))
        if delta:
            p = P_FLOOR if rule.can_detect(delta) else 1.0
        return unanimous_interval(delta, items, width, confidence(rule)), p
    low, high = test.interval(delta, se, df)
    return Interval(float(low), float(high)), float(test.pvalue(rule.sign * delta / se, df))


def _gap(by: JudgedBy, at: MeanEstimate, items: int, rule: Criteria, width: float) -> JudgedGap:
    """Return the gap with its interval and test; ``width`` is its largest possible size."""
    ci, p = interval_and_p(at, items, rule, width)
    return JudgedGap(method=by, n_items=items, gap=at[0], se=at[1], ci=ci, pvalue=p)


def _unused_reason(estimate: stats.JudgedMean) -> str | None:
    """Return why the judge is not used, if it is not."""
    if estimate.labels < FEWEST:
        return f"fewer than {FEWEST} labels"
    if estimate.labels == estimate.items:
        return "every item is labeled"
    if estimate.slope == 0:
        return "judge scores and labels are not correlated on the labeled items"
    if estimate.se >= estimate.label_se:
        return "it does not reduce the standard error"
    return None


def _label_counts(sample: JudgedSample) -> PairedCounts | None:
    """Return counts of two-valued labels by the two models; None for others, and for clusters."""
    if not sample.binary or sample.codes is not None or sample.strata is not None:
        return None
    a, b = (label[sample.known] == sample.label_values[1] for label in sample.label)
    n11, n10, n01 = (int(np.count_nonzero(x)) for x in (a & b, a & ~b, ~a & b))
    return PairedCounts(n11=n11, n10=n10, n01=n01, n00=a.size - n11 - n10 - n01)


def _labels_only(estimate: stats.JudgedMean, sample: JudgedSample) -> MeanEstimate:
    """Return the gap by labels alone, with the error of counts for 0/1 labels."""
    counts = _label_counts(sample)
    if counts is None:
        return estimate.label_mean, estimate.label_se, estimate.labels - 1.0
    sigma = float(stats.sigma_hat(counts.n10, counts.n01, counts.n)) * sample.label_range
    return estimate.label_mean, sigma / math.sqrt(counts.n), math.inf


def _cluster_error(
    sample: JudgedSample, truth: Array, judgments: Array, slope: float, fitted: int
) -> tuple[float, stats.ClusterSums]:
    """Return the variance of a corrected mean over groups of items, and their sums."""
    if sample.codes is None:
        raise AssertionError
    psi = stats.judge_influence(truth, judgments, slope=slope, fitted=fitted)
    sums = stats.cluster_sums(psi, sample.codes)
    return float(stats.cluster_variance(sums.sums, sums.sizes)), sums


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeEstimate:
    """Estimate with the judge at its estimated weight."""

    moments: stats.JudgedMean
    """Estimate by judge and labels, for independent items."""
    slope: float
    """λ; 0 if only labels are used."""
    unused_reason: str | None
    """Why only labels are used, if so."""
    gap: MeanEstimate
    """The gap."""
    design_effect: float
    """Design effect."""
    departure: float
    """Size of unobserved disagreements that errors allow for; 0 if labels alone are used."""
    stratified: StratifiedScores | None = None
    """Corrected scores of both models, if the labels were drawn by strata."""

    @property
    def unseen(self) -> float:
        """Return the variance that unobserved disagreements add."""
        n, total = self.moments.labels, self.moments.items
        return float(departure_variance(n, judged=total, departure=self.departure))

    @property
    def fitted(self) -> int:
        """Return the number of estimated parameters: a mean, and λ if it is used."""
        return 1 if self.unused_reason else 2

    @classmethod
    def of(cls, sample: JudgedSample) -> "JudgeEstimate":
        """Estimate from a sample, by groups if those are a sample."""
        if sample.strata is not None:
            return cls._of_strata(sample, sample.strata)
        estimate = stats.judge_corrected(
            sample.truth, sample.judge_difference, departure=sample.departure
        )
        reason = _unused_reason(estimate)
        ungrouped = cls(
            moments=estimate,
            slope=0.0 if reason else estimate.slope,
            unused_reason=reason,
            gap=_labels_only(estimate, sample)
            if reason
            else (estimate.estimate, estimate.se, float(estimate.df)),
            design_effect=1.0,
            departure=0.0 if reason else sample.departure,
        )
        return ungrouped if sample.codes is None else ungrouped.by_groups(sample, sample.codes)

    @classmethod
    def _of_strata(cls, sample: JudgedSample, strata: LabelStrata) -> "JudgeEstimate":
        """Estimate from labels that were drawn by strata of the judge's scores."""
        if strata.labels.sum() < FEWEST:
            msg = (
                f"Only {strata.labels.sum():.0f} items are labeled; at least {FEWEST} are needed "
                "if labels were drawn by strata. Label more items."
            )
            raise DataError(msg)
        stratified = stratified_scores(np.stack(sample.label), np.stack(sample.judge), strata)
        gaps = stratified.scores[0] - stratified.scores[1]
        estimate = _of_scores(
            sample, strata, stratified, sample.truth, sample.judge_difference, gaps
        )
        estimate = replace(
            estimate, label_se=math.sqrt(stratified.label_variance / float(strata.labels.sum()))
        )
        return cls(
            moments=estimate,
            slope=stratified.slope,
            unused_reason=None,
            gap=(estimate.estimate, estimate.se, estimate.df),
            design_effect=1.0,
            departure=sample.departure,
            stratified=stratified,
        )

    def of_model(self, sample: JudgedSample, model: int) -> stats.JudgedMean:
        """Return the mean of one model with the same weight of the judge, if any is used."""
        label, judge = sample.label[model], sample.judge[model]
        if self.stratified is None or sample.strata is None:
            return stats.judge_corrected(label, judge, slope=self.slope, departure=self.departure)
        scores = self.stratified.scores[model]
        return _of_scores(sample, sample.strata, self.stratified, label, judge, scores)

    def by_groups(self, sample: JudgedSample, codes: IntArray) -> "JudgeEstimate":
        """Return the estimate with the error of groups that are a random sample."""
        labeled = label_groups(codes, sample.known, sample.cluster)
        cluster_error = _cluster_error(
            sample, sample.truth, sample.judge_difference, self.slope, self.fitted
        )
        variance, sums = cluster_error
        df = min(self.gap[2], *(float(stats.bell_mccaffrey_df(m)) for m in (sums.sizes, labeled)))
        independent = self.gap[1] ** 2 - self.unseen
        return replace(
            self,
            gap=(self.gap[0], math.sqrt(variance + self.unseen), df),
            design_effect=variance / independent if independent > 0 else 1.0,
        )

    def needed(self, rule: Criteria) -> tuple[float, float]:
        """Return the labels needed to detect the gap, and the items if all are labeled."""
        estimate, delta = self.moments, self.gap[0]
        sigma = estimate.label_se * math.sqrt(estimate.labels * self.design_effect)
        if delta == 0 or sigma == 0:
            return math.inf, math.inf
        r = estimate.r if self.slope else 0.0
        if self.stratified is not None:  # the r of random labels with the same error
            labeled = self.gap[1] ** 2 - self.stratified.label_variance / estimate.items
            r = math.sqrt(max(1 - labeled * estimate.labels / sigma**2, 0.0))
        designs = ((min(r, 1 - 1e-12), estimate.items), (0.0, math.inf))
        labels, items = (
            stats.labels_needed(
                delta,
                sigma=sigma,
                r=r,
                judged=judged,
                departure=self.departure,
                alpha=rule.alpha,
                power=rule.power,
                sides=rule.sides,
            )
            for r, judged in designs
        )
        return float(labels), float(items)


def _of_scores(
    sample: JudgedSample,
    strata: LabelStrata,
    stratified: StratifiedScores,
    label: Array,
    judge: Array,
    scores: Array,
) -> stats.JudgedMean:
    """Return a mean of labels that were drawn by strata, from corrected scores of the items."""
    weights, known = label_weights(strata, sample.known), sample.known
    y, f, items = label[known], judge[known], known.size
    unseen = strata.unseen(sample.departure)

    def weighted(values: Array) -> tuple[float, float]:
        mean = float(values @ weights)
        square = float(np.square((values - mean) * weights).sum())
        return mean, math.sqrt(square * y.size / (y.size - 1))

    (label_mean, label_se), (bias, bias_se) = weighted(y), weighted(f - y)
    moments = np.cov(y, f, aweights=weights)
    spread = math.sqrt(moments[0, 0] * moments[1, 1])
    return stats.JudgedMean(
        estimate=float(scores.mean()),
        se=math.sqrt(float(scores.var(ddof=1)) / items + unseen),
        df=stratified.df,
        slope=stratified.slope,
        r=float(moments[0, 1]) / spread if spread else math.nan,
        items=items,
        labels=y.size,
        label_mean=label_mean,
        label_se=label_se,
        judge_mean=float(judge.mean()),
        judge_se=float(judge.std(ddof=1)) / math.sqrt(items),
        bias=bias,
        bias_se=bias_se,
    )


def _mean_of(
    sample: JudgedSample, model: int, rule: Criteria, weighed: JudgeEstimate, width: float
) -> tuple[float, Interval]:
    """Return one model's mean, so that the difference of both means is the gap."""
    label, judge = sample.label[model], sample.judge[model]
    correction = weighed.of_model(sample, model)
    estimate, se, df = correction.estimate, correction.se, float(correction.df)
    if weighed.unused_reason:
        if _label_counts(sample) is not None:
            label_scores, (low, high) = label[sample.known], sample.label_values
            right = int(np.count_nonzero(label_scores == high))
            ends = stats.wilson_interval(right, label_scores.size, conf=confidence(rule))
            return correction.label_mean, Interval(
                *(low + (high - low) * float(end) for end in ends)
            )
        estimate, se, df = correction.label_mean, correction.label_se, correction.labels - 1.0
    if sample.codes is not None:
        variance, _ = _cluster_error(sample, label, judge, weighed.slope, weighed.fitted)
        se, df = math.sqrt(variance + weighed.unseen), weighed.gap[2]
    return estimate, interval_and_p((estimate, se, df), correction.labels, rule, width)[0]


def _model(
    name: str, sample: JudgedSample, model: int, rule: Criteria, weighed: JudgeEstimate
) -> JudgedModel:
    judge, label = sample.judge[model], sample.label[model]
    width = sample.score_range[1] - sample.score_range[0]
    estimate, known = weighed.of_model(sample, model), ~np.isnan(label)
    mean, ci = _mean_of(sample, model, rule, weighed, width)
    passed, right = judge[known] == 1, label[known] == 1
    cells: list[int | None] = [
        int(np.count_nonzero(x)) for x in (passed & right, right, ~passed & ~right, ~right)
    ]
    youden = None
    if not np.isin(np.append(judge, label[known]), (0.0, 1.0)).all():
        cells = [None] * len(cells)
    elif right.any() and not right.all():
        youden = float(np.mean(passed[right]) + np.mean(~passed[~right]) - 1)
    n = estimate.labels
    return JudgedModel(
        model=name,
        judge_mean=estimate.judge_mean,
        label_mean=estimate.label_mean,
        mean=mean,
        ci=ci,
        bias=estimate.bias,
        bias_ci=_gap("judge", (estimate.bias, estimate.bias_se, n - 1.0), n, rule, width).ci,
        n_correct_passed=cells[0],
        n_correct=cells[1],
        n_incorrect_failed=cells[2],
        n_incorrect=cells[3],
        youden=youden,
    )


def word_of(
    delta: float, ci: Interval, p: float, rule: Criteria, *, lower_is_better: bool
) -> PairWord:
    """Return the verdict about the first model from a gap with its interval."""
    return judge_pair(
        -delta if lower_is_better else delta,
        p=p,
        p_adjusted=p,
        alpha=rule.alpha,
        excludes_zero=rule.excludes_zero(*ci),
        equivalent=False,
    )


def _by_labels(
    sample: JudgedSample, at: MeanEstimate, items: int, rule: Criteria, width: float
) -> JudgedGap:
    """Return the gap by labels alone, with Tango's and McNemar's methods for 0/1 labels."""
    counts = _label_counts(sample)
    if counts is None:
        return _gap("labels", at, items, rule, width)
    reading, scale = binary_reading(counts, mcnemar(counts, rule), rule), sample.label_range
    ci = Interval(*(scale * end for end in reading.ci))
    return JudgedGap(
        method="labels", n_items=items, gap=at[0], se=at[1], ci=ci, pvalue=reading.pvalue
    )


def _three_ways(
    sample: JudgedSample, weighed: JudgeEstimate, rule: Criteria, width: float
) -> tuple[JudgedGap, tuple[JudgedGap, ...]]:
    """Return the result, and the gap by the other methods."""
    estimate = weighed.moments
    trust = (estimate.judge_mean, estimate.judge_se, estimate.items - 1.0)
    judge = _gap("judge", trust, estimate.items, rule, width)
    if weighed.unused_reason:
        return _by_labels(sample, weighed.gap, estimate.labels, rule, width), (judge,)
    if weighed.stratified is not None:  # labels that were drawn by the judge do not stand alone
        return _gap("corrected", weighed.gap, estimate.items, rule, width), (judge,)
    labels = _by_labels(sample, _labels_only(estimate, sample), estimate.labels, rule, width)
    return _gap("corrected", weighed.gap, estimate.items, rule, width), (labels, judge)


def _significant_gap(
    sample: JudgedSample, weighed: JudgeEstimate, rule: Criteria, width: float
) -> float | None:
    """Return the smallest observed gap that the test rejects."""
    _, se, df = weighed.gap
    if se == 0:
        return None
    counts = _label_counts(sample) if weighed.unused_reason else None
    if counts is None:
        smallest_gap = float(_test(rule).significant_gap(se, df))
    else:
        test = stats.McNemarTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)
        smallest_gap = (
            float(test.significant_gap(counts.n10 + counts.n01, counts.n)) * sample.label_range
        )
    return smallest_gap if smallest_gap <= width else None


def compare_judged(
    judge: ScoreMatrix,
    label: ScoreMatrix,
    names: tuple[str, str],
    question: JudgedQuestion,
    findings: Sequence[Finding] = (),
) -> Judged:
    """Compare two models by a judge of all items, corrected by labels of some.

    Raise DataError if there are too few labels, or the labeled items look chosen.
    """
    rule, down = question.criteria, judge.lower_is_better
    sample = judged_sample(judge, label, names, question.cluster)
    choice = refuse_chosen(np.stack(sample.judge), sample.known, sample.strata)
    weighed = JudgeEstimate.of(sample)
    estimate, n = weighed.moments, weighed.moments.labels
    width = sample.score_range[1] - sample.score_range[0]
    answer, others = _three_ways(sample, weighed, rule, width)
    bias = _gap("judge", (estimate.bias, estimate.bias_se, n - 1.0), n, rule, 2 * width)
    by_labels = weighed.unused_reason is not None
    star, star_all_labeled = weighed.needed(rule)
    a, b = (_model(name, sample, k, rule, weighed) for k, name in enumerate(names))
    return Judged(
        models=names,
        task=judge.task,
        criteria=rule,
        confidence_level=confidence(rule),
        score_range=sample.score_range,
        lower_is_better=down,
        n_items=estimate.items,
        n_labels=n,
        method="labels" if by_labels else "corrected",
        method_reason=weighed.unused_reason,
        estimate=answer,
        other_estimates=others,
        df=weighed.gap[2],
        cluster=question.cluster,
        n_groups=None if sample.codes is None else np.unique(sample.codes).size,
        sigma=estimate.label_se * math.sqrt(n),
        r=None if math.isnan(estimate.r) else estimate.r,
        slope=weighed.slope,
        gain=1.0 if by_labels or estimate.se == 0 else (estimate.label_se / estimate.se) ** 2,
        bias=estimate.bias,
        bias_ci=bias.ci,
        bias_pvalue=bias.pvalue,
        bias_mde=float(_test(rule).reach(n - 1.0)) * estimate.bias_se,
        model_estimates=(a, b),
        judge_score_range=sample.stretched,
        n_label_strata=None if sample.strata is None else sample.strata.labels.size,
        selection_pvalue=choice,
        significant_gap=_significant_gap(sample, weighed, rule, width),
        mde=float(_test(rule).reach(weighed.gap[2])) * weighed.gap[1],
        n_star=star,
        q=n / star,
        n_star_all_labeled=star_all_labeled,
        verdict=word_of(answer.gap, answer.ci, answer.pvalue, rule, lower_is_better=down),
        findings=tuple(findings),
    )
