"""A new model's sample and what is known of all items to every number of the comparison."""

import math
from collections.abc import Sequence

import numpy as np

from nstar import stats
from nstar._base.types import Interval
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.independent import confidence
from nstar._verbs.judged.correct import interval_and_p, word_of
from nstar._verbs.reference.question import KnownQuestion
from nstar._verbs.reference.result import Known, KnownClaim, ReferenceGap, ReferenceModel
from nstar._verbs.reference.sample import (
    FEWEST_RARE,
    KnownSample,
    choice,
    known_sample,
    missing,
)
from nstar._verbs.verdict import Criteria, PairWord


def estimate_gap(sample: KnownSample) -> stats.RegressionMean:
    """Estimate the gap by regression on the known results.

    Where either model has few sampled items with its rarer score, the residuals of the regression
    show too little of its error. Two unseen differences are then added to them, and pairing alone
    is used if its error is smaller.
    """
    gap, n = sample.new - sample.old, int(np.count_nonzero(sample.sampled))
    covariates = stats.known_covariates(sample.others, n, against=sample.at)
    if sample.rare_scores >= FEWEST_RARE:
        return stats.regression_mean(gap, covariates)
    cautious = stats.regression_mean(gap, covariates, unseen=sample.unseen)
    paired = stats.regression_mean(gap, covariates[:, :0])
    return min(cautious, paired, key=lambda x: x.se)


def _gaps(
    found: stats.RegressionMean, rule: Criteria, limits: tuple[float, float], known: float
) -> tuple[ReferenceGap, ReferenceGap, ReferenceGap]:
    """As a claim about such questions, as the benchmark's own score, and by pairing alone.

    Estimates and intervals stay within the possible range, given the known model's mean.
    """
    low, high = limits
    width = high - low
    estimate = min(max(found.estimate, low - known), high - known)
    test = stats.StudentTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)

    def gap(claim: KnownClaim, items: int, delta: float, se: float, df: float) -> ReferenceGap:
        ci, p = interval_and_p((delta, se, df), found.sampled, rule, width)
        least, most = (low - known, high - known) if claim == "benchmark" else (-width, width)
        ci = Interval(max(ci.low, least), min(ci.high, most))
        mde = float(test.reach(df)) * se
        return ReferenceGap(claim=claim, n_items=items, gap=delta, se=se, ci=ci, pvalue=p, mde=mde)

    n, df = found.sampled, float(found.df)
    return (
        gap("questions", found.items, estimate, found.se, df),
        gap("benchmark", found.items, estimate, found.se_own, df),
        gap("paired", n, found.sample_mean, found.sample_se, n - 1.0),
    )


def _needed(
    found: stats.RegressionMean, delta: float, sigma: float, rule: Criteria
) -> tuple[float, float]:
    """Items of this benchmark that find such a gap, and items that both models would have to run.

    The regression is a judge with several voices: labels are the new model's items.
    """
    if delta == 0:
        return math.inf, math.inf
    here, anywhere = (
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
        for r, judged in ((math.sqrt(found.r2), found.items), (0.0, math.inf))
    )
    return here, anywhere


def _models(
    sample: KnownSample, new: str, own: ReferenceGap
) -> tuple[ReferenceModel, ReferenceModel]:
    known = float(sample.old.mean())
    there = sample.sampled
    return (
        ReferenceModel(
            model=new,
            sample_mean=float(sample.new[there].mean()),
            mean=known + own.gap,
            ci=Interval(*(known + end for end in own.ci)),
        ),
        ReferenceModel(
            model=sample.b, sample_mean=float(sample.old[there].mean()), mean=known, ci=None
        ),
    )


def compare_known(
    matrix: ScoreMatrix, new: str, ask: KnownQuestion, findings: Sequence[Finding] = ()
) -> Known:
    """A new model that ran on some items of a matrix, against the known models in it.

    Raises
    ------
    DataError
        The new model ran on too few items, on all, or on others than the known ones.

    Examples
    --------
    >>> rng = np.random.default_rng(3)
    >>> hard = rng.random(600)
    >>> scores = (rng.random((5, 600)) * 0.7 + 0.4 > hard).astype(float)
    >>> scores[0, rng.permutation(600)[100:]] = np.nan
    >>> m = ScoreMatrix.from_arrays(scores, models=["new", "w", "x", "y", "z"])
    >>> found = compare_known(m, "new", KnownQuestion(b="x"))
    >>> found.n_sampled, found.n_items, found.n_covariates, found.se < found.paired_estimate.se
    (100, 600, 2, True)
    """
    rule, down = ask.criteria, matrix.lower_is_better
    sample = known_sample(matrix, new, ask.b)
    n = int(np.count_nonzero(sample.sampled))
    found, limits = estimate_gap(sample), sample.score_range
    answer, own, paired = _gaps(found, rule, limits, float(sample.old.mean()))
    sigma = found.sample_se * math.sqrt(n)
    star, anywhere = _needed(found, answer.gap, sigma, rule)
    chosen, warned = choice(sample)
    lost = int(np.count_nonzero(matrix.present(new))) - n

    def word(gap: ReferenceGap) -> PairWord:
        return word_of(gap.gap, gap.ci, gap.pvalue, rule, lower_is_better=down)

    return Known(
        models=(new, sample.b),
        task=matrix.task,
        criteria=rule,
        confidence_level=confidence(rule),
        score_range=limits,
        lower_is_better=down,
        n_items=found.items,
        n_sampled=n,
        n_known_models=len(sample.others),
        known_is_best=ask.b is None,
        estimate=answer,
        other_estimates=(own, paired),
        df=float(found.df),
        n_covariates=found.covariates,
        sigma=sigma,
        n_rare_scores=sample.rare_scores,
        skewness=_skew(sample),
        r2=found.r2,
        gain=(paired.se / answer.se) ** 2,
        gain_benchmark=_own_gain(found),
        model_estimates=_models(sample, new, own),
        selection_pvalue=chosen,
        significant_gap=_significant_gap(answer.se, float(found.df), rule, limits),
        n_star=star,
        q=n / star,
        n_star_paired=anywhere,
        verdict=word(answer),
        verdict_benchmark=word(own),
        findings=(*warned, *findings, *missing(sample, lost, new)),
    )


def _significant_gap(
    se: float, df: float, rule: Criteria, limits: tuple[float, float]
) -> float | None:
    """Return the smallest observed gap that the test of the answer would reject."""
    test = stats.StudentTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)
    least = float(test.significant_gap(se, df))
    return least if 0 < least <= limits[1] - limits[0] else None


def _skew(sample: KnownSample) -> float:
    gap = (sample.new - sample.old)[sample.sampled]
    apart = gap - gap.mean()
    return float(np.mean(apart**3) / np.mean(apart**2) ** 1.5)


def _own_gain(found: stats.RegressionMean) -> float | None:
    """Variance of the sample's mean as the benchmark's own score over that of the answer."""
    if found.se_own == 0:
        return None
    share = 1 - found.sampled / found.items
    return share * (found.sample_se / found.se_own) ** 2
