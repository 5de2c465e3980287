"""What a plan says of the groups of its pilot: the question it answers, and the other one."""

import math
from collections.abc import Iterator

from nstar._verbs.budget import BudgetPlan, GroupPlan
from nstar.report.words.budget.headline import gap
from nstar.report.words.numbers import count, name, probability

_SHOWN = 3
"""Columns told in words; JSON has them all."""


def _found(plan: BudgetPlan) -> str:
    told = [f"{name(g.column, limit=40)} ({count(g.groups)})" for g in plan.groups[:_SHOWN]]
    hidden = len(plan.groups) - len(told)
    if hidden:
        told.append(f"{hidden:,} more in --format json")
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def _tasks(g: GroupPlan) -> str:
    """Tasks and new groups that a gap takes."""
    if g.n_star is None or math.isinf(g.n_star):
        return "no number of tasks would do"
    new = max(math.ceil(g.n_star / g.cluster_size), 2)
    return f"{count(g.n_star)} tasks in about {new:,} new groups"


def _other(plan: BudgetPlan, g: GroupPlan) -> str:
    """What other groups of one column would take, or show."""
    if plan.delta is not None and plan.power is not None and plan.budget is not None:
        chance = "none" if g.power is None else probability(g.power)
        text = f"{_tasks(g)}; the power of as many as planned is {chance}"
    elif plan.delta is not None:
        text = _tasks(g)
    elif g.mde is None:
        text = "nothing, for the tasks planned are not two such groups"
    else:
        text = f"a gap of {gap(plan, g.mde)}"
    return f"by {name(g.column, limit=40)} {text} (design effect {g.design_effect or 1:.3g})"


def _command(plan: BudgetPlan, g: GroupPlan) -> str:
    """The options that give the same figure."""
    c = plan.criteria
    what = f"--delta {abs(plan.delta):g}" if plan.delta is not None else ""
    if not what and plan.design is not None:
        what = f"--items {plan.design.tasks}"
    level = f" --alpha {c.alpha:g}" * (c.alpha != 0.05) + f" --power {c.power:g}" * (
        c.power != 0.8
    )
    side = " --one-sided" * (c.sides == 1)
    return (
        f"nstar plan --sd-diff {g.sd:g} {what} --icc {g.icc:g} --cluster-size "
        f"{g.cluster_size:g}{level}{side}"
    )


def group_notes(plan: BudgetPlan) -> Iterator[str]:
    """Which groups were found, which question the headline answers, and what the other takes."""
    if not plan.groups:
        return
    lead = (
        f"The pilot's tasks are grouped by {_found(plan)}; the data cannot say how to read that. "
        "The figures above ask whether the gap would hold on other tasks of the same groups."
    )
    known = [g for g in plan.groups[:_SHOWN] if g.sd is not None]
    if not known:
        missing = "an effect shared over all tasks hides it" if plan.spread.has_shared else ""
        missing = missing or "that shows only in logs of both models"
        yield f"{lead} With other groups it may take many more: {missing}."
        return
    verb = "it takes" if plan.delta is not None else "as many tasks detect"
    told = "; ".join(_other(plan, g) for g in known)
    yield f"{lead} If it is to hold with other groups than these, {verb}: {told}."
    worst = max(known, key=lambda g: g.design_effect or 1)
    gap_fits = plan.delta is None or abs(plan.delta) < 1
    if worst.icc and worst.sd and worst.sd <= 1 and gap_fits:
        yield f"For other {name(worst.column, limit=40)} groups: {_command(plan, worst)}."
