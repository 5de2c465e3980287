"""``plan_single``: items to compare one model with a threshold, or to measure its accuracy."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.result import Result
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg

SingleGoal: TypeAlias = Literal["threshold", "precision"]
SingleSolvedFor: TypeAlias = Literal["items", "mde", "power", "half_width"]

_FACTORS = (0.5, 1.0, 2.0)
"""Multiples of the planned gap in the table of a plan."""
_ACCURACIES = (0.5, 0.7, 0.8, 0.9, 0.95)
"""Accuracies in the table of a plan of precision."""
_HALVINGS = 50
"""Bisection steps of a search for an accuracy, to 1e-15."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleScenario:
    """The plan for another accuracy."""

    mean: float
    """True accuracy of the model."""
    is_headline: bool = False
    """Whether the headline reports this scenario."""
    n_star: int | None = None
    """Items needed at this accuracy; None if the plan has a number of items."""
    power: float | None = None
    """Probability of showing that this accuracy is above the threshold with these items."""
    half_width: float | None = None
    """Half-width of the interval with these items at this accuracy."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SinglePlan(Result):
    """Items needed to test one model against a threshold, or to measure its accuracy."""

    question: SingleGoal
    """Test against a threshold, or width of a confidence interval."""
    solved_for: SingleSolvedFor
    """Quantity that the plan computes."""
    threshold: float | None
    """Accuracy to exceed; None for a question of precision."""
    delta: float | None
    """Planned gap: true accuracy minus the threshold."""
    baseline: float | None
    """Expected accuracy for a question of precision; None means the least favorable, 50%."""
    n_items: int | None
    """Number of items; None if the plan computes it."""
    n_star: int | None
    """Items needed. From this number on, the exact test has the target power."""
    n_star_normal: float | None = None
    """Items needed according to the normal approximation, not rounded."""
    mde: float | None = None
    """Smallest gap above the threshold that these items detect; None for another question, or if
    not even a perfect model passes."""
    power: float | None = None
    """Exact probability of showing that the model is above the threshold."""
    half_width: float | None = None
    """Half-width of the confidence interval with these items or, without items, the target."""
    min_items: int | None = None
    """Fewest items that can show an accuracy above the threshold, if all answers are correct."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    scenarios: tuple[SingleScenario, ...] = ()
    """The same plan for other accuracies."""


def plan_threshold(
    threshold: float, *, delta: float | None, items: int | None, criteria: Criteria
) -> SinglePlan:
    """Plan the exact test that an accuracy is above ``threshold``.

    Examples
    --------
    >>> rule = Criteria(alternative="greater")
    >>> plan_threshold(0.8, delta=0.03, items=None, criteria=rule).n_star
    1107
    """
    checks.fraction("threshold", threshold)
    if delta is not None:
        checks.require(delta > 0, "delta", "above 0", delta)
        if threshold + delta >= 1:
            names = f"{arg('threshold')} plus {arg('delta')}"
            msg = f"{names} must be below 1; got {threshold + delta:g}"
            raise ParameterError(msg)
    alpha, target = criteria.alpha, criteria.power
    solved_for: SingleSolvedFor = "items" if items is None else "mde" if delta is None else "power"
    smallest = None if items is None else _detectable(threshold, items, alpha, target)
    gap = smallest if delta is None else delta

    def scenario(size: float) -> SingleScenario:
        accuracy, n_star, power = threshold + size, None, None
        if items is None:
            n_star = stats.threshold_items(accuracy, p0=threshold, alpha=alpha, power=target)
        else:
            power = float(stats.threshold_power(accuracy, items, p0=threshold, alpha=alpha))
        return SingleScenario(mean=accuracy, is_headline=size == gap, n_star=n_star, power=power)

    sizes = [] if gap is None else [f * gap for f in _FACTORS if threshold + f * gap < 1]
    rows = tuple(map(scenario, sizes))
    row = next((r for r in rows if r.is_headline), None)
    n_star, n_normal = None, None
    if delta is not None:
        n_star = stats.threshold_items(threshold + delta, p0=threshold, alpha=alpha, power=target)
        n_normal = float(
            stats.one_sample_n_star(
                threshold + delta, p0=threshold, alpha=alpha, power=target, sides=1
            )
        )
    return SinglePlan(
        question="threshold",
        solved_for=solved_for,
        threshold=threshold,
        delta=delta,
        baseline=None,
        n_items=items,
        n_star=n_star,
        n_star_normal=n_normal,
        mde=smallest if delta is None else None,
        power=row.power if row is not None and solved_for == "power" else target,
        min_items=int(stats.least_items_above(threshold, alpha=alpha)),
        criteria=criteria,
        scenarios=rows,
    )


def _detectable(threshold: float, items: int, alpha: float, power: float) -> float | None:
    """Return the smallest gap above the threshold with this power; None if there is none."""
    low, high = threshold, 1.0
    if items < stats.least_items_above(threshold, alpha=alpha):
        return None
    for _ in range(_HALVINGS):
        center = (low + high) / 2
        reached = stats.threshold_power(center, items, p0=threshold, alpha=alpha)
        low, high = (low, center) if reached >= power else (center, high)
    return high - threshold


def plan_accuracy(
    half_width: float | None, *, baseline: float | None, items: int | None, criteria: Criteria
) -> SinglePlan:
    """Plan the width of Wilson's interval of one accuracy.

    Examples
    --------
    >>> plan_accuracy(0.05, baseline=None, items=None, criteria=Criteria()).n_star
    381
    """
    if half_width is not None:
        checks.within("half_width", half_width, (0, 0.5), "in (0, 0.5)", ends=(False, False))
    if baseline is not None:
        checks.fraction("baseline", baseline)
    conf, expected = 1 - criteria.alpha, 0.5 if baseline is None else baseline

    def needed(accuracy: float) -> int | None:
        if half_width is None:
            return None
        return int(np.ceil(stats.n_for_proportion(half_width, p=accuracy, conf=conf)))

    def reached(accuracy: float) -> float | None:
        if items is None:
            return None
        return float(stats.wilson_half_width(items, p=accuracy, conf=conf))

    accuracies = sorted({*_ACCURACIES, expected})
    return SinglePlan(
        question="precision",
        solved_for="items" if items is None else "half_width",
        threshold=None,
        delta=None,
        baseline=baseline,
        n_items=items,
        n_star=needed(expected),
        half_width=half_width if items is None else reached(expected),
        criteria=criteria,
        scenarios=tuple(
            SingleScenario(
                mean=p,
                is_headline=p == expected,
                n_star=needed(p) if items is None else None,
                half_width=reached(p),
            )
            for p in accuracies
        ),
    )
