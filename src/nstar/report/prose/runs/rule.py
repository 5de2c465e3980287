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
    asked, of = f"at least {rule.needed:,} of {rule.runs:,} runs pass", len(rule.tasks)
    tasks = "1 task meets" if rule.met == 1 else f"{rule.met:,} of {of:,} tasks meet"
    start = f"{name(rule.model)}, rule \u201c{asked}\u201d: {tasks} it so far"
    if not rule.met:
        return f"{start}."
    low, high = rule.lost_range
    ends = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    gained = ""
    if rule.met < of:
        gained = f", and {rule.gained:.1f} of the others to meet it by luck"
    return (
        f"{start}. Run anew with nothing changed, {rule.lost:.1f} of these are expected to miss "
        f"it ({coverage(result.conf)} range {ends}){gained}. At least one of the "
        f"{rule.met:,} misses it with probability {probability(rule.any_lost)}: so often would a "
        "gate on every task raise a false alarm."
    )


def rule_answer(rule: PassRule) -> str:
    """The rule asked for, of one model, before all else."""
    asked = f"in at least {rule.needed:,} of {rule.runs:,} runs so far"
    start = f"{rule.met:,} of {len(rule.tasks):,} tasks pass {asked}"
    if not rule.met:
        return f"{start}."
    one = "it misses" if rule.met == 1 else "at least one of them misses"
    return f"{start}; run anew, {one} that by luck with probability {probability(rule.any_lost)}."


def rule_notes(result: Runs) -> Iterator[str]:
    """One sentence for each model."""
    for rule in result.at_least:
        yield _sentence(result, rule)


def rule_grids(result: Runs) -> Iterator[TextTable]:
    """Tasks that meet the rule, those most likely to miss it first."""
    labels = two_names([rule.model for rule in result.at_least], 40)
    for rule, label in zip(result.at_least, labels, strict=True):
        met = sorted((t for t in rule.tasks if t.met), key=lambda t: (-t.fails, t.item))
        if not met:
            continue
        more = len(met) - _ROWS
        hidden = f" ({more:,} more in {as_json()})" if more > 0 else ""
        yield TextTable(
            title=f"{label}: tasks that meet {rule.needed}/{rule.runs}, weakest first{hidden}",
            header=("task", "passed", "misses it next", f"alone, exact {coverage(result.conf)}"),
            rows=tuple(
                (
                    name(t.item, limit=32),
                    f"{t.passed}/{t.runs}",
                    probability(t.fails),
                    _span(t.fails_ci),
                )
                for t in met[:_ROWS]
            ),
        )


def rule_assumptions(result: Runs) -> tuple[str, ...]:
    """What the chances rest on."""
    if not result.at_least:
        return ()
    return (
        "Rule: success rates of tasks have a common Beta law with the mean and variance that the "
        "runs show; runs are independent, and nothing changes.",
    )
