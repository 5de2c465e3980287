"""Titles and numbers on the pages of plans."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from nstar._verbs.budget import TaskPlan
from nstar._verbs.gate import GateFeasibility
from nstar._verbs.judged.plan_result import LabelPlan
from nstar._verbs.plan import PairedPsi, Plan, Unpaired
from nstar._verbs.plan.board_result import BoardPlan
from nstar._verbs.plan.design import significant_gap
from nstar._verbs.plan.result import PlanAxis, PlanCell, PlanGrid
from nstar._verbs.plan.sequential_result import SequentialPlan
from nstar._verbs.plan.single import SinglePlan
from nstar._verbs.plan.votes_result import VotePlan
from nstar.report.documents import Tile
from nstar.report.prose.numbers import count, items, money, percent, pp, probability
from nstar.report.prose.page_top._tile import tile
from nstar.report.prose.plan_boards import target_probability
from nstar.report.prose.plan_grid import axis_text
from nstar.report.prose.plan_terms import MIN_COARSE_MDE, gap, precision
from nstar.report.prose.single import interval

_MDE = "minimum detectable effect (MDE)"


def _is_number(x: float | None) -> bool:
    return x is not None and math.isfinite(x)


def _plan(plan: Plan) -> Iterator[Tile]:
    design, power = plan.noise_design, probability(plan.criteria.power)
    if plan.solved_for == "power" and plan.power is not None:
        yield tile(probability(plan.power), "power", f"With {count(plan.n_items)} items.")
    if plan.solved_for != "mde" and _is_number(plan.n_star):
        per_model = " per model" if isinstance(design.noise, Unpaired) else ""
        goals = {
            "difference": f"To detect a true gap of {gap(design, plan.delta)}",
            "precision": f"For a CI of ±{gap(design, plan.half_width)}",
        }
        goal = goals.get(plan.question, f"To show the {gap(design, plan.margin)} margin")
        each = " per pair" if design.n_comparisons > 1 else ""
        by = "" if plan.question == "precision" else f", with {power} power{each}"
        if design.goal == "best":
            goal = f"To pick a model that leads by {gap(design, plan.delta)}"
            by = f", with {probability(target_probability(plan))} probability"
        yield tile(count(plan.n_star), f"items needed{per_model}", f"{goal}{by}.")
    yield from _detectable(plan)
    yield from _significant(plan)
    if plan.margin is not None:
        size = gap(plan.noise_design, plan.margin)
        yield tile(size, "margin", "The largest gap that does not matter.")
    if plan.half_width is not None:
        yield tile(
            f"±{gap(plan.noise_design, plan.half_width)}",
            "half-width of the CI",
            "Half of its length.",
        )
    rows = [row for row in plan.scenarios if row.is_headline and row.psi is not None]
    noise = plan.noise_design.noise
    psi = noise.psi if isinstance(noise, PairedPsi) else rows[0].psi if rows else None
    if psi is not None:
        explanation = "Items that exactly one of the two models answers correctly."
        yield tile(percent(psi, 1), "items with different outcomes", explanation)


def _detectable(plan: Plan) -> Iterator[Tile]:
    """Yield the gaps that the current items detect."""
    digits, design = precision([plan.mde]), plan.noise_design
    if plan.n_items is None or plan.question != "difference":
        return
    if _is_number(plan.mde):
        label = _MDE if plan.mde_loss is None else "detectable gain"
        explanation = (
            f"A true gap of this size is detected with {probability(plan.criteria.power)} power."
        )
        yield tile(gap(design, plan.mde, digits=digits), label, explanation)
    if _is_number(plan.mde_loss):
        explanation = "Losses and gains differ because accuracies have an upper limit."
        yield tile(gap(design, plan.mde_loss, digits=digits), "detectable loss", explanation)


def _significant(plan: Plan) -> Iterator[Tile]:
    """Yield the smallest observed gap that is significant."""
    size = plan.n_items if plan.n_items is not None else plan.n_star
    true_gap = plan.delta if plan.n_items is None else plan.mde
    if plan.question != "difference" or plan.noise_design.goal == "best":
        return
    if size and true_gap and math.isfinite(size) and math.isfinite(true_gap):
        smallest = significant_gap(plan.noise_design, plan.tested, float(size), true_gap)
        if math.isfinite(smallest):
            text = gap(plan.noise_design, smallest, digits=1 if smallest >= MIN_COARSE_MDE else 2)
            yield tile(text, "significant from", "An observed gap above this size is significant.")


def _board(plan: BoardPlan) -> Iterator[Tile]:
    if plan.assumed is not None:
        yield from _plan(plan.assumed)
        return
    if not plan.readings:
        return
    words = {
        "all-pairs": "between any two models",
        "best": "for the lead of the best",
        "control": "between a control and any other model",
        "pair": "between two models chosen in advance",
    }
    for claim, where in words.items():
        row = next((r for r in plan.readings[0].claims if r.claim == claim), None)
        if row is not None and _is_number(row.mde):
            yield tile(_points(plan, row.mde), "detectable gap", f"{where}.".capitalize())
        elif row is not None and _is_number(row.n_star):
            yield tile(count(row.n_star), "items needed", f"{where}.".capitalize())


def _points(plan: BoardPlan | TaskPlan, value: float | None) -> str:
    if plan.score_range == (0.0, 1.0):
        return pp(value)
    return "–" if value is None else f"{value:.3g}"


def _tasks(plan: TaskPlan) -> Iterator[Tile]:
    design = plan.best_design
    if design is None:
        return
    power = probability(plan.criteria.power)
    yield tile(_points(plan, design.mde), _MDE, f"Detected with {power} power.")
    runs = {design.n_runs_a, design.n_runs_b}
    runs_text = " and ".join(map(str, sorted(runs)))
    noun = "run" if runs == {1} else "runs"
    yield tile(count(design.n_tasks), "tasks", f"{runs_text} {noun} of each task and model.")
    yield tile(money(design.cost), "cost", "In the unit of the costs that you set.")


def _sequential(plan: SequentialPlan) -> Iterator[Tile]:
    design = plan.noise_design
    delta = gap(design, plan.delta)
    if _is_number(plan.n_items_needed):
        yield tile(count(plan.n_items_needed), "items at most", f"To detect {delta}.")
    row = next((r for r in plan.scenarios if r.is_headline), None)
    if row is not None and _is_number(row.mean_at_zero):
        yield tile(count(row.mean_at_zero), "items expected", "If there is no gap.")
    if _is_number(plan.n_star):
        yield tile(
            count(plan.n_star), "items of a fixed sample", f"One test that detects {delta}."
        )


def _votes(plan: VotePlan) -> Iterator[Tile]:
    power = probability(plan.criteria.power)
    if plan.solved_for == "votes" and _is_number(plan.n_star):
        yield tile(count(plan.n_star), "votes per pair", f"For {power} power.")
    if plan.n_votes is not None:
        yield tile(count(plan.n_votes), "votes", "The votes of one pair of models.")
    size = plan.delta or plan.mde
    if size is not None:
        explanation = "Win rate at the gap, with ties as half a win."
        yield tile(percent(size.win_rate, 1), "win rate", explanation)
    yield tile(percent(plan.tie_share), "ties", "Share of votes that are ties.")


def _labels(plan: LabelPlan) -> Iterator[Tile]:
    if _is_number(plan.n_star):
        yield tile(count(plan.n_star), "labels", "On a random subset of the judged items.")
    if plan.n_judged is not None:
        yield tile(count(plan.n_judged), "judged items", "Items that the judge scores.")
    if _is_number(plan.n_star_without_judge):
        yield tile(
            count(plan.n_star_without_judge), "labels without the judge", "For the same power."
        )
    yield tile(f"{plan.judge_r:.2f}", "judge r", "Correlation of judge and labels.")


def _gate(plan: GateFeasibility) -> Iterator[Tile]:
    equal = plan.scenarios[0] if plan.scenarios else None
    if equal is not None:
        explanation = f"With {count(plan.n_items)} items."
        yield tile(probability(equal.pass_probability), "PASS of an equal model", explanation)
    power = probability(plan.criteria.power)
    if _is_number(plan.n_star):
        yield tile(count(plan.n_star), "items needed", f"For {power} probability of a PASS.")
    yield tile(pp(plan.margin), "margin", "The largest acceptable loss.")


def _single(plan: SinglePlan) -> Iterator[Tile]:
    power = probability(plan.criteria.power)
    if plan.n_star is not None:
        yield tile(count(plan.n_star), "items needed", "From this number on, the goal is reached.")
    if plan.threshold is None:
        yield tile(f"±{pp(plan.half_width or 0)}", "half-width of the CI", "Half of its length.")
        return
    if plan.mde is not None:
        yield tile(
            pp(plan.mde), "minimum detectable effect (MDE)", f"Detected with {power} power."
        )
    if plan.solved_for == "power":
        yield tile(probability(plan.power), "power", f"With {items(plan.n_items)}.")
    yield tile(percent(plan.threshold), "threshold", "The accuracy that the model must exceed.")
    yield tile(count(plan.min_items), "minimum items", "Enough only if all answers are correct.")


def _plan_title(plan: Plan) -> str:
    """A title for the family of pairs, the margin, or the clusters."""
    design = plan.noise_design
    if plan.solved_for == "items" and not _is_number(plan.n_star):
        return "No number of items is enough"
    size, current = f"{count(plan.n_star)} items", f"{count(plan.n_items)} items"
    many = f" among {design.models:,} models" if design.models > 2 else ""
    has_gaps = sum(row.name == "delta" for row in plan.scenarios) > 1
    titles = {
        "mde": f"{current} detect {gap(design, plan.mde, digits=precision([plan.mde]))}{many}",
        "power": f"{current} have {probability(plan.power)} power",
        "equivalence": f"Equivalence within ±{gap(design, plan.margin)} takes {size}",
        "non-inferiority": f"Non-inferiority at {gap(design, plan.margin)} takes {size}",
        "several": f"Items needed for {probability(plan.criteria.power)} power, by gap",
        "best": f"Picking the best{many} takes {size}",
        "items": f"Detecting {gap(design, plan.delta)}{many} takes {size}",
    }
    best = "best" if design.goal == "best" else plan.solved_for
    return titles["several" if has_gaps else plan.question if plan.question in titles else best]


def _board_title(plan: BoardPlan) -> str:
    if plan.assumed is not None:
        return _plan_title(plan.assumed)
    models = f"among {plan.n_models:,} models"
    rows = plan.readings[0].claims if plan.readings else ()
    row = next((r for r in rows if r.claim == "all-pairs"), None)
    if row is not None and plan.n_items is not None and _is_number(row.mde):
        return f"{count(plan.n_items)} items detect gaps of {_points(plan, row.mde)} {models}"
    if row is not None and plan.delta is not None and _is_number(row.n_star):
        return f"Detecting {_points(plan, plan.delta)} {models} takes {count(row.n_star)} items"
    return f"No number of items detects the gap {models}"


def _sequential_title(plan: SequentialPlan) -> str:
    delta = gap(plan.noise_design, plan.delta)
    return f"Detecting {delta} takes at most {count(plan.n_items_needed)} items"


def _grid_title(plan: PlanGrid) -> str:
    words = {"items": "Items needed", "mde": "Detectable gap", "power": "Power"}
    axes = {"items": "items", "delta": "gap", "rho": "item correlation"}
    by = " and ".join(axes[a] for a in (plan.row_axis, plan.column_axis) if a in axes)
    return f"{words[plan.solved_for]} by {by}"


def _labels_title(plan: LabelPlan) -> str:
    if _is_number(plan.n_star):
        return f"{count(plan.n_star)} labels are enough"
    return f"{count(plan.n_judged)} judged items are too few"


def _tasks_title(plan: TaskPlan) -> str:
    design = plan.best_design
    if design is None:
        return "No design detects the gap"
    return f"{count(design.n_tasks)} tasks detect {_points(plan, design.mde)}"


def _gate_title(plan: GateFeasibility) -> str:
    chance = probability(plan.scenarios[0].pass_probability if plan.scenarios else None)
    return f"An equal model passes {chance} of the time on {count(plan.n_items)} items"


def _votes_title(plan: VotePlan) -> str:
    if plan.solved_for == "votes":
        return f"Detecting {plan.elo:g} Elo takes {count(plan.n_star)} votes per pair"
    return f"What {count(plan.n_votes)} votes per pair detect"


def _single_title(plan: SinglePlan) -> str:
    if plan.threshold is None:
        width = f"±{pp(plan.half_width or 0)}"
        if plan.solved_for == "items":
            return f"A {interval(plan)} of {width} takes {items(plan.n_star)}"
        return f"A {interval(plan)} of {width} from {items(plan.n_items)}"
    target = percent(plan.threshold)
    if plan.solved_for == "items":
        accuracy = percent(plan.threshold + (plan.delta or 0))
        return f"Showing that {accuracy} is above {target} takes {items(plan.n_star)}"
    if plan.solved_for == "power":
        return f"Power of {items(plan.n_items)}: {probability(plan.power)}"
    if plan.mde is None:
        return f"Too few items to show an accuracy above {target}"
    return f"MDE with {items(plan.n_items)}: {pp(plan.mde)} above {target}"


def _grid(plan: PlanGrid) -> Iterator[Tile]:
    """Yield the lowest and the highest value."""
    fields = {"items": "n_star", "mde": "mde", "power": "power", "half_width": "half_width"}
    field = fields.get(plan.solved_for, "n_star")
    cells = [c for c in plan.scenarios if _is_number(getattr(c, field))]
    if not cells:
        return
    for label, cell in (
        ("lowest value", min(cells, key=lambda c: getattr(c, field))),
        ("highest value", max(cells, key=lambda c: getattr(c, field))),
    ):
        axes = [axis for axis in (plan.row_axis, plan.column_axis) if axis is not None]
        at = [f"{_AXES[axis]} {_axis_text(plan, axis, cell)}" for axis in axes]
        yield tile(_cell_text(plan, getattr(cell, field)), label, f"At {' and '.join(at)}.")


_AXES = {"items": "number of items", "delta": "gap", "rho": "rho"}


def _cell_text(plan: PlanGrid, value: float) -> str:
    if plan.solved_for == "items":
        return count(value)
    if plan.solved_for == "power":
        return probability(value)
    return gap(plan.noise_design, value, digits=precision([value]))


def _axis_text(plan: PlanGrid, axis: PlanAxis, cell: PlanCell) -> str:
    value: float = getattr(cell, "n_items" if axis == "items" else axis)
    return axis_text(plan, axis, value)


TILES: dict[str, Callable[[Any], Iterator[Tile]]] = {
    "Plan": _plan,
    "PlanGrid": _grid,
    "BoardPlan": _board,
    "TaskPlan": _tasks,
    "SequentialPlan": _sequential,
    "VotePlan": _votes,
    "LabelPlan": _labels,
    "SinglePlan": _single,
    "GateFeasibility": _gate,
}
TITLES: dict[str, Callable[[Any], str]] = {
    "Plan": _plan_title,
    "BoardPlan": _board_title,
    "SequentialPlan": _sequential_title,
    "PlanGrid": _grid_title,
    "LabelPlan": _labels_title,
    "SinglePlan": _single_title,
    "GateFeasibility": _gate_title,
    "VotePlan": _votes_title,
    "TaskPlan": _tasks_title,
}
