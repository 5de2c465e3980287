"""Words that exclude each other, or miss another, by what is planned."""

import math
from typing import Any, NoReturn

from nstar._api.plan.parameters import (
    OF_MONEY,
    OF_TASKS,
    PlanParameters,
    listed,
)
from nstar.errors import ParameterError, QuestionError, arg, by_interface, fill_parameters

_OF_DESIGNS = (
    *("baseline", "rho", "psi", "odds_ratio", "benchmark", "sd", "sd_diff", "unpaired", "icc"),
    *("cluster_size", "clusters", "score_range", "loss"),
)
"""Words for what a design says."""
_OF_ITEMS = (
    *("items", "psi", "odds_ratio", "benchmark", "sd", "sd_diff", "icc", "cluster_size"),
    *("clusters", "margin", "non_inferiority", "half_width", "loss"),
)
"""Words about items that each model answers once."""
_KNOWN_FROM_PILOT = ("sd_between", "sd_within", "flip", "baseline", "unpaired")
"""What a pilot shows, so that nobody needs to assume it."""

_POWER = 0.8
"""Power if nothing is said."""


def _logs() -> str:
    return by_interface(python=arg("pilot"), command=arg("pilot", "LOG"))


def refuse(message: str) -> NoReturn:
    """Words that make no question, with what to say instead."""
    raise QuestionError(message)


def refuse_conflicts(question: PlanParameters) -> None:
    """Refuse what would silently be ignored, and questions that lack a word."""
    _refuse_beside_design(question)
    _refuse_grid(question)
    checked = {
        "tasks": _refuse_tasks,
        "items": _refuse_items,
        "board": refuse_board,
    }
    checked[question.subject](question)


_MAX_CELLS = 400
"""Cells of a grid, each a plan of its own."""


def _refuse_grid(q: PlanParameters) -> None:
    """Several numbers of items where there is no grid, three lists, or too many cells."""
    if q.subject != "items":
        if "items" in q.several:
            refuse(
                f"{arg('items')} takes several numbers only in a plan of items by {arg('delta')} "
                f"and {arg('rho')}; set one number of items"
            )
        return
    if len(q.several) > 2:
        lists = ", ".join(map(arg, q.several))
        refuse(
            f"a grid has rows and columns, but three words have several values: {lists}; set one "
            "of them to a single value"
        )
    if q.is_grid and q.goal == "best":
        refuse(f"{arg('goal', 'best')} takes one number of items, or one list of gaps or rhos")
    cells = math.prod(len(x) for x in (q.sizes, q.deltas, q.rhos) if x)
    if q.is_grid and cells > _MAX_CELLS:
        refuse(f"a grid has at most {_MAX_CELLS} cells; these lists make {cells:,}: shorten one")


def _refuse_beside_design(q: PlanParameters) -> None:
    first: Any = q.design
    if first is None:
        return
    if isinstance(first, int | float):
        share = first / 100 if first > 1 else first
        refuse(f"write {arg('baseline', f'{share:g}')}; what comes first is a design")
    from nstar._verbs.plan import Design, Noise

    if not isinstance(first, Design | Noise):
        msg = (
            f"{arg('design')} must be a Design, PairedRho, PairedPsi, Graded or Unpaired; "
            f"got {type(first).__name__}"
        )
        raise ParameterError(msg)
    why = "a design says all that is assumed"
    for name in _OF_DESIGNS:
        q.one_of("design", name, why=why)
    for name in q.of_boards:
        refuse(f"give {arg('design')} or {arg(name)}, not both: {why}")


# --- items ---------------------------------------------------------------------------------


def _refuse_same(q: PlanParameters, *names: str) -> None:
    named = q.given(*names)
    if len(named) > 1:
        refuse(f"{' and '.join(named)} answer the same question; give one of them")


def _refuse_noise(q: PlanParameters) -> None:
    """How noisy one comparison is, said once."""
    _refuse_same(q, "rho", "psi", "benchmark", "sd_diff", "unpaired")
    _refuse_same(q, "sd", "sd_diff", "psi")
    graded = q.given("sd", "sd_diff")
    either = f"{arg('sd')} or {arg('sd_diff')}"
    if q.score_range is not None and not graded:
        refuse(f"{arg('score_range')} is for graded scores: {either}")
    if q.baseline is not None and graded:
        refuse(f"{arg('baseline')} is for 0/1 scores; with {either} leave it out")
    if q.margin is not None and q.one_sided:
        refuse(f"{arg('margin')} is tested one-sided already; leave {arg('one_sided')} out")
    if q.unpaired and q.sd is not None:
        same = f"{arg('sd')} with {arg('rho', '0')}"
        refuse(f"{arg('unpaired')} with {arg('sd')}: use {same}, which is the same")
    if not (graded or q.given("psi", "baseline", "design")):
        refuse(
            f"give {arg('baseline')} (the accuracy you start from), or {arg('psi')} (the share "
            f"of items on which the models disagree), or {arg('sd')} for graded scores"
        )


def _refuse_clusters(q: PlanParameters) -> None:
    size, number = arg("cluster_size"), arg("clusters")
    groups = q.given("cluster_size", "clusters")
    if q.icc and not groups:
        refuse(
            f"{arg('icc')} needs {size} (more clusters are available) or {number} (they cannot)"
        )
    if q.icc is None and groups:
        refuse(f"{size} and {number} need {arg('icc')}")
    if q.odds_ratio is not None and (q.psi is None or q.deltas):
        refuse(f"{arg('odds_ratio')} goes with {arg('psi')}, and replaces {arg('delta')}")


def _refuse_goal(q: PlanParameters) -> None:
    """What is wanted of many models, and who can want it."""
    from nstar._base import checks

    checks.choice("goal", q.goal, ("all-pairs", "adjacent", "control", "best"))
    if q.goal == "best":
        _refuse_choice(q)
    asked = q.given("margin", "half_width")
    if q.every and asked:
        refuse(f"{arg('every')} is about gaps to detect; leave {asked[0]} out")
    if q.margin is not None and q.goal == "control":
        refuse(
            f"{arg('margin')} is planned for all pairs or neighbours: Dunnett's critical value is "
            f"of gaps, not of margins; leave {arg('goal', 'control')} out"
        )


def _refuse_choice(q: PlanParameters) -> None:
    """Words of tests, where a model is chosen."""
    best, asked = arg("goal", "best"), q.given("margin", "half_width")
    if asked:
        refuse(f"{best} chooses a model and shows nothing of gaps; leave {asked[0]} out")
    if q.every:
        refuse(f"{arg('every')}: choosing the best is one decision; leave it out")
    if q.one_sided:
        refuse(f"{best} tests nothing; leave {arg('one_sided')} out")
    if q.power != _POWER:
        refuse(
            f"{best}: the best is chosen with probability 1 - alpha; write "
            f"{arg('alpha', f'{1 - q.power:.4g}')} instead of {arg('power', f'{q.power:g}')}"
        )


def _refuse_money(q: PlanParameters) -> None:
    """Prices of items that many models answer once."""
    if q.budget is not None and q.items is not None:
        refuse(f"{arg('budget')} says how many items there are; leave {arg('items')} out")
    if q.given("budget", "cost_run", "cost_task") and q.given("margin", "half_width"):
        refuse(
            f"{arg('budget')} and prices go with {arg('delta')} here; leave "
            f"{q.given('margin', 'half_width')[0]} out"
        )
    if q.given("budget", "cost_task") and q.cost_run is None:
        refuse(f"give {arg('cost_run')}, what one model's answer to one item costs")
    if len(listed(q.cost_run)) > 1:
        refuse(f"{arg('cost_run')} takes one number for {q.n_models} models, their mean")
    if q.cost_run is not None and not min(listed(q.cost_run)) > 0:
        refuse(f"{arg('cost_run')} must be above 0: an answer that costs nothing needs no plan")


def _refuse_items(q: PlanParameters) -> None:
    _refuse_goal(q)
    _refuse_money(q)
    _refuse_noise(q)
    _refuse_clusters(q)
    _refuse_same(q, "margin", "half_width")
    _refuse_same(q, "delta", "half_width")
    _refuse_same(q, "odds_ratio", "half_width")
    if q.half_width is not None and (q.non_inferiority or q.one_sided):
        refuse(f"{arg('half_width')} is about a two-sided interval; leave the other flag out")
    if q.margin is not None and len(q.deltas) > 1:
        refuse(f"{arg('margin')} takes one {arg('delta')}, the true gap assumed")
    if q.margin is None and q.non_inferiority:
        refuse(f"{arg('non_inferiority')} needs {arg('margin')}")
    groups = q.given("cluster_size", "clusters") or q.design is not None
    if q.loss is not None and not (groups and q.margin is not None):
        refuse(
            f"{arg('loss')} needs a margin and clusters: set {arg('margin')}, and "
            f"{arg('cluster_size')} or {arg('clusters')}"
        )
    if not q.given("margin", "half_width"):
        _refuse_nothing(q)


def _refuse_nothing(q: PlanParameters) -> None:
    """Without a gap or items there is nothing to solve for."""
    whole = q if q.design is None else q.design
    implied = getattr(whole, "clusters", None) and getattr(whole, "cluster_size", None)
    if not (q.given("delta", "odds_ratio", "items", "budget") or implied):
        refuse(
            f"give {arg('delta')} (how many items are needed?), {arg('items')} (what gap can "
            "they detect?) or both (with what power?)"
        )


# --- tasks and runs ------------------------------------------------------------------------


def _refuse_tasks(q: PlanParameters) -> None:
    own = q.given(*OF_TASKS)[0]
    foreign = q.given("design", *_OF_ITEMS)
    if foreign and q.pilot is not None and q.given("margin", "half_width"):
        refuse(
            f"{arg('pilot')} plans for gaps; for {q.given('margin', 'half_width')[0]} write "
            f"{arg('baseline')} and {arg('rho')}, or {arg('sd_diff')}, which a comparison of two "
            "of its models shows"
        )
    if foreign:
        refuse(
            f"{own} plans tasks and runs, {foreign[0]} is about items that each model answers "
            "once; leave one out"
        )
    for name in q.of_boards:
        foreign = [x for x in q.given(*OF_TASKS) if x not in map(arg, OF_MONEY)]
        refuse(
            f"{foreign[0] if foreign else own} plans repeated runs of two models; leave "
            f"{arg(name)} out, or plan items that each model answers once with "
            f"{arg('budget')}, {arg('cost_run')} and {arg('models')} alone"
        )
    at_hand = q.tasks_available is not None and q.runs is not None
    if not (q.given("budget", "delta") or at_hand):
        refuse(
            f"give {arg('budget')} (what can it detect?), {arg('delta')} (what does it cost?), "
            f"both (with what power?), or {arg('tasks_available')} and {arg('runs')} (what can "
            "these detect?)"
        )
    _refuse_lists(q)
    _refuse_costs(q)
    _refuse_spread(q)


def _refuse_lists(q: PlanParameters) -> None:
    """Words that take one number, or two."""
    if len(q.rhos) > 1:
        refuse(f"{arg('rho')} takes one value here; the table shows others")
    for name in ("runs", "cost_run", "sd_within"):
        if len(listed(getattr(q, name))) > 2:
            refuse(f"{arg(name)} takes one number, or one for each of the two models")


def _refuse_costs(q: PlanParameters) -> None:
    for name in ("price", "task", "metric", "resample", "cluster", "strata"):
        if getattr(q, name) and q.pilot is None:
            refuse(f"{arg(name)} is about the logs of {_logs()}, which is not given")
    if q.price is not None and q.cost_run is not None:
        both = f"{arg('price')} and {arg('cost_run')}"
        refuse(f"{both} both say what a run costs; give one of them")
    if q.cost_run is not None and not min(listed(q.cost_run)) > 0:
        refuse(f"{arg('cost_run')} must be above 0: a run that costs nothing needs no plan")


def _refuse_spread(q: PlanParameters) -> None:
    """Variances of one task's difference, said once: by a pilot, by sds or by rates."""
    if q.pilot is not None:
        shown = q.given(*_KNOWN_FROM_PILOT)
        if shown:
            refuse(f"{arg('pilot')} shows the spread; leave {shown[0]} out")
    elif q.given("sd_between", "sd_within"):
        _refuse_sds(q)
    else:
        _refuse_rates(q)


def _refuse_sds(q: PlanParameters) -> None:
    between, within = arg("sd_between"), arg("sd_within")
    if q.sd_between is None or q.sd_within is None:
        refuse(f"{between} and {within} go together")
    for named in q.given("flip", "rho", "unpaired"):
        refuse(f"{named} with {between}: the spread is given already; leave one out")
    for name, cap in (("sd_within", 0.5), ("sd_between", 1.0)):
        sd = max(listed(getattr(q, name)))
        if q.baseline is not None and sd > cap:
            refuse(
                f"{arg(name, f'{sd:g}')}: {arg('baseline')} is for 0/1 scores, which have one of "
                f"at most {cap:g}; leave {arg('baseline')} out for graded scores"
            )


def _refuse_rates(q: PlanParameters) -> None:
    if q.baseline is None or q.flip is None:
        refuse(
            f"give {arg('baseline')} (the success rate) and {arg('flip')} (how often two runs of "
            f"a task disagree), or {arg('sd_between')} and {arg('sd_within')}, or {_logs()}"
        )
    if q.unpaired:
        _refuse_same(q, "rho", "unpaired")


# --- a board from a pilot ------------------------------------------------------------------

_NOT_ON_BOARDS = {
    **dict.fromkeys(_OF_DESIGNS, "the pilot shows it"),
    **dict.fromkeys(("sd_between", "sd_within", "flip"), "the pilot shows it"),
    "design": "the pilot shows all that is assumed",
    "margin": "boards are planned for gaps",
    "non_inferiority": "boards are planned for gaps",
    "loss": "boards are planned for gaps",
    "half_width": "boards are planned for gaps",
    "every": "the simulated boards tell it",
    "resample": "boards are simulated anyway",
    "runs": "a board is planned for as many runs as the pilot has",
    "tasks_available": "write {items}",
    "price": "write {cost_run}, what one model's answer costs",
}
"""Words that mean nothing for a board from a pilot, and why."""


def refuse_board(q: PlanParameters) -> None:
    """A pilot of many models, and what is wanted of a board of such models."""
    for name, why in _NOT_ON_BOARDS.items():
        if q.given(name):
            refuse(
                f"{arg(name)} does not go with a pilot of a board: {fill_parameters(why)}; "
                "leave it out"
            )
    if q.goal != "all-pairs":
        refuse(f"{arg('goal')}: a pilot tells all goals at once; leave it out")
    if len(q.deltas) > 1:
        refuse(f"{arg('delta')} takes one value beside a pilot of a board")
    if q.cluster is not None and q.strata is not None:
        refuse(
            f"{arg('cluster')} says that the items to come are of other groups, {arg('strata')} "
            "that they are of the same; give one of them"
        )
    _refuse_money(q)
    if not q.given("items", "delta", "budget"):
        refuse(
            f"give {arg('items')} (what do they resolve?), {arg('delta')} (how many items does it "
            f"take?) or {arg('budget')} and {arg('cost_run')}"
        )
