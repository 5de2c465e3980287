"""Write the notes on a Comparison, one sentence each."""

from collections.abc import Iterable, Iterator, Sequence

from nstar._data.findings import Finding
from nstar._verbs.compare import (
    Comparison,
    GapEstimate,
    GroupBreakdown,
    RunVariance,
    TaskComparison,
)
from nstar.errors import arg
from nstar.report.prose.comparison.headline import TEST_NAMES, is_not_default, p_is, turning
from nstar.report.prose.design import assumption, two_values, undeclared
from nstar.report.prose.gap import coverage, declared_gap, gap, score, seen_range, span
from nstar.report.prose.numbers import count, items, name, percent, plural_of, probability

_LEVELS = ("fatal", "warning", "note")


_LEVEL_WORDS = {"fatal": "Error", "warning": "Warning", "note": "Note"}


def finding_sentence(finding: Finding) -> str:
    """Return a finding as a sentence that starts with its level.

    Examples
    --------
    >>> finding_sentence(Finding(code="bad-rows", level="warning", text="1 row skipped"))
    'Warning: 1 row skipped.'
    """
    text = name(finding.text, limit=600)
    return f"{_LEVEL_WORDS[finding.level]}: {text}{'' if text[-1:] in '.?!' else '.'}"


def findings(source_findings: Iterable[Finding], levels: Sequence[str] = _LEVELS) -> Iterator[str]:
    """Yield the findings about the data, most severe first."""
    all_findings = tuple(source_findings)
    for level in levels:
        for f in all_findings:
            if f.level == level:
                yield finding_sentence(f)


def _at_once(finding: Finding) -> bool:
    """Return whether one screen shows a finding, because it may mislead or is a default choice."""
    return finding.level != "note" or finding.code in (
        "runs-chosen",
        "metric-chosen",
        "weighted-items",
        "whole-benchmark",
    )


def _few(pair: TaskComparison) -> Iterator[str]:
    if pair.few_items:
        verb = "is" if pair.n_items == 1 else "are"
        yield (
            f"There {verb} only {items(pair.n_items)}; one more or one fewer could change the "
            "verdict."
        )


def _unanimous(pair: TaskComparison) -> Iterator[str]:
    if not pair.unanimous:
        return
    same = {
        "independent": "Every item shows the same gap",
        "strata": "Every item shows the same gap as the other items of its stratum",
        "cluster": "Every cluster shows the same gap",
    }[pair.estimate.kind]
    observed = seen_range(pair)
    where = (
        "" if observed is None else f", for scores from {observed}, as observed ({_other_range()})"
    )
    yield (
        f"{same}, so no standard error can be estimated. The CI reflects only how many other "
        f"{'clusters' if pair.estimate.kind == 'cluster' else 'items'} could differ{where}."
    )


def _other_range() -> str:
    return f"{arg('score_range', 'LOW:HIGH')} declares another range"


_FLIPS = {
    "exact sign flips": "all sign flips",
    "random sign flips": "9,999 random sign flips (seed {seed})",
    "tilted sign flips": "random sign flips by importance sampling (seed {seed}), because "
    "plain sign flips rarely reach the observed gap",
}


def _resolution(comparison: Comparison, pair: TaskComparison) -> Iterator[str]:
    power = comparison.criteria.power
    if pair.q:
        of_default = "" if comparison.test is None else " of the default test"
        same = f" q carries the same information as the p-value{of_default}."
        state = "reaches" if pair.is_resolved else "does not reach"
        yield (
            f"The resolution ratio q is {pair.q:.3g}: a replication of the same size {state} "
            f"{percent(power)} power if the true gap equals the observed gap."
            f"{'' if pair.is_quantile else same}"
        )


def _magnitude(pair: TaskComparison) -> Iterator[str]:
    """Yield the exaggeration of a significant gap, and the limits of effect sizes."""
    if pair.exaggeration is not None:
        yield (
            "If the true gap equals the observed gap, significant results exaggerate it by "
            f"{percent(pair.exaggeration - 1, 0)} on average."
        )
    if pair.effect_size is not None:
        h = "" if pair.effect_size.h is None else ", and Cohen's h ignores the pairing"
        yield (
            f"Cohen's d_z is standardized by the noise of these items{h}. Effect sizes are not "
            "comparable between benchmarks."
        )


def _attrition(comparison: Comparison, pair: TaskComparison) -> Iterator[str]:
    r = pair.missing_items
    if r.is_complete:
        return
    first, second = (name(n) for n in comparison.models)
    lone = [
        f"{items(k)} answered only by {model}"
        for k, model in ((r.n_only_a, first), (r.n_only_b, second))
        if k
    ]
    if pair.is_quantile:
        yield f"Excluded: {' and '.join(lone)}."
        return
    text = (
        f"Excluded: {' and '.join(lone)}. On all of its own items, {first} scores "
        f"{score(pair, r.mean_a)}, and {second} scores {score(pair, r.mean_b)}"
    )
    if r.order_flips:
        text += ", which reverses their order"
    observed = seen_range(pair)
    scale = "" if observed is None else f" in the observed range, {observed} ({_other_range()})"
    text += (
        f". For any scores on the excluded items{scale}, the gap over all items lies within "
        f"{span(pair, r.bounds)}"
    )
    if not r.is_decisive and pair.gap != 0:
        text += ", so the missing scores could reverse the order"
    yield text + "."


def _readings(pair: TaskComparison) -> Iterator[str]:
    """Yield the question that each design of a column answers. Tables contain the numbers."""
    by_column: dict[str, list[GapEstimate]] = {}
    for reading in pair.other_designs:
        by_column.setdefault(name(reading.column or ""), []).append(reading)
    for column, readings in by_column.items():
        if column:
            yield undeclared(column, ((r.kind, r.n_groups) for r in readings))


def _caution(reading: GapEstimate) -> Iterator[str]:
    if reading.caution is not None:
        text = reading.caution.removesuffix(".")
        if reading.column is None:
            yield f"{text}."
            return
        text = text[:1].lower() + text[1:]
        yield f"For clusters by {name(reading.column or '')}, {text}."


def _as_planned(d: GapEstimate) -> str:
    """Return the pair for a plan with this design effect, and that of an analysis of variance."""
    anova = "" if d.icc is None else f"{d.icc:.3g}".replace("-", "−")
    if d.icc_plan is None or d.cluster_size is None:
        return f" (intraclass correlation by ANOVA: {anova})" if anova else ""
    also = f"; ANOVA, which weights clusters differently, gives {anova}" * bool(anova)
    return (
        f", as would an intraclass correlation of {d.icc_plan:.3g} in clusters of "
        f"{d.cluster_size:.4g} items (nstar plan --icc {d.icc_plan:.3g} --cluster-size "
        f"{d.cluster_size:.4g}{also})"
    )


def _left_out(pair: TaskComparison, breakdown: GroupBreakdown) -> str:
    out, column = breakdown.leave_one_out, name(breakdown.column)
    low, high, without = (
        gap(pair, x, sign=True) for x in (out.gap_low, out.gap_high, out.gap_without)
    )
    turn = "its sign never changes"
    if out.n_sign_changes:
        turns = (
            f"{count(out.n_sign_changes)} of {count(len(breakdown.groups))} "
            f"{plural_of(breakdown.column)}"
        )
        turn = f"its sign changes for {turns}"
    return (
        f"If one {column} at a time is left out, the gap ranges from {low} to {high} (most "
        f"influential: {name(out.most_influential)}, {without} without it); {turn}."
    )


def _count_of_runs(runs: tuple[int, int]) -> str:
    low, high = runs
    return f"{low}" if low == high else f"{low}–{high}"


def _runs(pair: TaskComparison, r: RunVariance) -> str:
    runs = f"With {_count_of_runs(r.n_runs_a)} and {_count_of_runs(r.n_runs_b)} runs per item"
    if not r.is_identified or r.removable_share is None:
        return (
            f"{runs}, run-to-run noise cannot be separated; this takes repeated runs of both "
            "models."
        )
    text = (
        f"{runs}, {probability(r.removable_share)} of the variance is run-to-run noise. "
        f"Unlimited reruns of these items would lower the MDE to {gap(pair, r.mde_floor)}"
    )
    if r.sigma_b2 == 0:
        text = f"{runs}, all observed variance is run-to-run noise"
    if r.n_assumed:
        text += f". {count(r.n_assumed)} cells with one run use the variance of the other cells"
    return text + "."


def _named_test(comparison: Comparison) -> Iterator[str]:
    """Yield what a test that was chosen by name means, and which numbers it does not change."""
    if comparison.test is None:
        return
    if comparison.test == "wilcoxon":
        yield (
            "The Wilcoxon signed-rank test examines whether the differences are symmetric about "
            "zero. It does not test the mean, and it excludes differences of zero."
        )
    if comparison.test == "bootstrap":
        yield (
            "The p-value and the CI are from 9,999 bootstrap resamples each (seed "
            f"{comparison.seed})."
        )
    if any(is_not_default(comparison, pair) for pair in comparison.tasks):
        yield (
            "Detectable gaps, significant gaps, and N* are those of the default test, not of "
            f"{TEST_NAMES[comparison.test]}."
        )


def _of_pair(comparison: Comparison, pair: TaskComparison) -> Iterator[str]:
    yield from _few(pair)
    yield from _unanimous(pair)
    yield from _attrition(comparison, pair)
    e = pair.equivalence
    if e is not None:
        inside = "lies inside" if e.is_equivalent else "exceeds"
        text = (
            f"The {coverage(e.confidence_level)} CI {span(pair, e.ci)} {inside} the equivalence "
            f"margin of ±{declared_gap(pair, e.margin)} ({p_is(e.pvalue)})"
        )
        no_worse = e.ci.high < e.margin if pair.lower_is_better else e.is_noninferior
        if not e.is_equivalent and no_worse:
            text += ". The first model is non-inferior at this margin"
        if not e.is_equivalent:
            text += f". If the models are equal, showing equivalence takes {items(e.n_star)}"
        yield text + "."
        if pair.counts is None or pair.estimate.kind != "independent":
            yield (
                "This CI allows for full-scale changes that are too rare to be observed, so it is "
                "wider than the CI of the gap at the same level."
            )
    if pair.q_at_delta is not None:
        yield (
            f"The declared gap of {declared_gap(pair, pair.delta)} needs "
            f"{count(pair.n_star_at_delta)} items, and {count(pair.n_items)} are available (q = "
            f"{pair.q_at_delta:.2f}). These figures use the observed noise, not the observed gap."
        )
    for reading in _quoted(comparison, pair):
        yield from _caution(reading)
    if pair.run_variance is not None:
        yield _runs(pair, pair.run_variance)
    yield from two_values(pair.binary_values)


def _quoted(comparison: Comparison, pair: TaskComparison) -> Iterator[GapEstimate]:
    """Yield the designs in the headline. The full report has a table of the others."""
    yield pair.estimate
    if (design := turning(pair, comparison.criteria.alpha)) is not None:
        yield design


def _in_detail(comparison: Comparison, pair: TaskComparison) -> Iterator[str]:
    yield from _resolution(comparison, pair)
    yield from _magnitude(pair)
    if comparison.test is None and pair.estimate.pvalue_method == "McNemar exact":
        psi = 0.0 if pair.counts is None else pair.counts.psi
        yield (
            f"The models disagree on {percent(psi, 0)} of the items. The mid-p test can then be "
            "anti-conservative, so the p-value is from the exact test."
        )
    template = _FLIPS.get(pair.estimate.pvalue_method)
    if template is not None and pair.pvalue_t is not None:
        seed = "set by the caller" if comparison.seed is None else comparison.seed
        test_text = template.format(seed=seed)
        yield f"The p-value is from {test_text}. The paired t test gives {p_is(pair.pvalue_t)}."
    d = pair.estimate
    if d.kind == "cluster" and d.design_effect is not None:
        below = " (by chance, clusters balance one another)" if d.design_effect < 1 else ""
        yield (
            f"Clustering multiplies the variance by {d.design_effect:.3g}{below}{_as_planned(d)}. "
            "Additional items are assumed to come in new clusters of the same sizes."
        )
    yield from _readings(pair)
    quoted = tuple(_quoted(comparison, pair))
    for reading in pair.other_designs:
        if reading not in quoted:
            yield from _caution(reading)
    for breakdown in pair.breakdowns:
        yield _left_out(pair, breakdown)


def _of_task(comparison: Comparison, pair: TaskComparison) -> Iterator[str]:
    """Yield only the cautions of a task. JSON contains its other findings."""
    grave = (_few(pair), _unanimous(pair), _attrition(comparison, pair), _caution(pair.estimate))
    yield from (f"{name(pair.task)}: {text}" for part in grave for text in part)


def notes(comparison: Comparison) -> Iterator[str]:
    """Yield the notes, most important first."""
    yield from findings(f for f in comparison.findings if _at_once(f))
    yield from _named_test(comparison)
    if len(comparison.tasks) == 1:
        yield from _of_pair(comparison, comparison.tasks[0])
        return
    for pair in comparison.tasks:
        yield from _of_task(comparison, pair)
    also = any(pair.equivalence is not None for pair in comparison.tasks)
    subject = "CIs, MDEs and equivalence" if also else "CIs and MDEs"
    yield f"{subject} are per task and unadjusted. {_averaging(comparison)}"


def _averaging(comparison: Comparison) -> str:
    if comparison.average is None:
        return f"These tasks have no average: {name(comparison.no_average or '', limit=300)}."
    metrics = dict.fromkeys(name(pair.metric) for pair in comparison.tasks)
    mixed = f" It averages different metrics: {', '.join(metrics)}." if len(metrics) > 1 else ""
    return (
        "The macro average is a separate test: tasks count equally, errors of different tasks "
        f"are independent, and its p-value is not adjusted for the tests by task.{mixed}"
    )


def detail(comparison: Comparison) -> Iterator[str]:
    """Yield the other notes."""
    if len(comparison.tasks) == 1:
        yield from _in_detail(comparison, comparison.tasks[0])
    yield from findings(f for f in comparison.findings if not _at_once(f))


def design_assumption(comparison: Comparison) -> str:
    """Return the assumption about the sampling of items."""
    reading = comparison.tasks[0].estimate
    column = name(reading.column or "")
    sizes = {pair.estimate.n_groups for pair in comparison.tasks}
    these = (
        f"these {count(reading.n_groups)} groups" if len(sizes) == 1 else "the groups of each task"
    )
    return assumption(reading.kind, column, these)
