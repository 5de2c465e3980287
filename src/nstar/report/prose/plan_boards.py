"""Write sentences of plans with more than two models: picking the best, and the type of power."""

import math

from nstar._verbs.plan import BoardGoal, Plan
from nstar.errors import arg, by_interface
from nstar.report.prose.numbers import items, percent, probability
from nstar.report.prose.plan_terms import a_gap, condition, gap, with_article

PAIRS: dict[BoardGoal, str] = {
    "all-pairs": "all pairs of",
    "adjacent": "adjacent pairs of",
    "control": "one control against all others of",
    "best": "all pairs of",
}
ADJACENT = (
    " The adjacent pairs must be chosen in advance. If the data determine them, plan for all "
    "pairs."
)
ONE_COMPARISON = "There is one comparison, chosen in advance and tested once."
BECHHOFER = (
    "The formula is Bechhofer's (1954), for normal errors with equal variances and equal "
    "correlations."
)
CHOICE = (
    "The model with the highest mean is picked without a test. If the best model leads by less "
    "than the gap, the picked model is within the gap of the best with the same probability."
)


def target_probability(plan: Plan) -> float:
    """Return the target probability of success."""
    best = plan.noise_design.goal == "best"
    return 1 - plan.criteria.alpha if best else plan.criteria.power


def _best(plan: Plan) -> str:
    return f"the best of {plan.noise_design.models:,} models"


def _given(plan: Plan) -> str:
    base = getattr(plan.noise_design.noise, "baseline", None)
    where = "" if base is None else f"{percent(base)} baseline, "
    return f"{where}{condition(plan.noise_design)}"


def choice_headline(plan: Plan, digits: int) -> list[str | None]:
    """Return the items, the lead, or the probability of picking the best."""
    design = plan.noise_design
    sure = probability(target_probability(plan))
    lead = f"if it leads by {gap(design, plan.delta)}"
    never = plan.n_star is not None and math.isinf(plan.n_star)
    if plan.solved_for == "items" and never:
        return [
            f"No number of items picks {_best(plan)} with {sure} probability {lead}: "
            f"{design.clusters} clusters are too few."
        ]
    if plan.solved_for == "items":
        return [
            f"Picking {_best(plan)} takes {items(plan.n_star or 0)} {lead} (correct with {sure} "
            f"probability, {_given(plan)}).",
            _proving(plan),
        ]
    items_text = items(plan.n_items or 0)
    if plan.solved_for == "mde":
        if plan.mde is None or math.isinf(plan.mde):
            return [
                f"{items_text} do not pick {_best(plan)} reliably, however large its lead "
                f"({_given(plan)})."
            ]
        lead_text = gap(design, plan.mde, digits=digits)
        return [
            f"{items_text} pick {_best(plan)} with {sure} probability if it leads by {lead_text} "
            f"({_given(plan)}).",
        ]
    need = f"No number of items gives {with_article(sure)} probability"
    if not never:
        need = f"{with_article(sure).capitalize()} probability takes {items(plan.n_star or 0)}"
    return [
        f"{items_text} pick {_best(plan)} with {probability(plan.power)} probability {lead} "
        f"({_given(plan)}).",
        f"{need}.",
    ]


def _proving(plan: Plan) -> str | None:
    """Return the items for showing the gap of every pair, compared with picking the best."""
    if plan.n_items_all_pairs is None:
        return None
    gap_text = f"{a_gap(plan.noise_design, plan.delta)} between any two models"
    if math.isinf(plan.n_items_all_pairs):
        return f"No number of items proves {gap_text}."
    return f"Proving {gap_text} takes {items(plan.n_items_all_pairs)}."


def board_notes(plan: Plan) -> list[str]:
    """Return notes on the type of power, and on the cost of the items."""
    notes = []
    if plan.power_all is not None and plan.question == "difference":
        notes.append(_whose(plan))
    if plan.cost is not None:
        at = plan.n_star if plan.n_items is None else plan.n_items
        of = "" if plan.budget is None else f" of the budget of {plan.budget:,.10g}"
        notes.append(
            f"Running {items(at or 0)} on each of {plan.noise_design.models:,} models costs "
            f"{plan.cost:,.10g}{of}."
        )
    return notes


def _whose(plan: Plan) -> str:
    """Return the power of one comparison, or of all comparisons."""
    design, power_text = plan.noise_design, probability(plan.power_all)
    size = gap(design, plan.delta if plan.delta is not None else plan.mde, digits=None)
    if design.goal == "control":
        each = "a single model"
        all_text = f"all {design.models - 1:,} models, each {size} from the control"
    else:
        each = "a single pair"
        all_text = f"every pair of models spaced {size} apart"
    if design.joint:
        return f"The power is for detecting {all_text}; for {each} it is higher."
    option_text = by_interface(python="joint=True", command=arg("joint"))
    return (
        f"The power is for {each}. For detecting {all_text}, it is only {power_text} (see "
        f"{option_text})."
    )
