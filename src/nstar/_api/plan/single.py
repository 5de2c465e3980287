"""``plan_single``: plan the items that one model needs."""

from typing import TYPE_CHECKING

from nstar._base.parameter_types import Gap, ItemCount, Proportion
from nstar._base.verb import at_least_one, at_most_one, needs, verb

if TYPE_CHECKING:
    from nstar._verbs.plan.single import SinglePlan


@verb(
    at_least_one("half_width", "items", threshold="accuracy to exceed"),
    at_most_one("half_width", threshold="accuracy to exceed"),
    needs("threshold", delta="gap above the threshold", items="number of items"),
)
def plan_single(
    *,
    threshold: Proportion | None = None,
    delta: Gap | None = None,
    items: ItemCount | None = None,
    half_width: Gap | None = None,
    baseline: Proportion | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
) -> "SinglePlan":
    """Plan the items needed to test one model against a threshold, or to measure its accuracy.

    Set ``threshold`` and ``delta`` to get the number of items, ``threshold`` and ``items`` to get
    the smallest detectable gap, or all three to get the power. Without a threshold, set
    ``half_width`` to get the number of items, or ``items`` to get the half-width.

    Parameters
    ----------
    threshold : float, optional
        Accuracy that the model must exceed, such as 0.7. The test is one-sided and exact.
    delta : float, optional
        True accuracy minus the threshold, such as 0.03 (3 pp).
    items : int, optional
        Number of items.
    half_width : float, optional
        Target half-width of the confidence interval, such as 0.01 (1 pp).
    baseline : float, optional
        Expected accuracy, such as 0.7 (default: 0.5). It determines the width of the interval.
        An accuracy of 0.5 needs the most items. It is not used with ``threshold``.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.

    Returns
    -------
    SinglePlan
        The number of items, the detectable gap, the power, or the half-width of the interval.

    Raises
    ------
    ParameterError
        A parameter is outside its domain.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> plan_single(threshold=0.8, delta=0.03).n_star
    1107
    >>> plan_single(half_width=0.05).n_star
    381
    """
    from nstar._verbs.plan.single import plan_accuracy, plan_threshold
    from nstar._verbs.verdict import Criteria
    from nstar.errors import QuestionError, arg

    if threshold is not None:
        if baseline is not None:
            msg = f"{arg('baseline')} is the expected accuracy without {arg('threshold')}. "
            msg += f"With a threshold, set {arg('delta')}."
            raise QuestionError(msg)
        return plan_threshold(
            threshold,
            delta=delta,
            items=items,
            criteria=Criteria(alpha=alpha, power=power, alternative="greater"),
        )
    if delta is not None:
        msg = f"{arg('delta')} also needs {arg('threshold')} (accuracy to exceed)."
        raise QuestionError(msg)
    return plan_accuracy(
        half_width, baseline=baseline, items=items, criteria=Criteria(alpha=alpha, power=power)
    )
