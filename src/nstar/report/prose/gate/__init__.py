"""A Gate in words."""

from collections import Counter
from collections.abc import Iterator

from nstar._verbs.gate import Gate, TaskGate
from nstar.errors import arg, by_interface
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import stopped_early
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.design import WEIGHTED, assumption, taken_as, weighing
from nstar.report.prose.gap import coverage, downwards, gap, score, seen_range, span
from nstar.report.prose.gate.at_least import (
    metric_words,
    rule_assumptions,
    rule_grids,
    rule_notes,
)
from nstar.report.prose.gate.item_changes import change_assumptions, change_grids
from nstar.report.prose.gate.task import (
    evaluations,
    item_losses,
    level,
    margin_words,
    settled_by,
    task_finding,
    task_name,
    verdict_text,
)
from nstar.report.prose.judged_ranking import ASSUMED, judged_items, judged_notes
from nstar.report.prose.numbers import (
    count,
    items,
    name,
    percent,
    probability,
    pvalue,
    set_by_file,
)


def _listed(checks: list[TaskGate]) -> str:
    names = [task_name(c) for c in checks]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _several(gate: Gate) -> str:
    first, second = (name(n) for n in gate.models)
    of = f"{len(gate.tasks):,} tasks"
    seen = Counter(c.verdict for c in gate.tasks)
    bad = [c for c in gate.tasks if c.verdict == "regression"]
    if bad:
        return (
            f"{first} is worse than {second} on {len(bad):,} of {of} after Holm's adjustment "
            f"({_listed(bad)}); PASS on {seen['pass']:,}, open on {seen['inconclusive']:,}"
        )
    still = [c for c in gate.tasks if c.verdict == "inconclusive"]
    if still:
        few = sum(c.is_margin_too_small for c in still)
        why = f"; {few:,} with too few clusters for the margin" if few else ""
        return (
            f"open on {len(still):,} of {of} ({_listed(still)}{why}), PASS on {seen['pass']:,}; a "
            "PASS needs every task"
        )
    return f"{_all_pass(gate, first, second)} on each of {of} (closest: {_closest(gate)})"


def _all_pass(gate: Gate, first: str, second: str) -> str:
    if all(c.goal == "superiority" for c in gate.tasks):
        return f"{first} beats {second}"
    margins = {margin_words(c) for c in gate.tasks if c.goal != "superiority"}
    by = f"by {margins.pop()} or more" if len(margins) == 1 else "by its margin"
    if gate.goal == "superiority":
        return f"{first} beats {second}, or with a guardrail is shown not to be worse {by},"
    return f"{first} is shown not to be worse than {second} {by}"


def _closest(gate: Gate) -> str:
    """The task that came nearest to no PASS."""

    def p(check: TaskGate) -> float:
        e = check.evidence
        asked = e.pvalue_better if check.goal == "superiority" else e.pvalue_not_worse
        return 1.0 if asked is None else asked

    check = max(gate.tasks, key=p)
    seen = gap(check.comparison, check.comparison.gap, sign=True)
    e = check.evidence
    allowed = "" if check.margin is None else f", margin {margin_words(check)}"
    return (
        f"{task_name(check)}, gap {seen}, {coverage(e.confidence_level)} interval "
        f"{span(check.comparison, e.ci)}"
        f"{allowed}"
    )


def _headline(gate: Gate) -> str:
    if gate.invalid_reason is not None:
        said = name(gate.invalid_reason, limit=600).rstrip(".")
        return f"INVALID DATA: {said}{'' if said.endswith(('?', '!')) else '.'}"
    caution = downwards([check.comparison for check in gate.tasks])
    caution += stopped_early(gate.findings) if gate.monitoring == "fixed" else ""
    if len(gate.tasks) > 1:
        return f"{verdict_text(gate.verdict)}: {_several(gate)}{item_losses(gate)}.{caution}"
    check = gate.tasks[0]
    more = "; ".join(settled_by(gate, check))
    found = f"{task_finding(gate, check)}{item_losses(gate)}"
    return f"{verdict_text(gate.verdict)}: {found}{f'; {more}' if more else ''}.{caution}"


def _row(check: TaskGate) -> tuple[str, ...]:
    pair, e = check.comparison, check.evidence
    return (
        task_name(check, limit=32),
        count(pair.n_items),
        score(pair, pair.mean_a),
        score(pair, pair.mean_b),
        gap(pair, pair.gap, sign=True, column=True),
        span(pair, e.ci, column=True),
        ("better, " if check.goal == "superiority" else "") + margin_words(check),
        "–" if e.pvalue_not_worse is None else pvalue(e.pvalue_not_worse, level=level(check)),
        pvalue(check.pvalue_worse_adjusted, level=level(check)),
        verdict_text(check.verdict),
    )


def _grids(gate: Gate) -> tuple[TextTable, ...]:
    if not gate.tasks:
        return ()
    conf = coverage(gate.tasks[0].evidence.confidence_level)
    first, second = (name(n, limit=20) for n in gate.models)
    metrics = {c.comparison.metric for c in gate.tasks}
    what = f" [{name(metrics.pop())}{metric_words(gate)}]" if len(metrics) == 1 else ""
    return (
        TextTable(
            title=f"Candidate minus baseline{what}",
            header=(
                *("task", "items", first, second, "gap", f"{conf} interval", "margin"),
                *("p, margin", "p, worse" + (" (Holm)" if len(gate.tasks) > 1 else ""), "answer"),
            ),
            rows=tuple(map(_row, gate.tasks)),
        ),
        *rule_grids(gate),
        *change_grids(gate),
    )


def _of_task(gate: Gate, check: TaskGate) -> Iterator[str]:
    several = len(gate.tasks) > 1
    if several and check.verdict != "pass":
        more = "; ".join((task_finding(gate, check), *settled_by(gate, check)))
        yield f"{verdict_text(check.verdict)}: {more}."
    if several and check.is_harmless_loss:
        yield f"PASS: {task_finding(gate, check)}."
    yield from _reach(check)
    yield from _absent(gate, check)
    if check.comparison.few_items:
        yield f"With {items(check.comparison.n_items)} this is hardly a comparison."
    if check.comparison.estimate.caution is not None:
        yield f"{check.comparison.estimate.caution}."


def _absent(gate: Gate, check: TaskGate) -> Iterator[str]:
    if gate.monitoring == "sequential":
        yield f"{check.n_unreached:,} of {check.n_items_planned:,} baseline items not reached."
    if check.n_missing_baseline == check.n_missing_candidate == 0:
        return
    lack = (
        f"{items(check.n_missing_baseline)} without a score of the baseline and "
        f"{check.n_missing_candidate:,} without one of the candidate"
    )
    if check.missing_items_decide:
        yield f"{lack}: what these would have scored decides, which is why it is open."
    elif check.verdict == "inconclusive":
        yield f"{lack}: it is open without them too, on the common items."
    elif check.evidence.holds_for_any_missing_scores:
        yield f"{lack}: the answer holds whatever they would have scored."
    else:
        seen = seen_range(check.comparison)
        among = (
            ""
            if seen is None
            else f", between those seen, {seen} ({arg('score_range')} declares others)"
        )
        yield (
            f"{lack}: the answer holds with the missing scores all for, and all against, the "
            f"candidate{among}."
        )
    yield (
        "Interval and p-values are at the worst of the missing scores; the gap is that of the "
        "common items."
    )


def _reach(check: TaskGate) -> Iterator[str]:
    if (
        check.verdict == "inconclusive"
        and check.identical_scores_pass
        and (check.pass_probability or 1.0) < 0.5
    ):
        yield (
            "Models that are equal would pass with a chance of "
            f"{probability(check.pass_probability)} only, "
            "at this noise and size."
        )


def _history(gate: Gate) -> Iterator[str]:
    g = gate.pooled_evidence
    if g is None:
        return
    multiplied = "multiplied, items being new each time"
    how = multiplied if g.has_fresh_items else "averaged by fixed weights"
    again = " (this one was counted before)" if g.is_repeated else ""
    yield (
        f"Evidence of {evaluations(g.n_evaluations)}{again}, e-values {how}; the interval and the "
        "gap are those of this evaluation alone."
    )


def _judged(gate: Gate) -> Iterator[str]:
    """What the judge alone would say, and whom it favors."""
    if gate.judge_correction is None or not gate.tasks:
        return
    pair, by_name = gate.tasks[0].comparison, {x.model: x for x in gate.judge_correction.models}
    first, second = (by_name[n].judge_mean for n in gate.models)
    yield (
        f"{judged_items(gate.judge_correction)} were compared; the judge alone says "
        f"{gap(pair, first - second, sign=True)}."
    )
    yield from judged_notes(gate.judge_correction, pair)


def _notes(gate: Gate) -> tuple[str, ...]:
    said = list(rule_notes(gate))
    said += [*findings(gate.findings), *_judged(gate), *_history(gate), *_scale_seen(gate)]
    if any("asymptotic" in c.evidence.pvalue_method for c in gate.tasks):
        said.append(_LIMIT)
    for check in gate.tasks:
        head = f"{task_name(check)}: " if len(gate.tasks) > 1 else ""
        said.extend(f"{head}{text}" for text in _of_task(gate, check))
    return tuple(said)


_ONE_LOOK = "One look at a number of items that was fixed in advance"
_BASIS = {
    "fixed": f"{_ONE_LOOK}; for repeated looks use {{looks}}.",
    "sequential": "Valid at every look, if items come in random order and the planned items are "
    "the same each time.",
    "history": "Valid at any time, as long as candidate and baseline stand for the same two "
    "models throughout, and every evaluation is recorded.",
}
_NEW_RUN = (
    "Items needed are for a new run. Adding items to this one because it is open is a second "
    "look, and errs about twice as often as α says"
)
_MORE_LOOKS = "; {looks} allows that if used from the start, and takes more items"


def _with_looks(template: str) -> str:
    return template.format(looks=by_interface(python="gate_looks", command="nstar gate looks"))


_LIMIT = (
    "Asymptotic e-values: these hold as the central limit theorem does, and can be far off where "
    "losses are rare and large."
)


_RARE = (
    'Where scores are graded or grouped, "not worse by the margin" allows for losses of the '
    "whole scale that are too rare to have shown: that end of the interval is further out than "
    "in nstar compare."
)
_WHOLE = (
    '"Not worse by the margin" allows for clusters that fail entirely but are not in the sample. '
    "The units are clusters: N²/Σm² effective clusters if their sizes m differ."
)
_ITEMS_ONLY = (
    "Losses are declared to affect single items: rare losses are assumed to be correlated as the "
    "differences are. No cluster fails entirely unless one in the sample does."
)


def _allowing(gate: Gate) -> list[TaskGate]:
    """The tasks where rare losses are allowed for."""
    return [c for c in gate.tasks if "rare losses" in c.evidence.pvalue_method]


def _cluster_losses(gate: Gate) -> Iterator[str]:
    """What a margin allows for where items come in clusters."""
    units = {c.comparison.estimate.loss for c in gate.tasks if c.margin is not None}
    if "cluster" in units:
        yield _WHOLE
    if "item" in units:
        yield _ITEMS_ONLY


def _scale_seen(gate: Gate) -> Iterator[str]:
    """How large those can be, where nobody declared it."""
    seen = dict.fromkeys(r for c in _allowing(gate) if (r := seen_range(c.comparison)) is not None)
    if seen:
        yield (
            f"The whole scale is taken to be the scores seen, {'; '.join(seen)}; a loss could be "
            f"larger: {arg('score_range', 'LOW:HIGH')} declares the scale."
        )


def _policy(gate: Gate) -> Iterator[str]:
    level = f"one-sided α = {gate.criteria.alpha:g}"
    if gate.goal == "superiority":
        yield f"PASS: shown to be better at {level}; tasks with a guardrail: not worse by it."
        yield (
            f"REGRESSION: shown to be worse at {level}; tasks with a guardrail: and not shown to "
            "be within it."
        )
    else:
        yield f"PASS: shown not to be worse by the margin at {level}."
        yield (
            f"REGRESSION: shown to be worse at {level}, and not shown to be within the margin; a "
            "loss below the margin may be called that when it is certain and its size is not."
        )
    if len(gate.tasks) > 1:
        yield (
            f"{len(gate.tasks):,} tasks: a PASS needs every one of them, so none needs a "
            "stricter level for it; a REGRESSION on any is adjusted for all of them (Holm)."
        )
    most = percent(gate.max_missing_share)
    if gate.monitoring == "sequential":
        yield (
            f"Data are invalid if a model has no score on more than {most} of the items it was "
            "tried on; items not reached count as missing once the run is over."
        )
    else:
        yield f"Data are invalid if a model lacks more than {most} of the items."


def _way(gate: Gate) -> str:
    """Where less is better, as the next clause; nothing otherwise."""
    down = [name(c.comparison.metric) for c in gate.tasks if c.comparison.lower_is_better]
    return f"; a lower score is better in {', '.join(dict.fromkeys(down))}" if down else ""


def _assumptions(gate: Gate) -> tuple[str, ...]:
    if not gate.tasks:
        return ("Nothing was compared, so nothing is known about the candidate.",)
    first, second = (name(n) for n in gate.models)
    d = gate.tasks[0].comparison.estimate
    alone = (gate.tasks[0].task_rule, gate.judge_correction, d.n_effective)
    looks_once = any(part is not None for part in alone)
    new_run = f"{_NEW_RUN}{'' if looks_once else _with_looks(_MORE_LOOKS)}."
    return (
        *_policy(gate),
        *rule_assumptions(gate),
        *change_assumptions(gate),
        *([] if gate.judge_correction is None else [ASSUMED]),
        *([] if d.n_effective is None else [WEIGHTED]),
        f"Gaps are {first} minus {second}, over the items both have{_way(gate)}.",
        assumption(d.kind, name(d.column or ""), "those here"),
        f"{_ONE_LOOK}." if looks_once else _with_looks(_BASIS[gate.monitoring]),
        *([new_run] if any(c.needed_to_decide is not None for c in gate.tasks) else []),
        *([_RARE] if _allowing(gate) else []),
        *_cluster_losses(gate),
        "Nothing here looks at how the scores came about: prompts, contamination, grading.",
    )


_LOOKS = {
    "fixed": "one look at a number of items fixed in advance",
    "sequential": "valid at every look, if items come in random order",
    "history": "valid at any time, if every evaluation is recorded",
}


def _basis(gate: Gate) -> str:
    """What the answer rests on, in one sentence."""
    if not gate.tasks:
        return _assumptions(gate)[0]
    shown = "better" if gate.goal == "superiority" else "not worse by the margin"
    design = gate.tasks[0].comparison.estimate
    read = taken_as(design.kind, design.column) + weighing(design.n_effective)
    random = (
        ""
        if gate.judge_correction is None
        else "labels are the truth and of a random part of items; "
    )
    return (
        f"PASS means shown to be {shown} at one-sided α = {gate.criteria.alpha:g}{_way(gate)}; "
        f"{random}{read}; {_LOOKS[gate.monitoring]}."
    )


def _short(gate: Gate) -> tuple[TextTable, ...]:
    """Tables of items on one screen, after that of the tasks."""
    rules = tuple(rule_grids(gate))[:1] if len(gate.tasks) == 1 else ()
    return (*rules, *change_grids(gate))


def document(gate: Gate) -> Document:
    """Answer first, then the tasks, then the policy."""
    grids = _grids(gate)
    return Document(
        headline=_headline(gate) + set_by_file(gate.settings_file),
        key=grids[: 1 + len(_short(gate))],
        grids=grids,
        notes=_notes(gate),
        basis=_basis(gate),
        assumptions=_assumptions(gate),
    )
