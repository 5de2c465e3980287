"""``plan``: before the evaluation is run, in the words of ``nstar plan``.

What answers is loaded when it is asked, so that a plan of items does not wait for grids.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, Unpack, overload

from nstar._api.plan.parameters import Numbers
from nstar._api.plan.question import PlanQuestion
from nstar._api.plan.typed_parameters import (
    GapGridParams,
    ItemGridParams,
    ItemPlanParams,
    RhoPlanParams,
)
from nstar._base.parameter_types import PlanAlternative

if TYPE_CHECKING:
    from nstar._base.types import LossUnit
    from nstar._verbs.plan import Design, Noise, Plan
    from nstar._verbs.plan.grid_result import PlanGrid

__all__ = ["PlanQuestion", "answered", "plan"]

Planned: TypeAlias = "Plan | PlanGrid"


def answered(question: PlanQuestion) -> Planned:
    """The plan that is asked for."""
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
    margin: float | None = None,
    non_inferiority: bool = False,
    loss: "LossUnit | None" = None,
    half_width: float | None = None,
    score_range: tuple[float, float] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: PlanAlternative = "two-sided",
) -> Planned:
    """Plan an evaluation: give what is known, get what is missing.

    The words are the options of ``nstar plan``. Proportions are written 0.7, gaps 0.01 for one
    percentage point; with ``sd`` or ``sd_diff``, gaps are in score units.

    Parameters
    ----------
    design
        Noise, family and clusters as an object (:class:`nstar.Design`, ``PairedRho``, …), for
        grids; instead of the words from ``baseline`` to ``loss``.
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
    margin, non_inferiority
        Show that the gap is smaller than the margin, or only that the first model is not worse
        by it; ``delta`` is then the true gap assumed.
    loss
        With ``margin`` and clusters: whether whole clusters outside the sample may fail
        (``"cluster"``, if None), or only single items (``"item"``), as in :func:`nstar.gate`.
    half_width
        Half-width of the interval that is wanted for the gap.
    alpha, power, alternative
        Level, power to aim for, and alternative hypothesis: "greater" for a gain only.

    Returns
    -------
    Plan | PlanGrid
        A :class:`nstar.PlanGrid` for several numbers of items or for two lists, else a
        :class:`nstar.Plan`.

    Raises
    ------
    QuestionError
        Words that exclude each other, a word that is missing, percent for a proportion.
    ParameterError
        Numbers outside their domain; InfeasibleError if they are impossible together.

    References
    ----------
    Methods: Items, MDE and power; Graded scores; Strata and clusters; Showing that
    a gap is small.

    Examples
    --------
    >>> plan(baseline=0.7, delta=0.01, rho=0.4).n_star
    19593.0
    >>> round(plan(baseline=0.7, items=1000, rho=0.6).mde, 3)
    0.036
    >>> [cell.n_star for cell in plan(baseline=0.7, delta=[0.01, 0.02], rho=[0.4, 0.6]).rows]
    [19593.0, 13064.0, 4853.0, 3238.0]
    >>> plan(psi=0.15, margin=0.05).n_star
    525.0
    """
    return answered(PlanQuestion(**locals()))
