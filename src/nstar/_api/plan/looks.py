"""``plan_looks``: plan a comparison that is tested while it runs."""

from typing import TYPE_CHECKING, Literal, TypeAlias

from nstar._api.plan.assumptions import NOISE, RHO
from nstar._base.parameter_types import (
    Gap,
    ItemCount,
    LookCount,
    PlanAlternative,
    PlanRho,
    Proportion,
    StandardDeviation,
)
from nstar._base.verb import at_least_one, verb
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._verbs.plan.sequential_result import SequentialPlan

LookMethod: TypeAlias = Literal[
    "obrien-fleming",
    "pocock",
    "lan-demets-of",
    "lan-demets-pocock",
    "e-process",
    "bets",
    "asymptotic",
]
"""Schedule of tests: at planned looks, or after every item."""

_MAX_SD = {"sd": 0.5, "sd_diff": 1.0}
"""Largest standard deviations of scores from 0 to 1."""


@verb(
    NOISE, RHO, at_least_one(delta="to get the number of items", items="to get the detectable gap")
)
def plan_looks(
    *,
    method: LookMethod = "obrien-fleming",
    looks: LookCount | None = None,
    delta: Gap | None = None,
    items: ItemCount | None = None,
    baseline: Proportion | None = None,
    rho: PlanRho | None = None,
    psi: Proportion | None = None,
    sd: StandardDeviation | None = None,
    sd_diff: StandardDeviation | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: PlanAlternative = "two-sided",
) -> "SequentialPlan":
    """Find the number of items that a comparison needs if results are tested as they arrive.

    The significance level holds over all looks together. Set ``delta`` to get the maximum and the
    expected number of items, ``items`` to get the smallest detectable gap, or both to get the
    power.

    Parameters
    ----------
    method : str, default "obrien-fleming"
        Sequential method, which must be chosen before the first item is scored.
        These methods test at planned looks: ``"obrien-fleming"``, ``"pocock"``,
        ``"lan-demets-of"``, and ``"lan-demets-pocock"``. These methods test after every item:
        ``"e-process"`` for 0/1 scores, ``"bets"`` for scores from 0 to 1, and ``"asymptotic"`` for
        graded scores.
    looks : int, optional
        Number of planned interim looks (default: 5).
    delta : float, optional
        Gap to detect, such as 0.02 (2 pp).
        The gap is A minus B, in score units.
    items : int, optional
        Maximum number of items.
    baseline : float, optional
        Accuracy of the second model for 0/1 scores, such as 0.7.
    rho : float or str, optional
        Correlation of the models' scores over items, or a benchmark name such as mmlu (default:
        0.5).

    Other Parameters
    ----------------
    psi : float, optional
        Share of items that exactly one model answers correctly, for 0/1 scores.
    sd : float, optional
        Standard deviation of the scores of one model, for scores from 0 to 1.
    sd_diff : float, optional
        Standard deviation of the per-item differences, for scores from 0 to 1.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, or is above zero.

    Returns
    -------
    SequentialPlan
        The maximum and the expected number of items, compared with other methods and with a fixed
        sample size.

    Raises
    ------
    ParameterError
        A parameter is outside its domain. If no number of items is enough, the error is an
        InfeasibleError.

    References
    ----------
    Methods: Interim looks

    Examples
    --------
    >>> plan = plan_looks(psi=0.2, delta=0.05, method="e-process")
    >>> plan.n_items_max, round(plan.n_items_mean), plan.n_star
    (1018, 627, 626)
    """
    from nstar._api.inputs.gap_units import check_planned_gaps
    from nstar._api.plan.assumptions import two_models
    from nstar._verbs.plan import Design
    from nstar._verbs.plan.interim_looks import PLANNED_LOOKS
    from nstar._verbs.plan.sequential import plan_sequential
    from nstar._verbs.verdict import Criteria

    if looks is not None and method not in PLANNED_LOOKS:
        msg = (
            f"{method} looks after every item. Remove {arg('looks')}, or choose another "
            f"{arg('method')}."
        )
        raise QuestionError(msg)
    for name, value in (("sd", sd), ("sd_diff", sd_diff)):
        if value is not None and value > _MAX_SD[name]:
            msg = (
                f"{arg(name, f'{value:g}')} is above {_MAX_SD[name]:g}: looks need scores from 0 "
                "to 1. Divide the scores and the gap by their range."
            )
            raise QuestionError(msg)
    check_planned_gaps({"delta": delta}, {"sd": sd, "sd_diff": sd_diff})
    assumptions = {"baseline": baseline, "psi": psi, "sd": sd, "sd_diff": sd_diff}
    noise, source = two_models(assumptions, rho)
    return plan_sequential(
        Design(noise=noise, source=source),
        method,
        delta=delta,
        items=items,
        looks=5 if looks is None else looks,
        criteria=Criteria(alpha=alpha, power=power, alternative=alternative),
    )
