"""Compute all statistics of the comparison of a new model with known ones."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nstar import stats
from nstar._base.types import Interval
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.independent import confidence
from nstar._verbs.judged.correct import interval_and_p, word_of
from nstar._verbs.reference.result import Known, KnownClaim, ReferenceGap, ReferenceModel
from nstar._verbs.reference.sample import (
    FEWEST_RARE,
    KnownSample,
    choice,
    known_sample,
    missing,
)
from nstar._verbs.verdict import Criteria, PairWord


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownQuestion:
    """Question about the new model."""

    b: str | None = None
    """Known model of the comparison; None for the best one."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level, power, and alternative hypothesis."""


def estimate_gap(sample: KnownSample) -> stats.RegressionMean:
    """Estimate the gap by regression on the known results.

    If either model has few sampled items with its rarer score, the residuals of the regression
    underestimate its error. Two unseen differences are then added to the residuals, and pairing
    alone is used if its error is smaller.
    """
    gap, n = sample.new - sample.old, int(np.count_nonzero(sample.sampled))
    covariates = stats.known_covariates(sample.others, n, against=sample.at)
    if sample.rare_scores >= FEWEST_RARE:
        return stats.regression_mean(gap, covariates)
    cautious = stats.regression_mean(gap, covariates, unseen=sample.unseen)
    paired = stats.regression_mean(gap, covariates[:, :0])
    return min(cautious, paired, key=lambda x: x.se)


def _gaps(
    regression: stats.RegressionMean, rule: Criteria, limits: tuple[float, float], known: float
) -> tuple[ReferenceGap, ReferenceGap, ReferenceGap]:
    """Return the gap for similar questions, for the benchmark's own score, and by pairing alone.

    Estimates and intervals stay within the possible range, given the known model's mean.
    """
    low, high = limits
    width = high - low
    estimate = min(max(regression.estimate, low - known), high - known)
    test = stats.StudentTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)

    def gap(claim: KnownClaim, items: int, delta: float, se: float, df: float) -> ReferenceGap:
        ci, p = interval_and_p((delta, se, df), regression.sampled, rule, width)
        lowest, highest = (low - known, high - known) if claim == "benchmark" else (-width, width)
        ci = Interval(max(ci.low, lowest), min(ci.high, highest))
        mde = float(test.reach(df)) * se
        return ReferenceGap(claim=claim, n_items=items, gap=delta, se=se, ci=ci, pvalue=p, mde=mde)

    n, df = regression.sampled, float(regression.df)
    return (
        gap("questions", regression.items, estimate, regression.se, df),
        gap("benchmark", regression.items, estimate, regression.se_own, df),
        gap("paired", n, regression.sample_mean, regression.sample_se, n - 1.0),
    )


def _needed(
    regression: stats.RegressionMean, delta: float, sigma: float, rule: Criteria
) -> tuple[float, float]:
    """Return the items of this benchmark needed to detect the gap, and those for plain pairing.

    The regression is that of a judge with several scores, with the new model's items as labels.
    """
    if delta == 0:
        return math.inf, math.inf
    n_benchmark, anywhere = (
        float(
            stats.labels_needed(
                delta,
                sigma=sigma,
                r=r,
                judged=judged,
                alpha=rule.alpha,
                power=rule.power,
                sides=rule.sides,
            )
        )
        for r, judged in ((math.sqrt(regression.r2), regression.items), (0.0, math.inf))
    )
    return n_benchmark, anywhere


def _models(
    sample: KnownSample, new: str, benchmark_gap: ReferenceGap
) -> tuple[ReferenceModel, ReferenceModel]:
    known = float(sample.old.mean())
    is_sampled = sample.sampled
    return (
        ReferenceModel(
            model=new,
            sample_mean=float(sample.new[is_sampled].mean()),
            mean=known + benchmark_gap.gap,
            ci=Interval(*(known + end for end in benchmark_gap.ci)),
        ),
        ReferenceModel(
            model=sample.b, sample_mean=float(sample.old[is_sampled].mean()), mean=known, ci=None
        ),
    )


def compare_known(
    matrix: ScoreMatrix, new: str, question: KnownQuestion, findings: Sequence[Finding] = ()
) -> Known:
    """Compare a new model that ran on some items of a matrix with the known models in it.

    Raise DataError if the new model ran on too few items, on all items, or on items that no known
    model has.

    >>> rng = np.random.default_rng(3)
    >>> hard = rng.random(600)
    >>> scores = (rng.random((5, 600)) * 0.7 + 0.4 > hard).astype(float)
    >>> scores[0, rng.permutation(600)[100:]] = np.nan
    >>> m = ScoreMatrix.from_arrays(scores, models=["new", "w", "x", "y", "z"])
    >>> comparison = compare_known(m, "new", KnownQuestion(b="x"))
    >>> (
    ...     comparison.n_sampled,
    ...     comparison.n_items,
    ...     comparison.n_covariates,
    ...     comparison.se < comparison.paired_estimate.se,
    ... )
    (100, 600, 2, True)
    """
    rule, down = question.criteria, matrix.lower_is_better
    sample = known_sample(matrix, new, question.b)
    n = int(np.count_nonzero(sample.sampled))
    regression, limits = estimate_gap(sample), sample.score_range
    answer, benchmark_gap, paired = _gaps(regression, rule, limits, float(sample.old.mean()))
    sigma = regression.sample_se * math.sqrt(n)
    star, anywhere = _needed(regression, answer.gap, sigma, rule)
    chosen, warned = choice(sample)
    lost = int(np.count_nonzero(matrix.present(new))) - n

    def word(gap: ReferenceGap) -> PairWord:
        return word_of(gap.gap, gap.ci, gap.pvalue, rule, lower_is_better=down)

    test = stats.StudentTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)
    smallest_gap = float(test.significant_gap(answer.se, float(regression.df)))
    return Known(
        models=(new, sample.b),
        task=matrix.task,
        criteria=rule,
        confidence_level=confidence(rule),
        score_range=limits,
        lower_is_better=down,
        n_items=regression.items,
        n_sampled=n,
        n_known_models=len(sample.others),
        known_is_best=question.b is None,
        estimate=answer,
        other_estimates=(benchmark_gap, paired),
        df=float(regression.df),
        n_covariates=regression.covariates,
        sigma=sigma,
        n_rare_scores=sample.rare_scores,
        skewness=_skew(sample),
        r2=regression.r2,
        gain=(paired.se / answer.se) ** 2,
        gain_benchmark=_own_gain(regression),
        model_estimates=_models(sample, new, benchmark_gap),
        selection_pvalue=chosen,
        significant_gap=smallest_gap if 0 < smallest_gap <= limits[1] - limits[0] else None,
        n_star=star,
        q=n / star,
        n_star_paired=anywhere,
        verdict=word(answer),
        verdict_benchmark=word(benchmark_gap),
        findings=(*warned, *findings, *missing(sample, lost, new)),
    )


def _skew(sample: KnownSample) -> float:
    gap = (sample.new - sample.old)[sample.sampled]
    deviations = gap - gap.mean()
    return float(np.mean(deviations**3) / np.mean(deviations**2) ** 1.5)


def _own_gain(regression: stats.RegressionMean) -> float | None:
    """Return the variance of the sample mean over that of the estimate, for this benchmark."""
    if regression.se_own == 0:
        return None
    share = 1 - regression.sampled / regression.items
    return share * (regression.sample_se / regression.se_own) ** 2
