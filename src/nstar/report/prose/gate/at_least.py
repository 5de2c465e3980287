"""A rule for every task of a Gate in words: what luck would lose, and which tasks flipped."""

from collections.abc import Iterator

from nstar._verbs.gate import FlippedTask, Gate, RuleFlips, TaskGate
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, probability

_ROWS = {True: 5, False: 3}
"""Lost and gained tasks that are shown; JSON has them all."""


def rule_words(rule: RuleFlips) -> str:
    """The rule as a clause."""
    return f"at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs do"


def metric_words(gate: Gate) -> str:
    """The rule as what the scores measure, after the metric; nothing without one."""
    rule = next((c.task_rule for c in gate.tasks if c.task_rule is not None), None)
    return "" if rule is None else f", at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs"


def _among(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def rule_notes(gate: Gate) -> Iterator[str]:
    """How many tasks flipped, how many would have by luck, and what decides."""
    first, second = (name(n, limit=20) for n in gate.models)
    for check in gate.tasks:
        rule = check.task_rule
        if rule is None:
            continue
        yield (
            f"{_where(gate, check)}{rule.n_met_baseline:,} of {rule.n_tasks:,} tasks meet the "
            "rule "
            f"with {second}, {rule.n_met_candidate:,} with {first}: {rule.n_lost:,} lost, "
            f"{rule.n_gained:,} gained. Had nothing changed, {rule.n_lost_by_chance:.1f} would be "
            "lost "
            f"by luck alone ({coverage(check.evidence.confidence_level)} range "
            f"{_among(rule.n_lost_by_chance_range)}), "
            f"and at least one with probability {probability(rule.any_lost_probability)}: single "
            "tasks "
            "inform, the gap decides."
        )


def _where(gate: Gate, check: TaskGate) -> str:
    return f"{name(check.task, limit=32)}: " if len(gate.tasks) > 1 else ""


def _row(task: FlippedTask) -> tuple[str, ...]:
    return (
        name(task.task, limit=32),
        "lost" if task.is_lost else "gained",
        "{}/{}".format(*task.candidate),
        "{}/{}".format(*task.baseline),
        probability(task.pvalue),
    )


def rule_grids(gate: Gate) -> Iterator[TextTable]:
    """Tasks that meet the rule with one model only, for each benchmark."""
    first, second = (name(n, limit=20) for n in gate.models)
    for check in gate.tasks:
        rule = check.task_rule
        if rule is None or not rule.changed_tasks:
            continue
        by = {kind: [t for t in rule.changed_tasks if t.is_lost is kind] for kind in (True, False)}
        shown = [t for kind, found in by.items() for t in found[: _ROWS[kind]]]
        more = [
            f"{len(found) - _ROWS[kind]:,} more {'lost' if kind else 'gained'}"
            for kind, found in by.items()
            if len(found) > _ROWS[kind]
        ]
        hidden = f" ({', '.join(more)}: {as_json()})" if more else ""
        yield TextTable(
            title=f"{_where(gate, check)}Tasks that flipped, clearest first{hidden}",
            header=("task", "", first, second, "so far apart by luck"),
            rows=tuple(map(_row, shown)),
        )


def rule_assumptions(gate: Gate) -> Iterator[str]:
    """What the rule makes of scores, and what luck means."""
    rule = next((c.task_rule for c in gate.tasks if c.task_rule is not None), None)
    if rule is None:
        return
    yield (
        f"A task passes, and scores 1, if {rule_words(rule)}; gaps are of shares of tasks; "
        f"with more than {rule.n_runs:,} runs of a task it scores the share of choices of "
        f"{rule.n_runs:,} of them that meet the rule."
    )
    yield (
        "Luck: runs of a task are independent, and if nothing changed each could as well be the "
        "other model's; chances of single tasks are not adjusted for how many there are."
    )
