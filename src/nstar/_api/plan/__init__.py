"""``plan``: before the evaluation is run, in the words of ``nstar plan``.

What answers is loaded when it is asked, so that a plan of items waits for neither budgets, looks
nor logs.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack, overload

from nstar._api.plan.parameters import Numbers
from nstar._api.plan.question import PlanQuestion
from nstar._api.plan.typed_parameters import (
    GapGridParams,
    ItemGridParams,
    ItemPlanParams,
    PilotPlanParams,
    RhoPlanParams,
    TaskPlanParams,
)

if TYPE_CHECKING:
    from nstar._base.types import LossUnit
    from nstar._verbs.budget import BudgetPlan
    from nstar._verbs.plan import BoardGoal, Design, Noise, Plan
    from nstar._verbs.plan.board_result import BoardPlan
    from nstar._verbs.plan.grid_result import PlanGrid

__all__ = ["PlanQuestion", "answered", "plan"]

Planned: TypeAlias = "Plan | PlanGrid | BudgetPlan | BoardPlan"


def answered(question: PlanQuestion) -> Planned:
    """The plan that is asked for."""
    if question.subject == "board":
        from nstar._api.plan.board import plan_pilot_board

        return plan_pilot_board(question)
    if question.subject == "tasks":
        from nstar._api.plan.tasks import plan_tasks

        return plan_tasks(question)
    if question.is_grid:
        from nstar._api.plan.grid import plan_grid

        return plan_grid(question)
    from nstar._api.plan.items import plan_items

    return plan_items(question)


@overload
def plan(
    design: "Design | Noise | None" = None,
    *,
    items: Sequence[int],
    **words: Unpack[ItemGridParams],
) -> "PlanGrid": ...


@overload
def plan(
    design: None = None,
    *,
    delta: Sequence[float],
    rho: Sequence[float],
    **words: Unpack[GapGridParams],
) -> "PlanGrid": ...


@overload
def plan(design: "Design | Noise | None" = None, **words: Unpack[ItemPlanParams]) -> "Plan": ...


@overload
def plan(design: None = None, **words: Unpack[RhoPlanParams]) -> "Plan": ...


@overload
def plan(design: None = None, **words: Unpack[TaskPlanParams]) -> "BudgetPlan": ...


@overload
def plan(design: None = None, **words: Unpack[PilotPlanParams]) -> "BudgetPlan | BoardPlan": ...


def plan(
    design: "Design | Noise | None" = None,
    *,
    baseline: float | None = None,
    delta: Numbers = None,
    items: int | Sequence[int] | None = None,
    rho: Numbers = None,
    psi: float | None = None,
    odds_ratio: float | None = None,
    benchmark: str | None = None,
    sd: float | None = None,
    sd_diff: float | None = None,
    unpaired: bool = False,
    icc: float | None = None,
    cluster_size: float | None = None,
    clusters: int | None = None,
    models: int | None = None,
    goal: "BoardGoal" = "all-pairs",
    every: bool = False,
    margin: float | None = None,
    non_inferiority: bool = False,
    loss: "LossUnit | None" = None,
    half_width: float | None = None,
    score_range: tuple[float, float] | None = None,
    budget: float | None = None,
    cost_run: Numbers = None,
    cost_task: float | None = None,
    tasks_available: int | None = None,
    runs: int | Sequence[int] | None = None,
    flip: float | None = None,
    sd_between: float | None = None,
    sd_within: Numbers = None,
    pilot: Any = None,
    cluster: str | None = None,
    strata: str | None = None,
    price: Any = None,
    task: str | None = None,
    metric: str | None = None,
    resample: bool = False,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
) -> Planned:
    """Plan an evaluation: give what is known, get what is missing.

    The words are the options of ``nstar plan``. Proportions are written 0.7, gaps 0.01 for one
    percentage point; with ``sd``, ``sd_diff`` or a pilot gaps are in score units.

    Parameters
    ----------
    design
        Noise, family and clusters as an object (:class:`nstar.Design`, ``PairedRho``, …), for
        grids; instead of the words from ``baseline`` to ``every``.
    delta
        Gap to detect, first minus second; of several the first is the headline.
    items
        Items both models answer (each model, if ``unpaired``). Without ``delta`` the smallest
        detectable gap is told, with it the power. Several numbers make a table. Two lists of
        ``items``, ``delta`` and ``rho`` make a grid: a plan for each combination.
    baseline, rho, benchmark, unpaired
        0/1 scores: accuracy that one starts from, and the item correlation of the models (0.5 is
        assumed), of a published benchmark, or none since each has items of its own. A list of
        rhos makes a table.
    psi, odds_ratio
        0/1 scores: share of items on which exactly one is right; items gained per item lost,
        instead of ``delta``.
    sd, sd_diff, score_range
        Graded scores: standard deviation of one model's scores (with ``rho``) or of the per-item
        difference; worst and best possible score, where not 0 and 1.
    icc, cluster_size, clusters
        Items in clusters: correlation within one of the per-item difference, items per cluster,
        number of clusters if it is fixed.
    models, goal
        Models on one board (2 if None, or as many as a pilot of a board has), and the goal:
        prove gaps of ``"all-pairs"``, of ``"adjacent"`` pairs fixed in advance, or of all models
        to a ``"control"``; or pick the ``"best"``, with an error rate of at most ``alpha``.
    every
        Power to find every one of these gaps, not a given one.
    margin, non_inferiority
        Show that the gap is smaller than the margin, or only that the first model is not worse
        by it; ``delta`` is then the true gap assumed.
    loss
        With ``margin`` and clusters: whether whole clusters outside the sample may fail
        (``"cluster"``, if None), or only single items (``"item"``), as in :func:`nstar.gate`.
    half_width
        Half-width of the interval that is wanted for the gap.
    budget, cost_run, cost_task
        Money for tasks and runs of agents, or for items that ``models`` answer once; price of a
        run (of each model if they differ) or answer, and of a task or item before any.
    tasks_available, runs
        Tasks that exist; runs per task if fixed, of each model if unequal.
    flip, sd_between, sd_within
        Spread of a task's difference: how often two runs of a task disagree, with ``baseline``
        and ``rho``; or the standard deviations over tasks and of runs.
    pilot, task, metric
        The spread from runs of one model or two, in any form that :func:`nstar.runs` takes, or a
        pair of them; task set and score that are meant. Of more than two models, or with
        ``models``, ``items``, ``cluster`` or ``strata``: what items resolve on a board of such
        models.
    cluster, strata
        Group column of such a pilot: the items to come are of other groups, or of the same ones.
    price
        Money per million tokens of the pilot: ``(3, 15)`` in and out, by model in a mapping.
    resample
        Check the power by drawing the pilot's tasks again and again.
    alpha, power, one_sided
        Level, wanted power, and whether only "the first is better" is of interest.

    Returns
    -------
    Plan | PlanGrid | BudgetPlan | BoardPlan
        A :class:`nstar.PlanGrid` for several numbers of items or for two lists, a
        :class:`nstar.BudgetPlan` if any word from ``budget`` to ``resample`` is, a
        :class:`nstar.BoardPlan` from a pilot of a board, else a :class:`nstar.Plan`.

    Raises
    ------
    QuestionError
        Words that exclude each other, a word that is missing, percent for a proportion.
    ParameterError
        Numbers outside their domain; InfeasibleError if they are impossible together.
    DataError
        A pilot that shows no spread, or does not tell what a run cost.

    References
    ----------
    Methods: Items, MDE and power; Graded scores; Strata and clusters; Repeated runs; Showing that
    a gap is small.

    Examples
    --------
    >>> plan(baseline=0.7, delta=0.01, rho=0.4).n_star
    19593.0
    >>> round(plan(baseline=0.7, items=1000, rho=0.6).mde, 3)
    0.036
    >>> plan(baseline=0.7, delta=0.02, models=10, goal="best").n_star
    3007.0
    >>> [cell.n_star for cell in plan(baseline=0.7, delta=[0.01, 0.02], rho=[0.4, 0.6]).rows]
    [19593.0, 13064.0, 4853.0, 3238.0]
    >>> plan(psi=0.15, margin=0.05).n_star
    525.0
    >>> best = plan(budget=5000, cost_task=20, baseline=0.5, flip=0.3, rho=0.6).design
    >>> best.tasks, best.runs_a
    (156, 6)
    """
    return answered(PlanQuestion(**locals()))
