"""``plan_margin``: plan the items that show that a gap is small."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from nstar._api.plan.assumptions import CLUSTERS
from nstar._base.parameter_types import (
    ClusterCount,
    ClusterSize,
    Gap,
    Icc,
    ItemCounts,
    PlanRhos,
    Proportion,
    Range,
    StandardDeviation,
)
from nstar._base.types import LossUnit
from nstar._base.verb import exactly_one, needs, verb

if TYPE_CHECKING:
    from nstar._verbs.plan import Design, Noise, Plan
    from nstar._verbs.plan.result import PlanAxis, PlanGrid


class _MarginParameters(TypedDict, total=False):
    """Parameters that do not decide between a plan and a grid, for type checkers."""

    delta: float
    non_inferiority: bool
    baseline: float | None
    psi: float | None
    sd_diff: float | None
    score_range: tuple[float, float] | None
    icc: float | None
    cluster_size: float | None
    clusters: int | None
    loss: LossUnit
    alpha: float
    power: float


_NOISE = (
    exactly_one(
        baseline="accuracy for 0/1 scores",
        psi="share of items that exactly one model answers correctly",
        sd_diff="SD of differences between graded scores",
    ),
    needs("rho", baseline="accuracy for 0/1 scores"),
)


@overload
def plan_margin(
    design: "Design | Noise | None" = None,
    /,
    *,
    margin: float,
    items: int | None = None,
    rho: float | str | None = None,
    **parameters: Unpack[_MarginParameters],
) -> "Plan": ...


@overload
def plan_margin(
    design: "Design | Noise | None" = None,
    /,
    *,
    margin: float,
    items: Sequence[int],
    rho: PlanRhos | None = None,
    **parameters: Unpack[_MarginParameters],
) -> "PlanGrid": ...


@overload
def plan_margin(
    *,
    margin: float,
    rho: Sequence[float],
    items: int | None = None,
    **parameters: Unpack[_MarginParameters],
) -> "PlanGrid": ...


@verb(
    needs("score_range", sd_diff="SD of differences between graded scores"),
    needs("loss", "cluster_size", "clusters"),
    *CLUSTERS,
)
def plan_margin(
    design: "Design | Noise | None" = None,
    /,
    *,
    margin: Gap,
    items: ItemCounts | None = None,
    delta: Gap = 0.0,
    non_inferiority: bool = False,
    baseline: Proportion | None = None,
    rho: PlanRhos | None = None,
    psi: Proportion | None = None,
    sd_diff: StandardDeviation | None = None,
    score_range: Range | None = None,
    icc: Icc | None = None,
    cluster_size: ClusterSize | None = None,
    clusters: ClusterCount | None = None,
    loss: LossUnit = "cluster",
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
) -> "Plan | PlanGrid":
    """Find the number of items needed to show that the gap between two models is small.

    The test is for equivalence within ``margin``, or for non-inferiority of the first model. Set
    ``items`` to get the power, and the smallest margin that this number of items can show.

    Parameters
    ----------
    design : Design, PairedRho, PairedPsi, Graded, or Unpaired, optional
        Assumptions as an object, instead of the parameters from ``baseline`` to ``loss``.
    margin : float
        Largest gap that does not matter, such as 0.02 (2 pp). It is in score units.
    items : int or sequence of int, optional
        Number of items. Several values make a table.
    delta : float, default 0.0
        Assumed true gap, which is A minus B.
    non_inferiority : bool, default False
        Test only whether A is non-inferior to B at this margin.
    baseline : float, optional
        Accuracy of the second model for 0/1 scores, such as 0.7.
    rho : float, str, or sequence of float, optional
        Correlation of the models' scores over items, a benchmark name such as mmlu, or unpaired
        (default: 0.5).
        ``"unpaired"`` means that the models answer different items, and ``items`` is then the
        number per model. Several values make a table.

    Other Parameters
    ----------------
    psi : float, optional
        Share of items that exactly one model answers correctly, for 0/1 scores.
    sd_diff : float, optional
        Standard deviation of the per-item differences, for graded scores.
    score_range : tuple of float, optional
        Worst and best possible score, such as ``(0, 100)``. The default is 0 and 1. The range
        bounds the size of rare losses.
    icc : float, optional
        Intraclass correlation of the per-item differences within clusters.
    cluster_size : float, optional
        Number of items per cluster, if more clusters can be added. If cluster sizes m differ, use
        Σm²/Σm.
    clusters : int, optional
        Number of clusters, if this number is fixed.
    loss : {"cluster", "item"}, default "cluster"
        With clusters, allow for losses of entire clusters, or only of single items. It has the
        same meaning as in :func:`nstar.gate`.
    alpha : float, default 0.05
        Significance level of the tests. It applies to each one-sided test.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.

    Returns
    -------
    Plan or PlanGrid
        The number of items, or the power. The result is a :class:`nstar.PlanGrid` for several
        numbers of items, or for several correlations.

    Raises
    ------
    ParameterError
        A parameter is outside its domain. If no two models can satisfy the assumptions, the error
        is an InfeasibleError.

    References
    ----------
    Methods: Margins; Strata and clusters

    Examples
    --------
    >>> plan_margin(margin=0.05, psi=0.15).n_star
    525.0
    >>> round(plan_margin(margin=0.05, psi=0.15, items=400).power, 3)
    0.636
    """
    from nstar._api.plan.assumptions import (
        assumed_design,
        check_assumptions,
        check_gaps,
        listed,
        listed_rhos,
    )
    from nstar._api.plan.grid import axes_of, plan_grid
    from nstar._verbs import plan as verb
    from nstar._verbs.compare.sample import checked_range
    from nstar._verbs.verdict import Criteria

    noise = {"baseline": baseline, "psi": psi, "sd_diff": sd_diff}
    groups = {"icc": icc, "cluster_size": cluster_size, "clusters": clusters}
    check_assumptions(design, {**noise, "rho": rho, **groups}, _NOISE)
    check_gaps(design, {"sd_diff": sd_diff}, margin=(margin,), delta=(delta,))
    test_criteria = Criteria(alpha=alpha, power=power)
    low, high = (0.0, 1.0) if score_range is None else checked_range(score_range)

    def solve(*, items: int | None, delta: float | None, rho: float | str | None) -> "Plan":
        planned = design or assumed_design(noise, rho, groups, loss=loss, width=high - low)
        return verb.plan_margin(
            planned,
            margin=margin,
            delta=delta or 0.0,
            items=items,
            one_sided=non_inferiority,
            criteria=test_criteria,
        )

    values: dict[PlanAxis, tuple[Any, ...]] = {
        "items": listed(items),
        "delta": (delta,),
        "rho": listed_rhos(rho),
    }
    if axes_of(values):
        return plan_grid(solve, values)
    return solve(**{name: choices[0] if choices else None for name, choices in values.items()})
