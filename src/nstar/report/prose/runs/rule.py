"""Write sentences of a rule for every task, and the tasks most likely to miss it."""

from collections.abc import Iterator

from nstar._base.types import Interval
from nstar._verbs.runs import PassRule, Runs
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, probability, two_names

_ROWS = 12
"""Maximum number of tasks in the text. JSON contains all tasks."""


def _span(ends: Interval) -> str:
    return f"{probability(float(ends[0]))} to {probability(float(ends[1]))}"


def _sentence(result: Runs, rule: PassRule) -> str:
    """Return how chance affects the tasks that meet the rule, and the others."""
    low, high = rule.n_lost_range
    ends = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    conf = coverage(result.confidence_level)
    gained = ""
    if rule.n_met < len(rule.tasks):
        gained = f" and gains {rule.n_gained_expected:.1f} others"
    return (
        f"{name(rule.model)}: by chance, a rerun loses {rule.n_lost_expected:.1f} of these "
        f"{rule.n_met:,} tasks on average ({conf} range {ends}){gained}. A gate on every single "
        f"task would raise a false alarm with {probability(rule.any_lost_probability)} "
        "probability."
    )


def rule_answer(result: Runs, rule: PassRule) -> str:
    """Return the number of tasks that meet the rule, and how often a rerun loses one by chance."""
    prefix = f"{name(rule.model)}: " if len(result.pass_rules) > 1 else ""
    met = f"{rule.n_met:,} of {len(rule.tasks):,} tasks"
    verb = "passes" if len(rule.tasks) == 1 else "pass"
    start = f"{prefix}{met} {verb} in at least {rule.n_passes_needed:,} of {rule.n_runs:,} runs"
    if not rule.n_met:
        return f"{start}."
    lost = "loses it" if rule.n_met == 1 else "loses at least one"
    chance = probability(rule.any_lost_probability)
    return f"{start}; a rerun {lost} by chance with {chance} probability."


def rule_notes(result: Runs) -> Iterator[str]:
    """Yield one sentence for each model."""
    for rule in result.pass_rules:
        if rule.n_met:
            yield _sentence(result, rule)


def rule_grids(result: Runs) -> Iterator[TextTable]:
    """Yield the tasks that meet the rule, with those most likely to miss it first."""
    labels = two_names([rule.model for rule in result.pass_rules], 40)
    for rule, label in zip(result.pass_rules, labels, strict=True):
        met = sorted(
            (t for t in rule.tasks if t.meets_rule), key=lambda t: (-t.miss_probability, t.task)
        )
        if not met:
            continue
        n_more = len(met) - _ROWS
        hidden = f" ({n_more:,} more in {as_json()})" if n_more > 0 else ""
        yield TextTable(
            title=f"Tasks that pass the rule: {label}, at least {rule.n_passes_needed} of "
            f"{rule.n_runs} runs, least stable first{hidden}",
            header=(
                "task",
                "passed",
                "fails in a rerun",
                f"exact {coverage(result.confidence_level)} CI",
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
    """Return the assumptions of the probabilities."""
    if not result.pass_rules:
        return ()
    return (
        "For the rule, the success rates of tasks follow a Beta distribution with the mean and "
        "variance of the runs, and runs are independent.",
    )
