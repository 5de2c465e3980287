"""Write sentences on a Gate with a rule for every task: expected losses, and changed tasks."""

from collections.abc import Iterator

from nstar._verbs.gate import FlippedTask, Gate, RuleFlips, TaskGate
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, probability, pvalue

_ROWS = {True: 5, False: 3}
"""Maximum number of lost and gained tasks in the text. JSON contains all tasks."""


def rule_words(rule: RuleFlips) -> str:
    """Return the rule as a clause."""
    return f"at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs pass"


def metric_words(gate: Gate) -> str:
    """Return the rule as a description of the metric; empty without a rule."""
    rule = next((c.task_rule for c in gate.tasks if c.task_rule is not None), None)
    return "" if rule is None else f", at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs"


def _among(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


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
            f"lost on average ({conf} range {_among(rule.n_lost_by_chance_range)}), and at least "
            f"one with {probability(rule.any_lost_probability)} probability. Judge by the gap, "
            "not by single tasks."
        )


def _where(gate: Gate, check: TaskGate) -> str:
    return f"{name(check.task, limit=32)}: " if len(gate.tasks) > 1 else ""


def _row(task: FlippedTask) -> tuple[str, ...]:
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
            rows=tuple(map(_row, table_rows)),
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
