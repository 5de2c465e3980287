"""The first sentence about a Comparison: gap, interval, MDE, and what would settle it."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from nstar._data.findings import Finding
from nstar._verbs.compare import AverageGap, Comparison, GapEstimate, TaskComparison
from nstar._verbs.verdict import HEADLINE_GROUPS, PairWord, is_resolved
from nstar.report.prose.gap import coverage, downwards, gap, span
from nstar.report.prose.numbers import (
    count,
    items,
    listed,
    name,
    often,
    percent,
    plural_of,
    probability,
    pvalue,
)

AnyGap: TypeAlias = TaskComparison | AverageGap
"""The gap of one task, or of the average over tasks."""


def p_is(p: float, *, level: float | None = None) -> str:
    """``p = 0.03``, or ``p < `` the smallest that is printed."""
    value = pvalue(p, level=level)
    return f"p {value}" if value.startswith("<") else f"p = {value}"


def evidence(comparison: Comparison, pair: AnyGap) -> str:
    """Interval and p-value."""
    level = coverage(pair.confidence_level)
    side = "one-sided " if comparison.criteria.sides == 1 else ""
    return f"{level} interval {span(pair, pair.ci)}, {side}{p_is(pair.pvalue)}"


def can_detect(pair: AnyGap) -> str:
    """The smallest gap this benchmark shows, and whether a declared gap is as large."""
    if pair.mde is not None:
        text = f"they can detect {gap(pair, pair.mde)}"
    elif isinstance(pair, AverageGap):
        if pair.se == 0:
            return "what they can detect is unknown, because no error could be measured"
        text = f"{items(pair.n_items)} are too few to detect a gap reliably"
    elif pair.mde_lower_bound is not None:
        text = (
            "the models disagree too rarely for any gap to be detected reliably; even with every "
            "disagreement in favour of one of them it would take "
            f"{gap(pair, pair.mde_lower_bound)}"
        )
    elif pair.unanimous and pair.n_items > 1:
        return "what they can detect is unknown, because no error could be measured"
    else:
        few = "is" if pair.n_items == 1 else "are"
        text = f"{items(pair.n_items)} {few} too few to detect a gap reliably"
    if pair.delta is not None and pair.q_at_delta is not None:
        enough = "enough" if is_resolved(pair.q_at_delta) else "too little"
        declared = gap(pair, pair.delta)
        text += f" ({enough} for the declared {declared}: q = {pair.q_at_delta:.2f})"
    return text


def _more(pair: AnyGap, more: int) -> str:
    word = f"{more:,} more item{'' if more == 1 else 's'}"
    if isinstance(pair, AverageGap):
        return f"{word} in the present shares of the tasks"
    if pair.estimate.kind != "cluster" or not pair.estimate.n_groups:
        return word
    new = math.ceil(more * pair.estimate.n_groups / pair.n_items)
    return f"{word} in about {new:,} new clusters of the same sizes"


_MAX_USEFUL_FACTOR = 100
"""Times the items there are, beyond which a number of items is not useful advice."""


def settle(pair: AnyGap) -> str | None:
    """How many more items would do; None where no number would help."""
    if not pair.more_items:
        return None
    far = pair.more_items > _MAX_USEFUL_FACTOR * pair.n_items
    need = "more than a hundred times these items" if far else _more(pair, pair.more_items)
    if pair.delta is not None:
        return f"detecting the declared {gap(pair, pair.delta)} takes {need}"
    seen = gap(pair, pair.gap, sign=True)
    return f"if the gap is really {seen}, {need} would settle it"


def new_evaluation(pair: TaskComparison, power: float) -> str | None:
    """How many items another evaluation would need, in a sentence; None where none would help."""
    if not pair.more_items:
        return None
    total = pair.n_items + pair.more_items
    what = f"A gap of {gap(pair, abs(pair.gap))}"
    if pair.delta is not None:
        what = f"The declared gap of {gap(pair, pair.delta)}"
    where = ""
    if pair.estimate.kind == "cluster" and pair.estimate.n_groups:
        groups = math.ceil(total * pair.estimate.n_groups / pair.n_items)
        where = f" in about {groups:,} clusters of the same sizes"
    return (
        f"{what} would take {items(total)}{where} to detect with {probability(power)} power; such "
        "an evaluation should be planned as a new one."
    )


def _in(pair: AnyGap) -> str:
    """The tasks of an average; the groups, where they were declared."""
    if isinstance(pair, AverageGap):
        return f" of {count(pair.n_tasks)} tasks"
    d = pair.estimate
    if d.kind == "independent":
        return ""
    return f" in {count(d.n_groups)} {'strata' if d.kind == 'strata' else 'clusters'}"


def _ahead(pair: AnyGap) -> str:
    return "ahead of" if (pair.gap > 0) != pair.lower_is_better else "behind"


def _nor_within(pair: AnyGap) -> str:
    """That a declared margin was not shown either."""
    e = pair.equivalence
    if e is None or e.is_equivalent:
        return ""
    return f" and is not shown to be within {gap(pair, e.margin)}"


def _shown(comparison: Comparison, pair: AnyGap, first: str, second: str) -> str:
    """The finding itself, without what the benchmark could have found."""
    size, on = gap(pair, abs(pair.gap)), f"on {items(pair.n_items)}{_in(pair)}"
    found = evidence(comparison, pair)
    if pair.verdict in ("better", "worse"):
        verb = "beats" if pair.verdict == "better" else "trails"
        return f"{first} {verb} {second} by {size} ({found}), {on}"
    if pair.verdict == "equivalent" and pair.equivalence is not None:
        e = pair.equivalence
        return (
            f"{first} and {second} are equivalent within {gap(pair, e.margin)}: the gap is "
            f"{gap(pair, pair.gap, sign=True)} ({coverage(e.confidence_level)} interval "
            f"{span(pair, e.ci)}), {on}"
        )
    if pair.verdict == "borderline":
        return (
            f"Borderline: {first} is {_ahead(pair)} {second} by {size}, and test and "
            f"interval disagree ({found}), {on}"
        )
    if isinstance(pair, TaskComparison) and pair.sigma == 0 and pair.gap == 0:
        every = "all " if pair.n_items > 1 else ""
        return f"{first} and {second} score the same on {every}{items(pair.n_items)} ({found})"
    size = gap(pair, pair.gap, sign=True)
    if comparison.criteria.sides == 1:
        is_gain = (comparison.criteria.alternative == "less") == pair.lower_is_better
        return (
            f"{first} is not shown to be {'better' if is_gain else 'worse'} than {second}: "
            f"the gap is {size} ({found}), {on}"
        )
    return (
        f"{items(pair.n_items)}{_in(pair)} cannot tell {first} and {second} apart: the gap is "
        f"{size} ({found}){_nor_within(pair)}"
    )


def _again(pair: AnyGap, q: float, power: float) -> str:
    """What it would take to find the gap again."""
    return (
        f"to find a gap of that size again {often(power)} would take "
        f"{items(math.ceil(pair.n_star - 1e-9))} (q = {q:.2f})"
    )


def _finding(comparison: Comparison, pair: AnyGap) -> list[str]:
    """The finding, and in a second sentence what it would take and what was asked about."""
    first, second = (name(n) for n in comparison.models)
    more: list[str] = []
    if pair.verdict in ("inconclusive", "borderline"):
        more = [can_detect(pair), settle(pair) or ""]
    elif pair.verdict != "equivalent" and pair.q is not None:
        if not pair.is_resolved:
            more = [_again(pair, pair.q, comparison.criteria.power)]
        elif isinstance(pair, AverageGap):
            more = [f"a gap of that size takes {items(math.ceil(pair.n_star - 1e-9))} (N*)"]
    if pair.delta is not None and can_detect(pair) not in more:
        more.append(can_detect(pair))
    more = [part for part in more if part]
    if more:
        more = ["; ".join((f"{more[0][0].upper()}{more[0][1:]}", *more[1:]))]
    return [f"{text}." for text in (_shown(comparison, pair, first, second), *more)]


def _one(comparison: Comparison) -> str:
    pair = comparison.tasks[0]
    cautions = (*_missing(comparison, pair), *across(pair, comparison.criteria.alpha))
    return " ".join((*_finding(comparison, pair), *cautions))


_MISSING_EFFECTS = {
    "reverse": "could reverse the order",
    "undo": "could make the gap inconclusive",
}


def _missing(comparison: Comparison, pair: TaskComparison) -> Iterator[str]:
    """Items missing for one model that could change the verdict."""
    if pair.missing_effect is None:
        return
    r = pair.missing_items
    total = r.n_common + r.n_only_a + r.n_only_b
    lacks = [
        f"{name(model)} lacks {k:,} of {items(total)} ({percent(k / total, 1)})"
        for model, k in zip(comparison.models, (r.n_only_b, r.n_only_a), strict=True)
        if k
    ]
    yield (
        f"Caution: {' and '.join(lacks)}; the missing scores "
        f"{_MISSING_EFFECTS[pair.missing_effect]} (gap {span(pair, r.bounds)})."
    )


def turning(pair: TaskComparison, alpha: float) -> GapEstimate | None:
    """The reading of a group column that changes the answer most, if one does.

    A column of few groups does not count: its error is too uncertain for a headline.
    """
    if pair.estimate.kind != "independent" or pair.verdict not in (
        "better",
        "worse",
        "inconclusive",
    ):
        return None
    found = pair.verdict != "inconclusive"
    enough = (r for r in pair.other_designs if r.column and (r.n_groups or 0) >= HEADLINE_GROUPS)
    turned = [r for r in enough if (r.pvalue <= alpha) != found]
    return max(turned, key=lambda r: r.pvalue if found else -r.pvalue, default=None)


def across(pair: TaskComparison, alpha: float, unit: str = "items") -> Iterator[str]:
    """What that reading says."""
    most = turning(pair, alpha)
    if most is None:
        return
    where = f"Across other {plural_of(most.column or '')} like these"
    if most.kind == "strata":
        where = f"On other {unit} of the same {plural_of(most.column or '')}"
    found = pair.verdict != "inconclusive"
    yield f"{where} it is {'not ' * found}shown ({p_is(most.pvalue)})."


def _by_task(comparison: Comparison) -> str:
    """The verdicts on single tasks, counted."""
    first, second = (name(n) for n in comparison.models)
    seen = Counter(pair.verdict for pair in comparison.tasks)
    lead = (
        f"{first} is better than {second} on {seen['better']:,} of {len(comparison.tasks):,} "
        f"tasks and worse on {seen['worse']:,} after Holm's adjustment"
    )
    words: tuple[PairWord, ...] = ("equivalent", "borderline", "inconclusive")
    rest = [f"{seen[w]:,} {'is' if seen[w] == 1 else 'are'} {w}" for w in words if seen[w]]
    return f"{lead}; {listed(rest)}." if rest else f"{lead}."


def _declared_by_task(comparison: Comparison) -> Iterator[str]:
    """On how many tasks a declared gap is detectable, where no average answers that."""
    first = comparison.tasks[0]
    if first.delta is None:
        return
    enough = sum(is_resolved(pair.q_at_delta) for pair in comparison.tasks)
    yield (
        f"The items of {enough:,} of {len(comparison.tasks):,} tasks are enough to detect the "
        f"declared {gap(first, first.delta)}, each task alone."
    )


def _several(comparison: Comparison) -> str:
    """The average first, then the tasks."""
    if comparison.average is None:
        parts = [_by_task(comparison), *_declared_by_task(comparison)]
    else:
        found = _finding(comparison, comparison.average)
        parts = [f"By the macro average, {found[0]}", *found[1:], _by_task(comparison)]
    if open_ := sum(pair.missing_effect is not None for pair in comparison.tasks):
        parts.append(
            f"Caution: on {open_:,} of these tasks, missing items could reverse the verdict or "
            "make it inconclusive."
        )
    return " ".join(parts)


def stopped_early(findings: Iterable[Finding]) -> str:
    """A caution that tests for a fixed number of items are not valid, as the next sentence."""
    if all(f.code != "stopped-early" for f in findings):
        return ""
    return (
        " Caution: a run was stopped early because of its scores, so p-values and intervals for a "
        "fixed number of items are not valid."
    )


def choices(findings: Iterable[Finding], metrics: Iterable[str]) -> str:
    """What nstar chose because nobody did, as the next sentence."""
    codes = {f.code for f in findings}
    there = list(dict.fromkeys(metrics))
    metric = f"the metric {name(there[0])}" if len(there) == 1 else "the metric of each task"
    said = {
        "metric-chosen": metric,
        "percentages": "percentages as the scale of scores",
        "model-labels": "the model labels",
    }
    chosen = [text for code, text in said.items() if code in codes]
    return f" Chosen automatically: {listed(chosen)}." if chosen else ""


def headline(comparison: Comparison) -> str:
    """The finding of the only task; of several, the average and the count of verdicts."""
    found = _one(comparison) if len(comparison.tasks) == 1 else _several(comparison)
    down, stopped = downwards(comparison.tasks), stopped_early(comparison.findings)
    chosen = choices(comparison.findings, (pair.metric for pair in comparison.tasks))
    return f"{found}{down}{stopped}{chosen}"
