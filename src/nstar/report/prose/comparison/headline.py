"""Write the headline of a comparison: verdict, gap, interval, and detectable gap."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from nstar._base.parameter_types import PairedTest
from nstar._base.types import Interval
from nstar._base.units import join_words
from nstar._data.findings import Finding
from nstar._verbs.compare import AverageGap, Comparison, GapEstimate, TaskComparison
from nstar._verbs.verdict import HEADLINE_GROUPS, Criteria, PairWord, is_resolved
from nstar.report.prose.design import in_statistic
from nstar.report.prose.gap import HasScale, beside, coverage, declared_gap, downwards, gap, span
from nstar.report.prose.numbers import (
    count,
    items,
    name,
    percent,
    plural_of,
    probability,
    pvalue,
)

if TYPE_CHECKING:
    from nstar._verbs.judged import Judged
    from nstar._verbs.reference import Known

AnyGap: TypeAlias = TaskComparison | AverageGap
"""Gap of one task, or of the average over tasks."""


MIN_PRINTED_PVALUE = 0.001
"""p-value below which a sentence says ``p < 0.001``. Tables and JSON have the exact value."""


def p_is(p: float, *, level: float | None = None) -> str:
    """Return ``p = 0.03``, or ``p < 0.001``.

    Examples
    --------
    >>> p_is(0.0312), p_is(4.7e-16)
    ('p = 0.031', 'p < 0.001')
    """
    if p < MIN_PRINTED_PVALUE and (level is None or p < level / 10):
        return f"p < {MIN_PRINTED_PVALUE:g}"
    return f"p = {pvalue(p, level=level)}"


TEST_NAMES: dict[PairedTest, str] = {
    "wilcoxon": "the Wilcoxon signed-rank test",
    "t": "the paired t test",
    "sign-flip": "the sign-flip test",
    "bootstrap": "the bootstrap",
    "mcnemar-exact": "McNemar's exact test",
    "mcnemar-midp": "McNemar's mid-p test",
}


def metric_name(pair: TaskComparison, metric: str) -> str:
    """Return the metric of a task: ``acc``, ``F1``, or ``P95 of latency_s``."""
    return f"{pair.statistic} of {metric}" if pair.is_quantile else metric


def _by_test(comparison: Comparison, pair: AnyGap) -> str:
    """Return the test that was chosen by name, as the rest of a p-value."""
    if comparison.test is None or isinstance(pair, AverageGap):
        return ""
    return f" by {TEST_NAMES[comparison.test]}"


def evidence(comparison: Comparison, pair: AnyGap, ci: Interval | None = None) -> str:
    """Return the confidence interval and the p-value, with a test that was chosen by name.

    ``ci`` is the interval beside a gap without its sign.
    """
    limits = pair.ci if ci is None else ci
    text = interval_and_p(pair, comparison.criteria, pair.confidence_level, limits, pair.pvalue)
    return text + _by_test(comparison, pair)


def interval_and_p(
    of: HasScale, criteria: Criteria, confidence_level: float, ci: Interval, p: float
) -> str:
    """Return a confidence interval and a p-value: ``95% CI −1 to +3 pp, p = 0.3``."""
    side = "one-sided " if criteria.sides == 1 else ""
    return f"{coverage(confidence_level)} CI {span(of, ci)}, {side}{p_is(p)}"


def resolution(pair: AnyGap, criteria: Criteria, lead: str) -> str:
    """Return the sentence about the gaps that this evaluation can detect."""
    if pair.mde is None:
        return _no_resolution(pair)
    return thresholds(pair, criteria, lead, pair.significant_gap, pair.mde)


def here_an(comparison: Comparison, pair: AnyGap) -> str:
    """Return the start of the sentence about detectable gaps, which rest on the default test."""
    if isinstance(pair, TaskComparison) and pair.is_quantile:
        return "By the bootstrap standard error, an"
    is_named = isinstance(pair, TaskComparison) and is_not_default(comparison, pair)
    return "By the default test, an" if is_named else "Here an"


def is_not_default(comparison: Comparison, pair: TaskComparison) -> bool:
    """Return whether a test was chosen that can differ from the default test."""
    is_flips = comparison.test == "sign-flip" and pair.counts is None
    return comparison.test is not None and not is_flips


def thresholds(
    of: HasScale, criteria: Criteria, lead: str, significant_gap: float | None, mde: float
) -> str:
    """Return the sentence about the sizes of gaps that are significant or detectable."""
    side, sign = ("below", -1) if criteria.alternative == "less" else ("above", 1)
    power = probability(criteria.power)
    detected = f"a true gap of {gap(of, sign * mde)} is detected with {power} power"
    if significant_gap is None:
        return f"No observed gap can be significant here; {detected}."
    significant = gap(of, sign * significant_gap)
    return f"{lead} observed gap {side} {significant} is significant; {detected}."


_NO_SE = "The detectable gap is unknown, because no standard error could be estimated."


def estimate_resolution(result: "Judged | Known") -> str:
    """Return the sentence about the gaps that labels or sampled items can detect."""
    if result.se == 0:
        return _NO_SE
    return thresholds(result, result.criteria, "Here an", result.significant_gap, result.mde)


def verdict_sentence(result: "Judged | Known") -> str:
    """Return the verdict on the first model, as a sentence of a paragraph."""
    first = name(result.models[0])
    if result.verdict in ("better", "worse"):
        return f"{first} is significantly {result.verdict}."
    return "The comparison is inconclusive, which is not evidence of equality."


def gap_direction(result: "Judged | Known") -> str:
    """Return the direction of gaps, as the rest of an assumption."""
    first, second = (name(n) for n in result.models)
    better = "lower" if result.lower_is_better else "higher"
    return f"Gaps are {first} minus {second}, and a {better} score is better."


def _no_resolution(pair: AnyGap) -> str:
    """Return why no gap can be detected with the target power."""
    if isinstance(pair, AverageGap):
        is_unknown = pair.se == 0
    elif pair.mde_lower_bound is not None:
        return (
            "The models disagree on too few items to detect any gap reliably: even if every "
            f"disagreement favored one model, the MDE would be {gap(pair, pair.mde_lower_bound)}."
        )
    else:
        is_unknown = pair.unanimous and pair.n_items > 1
    if is_unknown:
        return _NO_SE
    verb = "is" if pair.n_items == 1 else "are"
    return f"{items(pair.n_items)} {verb} too few to detect a gap reliably."


MAX_FACTOR = 10
"""Multiple of the current items above which a number of items is not useful advice."""


def rounded(n: float) -> str:
    """Return a number with two digits, because it is an estimate.

    Examples
    --------
    >>> rounded(26219), rounded(7)
    ('26,000', '7')
    """
    digits = max(len(f"{math.ceil(n)}") - 2, 0)
    return f"{round(math.ceil(n), -digits):,}"


def rounded_need(n_more: float, current: float, unit: str = "item") -> str:
    """Return the number of additional items, or that it is too large to be useful.

    Examples
    --------
    >>> rounded_need(26219, 12032), rounded_need(26219, 1250)
    ('about 26,000 more items', 'over 10× the current number of items')
    """
    if not n_more <= (MAX_FACTOR - 1) * current:
        return f"over {MAX_FACTOR}× the current number of {unit}s"
    return f"about {rounded(n_more)} more {unit}{'' if n_more == 1 else 's'}"


def _need(pair: AnyGap) -> str:
    """Return the number of additional items that a gap needs."""
    text = rounded_need(pair.more_items or 0, pair.n_items)
    if text.startswith("over"):
        return text
    if isinstance(pair, AverageGap):
        return f"{text}, in the same proportions by task"
    if pair.estimate.kind == "cluster":
        return f"{text}, in new {plural_of(pair.estimate.column or '')}"
    return text


def if_observed(of: HasScale, value: float, need: str) -> str:
    """Return a sentence with the items that the observed gap needs."""
    return f"If the true gap is {gap(of, abs(value))}, resolving it would take {need}."


def _what_it_takes(pair: AnyGap) -> str | None:
    """Return the sentence about the items that the observed gap needs, if it is useful."""
    is_open = pair.verdict in ("inconclusive", "borderline")
    if not (is_open and pair.more_items and pair.delta is None):
        return None
    return if_observed(pair, pair.gap, _need(pair))


def _declared_gap(pair: AnyGap) -> str | None:
    """Return the sentence about the gap that was declared in advance."""
    if pair.delta is None or pair.q_at_delta is None:
        return None
    factor = 1 / pair.q_at_delta
    times = f"{factor:.2g}" if factor < MAX_FACTOR else f"{factor:,.0f}"
    return (
        f"Detecting the declared gap of {declared_gap(pair, pair.delta)} takes "
        f"{items(pair.n_star_at_delta or math.inf)} ({times}× the current {pair.n_items:,})."
    )


def new_evaluation(pair: TaskComparison, power: float) -> str | None:
    """Return the number of items for a new evaluation; None if it would not be useful."""
    if not pair.more_items:
        return None
    total = pair.n_items + pair.more_items
    subject = f"A gap of {gap(pair, abs(pair.gap))}"
    if pair.delta is not None:
        subject = f"The declared gap of {declared_gap(pair, pair.delta)}"
    where = ""
    if pair.estimate.kind == "cluster" and pair.estimate.n_groups:
        groups = math.ceil(total * pair.estimate.n_groups / pair.n_items)
        where = f" in about {groups:,} clusters of the same sizes"
    return (
        f"{subject} would take {items(total)}{where} to detect with {probability(power)} power; "
        "plan such an evaluation as a new one."
    )


def _basis(pair: AnyGap) -> str:
    """Return the number of items, and of declared groups."""
    if isinstance(pair, AverageGap) or pair.estimate.kind == "independent":
        return items(pair.n_items)
    design = pair.estimate
    return f"{items(pair.n_items)} in {count(design.n_groups)} {plural_of(design.column or '')}"


def _finding(comparison: Comparison, pair: AnyGap) -> str:
    """Return the first sentence: verdict, gap, interval, p-value, and items."""
    basis, ci = _basis(pair), beside(pair, pair.ci, pair.gap)
    average = ""
    if isinstance(pair, AverageGap):
        average = f" on the macro average of {pair.n_tasks:,} tasks"
    elif pair.statistic is not None:
        average = in_statistic(pair.statistic)
    if pair.verdict in ("better", "worse"):
        evidence_text = f"{evidence(comparison, pair, ci)}, {basis}"
        return finding(comparison.models, pair, pair.gap, pair.verdict, evidence_text, average)
    scores = standing(comparison.models, pair, pair.gap, average)
    if isinstance(pair, TaskComparison) and pair.sigma == 0 and pair.gap == 0:
        first, second = (name(model) for model in comparison.models)
        scores = f"{first} and {second} have the same score on every item"
    e = pair.equivalence
    if pair.verdict == "equivalent" and e is not None:
        interval = f"{coverage(e.confidence_level)} CI {span(pair, beside(pair, e.ci, pair.gap))}"
        return (
            f"Equivalent within ±{declared_gap(pair, e.margin)}: {scores} ({interval}, {basis})."
        )
    if pair.verdict == "borderline":
        evidence_text = (
            f"{p_is(pair.pvalue)}{_by_test(comparison, pair)}, "
            f"{coverage(pair.confidence_level)} CI {span(pair, ci)}"
        )
        return f"Borderline: {scores}; the test and the CI disagree ({evidence_text}, {basis})."
    return f"Inconclusive: {scores} ({evidence(comparison, pair, ci)}, {basis})."


def standing(models: tuple[str, ...], of: HasScale, value: float, average: str = "") -> str:
    """Return which model scores higher, and by how much."""
    first, second = (name(model) for model in models)
    if gap(of, value) == gap(of, 0.0):
        measure = "score" if average.startswith(" in ") else "mean score"
        return f"{first} and {second} have the same {measure}{average}"
    side = "above" if value > 0 else "below"
    return f"{first} scores {gap(of, abs(value))} {side} {second}{average}"


def finding(
    models: tuple[str, ...],
    of: HasScale,
    value: float,
    verdict: PairWord,
    evidence_text: str,
    average: str = "",
) -> str:
    """Return the first sentence of a report about two models.

    Parameters
    ----------
    models : tuple of str
        The first and the second model.
    of : HasScale
        A result that has the scale of the scores.
    value : float
        Gap, the first model minus the second.
    verdict : {"better", "worse", "equivalent", "borderline", "inconclusive"}
        Verdict about the first model.
    evidence_text : str
        Interval, p-value, and items, which are printed in parentheses.
    average : str, default ""
        Clause that says what the gap averages.
    """
    first, second = (name(model) for model in models)
    if verdict in ("better", "worse"):
        verb = "beats" if verdict == "better" else "trails"
        return f"{first} {verb} {second} by {gap(of, abs(value))}{average} ({evidence_text})."
    scores = standing(models, of, value, average)
    if verdict == "borderline":
        return f"Borderline: {scores}; the test and the CI disagree ({evidence_text})."
    return f"Inconclusive: {scores} ({evidence_text})."


def _sentences(comparison: Comparison, pair: AnyGap) -> list[str]:
    """Return the finding, the detectable gap, and the items that the gap needs."""
    power, e = comparison.criteria.power, pair.equivalence
    sentences: list[str | None] = [_finding(comparison, pair)]
    if pair.verdict == "inconclusive" and e is not None:
        sentences.append(
            f"Equivalence within ±{declared_gap(pair, e.margin)} is not shown either."
        )
    if pair.is_underpowered:
        sentences.append(
            f"Underpowered: the power is less than {probability(power)} if this is the true gap."
        )
    elif pair.verdict != "borderline":
        sentences.append(resolution(pair, comparison.criteria, here_an(comparison, pair)))
    sentences.append(_declared_gap(pair))
    return [text for text in sentences if text]


def caution_reasons(comparison: Comparison) -> Iterator[str]:
    """Yield the reasons for a caution about the result."""
    yield from (STOPPED for f in comparison.findings if f.code == "stopped-early")
    if len(comparison.tasks) == 1:
        yield from _missing(comparison, comparison.tasks[0])
        yield from across(comparison.tasks[0], comparison.criteria.alpha)
    elif n_open := sum(pair.missing_effect is not None for pair in comparison.tasks):
        yield f"on {n_open:,} of these tasks, missing items could change the verdict"


_CAUTION = "Caution: "


def caution(reasons: Iterable[str]) -> str:
    """Return a sentence with all cautions about a result."""
    return f"{_CAUTION}{', and '.join(dict.fromkeys(reasons))}."


STOPPED = (
    "a run was stopped early because of its scores, so tests for a fixed number of items are not "
    "valid"
)
MAX_MISSING = 0.05
"""Maximum share of missing items of a model without a caution."""


def _missing(comparison: Comparison, pair: TaskComparison) -> Iterator[str]:
    """Yield a caution about items that one model lacks, if they could change the verdict."""
    r = pair.missing_items
    total = r.n_common + r.n_only_a + r.n_only_b
    lacking = zip(comparison.models, (r.n_only_b, r.n_only_a), strict=True)
    lacks = [
        f"{name(model)} lacks {k:,} of {items(total)} ({percent(k / total, 1)})"
        for model, k in lacking
        if k > (0 if pair.missing_effect is not None else MAX_MISSING * total)
    ]
    if lacks:
        effect = ""
        if pair.missing_effect is not None:
            bounds = (
                "" if pair.is_quantile else f" ({span(pair, beside(pair, r.bounds, pair.gap))})"
            )
            effect = f", which could {_EFFECTS[pair.missing_effect]}{bounds}"
        yield f"{' and '.join(lacks)}{effect}"


_EFFECTS = {"reverse": "reverse the gap", "undo": "make the gap inconclusive"}


def turning(pair: TaskComparison, alpha: float) -> GapEstimate | None:
    """Return the grouping that changes the verdict most, if any does.

    A column with few groups is ignored, because its error is too uncertain for a headline.
    """
    if pair.estimate.kind != "independent" or pair.verdict not in (
        "better",
        "worse",
        "inconclusive",
    ):
        return None
    is_significant = pair.verdict != "inconclusive"
    candidates = (
        r for r in pair.other_designs if r.column and (r.n_groups or 0) >= HEADLINE_GROUPS
    )
    turned = [r for r in candidates if (r.pvalue <= alpha) != is_significant]
    return max(turned, key=lambda r: r.pvalue if is_significant else -r.pvalue, default=None)


def across(pair: TaskComparison, alpha: float, unit: str = "items") -> Iterator[str]:
    """Yield the verdict under the grouping that changes it."""
    design = turning(pair, alpha)
    if design is None:
        return
    groups = plural_of(design.column or "")
    where = f"across new {groups}"
    if design.kind == "strata":
        where = f"on other {unit} of the same {groups}"
    verdict = "significant" if pair.verdict == "inconclusive" else "inconclusive"
    yield f"{where} the gap is {verdict} ({p_is(design.pvalue)})"


_MAX_NAMED_TASKS = 3


def _on_tasks(comparison: Comparison, verdict: PairWord) -> str:
    """Return ``on 1 (law)``, or ``on none``."""
    tasks = [name(pair.task) for pair in comparison.tasks if pair.verdict == verdict]
    names_text = f" ({', '.join(tasks)})" if 0 < len(tasks) <= _MAX_NAMED_TASKS else ""
    return f"on {len(tasks) or 'none'}{names_text}"


def _by_task(comparison: Comparison) -> str:
    """Return the number of tasks with each verdict."""
    first, second = (name(model) for model in comparison.models)
    wins, losses = (_on_tasks(comparison, word) for word in ("better", "worse"))
    verdicts = Counter(pair.verdict for pair in comparison.tasks)
    words: tuple[PairWord, ...] = ("equivalent", "borderline", "inconclusive")
    rest = [
        f"{verdicts[word]:,} {'is' if verdicts[word] == 1 else 'are'} {word}"
        for word in words
        if verdicts[word]
    ]
    end = f"; {join_words(rest)}" if rest else ""
    test = "" if comparison.test is None else f"by {TEST_NAMES[comparison.test]}, "
    return (
        f"Of {len(comparison.tasks):,} tasks, {first} beats {second} {wins} and trails "
        f"{losses}{end} ({test}Holm-adjusted)."
    )


def _declared_by_task(comparison: Comparison) -> Iterator[str]:
    """Yield the number of tasks that can detect a declared gap, if there is no average."""
    first = comparison.tasks[0]
    if first.delta is None:
        return
    n_resolved = sum(is_resolved(pair.q_at_delta) for pair in comparison.tasks)
    yield (
        f"Of {len(comparison.tasks):,} tasks, {n_resolved or 'none'} "
        f"{'has enough items alone' if n_resolved == 1 else 'have enough items alone'} "
        f"to detect the declared gap of {declared_gap(first, first.delta)}."
    )


def stopped_reasons(findings: Iterable[Finding]) -> list[str]:
    """Return the caution about a run that was stopped early, if one was."""
    return [STOPPED for f in findings if f.code == "stopped-early"][:1]


def stopped_early(findings: Iterable[Finding]) -> str:
    """Return the caution about a run that was stopped early, as the next sentence."""
    reasons = stopped_reasons(findings)
    return f" {caution(reasons)}" if reasons else ""


def choices(findings: Iterable[Finding], metrics: Iterable[str]) -> str:
    """Return the choices that nstar made by default, as the next sentence."""
    codes = {f.code for f in findings}
    names = list(dict.fromkeys(metrics))
    metric = f"the metric {name(names[0])}" if len(names) == 1 else "the metric of each task"
    text_by_code = {
        "metric-chosen": metric,
        "percentages": "the original units of the scores",
        "model-labels": "the model labels",
    }
    chosen = [text for code, text in text_by_code.items() if code in codes]
    return f" Chosen automatically: {join_words(chosen)}." if chosen else ""


def headline(comparison: Comparison) -> str:
    """Return the finding of the only task, or of the average and each task."""
    one = comparison.tasks[0] if len(comparison.tasks) == 1 else comparison.average
    sentences = [] if one is None else _sentences(comparison, one)
    if len(comparison.tasks) > 1:
        sentences.append(_by_task(comparison))
    if one is None:
        sentences.extend(_declared_by_task(comparison))
    if reasons := list(caution_reasons(comparison)):
        sentences.append(caution(reasons))
    elif one is not None and (needed := _what_it_takes(one)) is not None:
        sentences.append(needed)
    chosen = choices(comparison.findings, (pair.metric for pair in comparison.tasks))
    return f"{' '.join(sentences)}{downwards(comparison.tasks)}{chosen}"
