"""Write the report of a Comparison."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import repeat

from nstar._verbs.compare import (
    AverageGap,
    Comparison,
    GapEstimate,
    GroupBreakdown,
    TaskComparison,
)
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import (
    evidence,
    headline,
    here_an,
    metric_name,
    new_evaluation,
    p_is,
    resolution,
    stopped_early,
)
from nstar.report.prose.comparison.notes import design_assumption, detail, notes
from nstar.report.prose.comparison.page_top import page_top
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.design import (
    SECOND_LOOK,
    WEIGHTED,
    in_statistic,
    plural,
    pseudo_values,
    resampled,
    taken_as,
    weighing,
)
from nstar.report.prose.gap import coverage, declared_gap, gap, score, seen_range, span
from nstar.report.prose.numbers import (
    count,
    items,
    level,
    name,
    power_definition,
    probability,
    pvalue,
    ratio,
    two_names,
)

_ROWS = 200
"""Maximum number of groups in the text. JSON contains all groups."""


def _counts(pair: TaskComparison, first: str, second: str) -> list[tuple[str, str, str]]:
    if pair.counts is None:
        return []
    return [
        (f"only {first} correct", count(pair.counts.n10), ""),
        (f"only {second} correct", count(pair.counts.n01), ""),
        ("both correct", count(pair.counts.n11), ""),
        ("neither correct", count(pair.counts.n00), ""),
    ]


def _tests(pair: TaskComparison) -> list[tuple[str, str, str]]:
    rows = [(f"p ({pair.estimate.pvalue_method})", pvalue(pair.pvalue), "")]
    others = {
        "McNemar mid-p": pair.pvalue_midp,
        "McNemar exact": pair.pvalue_exact,
        "paired t": pair.pvalue_t,
        "sign flips": pair.pvalue_signflip if pair.estimate.kind == "independent" else None,
        "sign flips of clusters": pair.pvalue_signflip
        if pair.estimate.kind == "cluster"
        else None,
    }
    for label, p in others.items():
        if p is not None and not pair.estimate.pvalue_method.endswith(label):
            rows.append((f"p ({label})", pvalue(p), ""))
    return rows


def _signed(rho: float) -> str:
    return f"{rho:.2f}".replace("-", "−")


def _rho_span(pair: TaskComparison) -> str:
    if pair.rho_ci is None:
        return "–"
    low, high = (float(v) for v in pair.rho_ci)
    return f"{_signed(low)} to {_signed(high)}"


def _numbers(comparison: Comparison, pair: TaskComparison) -> TextTable:
    first, second = two_names(comparison.models, 32)
    rows = [
        (first, score(pair, pair.mean_a), ""),
        (second, score(pair, pair.mean_b), ""),
        _gap_row(comparison, pair),
        *_counts(pair, first, second),
        *_tests(pair),
        *_correlation(pair),
        *_detected(comparison, pair),
        *_needed(pair),
        *_ratio(pair),
        *_effect_size(pair),
    ]
    where = f" of {name(pair.task)}" if pair.task else ""
    return TextTable(
        title=f"{_shared(pair)}{where}{_weighted(pair)} [{metric_name(pair, name(pair.metric))}]",
        header=("", "estimate", f"{coverage(pair.confidence_level)} CI"),
        rows=tuple(rows),
    )


def _correlation(pair: TaskComparison) -> list[tuple[str, str, str]]:
    if pair.threshold is not None:
        return []
    value = "–" if pair.rho is None else _signed(pair.rho)
    return [("item correlation rho", value, _rho_span(pair))]


def _gap_row(comparison: Comparison, pair: TaskComparison | AverageGap) -> tuple[str, str, str]:
    first, second = two_names(comparison.models, 16)
    if isinstance(pair, TaskComparison) and pair.threshold is not None:
        second = "threshold"
    value = gap(pair, pair.gap, sign=True, column=True)
    return f"gap ({first} − {second})", value, span(pair, pair.ci, column=True)


def _shared(pair: TaskComparison) -> str:
    kind = "shared item" if pair.threshold is None else "item"
    return f"1 {kind}" if pair.n_items == 1 else f"{count(pair.n_items)} {kind}s"


def _detected(
    comparison: Comparison, pair: TaskComparison | AverageGap
) -> list[tuple[str, str, str]]:
    """Return the rows about the sizes of gaps that are significant or detectable."""
    power = probability(comparison.criteria.power)
    return [
        ("significant from", gap(pair, pair.significant_gap, column=True), ""),
        (f"MDE ({power} power)", gap(pair, pair.mde, column=True), ""),
    ]


def _weighted(pair: TaskComparison) -> str:
    worth = pair.estimate.n_effective
    return "" if worth is None else f", equivalent to {count(round(worth))} of equal weight"


def _key(comparison: Comparison, pair: TaskComparison) -> TextTable:
    """Return the main rows, for one screen."""
    first, second = two_names(comparison.models, 32)
    rows = [
        (first, score(pair, pair.mean_a), ""),
        (second, score(pair, pair.mean_b), ""),
        _gap_row(comparison, pair),
        *_counts(pair, first, second)[:2],
        *_detected(comparison, pair),
        *_needed(pair),
    ]
    return replace(_numbers(comparison, pair), rows=tuple(rows))


_MAX_PRINTED_FACTOR = 1000
"""Multiple of N* above which a limit is printed only as larger than that."""


def _needed(pair: TaskComparison | AverageGap) -> list[tuple[str, str, str]]:
    """Return the row of N* at the observed gap."""
    if pair.q is None or pair.q_ci is None:
        return []
    n_low, n_high = (float(v) for v in pair.n_star_ci)
    high = count(n_high)
    if _has_long_limit(pair.q, float(pair.q_ci.low)):
        high = f">{count(_MAX_PRINTED_FACTOR * math.ceil(pair.n_star))}"
    return [("items needed for this gap (N*)", count(pair.n_star), f"{count(n_low)} to {high}")]


def _ratio(pair: TaskComparison | AverageGap) -> list[tuple[str, str, str]]:
    """Return the row of q at the observed gap."""
    if pair.q is None or pair.q_ci is None:
        return []
    low, high = (float(v) for v in pair.q_ci)
    low_text = f"{low:.3g}"
    if _has_long_limit(pair.q, low):
        low_text = f"<{pair.q / _MAX_PRINTED_FACTOR:.2g}"
    return [("resolution ratio q = N/N*", f"{pair.q:.3g}", f"{low_text} to {high:.3g}")]


def _effect_size(pair: TaskComparison) -> list[tuple[str, str, str]]:
    """Return the rows of the gap without units."""
    if pair.effect_size is None:
        return []
    sizes = {"effect size d_z": pair.effect_size.d_z, "effect size h": pair.effect_size.h}
    rows = ((label, f"{x:.2g}") for label, x in sizes.items() if x is not None)
    return [(label, text.replace("-", "−"), "") for label, text in rows]


def _has_long_limit(q: float, q_low: float) -> bool:
    """Return whether an interval nearly touches 0, so that its limit of N* is not informative."""
    return q_low > 0 and q > _MAX_PRINTED_FACTOR * q_low


def _read_as(reading: GapEstimate) -> str:
    column = name(reading.column or "", limit=32)
    if reading.kind == "independent":
        return "independent items"
    return f"{'strata' if reading.kind == 'strata' else 'clusters'} by {column}"


def _readings(pair: TaskComparison) -> TextTable | None:
    if not pair.other_designs:
        return None
    rows = tuple(
        (
            _read_as(r),
            count(r.n_groups),
            gap(pair, r.se, column=True),
            span(pair, r.ci, column=True),
            pvalue(r.pvalue),
        )
        for r in (pair.estimate, *pair.other_designs)
    )
    return TextTable(
        title="Sensitivity analysis: the gap by assumption about groups (→ used)",
        header=(
            "assumption",
            "groups",
            "SE",
            f"{coverage(pair.confidence_level)} CI",
            "p",
        ),
        rows=rows,
        marked=0,
    )


def _shown_first(pair: TaskComparison) -> tuple[GroupBreakdown, ...]:
    """Return the declared column, or the first one. The others are in JSON."""
    declared = [b for b in pair.breakdowns if b.column == pair.estimate.column]
    return tuple(declared or pair.breakdowns)[:1]


def _breakdown(
    comparison: Comparison, pair: TaskComparison, breakdown: GroupBreakdown
) -> TextTable:
    first, second = two_names(comparison.models, 16)
    rows = sorted(breakdown.groups, key=lambda r: -abs(r.gap))[:_ROWS]
    hidden = len(breakdown.groups) - len(rows)
    overflow_text = f" ({hidden} more in {as_json()})" if hidden else ""
    return TextTable(
        title=f"By {name(breakdown.column)}, largest gap first{overflow_text}",
        header=(
            name(breakdown.column, limit=32),
            "items",
            first,
            second,
            "gap",
            f"{coverage(pair.confidence_level)} CI",
        ),
        rows=tuple(
            (
                name(r.group, limit=32),
                count(r.n_items),
                score(pair, r.mean_a),
                score(pair, r.mean_b),
                gap(pair, r.gap, sign=True, column=True),
                span(pair, r.ci, column=True),
            )
            for r in rows
        ),
    )


def _task_name(pair: TaskComparison, *, metric: bool) -> str:
    task = name(pair.task, limit=32) or "–"
    return f"{task} [{metric_name(pair, name(pair.metric, limit=32))}]" if metric else task


def _average(comparison: Comparison, average: AverageGap) -> TextTable:
    """Return the rows of the average, as for a single task."""
    first, second = two_names(comparison.models, 32)
    rows = [
        (first, score(average, average.mean_a), ""),
        (second, score(average, average.mean_b), ""),
        _gap_row(comparison, average),
        ("p (Student t)", pvalue(average.pvalue), ""),
        *_detected(comparison, average),
        *_needed(average),
        *_ratio(average),
        *zip(_declared_names(average), _declared_cells(average), repeat("")),
    ]
    return TextTable(
        title=f"Macro average (tasks count equally): {items(average.n_items)} from "
        f"{count(average.n_tasks)} tasks",
        header=("", "estimate", f"{coverage(average.confidence_level)} CI"),
        rows=tuple(rows),
    )


def _tasks(comparison: Comparison) -> TextTable:
    first, second = two_names(comparison.models, 20)
    conf = coverage(comparison.tasks[0].confidence_level)
    metrics = {metric_name(pair, name(pair.metric)) for pair in comparison.tasks}
    has_many_metrics = len(metrics) > 1
    return TextTable(
        title="By task" if has_many_metrics else f"By task [{metrics.pop()}]",
        header=(
            *("task", "items", first, second, "gap", f"unadjusted {conf} CI"),
            *("p, Holm", "MDE", *_declared_names(comparison.tasks[0]), "verdict"),
        ),
        rows=tuple(
            (
                _task_name(pair, metric=has_many_metrics),
                count(pair.n_items),
                score(pair, pair.mean_a),
                score(pair, pair.mean_b),
                gap(pair, pair.gap, sign=True, column=True),
                span(pair, pair.ci, column=True),
                pvalue(pair.pvalue_adjusted),
                gap(pair, pair.mde, column=True),
                *_declared_cells(pair),
                pair.verdict,
            )
            for pair in comparison.tasks
        ),
    )


def _declared_names(pair: TaskComparison | AverageGap) -> list[str]:
    names = [] if pair.delta is None else [f"q at {declared_gap(pair, pair.delta)}"]
    if pair.equivalence is not None:
        names.append(f"within {declared_gap(pair, pair.equivalence.margin)}")
    return names


def _declared_cells(pair: TaskComparison | AverageGap) -> list[str]:
    cells = []
    if pair.delta is not None:
        cells.append("–" if pair.q_at_delta is None else ratio(pair.q_at_delta))
    if pair.equivalence is not None:
        cells.append("shown" if pair.equivalence.is_equivalent else "not shown")
    return cells


def _grids(comparison: Comparison) -> tuple[TextTable, ...]:
    if len(comparison.tasks) > 1:
        average = comparison.average
        return (*(() if average is None else (_average(comparison, average),)), _tasks(comparison))
    pair = comparison.tasks[0]
    grids = [_numbers(comparison, pair), _readings(pair)]
    grids += [_breakdown(comparison, pair, b) for b in _shown_first(pair)]
    return tuple(g for g in grids if g is not None)


def _downwards(comparison: Comparison) -> str:
    """Return where lower scores are better, if anywhere."""
    down = [name(p.metric) for p in comparison.tasks if p.lower_is_better]
    if not down:
        return ""
    in_all = len(down) == len(comparison.tasks)
    where = "" if in_all else f" for {', '.join(down)} and a higher score for the other metrics"
    return f"a lower score is better{where}"


def _open(pair: TaskComparison) -> bool:
    return pair.verdict in ("inconclusive", "borderline")


def _statistic(comparison: Comparison) -> Iterator[str]:
    """Yield how the error of a metric that is not an average is computed."""
    pair = comparison.tasks[0]
    if pair.is_quantile:
        units = plural(pair.estimate.kind)
        yield resampled(pair.statistic or "", units, comparison.seed)
    elif pair.statistic is not None:
        yield pseudo_values(pair.statistic)


def _assumptions(comparison: Comparison) -> tuple[str, ...]:
    c, pairs = comparison.criteria, comparison.tasks
    counted = len(pairs) == 1 and _open(pairs[0]) and bool(pairs[0].more_items)
    on = "on shared items" if pairs[0].threshold is None else "on all items"
    return (
        f"Gaps are {name(comparison.models[0])} minus {name(comparison.models[1])} {on}; "
        f"{_downwards(comparison) or 'a higher score is better'}.",
        *(() if pairs[0].estimate.n_effective is None else (WEIGHTED,)),
        *_statistic(comparison),
        design_assumption(comparison),
        power_definition(c.power, c.alpha, c.sides),
        *((SECOND_LOOK,) if counted else ()),
        "How the scores were produced (prompts, contamination, grading) was not checked.",
    )


def _basis(comparison: Comparison) -> str:
    """Return the assumptions of the answer, in one sentence."""
    c, design = comparison.criteria, comparison.tasks[0].estimate
    read = taken_as(design.kind, design.column)
    down = _downwards(comparison)
    parts = (f"{read}{weighing(design.n_effective)}", down, level(c.alpha, c.sides))
    return "; ".join(part for part in parts if part) + "."


def document(comparison: Comparison) -> Document:
    """Return the report without a paragraph: headline, numbers, groups, and notes."""
    one = comparison.tasks[0] if len(comparison.tasks) == 1 else None
    grids = _grids(comparison)
    return Document(
        headline=headline(comparison),
        **page_top(comparison),
        key=grids if one is None else (_key(comparison, one),),
        grids=grids,
        notes=tuple(notes(comparison)),
        detail=tuple(detail(comparison)),
        basis=_basis(comparison),
        assumptions=_assumptions(comparison),
    )


_VERDICT_SENTENCES = {
    "better": "The first model is significantly better.",
    "worse": "The first model is significantly worse.",
    "equivalent": "The models are equivalent within the declared margin of {margin}.",
    "borderline": "The test and the CI disagree, so the comparison is borderline.",
    "inconclusive": "The comparison is inconclusive, which is not evidence of equality.",
}


def _method(pairs: Sequence[TaskComparison]) -> str:
    d = pairs[0].estimate
    number = f"{count(d.n_groups)} " if len({p.estimate.n_groups for p in pairs}) == 1 else ""
    unit = {
        "independent": "independent items",
        "strata": f"stratified by {name(d.column or '')}",
        "cluster": f"{number}clusters by {name(d.column or '')}",
    }[d.kind]
    tests = (f"{p.estimate.ci_method} CI, {p.estimate.pvalue_method} test" for p in pairs)
    return f"{' or '.join(dict.fromkeys(tests))}, {unit}"


def _left_out(pair: TaskComparison) -> str:
    """Return how missing scores could change the gap, if the range of scores is known."""
    r, observed = pair.missing_items, seen_range(pair)
    lone = f"{items(r.n_only_a + r.n_only_b)} answered by only one model are excluded"
    if pair.is_quantile:
        return f"{lone}."
    if observed is None:
        return (
            f"{lone}. For any scores on them, the gap over all items lies within "
            f"{span(pair, r.bounds)}."
        )
    return (
        f"{lone}. For any scores on them in the observed range, {observed}, the gap over all "
        f"items lies within {span(pair, r.bounds)}."
    )


def paragraph(comparison: Comparison) -> str:
    """Return a paragraph for a paper."""
    if len(comparison.tasks) == 1:
        pair = comparison.tasks[0]
        c = comparison.criteria
        first, second = (name(n) for n in comparison.models)
        where = f" of {name(pair.task)}" if pair.task else ""
        average = "" if pair.statistic is None else in_statistic(pair.statistic)
        margin = "–" if pair.equivalence is None else declared_gap(pair, pair.equivalence.margin)
        scores = (
            f"On the {items(pair.n_items)}{where} that both models answered, {first} scores "
            f"{score(pair, pair.mean_a)} and {second} scores {score(pair, pair.mean_b)}{average}, "
            "a gap of "
        )
        if pair.threshold is not None:
            scores = (
                f"On {items(pair.n_items)}{where}, {first} scores {score(pair, pair.mean_a)}, and "
                f"its gap to {second} is "
            )
        parts = [
            f"{scores}{gap(pair, pair.gap, sign=True)} ({evidence(comparison, pair)}; "
            f"{_method([pair])}).",
            _VERDICT_SENTENCES[pair.verdict].format(margin=margin),
            resolution(
                pair,
                c,
                f"At {level(c.alpha, c.sides)}, an"
                if comparison.test is None and not pair.is_quantile
                else here_an(comparison, pair),
            ),
        ]
        power_text = new_evaluation(pair, c.power) if _open(pair) else None
        if power_text is not None:
            parts.append(power_text)
        r = pair.missing_items
        if not r.is_complete:
            parts.append(_left_out(pair))
        observed = seen_range(pair)
        if pair.unanimous and observed is not None:
            parts.append(f"The CI assumes that scores lie in the observed range, {observed}.")
        return " ".join(parts) + stopped_early(comparison.findings)
    gaps_text = "; ".join(
        f"{name(p.task) or 'a task'} {gap(p, p.gap, sign=True)} ({span(p, p.ci)}, adjusted "
        f"{p_is(p.pvalue_adjusted)}, MDE {gap(p, p.mde)})"
        for p in comparison.tasks
    )
    conf = coverage(comparison.tasks[0].confidence_level)
    return (
        f"{headline(comparison)} Gaps with unadjusted {conf} CIs: {gaps_text}. Items were paired "
        f"within each task ({_method(comparison.tasks)}); {_how_averaged(comparison)}."
    )


def _how_averaged(comparison: Comparison) -> str:
    average = comparison.average
    if average is None:
        return f"no average over tasks was tested, because {name(comparison.no_average or '')}"
    return (
        "in the macro average, tasks count equally, errors of different tasks are independent, "
        f"and the test is Student's t with {count(round(average.df))} degrees of freedom"
    )
