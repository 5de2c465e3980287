"""A Gate of several tasks in one sentence."""

from collections import Counter

from nstar._verbs.gate import Check, Gate
from nstar.report.words.gap import coverage, gap, span
from nstar.report.words.gate.task import margin_words, task_name
from nstar.report.words.numbers import name


def _listed(checks: list[Check]) -> str:
    names = [task_name(c) for c in checks]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def several(gate: Gate) -> str:
    """The finding of all tasks, without the answer."""
    first, second = (name(n) for n in gate.names)
    of = f"{len(gate.tasks):,} tasks"
    seen = Counter(c.answer for c in gate.tasks)
    bad = [c for c in gate.tasks if c.answer == "REGRESSION"]
    if bad:
        return (
            f"{first} is worse than {second} on {len(bad):,} of {of} after Holm's adjustment "
            f"({_listed(bad)}); PASS on {seen['PASS']:,}, open on {seen['INCONCLUSIVE']:,}"
        )
    still = [c for c in gate.tasks if c.answer == "INCONCLUSIVE"]
    if still:
        return (
            f"open on {len(still):,} of {of} ({_listed(still)}), PASS on {seen['PASS']:,}; a PASS "
            "needs every task"
        )
    return f"{_all_pass(gate, first, second)} on each of {of} (closest: {_closest(gate)})"


def _all_pass(gate: Gate, first: str, second: str) -> str:
    if all(c.aim == "superiority" for c in gate.tasks):
        return f"{first} beats {second}"
    margins = {margin_words(c) for c in gate.tasks if c.aim != "superiority"}
    by = f"by {margins.pop()} or more" if len(margins) == 1 else "by its margin"
    if gate.aim == "superiority":
        return f"{first} beats {second}, or with a guardrail is shown not to be worse {by},"
    return f"{first} is shown not to be worse than {second} {by}"


def _closest(gate: Gate) -> str:
    """The task that came nearest to no PASS."""

    def p(check: Check) -> float:
        e = check.evidence
        asked = e.p_better if check.aim == "superiority" else e.p_within
        return 1.0 if asked is None else asked

    check = max(gate.tasks, key=p)
    seen = gap(check.pair, check.pair.delta, sign=True)
    e = check.evidence
    allowed = "" if check.margin is None else f", margin {margin_words(check)}"
    return (
        f"{task_name(check)}, gap {seen}, {coverage(e.conf)} interval {span(check.pair, e.ci)}"
        f"{allowed}"
    )
