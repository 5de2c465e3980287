"""``plan``: plan the items of a comparison of two models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from nstar._api.plan.assumptions import CLUSTERS, NOISE_OR_AUROC, POSITIVES, RHO_OR_AUROC
from nstar._base.parameter_types import (
    ClusterCount,
    ClusterSize,
    Gap,
    Gaps,
    Icc,
    ItemCount,
    ItemCounts,
    PlanAlternative,
    PlanRhos,
    Proportion,
    StandardDeviation,
)
from nstar._base.verb import at_least_one, at_most_one, needs, verb
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._verbs.plan import Design, Noise, Plan
    from nstar._verbs.plan.result import PlanAxis, PlanGrid

_GOAL = at_least_one(
    delta="to get the number of items",
    items="to get the detectable gap",
    half_width="to get the number of items for a confidence interval",
)


class _PlanParameters(TypedDict, total=False):
    """Parameters that do not decide between a plan and a grid, for type checkers."""

    half_width: float | None
    baseline: float | None
    psi: float | None
    sd: float | None
    sd_diff: float | None
    auroc: float | None
    positives: float | None
    icc: float | None
    cluster_size: float | None
    clusters: int | None
    pooled: bool
    rho_items: int | None
    alpha: float
    power: float
    alternative: PlanAlternative


@overload
def plan(
    design: "Design | Noise | None" = None,
    /,
    *,
    items: Sequence[int],
    delta: Gaps | None = None,
    rho: PlanRhos | None = None,
    **parameters: Unpack[_PlanParameters],
) -> "PlanGrid": ...


@overload
def plan(
    *,
    delta: Sequence[float],
    rho: Sequence[float],
    items: int | None = None,
    **parameters: Unpack[_PlanParameters],
) -> "PlanGrid": ...


@overload
def plan(
    design: "Design | Noise | None" = None,
    /,
    *,
    delta: Gaps | None = None,
    items: int | None = None,
    rho: float | str | None = None,
    **parameters: Unpack[_PlanParameters],
) -> "Plan": ...


@overload
def plan(
    *,
    rho: Sequence[float],
    delta: float | None = None,
    items: int | None = None,
    **parameters: Unpack[_PlanParameters],
) -> "Plan": ...


@verb(
    at_most_one(delta="gap to detect", half_width="half-width of a confidence interval"),
    needs("rho_items", "rho"),
    *CLUSTERS,
)
def plan(
    design: "Design | Noise | None" = None,
    /,
    *,
    delta: Gaps | None = None,
    items: ItemCounts | None = None,
    half_width: Gap | None = None,
    baseline: Proportion | None = None,
    rho: PlanRhos | None = None,
    psi: Proportion | None = None,
    sd: StandardDeviation | None = None,
    sd_diff: StandardDeviation | None = None,
    auroc: Proportion | None = None,
    positives: Proportion | None = None,
    icc: Icc | None = None,
    cluster_size: ClusterSize | None = None,
    clusters: ClusterCount | None = None,
    pooled: bool = False,
    rho_items: ItemCount | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: PlanAlternative = "two-sided",
) -> "Plan | PlanGrid":
    """Find the number of items that a comparison needs, or the gap that it can detect.

    Set ``delta`` to get the number of items, ``items`` to get the smallest detectable gap, or both
    to get the power. Both models answer the same items, unless ``rho`` is ``"unpaired"``.

    Parameters
    ----------
    design : Design, PairedRho, PairedPsi, Graded, or Unpaired, optional
        Assumptions as an object, instead of the parameters from ``baseline`` to ``clusters``.
    delta : float or sequence of float, optional
        Gap to detect, such as 0.02 (2 pp).
        The gap is A minus B, in score units. Several values make a table.
    items : int or sequence of int, optional
        Number of items.
        Several values make a table. Several values of two of ``items``, ``delta``, and ``rho``
        make a grid.
    half_width : float, optional
        Target half-width of the confidence interval, such as 0.01 (1 pp).
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
    sd : float, optional
        Standard deviation of the scores of one model, for graded scores.
    sd_diff : float, optional
        Standard deviation of the per-item differences, for graded scores.
    auroc : float, optional
        Area under the ROC curve (AUROC) of both models, such as 0.8. The gap is then a gap in
        AUROC, and ``rho`` is the correlation of the pseudo-values of the two models.
    positives : float, optional
        Share of positive items, such as 0.2 (default: 0.5), with ``auroc``.
    icc : float, optional
        Intraclass correlation of the per-item differences within clusters.
    cluster_size : float, optional
        Number of items per cluster, if more clusters can be added.
        If cluster sizes m differ, use Σm²/Σm.
    clusters : int, optional
        Number of clusters, if this number is fixed.
    pooled : bool, default False
        Use the pooled variance in the z test of unpaired models.
    rho_items : int, optional
        Number of items on which rho was measured, to include its 95% interval.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, or is above zero.

    Returns
    -------
    Plan or PlanGrid
        The number of items, the smallest detectable gap, or the power. The result is a
        :class:`nstar.PlanGrid` for several numbers of items, or for two lists.

    Raises
    ------
    ParameterError
        A parameter is outside its domain. If no two models can satisfy the assumptions, the error
        is an InfeasibleError.

    References
    ----------
    Methods: Items, MDE and power; Graded scores; Strata and clusters

    Examples
    --------
    >>> plan(baseline=0.7, delta=0.01, rho=0.4).n_star
    19593.0
    >>> round(plan(baseline=0.7, items=1000, rho=0.6).mde, 3)
    0.036
    >>> [cell.n_star for cell in plan(baseline=0.7, delta=[0.01, 0.02], rho=[0.4, 0.6]).scenarios]
    [19593.0, 13064.0, 4853.0, 3238.0]
    >>> plan(auroc=0.8, positives=0.2, delta=0.05).n_star
    1223.0
    """
    from nstar._api.plan.assumptions import (
        assumed_design,
        check_assumptions,
        check_gaps,
        check_measured,
        listed,
        listed_rhos,
    )
    from nstar._api.plan.grid import axes_of, plan_grid
    from nstar._verbs import plan as verb
    from nstar._verbs.verdict import Criteria

    noise = {"baseline": baseline, "psi": psi, "sd": sd, "sd_diff": sd_diff}
    noise |= {"auroc": auroc, "positives": positives}
    groups = {"icc": icc, "cluster_size": cluster_size, "clusters": clusters}
    assumed = {**noise, "rho": rho, **groups, "pooled": pooled}
    check_assumptions(design, assumed, (NOISE_OR_AUROC, RHO_OR_AUROC, POSITIVES))
    if design is None and not (clusters and cluster_size):  # which say how many items there are
        _GOAL.check({"delta": delta, "items": items, "half_width": half_width})
    if half_width is not None and alternative != "two-sided":
        msg = f"{arg('half_width')} applies to a two-sided interval. Remove {arg('alternative')}."
        raise QuestionError(msg)
    test_criteria = Criteria(alpha=alpha, power=power, alternative=alternative)
    deltas, rhos = listed(delta), listed_rhos(rho)
    check_gaps(design, {"sd": sd, "sd_diff": sd_diff}, delta=deltas, half_width=listed(half_width))

    def solve(
        *, items: int | None, delta: float | None, rho: float | str | None, is_cell: bool = True
    ) -> "Plan":
        planned = design or assumed_design(noise, rho, groups, pooled=pooled, rho_items=rho_items)
        if half_width is not None:
            return verb.plan_precision(
                planned, half_width=half_width, items=items, criteria=test_criteria
            )
        return verb.plan(
            planned,
            delta=delta,
            items=items,
            criteria=test_criteria,
            rhos=_rhos_of_table(rhos, planned, rho_items),
            deltas=deltas if len(deltas) > 1 else (),
            headline_only=is_cell,
        )

    values: dict[PlanAxis, tuple[Any, ...]] = {
        "items": listed(items),
        "delta": deltas,
        "rho": rhos,
    }
    axes = axes_of(values)
    check_measured(rho_items, rho, is_single=not axes and half_width is None)
    if "items" in axes or len(axes) > 1:
        return plan_grid(solve, values)
    if half_width is not None and axes:
        msg = f"With {arg('half_width')}, {arg('rho')} must be a single value."
        raise QuestionError(msg)
    first = {name: choices[0] if choices else None for name, choices in values.items()}
    return solve(**first, is_cell=False)


def _rhos_of_table(rhos: tuple[Any, ...], design: Any, rho_items: int | None) -> Sequence[float]:
    """Return the correlations of the table.

    They are several, the interval of a measured one, quartiles of a benchmark, or the defaults.
    """
    from nstar._verbs.benchmarks import BENCHMARKS
    from nstar._verbs.plan.solve import RHO_GRID

    if rho_items is not None:
        return tuple(design.noise.rho_interval(rho_items))
    if len(rhos) > 1:
        return rhos
    typical = BENCHMARKS.get(rhos[0]) if rhos else None
    return RHO_GRID if typical is None else (typical.low, typical.mean, typical.high)
