"""Top of the page of a gate, and its sentences that stand beside a chart or a card."""

from collections.abc import Iterator
from typing import Any

from nstar._base.units import join_words
from nstar._verbs.gate import Gate, TaskGate
from nstar._verbs.verdict import GateVerdict
from nstar.report.documents import TextTable, Tile
from nstar.report.prose.comparison.headline import MAX_FACTOR, p_is, rounded
from nstar.report.prose.comparison.page_top import MAX_TITLE, number_and_unit
from nstar.report.prose.gap import coverage, gap, score, span
from nstar.report.prose.gate import threshold
from nstar.report.prose.gate.task import (
    compared,
    item_losses,
    level,
    margin_words,
    task_finding,
    task_name,
    unit,
    verdict_text,
    what_it_takes,
)
from nstar.report.prose.numbers import count, items, name, probability

_MAX_NAMED = 3
"""Tasks that a sentence names."""


def _of(gate: Gate, verdict: GateVerdict) -> list[TaskGate]:
    return [check for check in gate.tasks if check.verdict == verdict]


def _one_title(gate: Gate, check: TaskGate) -> Iterator[str]:
    """The finding of the only task: with names, and without."""
    if gate.threshold is not None and not check.evidence.evaluations_conflict:
        yield from threshold.titles(gate, check)
        return
    first, second = (name(n) for n in gate.models)
    size, margin = gap(check.comparison, abs(check.improvement)), margin_words(check)
    if check.verdict == "regression":
        yield f"{first} is {size} worse than {second}"
        yield f"a loss of {size}"
    elif check.verdict == "pass" and check.goal == "superiority":
        yield f"{first} beats {second} by {size}"
        yield f"a gain of {size}"
    elif check.verdict == "pass":
        yield f"{first} is non-inferior to {second} at the {margin} margin"
        yield f"non-inferior at the {margin} margin"
    elif check.missing_items_decide:
        yield "the verdict depends on missing items"
    elif check.evidence.evaluations_conflict:
        yield "the evaluations conflict"
    elif check.goal == "superiority":
        yield "neither a gain nor a loss is shown"
    else:
        yield f"a loss of {margin} is neither shown nor ruled out"


def _title(gate: Gate) -> str:
    word, total = verdict_text(gate.verdict), len(gate.tasks)
    if not total:
        lacks = any(f.code == "missing-items" for f in gate.findings)
        return f"{word}: {'items are missing' if lacks else 'nothing was compared'}"
    if total == 1:
        titles = [f"{word}: {text}" for text in _one_title(gate, gate.tasks[0])]
        return next((t for t in titles if len(t) <= MAX_TITLE), titles[-1])
    n = len(_of(gate, gate.verdict))
    return f"{word} on {f'all {total:,}' if n == total else f'{n:,} of {total:,}'} tasks"


def _names(checks: list[TaskGate]) -> str:
    names = [task_name(check) for check in checks]
    rest = [f"{len(names) - _MAX_NAMED:,} more"] if len(names) > _MAX_NAMED else []
    return join_words([*names[:_MAX_NAMED], *rest])


def _others(gate: Gate) -> str:
    """How many tasks have another verdict than the gate, as a clause."""
    words = {"pass": ("passes", "pass"), "inconclusive": ("is inconclusive", "are inconclusive")}
    counts = [
        f"{n:,} {'task' if n == 1 else 'tasks'} {verbs[n != 1]}"
        for verdict, verbs in words.items()
        if verdict != gate.verdict and (n := len(_of(gate, verdict)))  # type: ignore[arg-type]
    ]
    return join_words(counts)


def _several(gate: Gate) -> Iterator[str]:
    first, second = (name(n) for n in gate.models)
    others = _others(gate)
    checks = sorted(_of(gate, gate.verdict), key=lambda c: c.improvement)
    if gate.threshold is not None and gate.verdict == "pass":
        yield f"{first} is {threshold.passing_words(gate.tasks)} on every task."
    elif gate.threshold is not None and gate.verdict == "inconclusive":
        may = threshold.common_direction(checks)[1]
        yield f"No task is significantly {may} {second}, but {_names(checks)} may be."
        yield f"{others + '; a' if others else 'A'} PASS needs all {len(gate.tasks):,} tasks."
    elif gate.verdict == "regression":
        worse = "worse than"
        if gate.threshold is not None:
            worse = threshold.common_direction(checks)[1]
        yield f"{first} is {worse} {second} on {_names(checks)} (Holm-adjusted)."
        if others:
            yield f"{others}."
    elif gate.verdict == "inconclusive":
        is_better = any(check.goal == "superiority" for check in checks)
        may = "may not be better" if is_better else "may lose more than the margin"
        yield f"No task is significantly worse, but {_names(checks)} {may}."
        yield f"{others + '; a' if others else 'A'} PASS needs all {len(gate.tasks):,} tasks."
    else:
        goals = {check.goal for check in checks}
        claims = {"superiority": "better than", "non-inferiority": "non-inferior to"}
        words = join_words([text for goal, text in claims.items() if goal in goals])
        yield f"{first} is {words} {second} on every task."


def _one(gate: Gate, check: TaskGate) -> Iterator[str]:
    if gate.pooled_evidence is not None:
        text = task_finding(gate, check)
        yield text[0].upper() + text[1:]
        return
    first, second = (name(n) for n in gate.models)
    pair = check.comparison
    means = [score(pair, mean) for mean in (pair.mean_a, pair.mean_b)]
    if gate.threshold is None:
        yield f"{first} scores {means[0]}, {second} {means[1]}."
    else:
        text = threshold.finding(gate, check)
        yield text[0].upper() + text[1:]
    yield from what_it_takes(gate, check)
    if check.verdict == "regression" and check.margin is not None:
        yield f"The loss is not shown to be within the {margin_words(check)} margin."
    elif check.is_harmless_loss:
        yield "The loss is significant, but within the margin."


def _lead(gate: Gate) -> str:
    if not gate.tasks:
        reason = name(gate.invalid_reason or "", limit=600).rstrip(".")
        return f"{reason}{'' if reason.endswith(('?', '!')) else '.'}"
    one = len(gate.tasks) == 1
    return " ".join(_one(gate, gate.tasks[0]) if one else _several(gate))


def _interval_name(gate: Gate, check: TaskGate) -> str:
    kind = "CI" if gate.monitoring == "fixed" else "confidence sequence"
    return f"{coverage(check.evidence.confidence_level)} {kind}"


def _counts_tile(gate: Gate) -> Tile:
    n, total = len(_of(gate, "pass")), len(gate.tasks)
    n_worse, n_open = len(_of(gate, "regression")), len(_of(gate, "inconclusive"))
    others = f"{n_worse:,} worse and {n_open:,} inconclusive."
    return Tile(number=f"{n:,}", unit=f"of {total:,}", label="tasks pass", more=others)


def _reference(gate: Gate) -> str:
    return "baseline" if gate.threshold is None else "threshold"


def _gap_tile(gate: Gate, check: TaskGate) -> Tile:
    number, unit_text = number_and_unit(gap(check.comparison, check.gap, sign=True))
    e = check.evidence
    if check.goal == "non-inferiority" and check.verdict != "regression":
        claim, p = "non-inferiority", e.pvalue_not_worse
        if gate.threshold is not None:
            claim = f"a score {threshold.passing_words(gate.tasks)}"
    elif check.improvement > 0:
        claim, p = "a gain", e.pvalue_better
    else:
        claim, p = "a loss", check.pvalue_worse_adjusted
    if gate.threshold is not None and claim in ("a gain", "a loss"):
        sides = threshold.directions(check)
        claim = f"a score {sides[claim == 'a loss']} the threshold"
    tested = "" if p is None else f"; one-sided {p_is(p, level=level(check))} for {claim}"
    return Tile(
        number=number,
        unit=unit_text,
        label=f"gap, candidate minus {_reference(gate)}",
        more=f"{compared(gate, check)}{tested}.",
    )


def _margin_tile(gate: Gate) -> Tile:
    margins = {margin_words(check) for check in gate.tasks if check.margin is not None}
    label, meaning = "margin", "The largest acceptable loss, set before the run."
    if gate.threshold is not None:
        meaning = "The largest acceptable distance on the wrong side of the threshold."
    if not margins:
        needed = "gain"
        if gate.threshold is not None:
            needed = f"score {threshold.passing_words(gate.tasks)}"
        explanation = f"A PASS needs a significant {needed}."
        return Tile(number="–", unit="", label=label, more=explanation)
    if len(margins) > 1:
        return Tile(
            number=f"{len(margins):,}", unit="", label="margins", more="Tasks have their own."
        )
    number, unit_text = number_and_unit(margins.pop())
    return Tile(number=number, unit=unit_text, label=label, more=meaning)


def low_end(check: TaskGate) -> float:
    """Return the gap that is worst for the candidate in the interval."""
    ci = check.evidence.ci
    return float(ci.high if check.comparison.lower_is_better else ci.low)


def _worst_tile(gate: Gate) -> Tile:
    def loss(check: TaskGate) -> float:
        sign = -1 if check.comparison.lower_is_better else 1
        low, high = check.comparison.score_range
        return sign * low_end(check) / (high - low)

    check = min(gate.tasks, key=loss)
    number, unit_text = number_and_unit(
        gap(check.comparison, low_end(check), sign=True, limit=check.margin or 0.0)
    )
    end = "Upper" if check.comparison.lower_is_better else "Lower"
    where = f" on {task_name(check)}" if len(gate.tasks) > 1 else ""
    end_text = f"{end} end of the {_interval_name(gate, check)}{where}."
    return Tile(number=number, unit=unit_text, label="worst case", more=end_text)


def _tiles(gate: Gate) -> tuple[Tile, ...]:
    if not gate.tasks:
        return ()
    one = len(gate.tasks) == 1
    first = _gap_tile(gate, gate.tasks[0]) if one else _counts_tile(gate)
    return first, _margin_tile(gate), _worst_tile(gate)


def loss_words(gate: Gate, check: TaskGate) -> str:
    """Scores, interval, and p-value of a task that got worse."""
    pair = check.comparison
    p = p_is(check.pvalue_worse_adjusted, level=level(check))
    adjusted = "Holm-adjusted " if len(gate.tasks) > 1 else ""
    return (
        f"{score(pair, pair.mean_b)} → {score(pair, pair.mean_a)} on {count(check.n_items)} "
        f"{unit(check)}s; {_interval_name(gate, check)} {span(pair, check.evidence.ci)}; "
        f"{adjusted}{p}.{_changes(check)}"
    )


def _changes(check: TaskGate) -> str:
    changes = check.item_changes
    if changes is None:
        return ""
    lost, gained = changes.lost.n_items, changes.gained.n_items
    return f" {items(lost)} lost, {gained:,} gained."


def lost_words(gate: Gate, check: TaskGate) -> str:
    """How many items the only task lost."""
    if check.item_changes is None:
        return "This command lists the lost items:"
    lost, gained = check.item_changes.lost.n_items, check.item_changes.gained.n_items
    return (
        f"{name(gate.candidate)} lost {items(lost)} and gained {gained:,}. This command lists the "
        "lost items:"
    )


def chart_words(gate: Gate) -> str:
    """What the lines of the chart of all tasks mean."""
    limits = {"0" if check.goal == "superiority" else "the margin" for check in gate.tasks}
    thin = f"thin line, adjusted for {len(gate.tasks):,} tasks (Holm)," if adjusts(gate) else ""
    down = any(check.comparison.lower_is_better for check in gate.tasks)
    interval = _interval_name(gate, gate.tasks[0])
    sentences = (
        f"Gap, candidate minus {_reference(gate)}, with the {interval} (thick).",
        f"PASS: the thick line is right of {' or '.join(sorted(limits, reverse=True))}.",
        f"REGRESSION: the {thin or 'thick line'} is left of 0.",
        "Where a lower score is better, the sign is reversed: right is better." if down else "",
    )
    return " ".join(filter(None, sentences))


def adjusts(gate: Gate) -> bool:
    """Return whether an upper end is adjusted for several tasks."""
    return len(gate.tasks) > 1 and gate.monitoring == "fixed"


def _needed(check: TaskGate, need: float) -> str:
    if not need <= MAX_FACTOR * check.n_items:
        return f"over {MAX_FACTOR}×"
    return rounded(need)


def needs_table(gate: Gate) -> TextTable | None:
    """Return the items that would turn INCONCLUSIVE into another verdict, the most first."""
    rows = []
    checks = [c for c in _of(gate, "inconclusive") if c.needed_to_decide is not None]
    for check in sorted(checks, key=lambda c: -c.needed_to_decide.n_items_if_equal):  # type: ignore[union-attr]
        need = check.needed_to_decide
        assert need is not None  # noqa: S101 - only these are here
        then = need.verdict_if_observed
        equal = check.goal != "superiority" and not check.comparison.unanimous
        rows.append(
            (
                task_name(check, limit=32),
                count(check.n_items),
                probability(check.pass_probability) if equal else "–",
                _needed(check, need.n_items_if_equal) if equal else "–",
                gap(check.comparison, check.gap, sign=True),
                "–" if then is None else _needed(check, need.n_items_if_observed),
                "–" if then is None else verdict_text(then),
            )
        )
    if not rows:
        return None
    power = probability(gate.criteria.power)
    equal_heads = ("equal models pass now", "items if models are equal")
    if gate.threshold is not None:
        equal_heads = ("passes now at the threshold", "items at the threshold")
    observed = "gap" if gate.threshold is None else "gap to the threshold"
    return TextTable(
        title=f"Size of a new run that reaches a verdict with {power} probability",
        header=(
            *("task", "items now", *equal_heads),
            *(f"observed {observed}", "items if that is the true gap", "verdict then"),
        ),
        rows=tuple(rows),
    )


def page_top(gate: Gate, caution: str) -> dict[str, Any]:
    """Return the fields of a document that only a page shows."""
    return {
        "title": _title(gate),
        "lead": _lead(gate),
        "tiles": _tiles(gate),
        "caution": f"{item_losses(gate)}{caution}".strip() if gate.tasks else "",
    }
