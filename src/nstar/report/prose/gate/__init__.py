"""Write the report of a Gate."""

from collections.abc import Iterator
from dataclasses import replace

from nstar._data.findings import Finding
from nstar._verbs.gate import Gate, TaskGate
from nstar._verbs.verdict import EXIT_STATUS, GateVerdict
from nstar.errors import arg, by_interface
from nstar.report.documents import Document, TextTable, cleaned
from nstar.report.prose.comparison.headline import stopped_early
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.design import WEIGHTED, assumption, taken_as, weighing
from nstar.report.prose.gap import coverage, downwards, gap, score, seen_range, span
from nstar.report.prose.gate import threshold
from nstar.report.prose.gate.item_changes import (
    change_assumptions,
    change_grids,
    metric_words,
    rule_assumptions,
    rule_grids,
    rule_notes,
)
from nstar.report.prose.gate.page_top import page_top
from nstar.report.prose.gate.task import (
    evaluations,
    if_as_observed,
    item_losses,
    level,
    margin_words,
    task_finding,
    task_name,
    verdict_text,
    what_it_takes,
)
from nstar.report.prose.judged_ranking import ASSUMED, RANDOM_LABELS, judged_notes
from nstar.report.prose.numbers import (
    count,
    items,
    name,
    percent,
    pvalue,
    set_by_file,
)

_MAX_NAMED_TASKS = 3


def _named(checks: list[TaskGate]) -> str:
    names = [task_name(c) for c in checks[:_MAX_NAMED_TASKS]]
    return ", ".join((*names, "…") if len(checks) > _MAX_NAMED_TASKS else names)


def _several(gate: Gate) -> str:
    of = f"{len(gate.tasks):,} tasks"
    bad = [c for c in gate.tasks if c.verdict == "regression"]
    if bad:
        first, second = (name(n) for n in gate.models)
        worse = f"worse than {second}"
        if gate.threshold is not None:
            worse = f"{threshold.common_direction(bad)[1]} {second}"
        return f"{first} is {worse} on {len(bad):,} of {of} ({_named(bad)}; Holm-adjusted)."
    still = [c for c in gate.tasks if c.verdict == "inconclusive"]
    if still:
        are = "is" if len(still) == 1 else "are"
        n_few_clusters = sum(c.is_margin_too_small for c in still)
        reason = (
            f" On {n_few_clusters:,}, there are too few clusters for the margin."
            if n_few_clusters
            else ""
        )
        return (
            f"{len(still):,} of {of} {are} inconclusive ({_named(still)}); all must pass.{reason}"
        )
    return f"{_all_pass(gate)} on all {of} (closest: {task_name(_closest(gate))})."


def _all_pass(gate: Gate) -> str:
    first, second = (name(n) for n in gate.models)
    if gate.threshold is not None:
        return f"{first} is {threshold.passing_words(gate.tasks)}"
    if all(c.goal == "superiority" for c in gate.tasks):
        return f"{first} beats {second}"
    margins = {margin_words(c) for c in gate.tasks if c.goal != "superiority"}
    at = f"at the {margins.pop()} margin" if len(margins) == 1 else "at each task's margin"
    if gate.goal == "superiority":
        return f"{first} beats {second}, or is non-inferior {at},"
    return f"{first} is non-inferior to {second} {at}"


def _closest(gate: Gate) -> TaskGate:
    """Return the task that came closest to not passing."""

    def p(check: TaskGate) -> float:
        e = check.evidence
        tested = e.pvalue_better if check.goal == "superiority" else e.pvalue_not_worse
        return 1.0 if tested is None else tested

    return max(gate.tasks, key=p)


def _headline(gate: Gate) -> str:
    if gate.invalid_reason is not None:
        reason = name(gate.invalid_reason, limit=600).rstrip(".")
        return f"INVALID DATA: {reason}{'' if reason.endswith(('?', '!')) else '.'}"
    sentences = [_several(gate)]
    if len(gate.tasks) == 1:
        check = gate.tasks[0]
        sentences = [task_finding(gate, check), *what_it_takes(gate, check)]
    return (
        f"{verdict_text(gate.verdict)}: {' '.join(sentences)}{item_losses(gate)}{_caution(gate)}"
    )


def _caution(gate: Gate) -> str:
    early = stopped_early(gate.findings) if gate.monitoring == "fixed" else ""
    return f"{downwards([check.comparison for check in gate.tasks])}{early}"


def _row(check: TaskGate) -> tuple[str, ...]:
    pair, e = check.comparison, check.evidence
    p_within = e.pvalue_not_worse
    return (
        count(pair.n_items),
        score(pair, pair.mean_a),
        score(pair, pair.mean_b),
        gap(pair, pair.gap, sign=True, column=True),
        span(pair, e.ci, column=True, limit=check.margin or 0.0),
        ("better, " if check.goal == "superiority" else "") + margin_words(check),
        "–" if p_within is None else pvalue(p_within, level=level(check)),
        pvalue(check.pvalue_worse_adjusted, level=level(check)),
    )


def _grids(gate: Gate) -> tuple[TextTable, ...]:
    if not gate.tasks:
        return ()
    if gate.threshold is not None:
        return (threshold.table(gate, verdict_text),)
    conf = coverage(gate.tasks[0].evidence.confidence_level)
    first, second = (name(n, limit=20) for n in gate.models)
    metrics = {c.comparison.metric for c in gate.tasks}
    metric_text = f" [{name(metrics.pop())}{metric_words(gate)}]" if len(metrics) == 1 else ""
    has_many_tasks = len(gate.tasks) > 1
    interval = f"{conf} CI" if gate.monitoring == "fixed" else f"{conf} confidence sequence"
    header = ("items", first, second, "gap", interval, "margin", "p (non-inferior)")
    rows = tuple(
        (task_name(c, limit=32), *_row(c), verdict_text(c.verdict)) if has_many_tasks else _row(c)
        for c in gate.tasks
    )
    return (
        TextTable(
            title=f"Candidate − baseline{metric_text}",
            header=("task", *header, "p (worse, Holm)", "verdict")
            if has_many_tasks
            else (*header, "p (worse)"),
            rows=rows,
        ),
        *rule_grids(gate),
        *change_grids(gate),
    )


def _verdict_notes(gate: Gate, check: TaskGate) -> Iterator[str]:
    """Yield the verdict on one of several tasks, and what another one would take."""
    has_many_tasks = len(gate.tasks) > 1
    if has_many_tasks and (check.verdict != "pass" or check.is_harmless_loss):
        finding_text = " ".join((task_finding(gate, check), *what_it_takes(gate, check)))
        yield f"{verdict_text(check.verdict)}: {finding_text}"
    yield from if_as_observed(gate, check)


def _data_notes(check: TaskGate) -> Iterator[str]:
    """Yield what is particular about the data of a task."""
    yield from _absent(check)
    if check.comparison.few_items:
        items_text = items(check.comparison.n_items)
        verb = "is" if check.comparison.n_items == 1 else "are"
        yield f"There {verb} only {items_text}; one more or one fewer could change the verdict."
    if check.comparison.estimate.caution is not None:
        yield f"{check.comparison.estimate.caution.removesuffix('.')}."


def _absent(check: TaskGate) -> Iterator[str]:
    if check.n_unreached:
        yield (
            f"{check.n_unreached:,} of {check.n_items_planned:,} baseline items have not been "
            "reached yet."
        )
    if check.n_missing_baseline == check.n_missing_candidate == 0:
        return
    has_baseline = check.comparison.threshold is None
    lack = (
        f"Missing: {items(check.n_missing_baseline)} of the baseline and "
        f"{check.n_missing_candidate:,} of the candidate"
        if has_baseline
        else f"Missing: {items(check.n_missing_candidate)} of the candidate"
    )
    if check.missing_items_decide:
        yield f"{lack}. The verdict depends on them."
    elif check.verdict == "inconclusive":
        yield f"{lack}. The result is inconclusive even without them."
    elif check.evidence.holds_for_any_missing_scores:
        yield f"{lack}. The verdict holds whatever their scores are."
    else:
        observed = seen_range(check.comparison)
        among = (
            ""
            if observed is None
            else f", within the observed range {observed} ({arg('score_range')} declares another)"
        )
        favor = "favor either model" if has_baseline else "are best or worst"
        yield f"{lack}. The verdict holds even if all of them {favor}{among}."
    computed = "gap is computed on shared items" if has_baseline else "score is that of the others"
    yield f"The CI and the p-values assume the worst case for missing scores; the {computed}."


def _history(gate: Gate) -> Iterator[str]:
    g = gate.pooled_evidence
    if g is None:
        return
    method_text = "multiplied, because items are new each time"
    method_text = method_text if g.has_fresh_items else "averaged with fixed weights"
    repeat_text = " (this one was already counted)" if g.is_repeated else ""
    yield (
        f"The evidence is from {evaluations(g.n_evaluations)}{repeat_text}, with e-values "
        f"{method_text}. The {'gap' if gate.threshold is None else 'score'} and its interval are "
        "from this evaluation."
    )


def _judged(gate: Gate) -> Iterator[str]:
    """Yield the judge's own result, and the model that it favors."""
    if gate.judge_correction is None or not gate.tasks:
        return
    pair, by_name = gate.tasks[0].comparison, {x.model: x for x in gate.judge_correction.models}
    first, second = (by_name[n].judge_mean for n in gate.models)
    yield f"The judge alone reports a gap of {gap(pair, first - second, sign=True)}."
    yield from judged_notes(gate.judge_correction, pair)


def _notes(gate: Gate, *, on_page: bool = False) -> tuple[str, ...]:
    """Return the notes; a page shows the verdicts of tasks and missing items elsewhere."""
    notes = list(rule_notes(gate))
    listed_findings = [f for f in gate.findings if not (on_page and f in missing_items(gate))]
    notes += [*findings(listed_findings), *_judged(gate), *_history(gate), *_scale_seen(gate)]
    if any("asymptotic" in c.evidence.pvalue_method for c in gate.tasks):
        notes.append("Asymptotic e-values can be invalid if losses are rare and large.")
    for check in gate.tasks:
        head = f"{task_name(check)}: " if len(gate.tasks) > 1 else ""
        texts = [] if on_page else _verdict_notes(gate, check)
        notes.extend(f"{head}{text}" for text in (*texts, *_data_notes(check)))
    return tuple(notes)


def missing_items(gate: Gate) -> list[Finding]:
    """Return the findings on missing items, where they leave nothing to compare."""
    return [f for f in gate.findings if f.code == "missing-items" and not gate.tasks]


def for_page(gate: Gate) -> Document:
    """Return the document of a page, which defines the verdicts in a list of their own."""
    defined = _as_sentences(gate)
    texts = tuple(text for text in _assumptions(gate) if text not in defined)
    notes = _notes(gate, on_page=True)
    return cleaned(replace(document(gate), notes=notes, assumptions=texts if gate.tasks else ()))


def definitions(gate: Gate) -> Iterator[tuple[str, str]]:
    """Yield each verdict, and its definition with its exit status."""
    texts = {**_definitions(gate), "inconclusive": "neither of them is shown."}
    for verdict, status in EXIT_STATUS.items():
        text = texts[verdict].removeprefix("that ")
        yield verdict_text(verdict), f"{text[0].upper()}{text[1:]} Exit status {status}."


_ONE_LOOK = "There is one analysis, at a sample size fixed in advance"
_BASIS = {
    "fixed": f"{_ONE_LOOK}. For repeated looks, use {{looks}}.",
    "sequential": "The result is valid at every look if items come in random order and the number "
    "of planned items never changes.",
    "history": "The result is valid at every look if a label always means the same model and "
    "every evaluation is recorded.",
}
_NEW_RUN = (
    "The items needed are for a new run. Extending this run because it is inconclusive roughly "
    "doubles the error rate"
)
_MORE_LOOKS = ". If used from the start, {looks} allows it, but takes more items"


def _with_looks(template: str) -> str:
    return template.format(looks=by_interface(python="gate_looks", command="nstar gate looks"))


_RARE = (
    "For graded or grouped scores, the non-inferiority test allows for full-scale losses that are "
    "too rare to be observed. The limit of the interval on the loss side is therefore farther "
    "from the gap than it is in nstar compare."
)
_WHOLE = (
    "The non-inferiority test allows for clusters outside the sample that fail entirely. The "
    "units are clusters; if their sizes m differ, the effective number of clusters is N²/Σm²."
)
_WHOLE_SCORES = _WHOLE.replace(
    "The non-inferiority test allows for clusters outside the sample that fail entirely.",
    "The tests allow for clusters outside the sample in which every score is worst, or best.",
)
_ITEMS_ONLY = (
    "Losses are declared to affect single items. Rare losses are assumed to have the same "
    "correlation as the differences, and no cluster fails entirely unless one in the sample does."
)


def _allowing(gate: Gate) -> list[TaskGate]:
    """Return the tasks with an allowance for rare losses."""
    return [c for c in gate.tasks if "rare" in c.evidence.pvalue_method]


def _cluster_losses(gate: Gate) -> Iterator[str]:
    """Yield the allowance of a margin for items in clusters."""
    units = {
        c.comparison.estimate.loss
        for c in gate.tasks
        if c.margin is not None or c.comparison.threshold is not None
    }
    if "cluster" in units:
        yield _WHOLE if gate.threshold is None else _WHOLE_SCORES
    if "item" in units:
        yield _ITEMS_ONLY


def _scale_seen(gate: Gate) -> Iterator[str]:
    """Yield the assumed scale, if it was not declared."""
    ranges = dict.fromkeys(
        r for c in _allowing(gate) if (r := seen_range(c.comparison)) is not None
    )
    if ranges:
        yield (
            f"Scores are assumed to stay in the observed range, {'; '.join(ranges)}. If larger "
            f"losses are possible, set {arg('score_range', 'LOW:HIGH')}."
        )


def _definitions(gate: Gate) -> dict[GateVerdict, str]:
    """Return what each verdict but INCONCLUSIVE means, as it follows "means" in a sentence."""
    at_level = f"at one-sided α = {gate.criteria.alpha:g}"
    if gate.threshold is not None:
        better = f"significantly {threshold.passing_words(gate.tasks)}, {at_level}."
        worse = f"significantly {threshold.failing_words(gate)}, {at_level}."
        if gate.margin is not None:
            worse = f"{worse[:-1]}, and not shown to be within the margin."
    elif gate.goal == "superiority":
        better = (
            f"significantly better {at_level}. For tasks with a guardrail, it means non-inferior."
        )
        worse = (
            f"significantly worse {at_level}. For tasks with a guardrail, the loss is also not "
            "shown to be within it."
        )
    else:
        better = f"non-inferior at the margin, {at_level}."
        worse = (
            f"significantly worse {at_level} and not shown to be within the margin. The true "
            "loss can be smaller than the margin."
        )
    max_share = percent(gate.max_missing_share)
    if gate.monitoring == "sequential":
        missing = (
            f"that a model has no score on more than {max_share} of the items that it was tried "
            "on. Items that were not reached count as missing once the run is over."
        )
    else:
        missing = f"that a model lacks more than {max_share} of the items."
    return {"pass": better, "regression": worse, "invalid_data": missing}


def _as_sentences(gate: Gate) -> list[str]:
    return [f"{verdict_text(v)} means {text}" for v, text in _definitions(gate).items()]


def _adjustment(gate: Gate) -> Iterator[str]:
    if len(gate.tasks) > 1:
        yield (
            f"PASS requires all {len(gate.tasks):,} tasks to pass, so it is not adjusted for "
            "the number of tasks. The test for REGRESSION on each task is Holm-adjusted."
        )


def _way(gate: Gate) -> str:
    """Return a clause that lower scores are better; empty if they are not."""
    down = [name(c.comparison.metric) for c in gate.tasks if c.comparison.lower_is_better]
    return f"; a lower score is better for {', '.join(dict.fromkeys(down))}" if down else ""


def _assumptions(gate: Gate) -> tuple[str, ...]:
    if not gate.tasks:
        return ("Nothing was compared.",)
    first, second = (name(n) for n in gate.models)
    d = gate.tasks[0].comparison.estimate
    exclusions = (gate.tasks[0].task_rule, gate.judge_correction, d.n_effective)
    looks_once = any(part is not None for part in exclusions)
    new_run = f"{_NEW_RUN}{'' if looks_once else _with_looks(_MORE_LOOKS)}."
    return (
        *_as_sentences(gate),
        *_adjustment(gate),
        *rule_assumptions(gate),
        *change_assumptions(gate),
        *([] if gate.judge_correction is None else [ASSUMED]),
        *([] if d.n_effective is None else [WEIGHTED]),
        f"Gaps are {first} minus {second}, on shared items{_way(gate)}."
        if gate.threshold is None
        else f"The score is the mean over items{_way(gate)}.",
        assumption(d.kind, name(d.column or ""), "the groups in this sample"),
        f"{_ONE_LOOK}." if looks_once else _with_looks(_BASIS[gate.monitoring]),
        *([new_run] if any(c.needed_to_decide is not None for c in gate.tasks) else []),
        *([_RARE if gate.threshold is None else threshold.RARE] if _allowing(gate) else []),
        *_cluster_losses(gate),
        "How the scores were produced (prompts, contamination, grading) was not checked.",
    )


_LOOKS = {
    "fixed": "one analysis at a fixed sample size",
    "sequential": "items in random order; valid at every look",
    "history": "valid at every look, if every evaluation is recorded",
}


def _basis(gate: Gate) -> str:
    """Return the assumptions in one sentence."""
    if not gate.tasks:
        return _assumptions(gate)[0]
    design = gate.tasks[0].comparison.estimate
    labels = "" if gate.judge_correction is None else RANDOM_LABELS
    return (
        f"{labels}{taken_as(design.kind, design.column)}{weighing(design.n_effective)}; "
        f"one-sided α = {gate.criteria.alpha:g}{_way(gate)}; {_LOOKS[gate.monitoring]}."
    )


def _short(gate: Gate) -> tuple[TextTable, ...]:
    """Return the tables of items on one screen, which follow the table of tasks."""
    rules = tuple(rule_grids(gate))[:1] if len(gate.tasks) == 1 else ()
    return (*rules, *change_grids(gate))


def document(gate: Gate) -> Document:
    """Return the verdict, the tasks, and the assumptions."""
    grids = _grids(gate)
    return Document(
        headline=_headline(gate) + set_by_file(gate.settings_file),
        key=grids[: 1 + len(_short(gate))],
        grids=grids,
        notes=_notes(gate),
        basis=_basis(gate),
        assumptions=_assumptions(gate),
        **page_top(gate, _caution(gate)),
    )
