"""Write sentences on the changed items and tasks of a Gate, and the number expected by chance."""

from collections.abc import Iterator

from nstar._verbs.gate import (
    ChangedItem,
    FlippedTask,
    Gate,
    ItemChanges,
    ItemTotals,
    RuleFlips,
    TaskGate,
)
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, probability, pvalue

_ROWS = {True: 5, False: 3}
"""Maximum number of lost and gained items or tasks in the text. JSON contains all tasks."""
_TASKS = 20
"""Maximum number of tasks in the table of changes."""
_TITLE = "Items that pass less often (lost) or more often (gained) with the candidate"


def _number(runs: float) -> str:
    return f"{runs:,.1f}".removesuffix(".0")


def _ends(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _total(label: str, totals: ItemTotals) -> tuple[str, ...]:
    return (
        label,
        f"{totals.n_items:,}",
        f"{totals.n_items_by_chance:,.1f}",
        _ends(totals.n_items_by_chance_range),
        _number(totals.n_runs),
        f"{totals.n_runs_by_chance:,.1f}",
    )


def _where(gate: Gate, check: TaskGate) -> str:
    return f"{name(check.task, limit=32)}: " if len(gate.tasks) > 1 else ""


def _listed(gate: Gate) -> Iterator[tuple[TaskGate, ChangedItem]]:
    """Yield the clearest changes over all tasks, with lost items first."""
    for lost in (True, False):
        changes = [
            (check, item)
            for check in gate.tasks
            if check.item_changes is not None
            for item in check.item_changes.items
            if item.is_lost is lost
        ]
        yield from sorted(changes, key=lambda x: x[1].pvalue)[: _ROWS[lost]]


def _of_one(changes: ItemChanges, conf: str) -> TextTable:
    rows = (_total("lost", changes.lost), _total("gained", changes.gained))
    header = ("", "items", "by chance", f"{conf} range", "runs", "by chance")
    width = len(header) if _several_runs(changes) else 4
    return TextTable(title=_TITLE, header=header[:width], rows=tuple(r[:width] for r in rows))


def _several_runs(changes: ItemChanges) -> bool:
    """Return whether a changed item has several runs."""
    return any(max(x.candidate[1], x.baseline[1]) > 1 for x in changes.items)


def _of_several(changes: list[tuple[TaskGate, ItemChanges]], conf: str) -> TextTable:
    first_changes = changes[:_TASKS]
    hidden = len(changes) - len(first_changes)
    return TextTable(
        title=f"{_TITLE}{f' ({hidden:,} more tasks: {as_json()})' if hidden else ''}",
        header=(
            *("task", "lost", "by chance", f"{conf} range", "runs lost"),
            *("gained", "by chance", "runs gained"),
        ),
        rows=tuple(
            (
                name(check.task, limit=32),
                f"{x.lost.n_items:,}",
                f"{x.lost.n_items_by_chance:,.1f}",
                _ends(x.lost.n_items_by_chance_range),
                _number(x.lost.n_runs),
                f"{x.gained.n_items:,}",
                f"{x.gained.n_items_by_chance:,.1f}",
                _number(x.gained.n_runs),
            )
            for check, x in first_changes
        ),
    )


def change_grids(gate: Gate) -> Iterator[TextTable]:
    """Yield tables of lost and gained items, with the numbers expected by chance."""
    changes = [
        (check, check.item_changes) for check in gate.tasks if check.item_changes is not None
    ]
    total = sum(x.lost.n_items + x.gained.n_items for _, x in changes)
    if not total:
        return
    conf = coverage(changes[0][0].evidence.confidence_level)
    yield _of_one(changes[0][1], conf) if len(gate.tasks) == 1 else _of_several(changes, conf)
    clearest = list(_listed(gate))
    hidden, n_kept = total - len(clearest), sum(len(x.items) for _, x in changes)
    where = as_json() if n_kept == total else "nstar compare --list lost|gained --out FILE.csv"
    first, second = (name(n, limit=20) for n in gate.models)
    has_many_runs = any(_several_runs(x) for _, x in changes)
    order = ", smallest p first" if has_many_runs else ""  # single runs are equally clear
    header = ("item", "", first, second, "p (unadjusted)")
    width = len(header) if has_many_runs else 4
    yield TextTable(
        title=f"Items that changed{order}{f' ({hidden:,} more: {where})' * bool(hidden)}",
        header=header[:width],
        rows=tuple(_listed_row(gate, check, item)[:width] for check, item in clearest),
    )


def _listed_row(gate: Gate, check: TaskGate, item: ChangedItem) -> tuple[str, ...]:
    return (
        f"{_where(gate, check)}{name(item.item, limit=32)}",
        "lost" if item.is_lost else "gained",
        "{}/{}".format(*item.candidate),
        "{}/{}".format(*item.baseline),
        pvalue(item.pvalue),
    )


def change_assumptions(gate: Gate) -> Iterator[str]:
    """Yield how the number expected by chance is computed."""
    if any(check.item_changes is not None for check in gate.tasks):
        yield (
            "For changes by chance, runs of an item are assumed to be independent and "
            "exchangeable between the models. Judge by the gap, not by single items."
        )


def rule_words(rule: RuleFlips) -> str:
    """Return the rule as a clause."""
    return f"at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs pass"


def metric_words(gate: Gate) -> str:
    """Return the rule as a description of the metric; empty without a rule."""
    rule = next((c.task_rule for c in gate.tasks if c.task_rule is not None), None)
    return "" if rule is None else f", at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs"


def rule_notes(gate: Gate) -> Iterator[str]:
    """Yield the number of changed tasks, and the number expected by chance."""
    first, second = (name(n, limit=20) for n in gate.models)
    for check in gate.tasks:
        rule = check.task_rule
        if rule is None:
            continue
        conf = coverage(check.evidence.confidence_level)
        yield (
            f"{_where(gate, check)}{rule.n_met_baseline:,} of {rule.n_tasks:,} tasks pass with "
            f"{second}, and {rule.n_met_candidate:,} pass with {first} ({rule.n_lost:,} lost, "
            f"{rule.n_gained:,} gained). By chance alone, {rule.n_lost_by_chance:.1f} would be "
            f"lost on average ({conf} range {_ends(rule.n_lost_by_chance_range)}), and at least "
            f"one with {probability(rule.any_lost_probability)} probability. Judge by the gap, "
            "not by single tasks."
        )


def _task_row(task: FlippedTask) -> tuple[str, ...]:
    return (
        name(task.task, limit=32),
        "lost" if task.is_lost else "gained",
        "{}/{}".format(*task.candidate),
        "{}/{}".format(*task.baseline),
        pvalue(task.pvalue),
    )


def rule_grids(gate: Gate) -> Iterator[TextTable]:
    """Yield a table per benchmark of the tasks that meet the rule with only one model."""
    first, second = (name(n, limit=20) for n in gate.models)
    for check in gate.tasks:
        rule = check.task_rule
        if rule is None or not rule.changed_tasks:
            continue
        by = {kind: [t for t in rule.changed_tasks if t.is_lost is kind] for kind in (True, False)}
        table_rows = [t for kind, flips in by.items() for t in flips[: _ROWS[kind]]]
        overflow_texts = [
            f"{len(flips) - _ROWS[kind]:,} more {'lost' if kind else 'gained'}"
            for kind, flips in by.items()
            if len(flips) > _ROWS[kind]
        ]
        hidden = f" ({', '.join(overflow_texts)}: {as_json()})" if overflow_texts else ""
        yield TextTable(
            title=f"{_where(gate, check)}Tasks that changed, smallest p first{hidden}",
            header=("task", "", first, second, "p (unadjusted)"),
            rows=tuple(map(_task_row, table_rows)),
        )


def rule_assumptions(gate: Gate) -> Iterator[str]:
    """Yield how the rule transforms scores, and how chance is computed."""
    rule = next((c.task_rule for c in gate.tasks if c.task_rule is not None), None)
    if rule is None:
        return
    yield (
        f"A task passes and scores 1 if {rule_words(rule)}. Gaps are differences in the share of "
        f"tasks that pass. The score of a task with more than {rule.n_runs:,} runs is the share "
        f"of its subsets of {rule.n_runs:,} runs that meet the rule."
    )
    yield (
        "For changes by chance, runs of a task are assumed to be independent and exchangeable "
        "between the models. The p-values of single tasks are unadjusted."
    )
