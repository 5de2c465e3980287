"""Plans for several numbers of items, gaps or correlations: one plan for each combination."""

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from nstar._api.plan.items import plan_items
from nstar._api.plan.question import PlanQuestion
from nstar.errors import InfeasibleError

if TYPE_CHECKING:
    from nstar._verbs.plan import Plan
    from nstar._verbs.plan.grid_result import PlanCell, PlanGrid


def plan_grid(question: PlanQuestion) -> "PlanGrid":
    """One plan for each combination of the values.

    Raises
    ------
    InfeasibleError
        No combination is possible.
    """
    from nstar._verbs.plan.grid_result import PlanGrid

    q = question
    plans: list[Plan] = []
    cells: list[PlanCell] = []
    refused: InfeasibleError | None = None
    for items, delta, rho in product(q.sizes or (None,), q.deltas or (None,), q.rhos or (None,)):
        one = replace(q, items=items, delta=delta, rho=rho)
        try:
            plans.append(plan_items(one, alone=True))
        except InfeasibleError as error:
            refused = refused or error
            cells.append(_impossible(one))
        else:
            cells.append(_cell(plans[-1]))
    if not plans:
        raise refused or AssertionError
    first = plans[0]
    rows, *columns = q.several
    return PlanGrid(
        question=first.question,
        solved_for=first.solved_for,
        row_axis=rows,
        column_axis=columns[0] if columns else None,
        margin=first.margin,
        criteria=first.criteria,
        design=first.design,
        rows=tuple(cells),
    )


def _impossible(question: PlanQuestion) -> "PlanCell":
    from nstar._verbs.plan.grid_result import PlanCell

    gap = question.deltas[0] if question.deltas else None
    rho = question.rhos[0] if question.rhos else None
    return PlanCell(items=question.size, delta=gap, rho=rho, impossible=True)


def _cell(plan: "Plan") -> "PlanCell":
    from nstar._verbs.plan.grid_result import PlanCell

    return PlanCell(
        items=plan.items,
        delta=plan.delta,
        rho=getattr(plan.design.noise, "rho", None),
        n_star=plan.n_star,
        mde=plan.mde,
        mde_down=plan.mde_down,
        power=plan.power,
        half_width=plan.half_width,
    )
