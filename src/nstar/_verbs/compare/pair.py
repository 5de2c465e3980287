"""Two models on one task: compute all statistics of the comparison from scores."""

import math
from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray, Interval
from nstar._data.attrition import attrition
from nstar._data.matrix import NOTHING, Correction, Grouping
from nstar._verbs.compare.corrected import corrected_reading
from nstar._verbs.compare.grouped import Differences, alternatives, declared
from nstar._verbs.compare.independent import (
    McNemar,
    binary_reading,
    confidence,
    flips,
    graded_reading,
    mcnemar,
    pvalue_for,
)
from nstar._verbs.compare.margin import MarginTest, equivalence
from nstar._verbs.compare.named_test import check_test, named_reading
from nstar._verbs.compare.question import CompareQuestion, refuse_strata
from nstar._verbs.compare.resolution import (
    Detection,
    detection,
    items_missing,
    possible_gap,
)
from nstar._verbs.compare.runs import run_split
from nstar._verbs.compare.sample import CommonItems, PairedSample
from nstar._verbs.compare.task_comparison import (
    Equivalence,
    GapEstimate,
    GroupBreakdown,
    GroupInfluence,
    GroupRow,
    MissingEffect,
    PairedCounts,
    TaskComparison,
)
from nstar._verbs.compare.threshold import threshold_reading
from nstar._verbs.verdict import (
    Criteria,
    PairWord,
    is_resolved,
    is_underpowered,
    judge_pair,
)
from nstar.errors import DataError
from nstar.stats._groups import squares_about_mean
from nstar.stats.cluster import leave_one_cluster_out


def _binary_limits(a: Array, b: Array, codes: IntArray, conf: float) -> list[Interval | None]:
    size = int(codes.max()) + 1
    n10, n01 = (np.bincount(codes[x > y], minlength=size) for x, y in ((a, b), (b, a)))
    low, high = stats.paired_interval(n10, n01, np.bincount(codes), conf=conf)
    pairs = zip(np.asarray(low).tolist(), np.asarray(high).tolist(), strict=True)
    return [Interval(x, y) for x, y in pairs]


def _graded_limits(
    sums: "stats.ClusterSums", mean: float, width: float, largest: float, conf: float
) -> list[Interval | None]:
    """Return t intervals from sums of centered differences, within the scale.

    None where a group has one item or no variance, so that its error is unknown.
    """
    n = sums.sizes
    gap = sums.sums / n
    squares = squares_about_mean(sums.sums, sums.squares, n)
    has_spread = (n > 1) & (squares > n * (NOTHING * width) ** 2)
    spread = squares[has_spread] / (n[has_spread] - 1)
    limits = stats.t_interval(gap[has_spread], np.sqrt(spread), n[has_spread], conf=conf)
    low, high = (np.clip(np.asarray(x) + mean, -largest, largest).tolist() for x in limits)
    pairs = iter(zip(low, high, strict=True))
    return [Interval(*next(pairs)) if ok else None for ok in has_spread.tolist()]


def breakdown(
    column: str,
    grouping: Grouping,
    a: Array,
    b: Array,
    limits: tuple[float, float] | None,
    largest: float,
    conf: float,
) -> GroupBreakdown | None:
    """Return every group of a column; None if it has one group or one item per group.

    ``limits`` is None for 0/1 scores. ``largest``, the largest possible gap, is infinite if the
    range of scores is unknown.
    """
    if not 1 < len(grouping.labels) < a.size:
        return None
    codes = grouping.codes.astype(np.int64)
    d = a - b
    mean = float(d.mean())
    sums, centered = stats.cluster_sums(d, codes), stats.cluster_sums(d - mean, codes)
    n = sums.sizes
    if limits is None:
        intervals = _binary_limits(a, b, codes, conf)
    else:
        intervals = _graded_limits(centered, mean, limits[1] - limits[0], largest, conf)
    first, second = (np.bincount(codes, weights=x) / n for x in (a, b))
    columns = zip(
        grouping.labels, n.tolist(), first.tolist(), second.tolist(), intervals, strict=True
    )
    return GroupBreakdown(
        column=column,
        groups=tuple(
            GroupRow(group=label, n_items=m, mean_a=x, mean_b=y, gap=x - y, ci=ci)
            for label, m, x, y, ci in columns
        ),
        leave_one_out=_left_out(grouping.labels, sums, mean, NOTHING * float(np.abs(d).max())),
    )


def _left_out(
    labels: tuple[str, ...], sums: "stats.ClusterSums", mean: float, slack: float
) -> GroupInfluence:
    """Return the gap with one group left out at a time; a gap within the slack is 0."""
    each = leave_one_cluster_out(sums.sums, sums.sizes)
    each[np.abs(each) <= slack] = 0.0
    furthest = int(np.abs(each - mean).argmax())
    return GroupInfluence(
        gap_low=float(each.min()),
        gap_high=float(each.max()),
        n_sign_changes=int((np.sign(each) != np.sign(mean)).sum()) if abs(mean) > slack else 0,
        most_influential=labels[furthest],
        gap_without=float(each[furthest]),
    )


def _largest(sample: PairedSample) -> float:
    """Return the largest possible gap, infinite if the range of scores is unknown."""
    return (
        math.inf if sample.score_range_observed else sample.score_range[1] - sample.score_range[0]
    )


def _observed_range(sample: PairedSample) -> tuple[float, float]:
    """Return the range of the scores. Corrected or weighted scores may lie outside."""
    if sample.correction is None:
        return sample.score_range
    scores = np.concatenate([sample.a, sample.b])
    return float(np.nanmin(scores)), float(np.nanmax(scores))


def _differences(a: Array, b: Array, width: float) -> Array:
    """Return first minus second, without rounding error of equal scores and equal differences."""
    d = a - b
    slack = NOTHING * width
    d[np.abs(d) <= slack] = 0.0
    if float(np.ptp(d)) <= slack:
        d[:] = d[0]
    return d


def _counts(a: Array, b: Array) -> PairedCounts:
    right, also = a == 1, b == 1
    n11, n10, n01 = (int(x.sum()) for x in (right & also, right & ~also, ~right & also))
    return PairedCounts(n11=n11, n10=n10, n01=n01, n00=a.size - n11 - n10 - n01)


def _correlation(shared: CommonItems, counts: PairedCounts | None) -> float | None:
    if counts is not None:
        rho = float(stats.rho_hat(counts.n11, counts.n10, counts.n01, counts.n00))
        return None if math.isnan(rho) else rho
    x, y = shared.a - shared.a.mean(), shared.b - shared.b.mean()
    size = math.sqrt(float(x @ x) * float(y @ y))
    if size == 0 or np.ptp(shared.a) == 0 or np.ptp(shared.b) == 0:
        return None
    rho = float(x @ y) / size
    return rho if abs(rho) < 1 - NOTHING else math.copysign(1.0, rho)


def _rho_interval(
    rho: float | None, shared: CommonItems, counts: PairedCounts | None, conf: float
) -> Interval | None:
    if rho is None or abs(rho) == 1:
        return None
    if counts is None:
        low, high = stats.score_correlation_interval(shared.a, shared.b, conf=conf)
    else:
        cells = (counts.n11, counts.n10, counts.n01, counts.n00)
        low, high = stats.phi_interval(*cells, conf=conf)
    return Interval(float(low), float(high))


def _t_pvalue(x: Differences) -> float | None:
    """Return the paired t test; None without variance."""
    variance = x.iid_variance
    if variance == 0:
        return None
    n = x.d.size
    return float(
        stats.t_pvalue(
            x.criteria.sign * x.delta, math.sqrt(variance * n), n, sides=x.criteria.sides
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _TestedDifferences:
    """Tested differences of one task."""

    x: Differences
    counts: PairedCounts | None
    mcnemar: McNemar | None
    items: GapEstimate
    design: GapEstimate
    has_scores: bool = True
    quantiles: tuple[float, float] | None = None
    """Quantiles of both models; None for mean scores."""

    @property
    def gap(self) -> float:
        """Return the gap: a difference of means or of quantiles."""
        return self.x.delta if self.quantiles is None else self.quantiles[0] - self.quantiles[1]

    @property
    def p_signflip(self) -> float | None:
        """Return the sign-flip p-value of declared clusters, else of graded items."""
        x = self.x
        if self.design.kind == "cluster" and self.design.column is not None:
            sums = stats.cluster_sums(x.d, x.groups[self.design.column].codes).sums
            p, _ = flips(sums, x.rng)
            return pvalue_for(p, x.delta, x.criteria) if x.d.any() else 1.0
        return None if self.counts is not None else self.items.pvalue

    @property
    def alternatives(self) -> tuple[GapEstimate, ...]:
        """Return the designs that were not declared."""
        if self.design.rests_on is not None or not self.has_scores:
            return ()  # labels and weights are of all groups together
        others = alternatives(self.x, self.design)
        return others if self.design.kind == "independent" else (self.items, *others)

    @property
    def default(self) -> GapEstimate:
        """Return the default test of the declared design, which detectable gaps rest on."""
        return self.items if self.design.kind == "independent" else self.design


def _tested(
    shared: CommonItems,
    limits: tuple[float, float],
    largest: float,
    question: CompareQuestion,
    correction: Correction | None,
    threshold: float | None,
) -> _TestedDifferences:
    width = limits[1] - limits[0]
    x = Differences(
        d=_differences(shared.a, shared.b, width),
        width=width,
        largest=largest,
        groups=shared.groups,
        binary=shared.binary,
        criteria=question.criteria,
        rng=question.seed,
    )
    counts = test = None
    if question.quantile is not None:
        from nstar._verbs.compare.quantile import quantile_estimate  # noqa: PLC0415 rarely used

        values, estimate = quantile_estimate(
            shared, question.quantile, x.criteria, cluster=question.cluster, rng=x.rng
        )
        return _TestedDifferences(
            x=x,
            counts=None,
            mcnemar=None,
            items=estimate,
            design=estimate,
            has_scores=False,
            quantiles=values,
        )
    if correction is not None and correction.statistic is None:
        refuse_strata(question.strata, weighted=correction.weights is not None)
        by_items = corrected_reading(x, correction, None)
        design = by_items
        if question.cluster is not None:
            design = replace(
                corrected_reading(x, correction, question.cluster), loss=question.loss
            )
        return _TestedDifferences(x=x, counts=None, mcnemar=None, items=by_items, design=design)
    if shared.binary and correction is None:
        counts = _counts(shared.a, shared.b)
        test = mcnemar(counts, question.criteria)
        items = binary_reading(counts, test, question.criteria)
    elif threshold is not None and shared.binary_a and correction is None:
        items = threshold_reading(shared.a, threshold, question.criteria)
    else:
        has_flips = threshold is None and correction is None
        items = graded_reading(x.d, width, question.criteria, question.seed)
        p_t = _t_pvalue(x)
        if not has_flips and p_t is not None:  # sign flips assume symmetry
            items = replace(items, pvalue=p_t, pvalue_method="t")
        elif correction is not None:
            msg = (
                f"Both models have the same pseudo-values of {correction.statistic}, so no "
                "standard error can be estimated."
            )
            raise DataError(msg)
    design = _design(x, question, items, test)
    return _TestedDifferences(
        x=x,
        counts=counts,
        mcnemar=test,
        items=items,
        design=design,
        has_scores=correction is None,
    )


def _design(
    x: Differences, question: CompareQuestion, items: GapEstimate, test: McNemar | None
) -> GapEstimate:
    """Return the estimate under the declared design, or by the named test."""
    if question.strata is not None:
        return declared(x, "strata", question.strata)
    if question.cluster is not None:
        return replace(declared(x, "cluster", question.cluster), loss=question.loss)
    return items if question.test is None else named_reading(question.test, x, items, test)


def _detectable(test: Detection, largest: float) -> tuple[float | None, float | None]:
    """Return the MDE or, where there is none, the smallest gap that could have been one."""
    mde = possible_gap(test.mde, largest)
    return mde, possible_gap(test.mde_least, math.inf) if mde is None else None


def _equivalence(tested: _TestedDifferences, question: CompareQuestion) -> Equivalence | None:
    """Test the gap against the margin, if one was declared."""
    if question.margin is None:
        return None
    x = tested.x
    test = MarginTest(
        delta=x.delta,
        width=x.width,
        reading=tested.design,
        items=x.d.size,
        counts=tested.counts,
    )
    return equivalence(test, question.margin, question.criteria)


def with_verdict(pair: TaskComparison, criteria: Criteria, p_adjusted: float) -> TaskComparison:
    """Return the pair with its verdict, given its p-value adjusted over tasks."""
    verdict = _verdict(pair, criteria, p_adjusted)
    ratio = None
    if is_underpowered(verdict, pair.q) and pair.significant_gap is not None:
        shift, critical = abs(pair.gap) / pair.se, pair.significant_gap / pair.se
        ratio = float(stats.exaggeration(shift, critical=critical, sides=criteria.sides))
    return replace(pair, pvalue_adjusted=p_adjusted, verdict=verdict, exaggeration=ratio)


def _verdict(pair: TaskComparison, criteria: Criteria, p_adjusted: float) -> PairWord:
    low, high = pair.ci
    return judge_pair(
        -pair.gap if pair.lower_is_better else pair.gap,
        p=pair.pvalue,
        p_adjusted=p_adjusted,
        alpha=criteria.alpha,
        excludes_zero=criteria.excludes_zero(low, high),
        equivalent=pair.equivalence is not None and pair.equivalence.is_equivalent,
    )


def _means(shared: CommonItems, threshold: float | None) -> tuple[float, float]:
    return float(shared.a.mean()), float(shared.b.mean()) if threshold is None else threshold


def compare_sample(sample: PairedSample, question: CompareQuestion) -> TaskComparison:
    """Compare on one task, without adjustment for others."""
    sample = sample.on_scale(question.score_range)
    shared = sample.shared()
    question.check(sample.score_range, _largest(sample))
    values = sample.binary_values
    if values != (0.0, 1.0) and question.quantile is None:
        sample, question = sample.as_binary(), question.in_units_of(values[1] - values[0])
        shared = sample.shared()
    limits, rule, largest = sample.score_range, question.criteria, _largest(sample)
    judged = sample.correction
    tested = _tested(shared, limits, largest, question, judged, sample.threshold)
    x, counts, design = tested.x, tested.counts, tested.design
    if question.test is not None:
        check_test(question.test, x)
    n, conf = x.d.size, confidence(rule)
    is_mean = judged is None and question.quantile is None
    rho = _correlation(shared, counts) if is_mean else None
    test = detection(tested.default, counts, n, rule)
    at = test.observed(tested.default, tested.gap, rule)
    at_delta = None if question.delta is None or design.se == 0 else test.at(question.delta)
    q0, need0 = at_delta or (None, None)
    mde, mde_lower = _detectable(test, largest)
    breakdowns = (
        breakdown(name, g, shared.a, shared.b, limits if counts is None else None, largest, conf)
        for name, g in shared.groups.items()
        if is_mean
    )
    mean_a, mean_b = tested.quantiles or _means(shared, sample.threshold)
    has_tests = sample.has_two_models and is_mean
    pair = TaskComparison(
        task=sample.task,
        metric=sample.metric,
        is_binary=shared.binary or (sample.threshold is not None and shared.binary_a),
        lower_is_better=sample.lower_is_better,
        score_range=limits,
        score_range_observed=sample.score_range_observed,
        binary_values=values,
        n_items=n,
        mean_a=mean_a,
        mean_b=mean_b,
        threshold=sample.threshold,
        statistic=question.statistic if judged is None else judged.statistic,
        gap=tested.gap,
        sigma=tested.items.se * math.sqrt(n),
        rho=rho,
        rho_ci=_rho_interval(rho, shared, counts, conf),
        counts=counts,
        confidence_level=conf,
        estimate=design,
        other_designs=tested.alternatives,
        pvalue_adjusted=design.pvalue,
        pvalue_midp=None if tested.mcnemar is None else tested.mcnemar.midp,
        pvalue_exact=None if tested.mcnemar is None else tested.mcnemar.exact,
        pvalue_t=_t_pvalue(x) if counts is None and has_tests else None,
        pvalue_signflip=tested.p_signflip if has_tests else None,
        mde=mde,
        mde_lower_bound=mde_lower,
        significant_gap=possible_gap(test.significant_gap, largest),
        q=at.q,
        q_ci=at.q_ci,
        n_star=at.n_star,
        n_star_ci=at.n_star_ci,
        delta=question.delta,
        q_at_delta=q0,
        n_star_at_delta=need0,
        more_items=items_missing(at.n_star if need0 is None else need0, n),
        verdict="inconclusive",
        is_resolved=is_resolved(at.q) and design.pvalue <= rule.alpha,
        equivalence=_equivalence(tested, question),
        missing_items=attrition(sample.a, sample.b, *_observed_range(sample)),
        missing_effect=None,
        breakdowns=tuple(b for b in breakdowns if b is not None),
        run_variance=run_split(shared, x.d, rule) if is_mean else None,
    )
    pair = with_verdict(pair, rule, pair.pvalue)
    return replace(pair, missing_effect=_missing_effect(pair, sample, largest, question))


def _missing_effect(
    pair: TaskComparison, sample: PairedSample, largest: float, question: CompareQuestion
) -> MissingEffect | None:
    """Return the verdict with every missing score at its worst for the leading model."""
    r = pair.missing_items
    if r.is_complete or pair.verdict not in ("better", "worse") or sample.correction is not None:
        return None
    if question.quantile is None and not r.is_decisive:
        return "reverse"
    worst, best = (r.low, r.high) if pair.gap > 0 else (r.high, r.low)
    known = ~(np.isnan(sample.a) & np.isnan(sample.b))
    filled = replace(
        sample,
        a=np.where(np.isnan(sample.a) & known, worst, sample.a),
        b=np.where(np.isnan(sample.b) & known, best, sample.b),
    )
    shared = filled.shared()
    tested = _tested(shared, sample.score_range, largest, question, None, sample.threshold)
    if tested.gap * pair.gap <= 0:
        return "reverse"
    return "undo" if tested.design.pvalue > question.criteria.alpha else None
