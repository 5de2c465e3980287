"""Plans of more than two models in words: choosing the best, and whose power it is."""

import math

from nstar._verbs.plan import BoardGoal, Plan
from nstar.errors import arg, by_interface
from nstar.report.prose.numbers import count, items, percent, probability
from nstar.report.prose.plan_terms import baseline, condition, gap

PAIRS: dict[BoardGoal, str] = {
    "all-pairs": "all pairs of",
    "adjacent": "adjacent pairs of",
    "control": "one control against all others of",
    "best": "all pairs of",
}
BECHHOFER = "Bechhofer's formula (1954): normal errors, equally large and equally correlated."
CHOICE = (
    "The model with the highest mean is chosen, and nothing is tested. If the best leads by less "
    "than the gap, the one chosen is within the gap of it with the same probability."
)


def target_probability(plan: Plan) -> float:
    """Probability of success that is asked for."""
    best = plan.noise_design.goal == "best"
    return 1 - plan.criteria.alpha if best else plan.criteria.power


def _best(plan: Plan) -> str:
    return f"the best of {plan.noise_design.models:,} models"


def choice_headline(plan: Plan) -> str:
    """Items, lead or probability of choosing the best."""
    design = plan.noise_design
    sure, end = probability(target_probability(plan)), condition(design)
    lead = f"leads the second by {gap(design, plan.delta)}{baseline(design)}"
    never = plan.n_star is not None and math.isinf(plan.n_star)
    if plan.solved_for == "items" and never:
        return (
            f"No number of items chooses {_best(plan)} with probability {sure} if it {lead}: "
            f"{design.clusters} clusters are too few."
        )
    if plan.solved_for == "items":
        return (
            f"Choosing {_best(plan)} takes {items(plan.n_star or 0)} if it {lead} (right with "
            f"probability {sure}), {end}."
        )
    if plan.solved_for == "mde":
        if plan.mde is None or math.isinf(plan.mde):
            return f"{items(plan.n_items or 0)} do not choose {_best(plan)} at any lead, {end}."
        return (
            f"{items(plan.n_items or 0)} choose {_best(plan)} with probability {sure} if it leads "
            f"the second by {gap(design, plan.mde)}{baseline(design)}, {end}."
        )
    need = "no number of items gives" if never else f"{items(plan.n_star or 0)} give"
    return (
        f"With {items(plan.n_items or 0)} {_best(plan)} is chosen with probability "
        f"{probability(plan.power)} if it {lead}, {end}; {need} {sure}."
    )


def board_notes(plan: Plan) -> list[str]:
    """What choosing saves, whose power it is, what the items cost."""
    notes = _chosen_or_proved(plan)
    if plan.power_all is not None and plan.question == "difference":
        notes.append(_whose(plan))
    if plan.cost is not None:
        at = plan.n_star if plan.n_items is None else plan.n_items
        of = "" if plan.budget is None else f" of {plan.budget:,.10g}"
        notes.append(
            f"{items(at or 0)} × {plan.noise_design.models:,} models cost {plan.cost:,.10g}{of}."
        )
    return notes


def _chosen_or_proved(plan: Plan) -> list[str]:
    if plan.n_items_all_pairs is None or plan.n_star is None or not math.isfinite(plan.n_star):
        return []
    if math.isinf(plan.n_items_all_pairs):
        return ["To prove such a gap between any two of them no number of items is enough."]
    share = percent(round(plan.n_star / plan.n_items_all_pairs, 2))
    power = probability(plan.criteria.power)
    return [
        f"To choose is not to prove: to prove such a gap between any two of them takes "
        f"{items(plan.n_items_all_pairs)} ({power} power, each pair); choosing takes {share} of "
        "that. Decide which of the two is wanted."
    ]


def _whose(plan: Plan) -> str:
    """Power of one comparison, or of all."""
    design, found = plan.noise_design, probability(plan.power_all)
    at = count(plan.n_star if plan.n_items is None else plan.n_items)
    if design.goal == "control":
        each, every = "any one given model", f"all {design.models - 1:,} that lead it by the gap"
    else:
        each, every = "one given pair", "every pair of a ladder with steps of the gap"
    more = "" if design.goal == "control" else " An audit steps down, and finds more of them."
    if design.joint:
        return f"The power is that of finding {every} in one step, not of {each} alone.{more}"
    asked = by_interface(python="joint=True", command=arg("joint"))
    return (
        f"The power is that of {each}. With {at} items {every} would be found in one step with "
        f"probability {found}; plan for that with {asked}.{more}"
    )
