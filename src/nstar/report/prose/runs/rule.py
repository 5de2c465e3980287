"""A rule for every task in words: a sentence, and the tasks that it is most likely wrong about."""

from collections.abc import Iterator

from nstar._base.types import Interval
from nstar._verbs.runs import PassRule, Runs
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, probability, two_names

_ROWS = 12
"""Tasks shown in words; JSON has them all."""


def _span(ends: Interval) -> str:
    return f"{probability(float(ends[0]))} to {probability(float(ends[1]))}"


def _sentence(result: Runs, rule: PassRule) -> str:
    asked, of = f"at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs pass", len(rule.tasks)
    tasks = "1 task meets" if rule.n_met == 1 else f"{rule.n_met:,} of {of:,} tasks meet"
    start = f"{name(rule.model)}, rule \u201c{asked}\u201d: {tasks} it so far"
    if not rule.n_met:
        return f"{start}."
    low, high = rule.n_lost_range
    ends = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    gained = ""
    if rule.n_met < of:
        gained = f", and {rule.n_gained_expected:.1f} of the others to meet it by luck"
    return (
        f"{start}. Run anew with nothing changed, {rule.n_lost_expected:.1f} of these are "
        "expected to miss "
        f"it ({coverage(result.confidence_level)} range {ends}){gained}. At least one of the "
        f"{rule.n_met:,} misses it with probability {probability(rule.any_lost_probability)}: so "
        "often would a "
        "gate on every task raise a false alarm."
    )


def rule_answer(rule: PassRule) -> str:
    """The rule asked for, of one model, before all else."""
    asked = f"in at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs so far"
    start = f"{rule.n_met:,} of {len(rule.tasks):,} tasks pass {asked}"
    if not rule.n_met:
        return f"{start}."
    one = "it misses" if rule.n_met == 1 else "at least one of them misses"
    return (
        f"{start}; run anew, {one} that by luck with probability "
        f"{probability(rule.any_lost_probability)}."
    )


def rule_notes(result: Runs) -> Iterator[str]:
    """One sentence for each model."""
    for rule in result.pass_rules:
        yield _sentence(result, rule)


def rule_grids(result: Runs) -> Iterator[TextTable]:
    """Tasks that meet the rule, those most likely to miss it first."""
    labels = two_names([rule.model for rule in result.pass_rules], 40)
    for rule, label in zip(result.pass_rules, labels, strict=True):
        met = sorted(
            (t for t in rule.tasks if t.meets_rule), key=lambda t: (-t.miss_probability, t.task)
        )
        if not met:
            continue
        more = len(met) - _ROWS
        hidden = f" ({more:,} more in {as_json()})" if more > 0 else ""
        yield TextTable(
            title=f"{label}: tasks that meet {rule.n_passes_needed}/{rule.n_runs}, "
            f"weakest first{hidden}",
            header=(
                "task",
                "passed",
                "misses it next",
                f"alone, exact {coverage(result.confidence_level)}",
            ),
            rows=tuple(
                (
                    name(t.task, limit=32),
                    f"{t.n_passed}/{t.n_runs}",
                    probability(t.miss_probability),
                    _span(t.miss_probability_ci),
                )
                for t in met[:_ROWS]
            ),
        )


def rule_assumptions(result: Runs) -> tuple[str, ...]:
    """What the chances rest on."""
    if not result.pass_rules:
        return ()
    return (
        "Rule: success rates of tasks have a common Beta law with the mean and variance that the "
        "runs show; runs are independent, and nothing changes.",
    )
