"""Plans for several numbers of items, gaps, or correlations, one for each combination."""

import math
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

from nstar.errors import InfeasibleError, QuestionError, arg

if TYPE_CHECKING:
    from nstar._verbs.plan import Plan
    from nstar._verbs.plan.result import PlanAxis, PlanCell, PlanGrid

_MAX_CELLS = 400
"""Largest number of cells of a grid."""


class Solver(Protocol):
    """A plan for one combination of values."""

    def __call__(
        self, *, items: int | None, delta: float | None, rho: float | str | None
    ) -> "Plan":
        """Return the plan. Raise InfeasibleError if no two models have these values."""


def axes_of(values: "Mapping[PlanAxis, tuple[Any, ...]]") -> "list[PlanAxis]":
    """Return the parameters that have several values."""
    return [name for name, choices in values.items() if len(choices) > 1]


def plan_grid(solve: Solver, values: "Mapping[PlanAxis, tuple[Any, ...]]") -> "PlanGrid":
    """Return one plan for each combination of the values of items, delta, and rho.

    Raises
    ------
    QuestionError
        There are three axes, or too many cells.
    InfeasibleError
        No combination is possible.
    """
    from nstar._verbs.plan.result import PlanCell, PlanGrid

    rows, *columns = axes_of(values)
    if len(columns) > 1:
        lists = ", ".join(map(arg, (rows, *columns)))
        msg = f"A grid has only rows and columns. Set one of {lists} to a single value."
        raise QuestionError(msg)
    n_cells = math.prod(len(choices) or 1 for choices in values.values())
    if n_cells > _MAX_CELLS:
        msg = (
            f"A grid has at most {_MAX_CELLS} cells; these lists make {n_cells:,}. Shorten one of "
            "them."
        )
        raise QuestionError(msg)
    plans: list[Plan] = []
    cells: list[PlanCell] = []
    refused: InfeasibleError | None = None
    for combination in product(*(choices or (None,) for choices in values.values())):
        one: dict[Any, Any] = dict(zip(values, combination, strict=True))
        try:
            plans.append(solve(**one))
        except InfeasibleError as error:
            refused = refused or error
            cells.append(
                PlanCell(
                    n_items=one["items"], delta=one["delta"], rho=one["rho"], is_infeasible=True
                )
            )
        else:
            cells.append(_cell(plans[-1]))
    if not plans:
        raise refused or AssertionError
    first = plans[0]
    return PlanGrid(
        question=first.question,
        solved_for=first.solved_for,
        row_axis=rows,
        column_axis=columns[0] if columns else None,
        margin=first.margin,
        criteria=first.criteria,
        noise_design=first.noise_design,
        scenarios=tuple(cells),
    )


def _cell(plan: "Plan") -> "PlanCell":
    from nstar._verbs.plan.result import PlanCell

    return PlanCell(
        n_items=plan.n_items,
        delta=plan.delta,
        rho=getattr(plan.noise_design.noise, "rho", None),
        n_star=plan.n_star,
        mde=plan.mde,
        mde_loss=plan.mde_loss,
        power=plan.power,
        half_width=plan.half_width,
    )
