"""Evaluate two reported accuracies on different items."""

from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.result import Result
from nstar._base.types import CountOrInf, FloatOrInf, Interval
from nstar._verbs.claim.printed import PrintedFigures
from nstar._verbs.claim.result import CountRange
from nstar._verbs.verdict import ClaimVerdict, Criteria, GapSize, judge_against_mde, judge_bounds
from nstar.stats._two_proportions import mde_apart, newcombe_apart, score_pvalue, score_z
from nstar.stats.printed import Grim


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class UnpairedClaim(Result):
    """Check of a gap between two reported accuracies on different items."""

    mean_a: float
    """Reported accuracy of the first model."""
    mean_b: float
    """Reported accuracy of the second model."""
    n_items_a: int
    """Number of items that the first model answered."""
    n_items_b: int
    """Number of items that the second model answered."""
    gap: float
    """Gap, first minus second."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    n_correct: tuple[CountRange, CountRange]
    """Range of correct answers of each model that round to its accuracy."""
    t: FloatOrInf
    """Absolute gap divided by the standard error of the score test (one accuracy for both)."""
    pvalue: float
    """p-value of the score test at the reported accuracies."""
    pvalue_bounds: Interval
    """Smallest and largest p-value over all counts that round to the reported accuracies."""
    se: float
    """Standard error of the gap, with a separate variance for each accuracy."""
    ci: Interval
    """Newcombe's interval of the gap, with coverage 1 - alpha."""
    verdict: ClaimVerdict
    """Whether the gap is significant for all, some, or no such counts."""
    mde: FloatOrInf
    """Detectable gap from the second accuracy, in the direction of the claim."""
    n_star: CountOrInf
    """Number of items per model that would detect the claimed gap."""
    gap_vs_mde: GapSize
    """Size of the gap compared with the MDE: below, borderline (within 50%), or above."""
    grim: tuple[Grim, Grim] | None
    """Whether each accuracy can be an integer number of correct answers."""
    printed: PrintedFigures
    """Reported figures."""


def _right(p: float, n: int, check: Grim | None) -> tuple[float, float]:
    """Return the range of correct answers, or the share itself if no integer rounds to it."""
    if check is None or not check.possible:
        return p * n, p * n
    return float(check.low), float(check.high)


def judged_apart(
    p_a: float,
    p_b: float,
    items: int,
    items_b: int | None = None,
    *,
    printed: PrintedFigures | None = None,
    criteria: Criteria | None = None,
) -> UnpairedClaim:
    """Return test, interval, and detectable gap of two accuracies on different items.

    ``p_a`` and ``p_b`` are the reported accuracies as proportions. The claim is about p_a - p_b.
    ``items`` and ``items_b`` are the numbers of items of the two models; by default the same.

    >>> c = judged_apart(0.714, 0.706, 1000, 500)
    >>> round(c.t, 2), round(c.pvalue, 2), c.verdict, c.gap_vs_mde
    (0.32, 0.75, 'not_supported', 'below')
    """
    rule, extra = criteria or Criteria(), printed or PrintedFigures()
    other = items if items_b is None else items_b
    for name, p, n in (("p_a", p_a, items), ("p_b", p_b, other)):
        checks.probability(name, p)
        checks.counts(**{"items" if name == "p_a" else "items_b": n})
        checks.require(n >= 2, "items" if name == "p_a" else "items_b", "at least 2", n)
    checks.feasible(p_a != p_b, f"Both accuracies are {p_a:g}, so there is no gap.")
    grims = None
    if extra.decimals is not None:
        first, second = extra.decimals
        grims = stats.grim(p_a, items, decimals=first), stats.grim(p_b, other, decimals=second)
    (a_low, a_high), (b_low, b_high) = (
        _right(p, n, None if grims is None else grims[i])
        for i, (p, n) in enumerate(((p_a, items), (p_b, other)))
    )
    sizes = np.asarray(float(items)), np.asarray(float(other))

    def p_of(x: float, y: float) -> float:
        counts = ((np.asarray(x), sizes[0]), (np.asarray(y), sizes[1]))[:: rule.sign]
        return float(score_pvalue(*counts[0], *counts[1], sides=rule.sides))

    ends = [p_of(a_low, b_high), p_of(a_high, b_low)]
    crossing = a_low / items <= b_high / other and b_low / other <= a_high / items
    bounds = Interval(min(ends), 1.0 if crossing and rule.sides == 2 else max(ends))
    at = np.asarray(p_a * items), sizes[0], np.asarray(p_b * other), sizes[1]
    mde = np.inf
    if 0 < p_b < 1:
        mde = mde_apart(
            p_b, items, other, up=p_a > p_b, alpha=rule.alpha, power=rule.power, sides=rule.sides
        )
    need = stats.unpaired_n_star(p_a, p_b, alpha=rule.alpha, power=rule.power, sides=rule.sides)
    limits = newcombe_apart(*at, conf=1 - rule.alpha)
    return UnpairedClaim(
        mean_a=p_a,
        mean_b=p_b,
        n_items_a=items,
        n_items_b=other,
        gap=p_a - p_b,
        criteria=rule,
        n_correct=(
            CountRange(*map(round, (a_low, a_high))),
            CountRange(*map(round, (b_low, b_high))),
        ),
        t=abs(float(score_z(*at))),
        pvalue=p_of(p_a * items, p_b * other),
        pvalue_bounds=bounds,
        se=float(np.sqrt(p_a * (1 - p_a) / items + p_b * (1 - p_b) / other)),
        ci=Interval(float(limits.low), float(limits.high)),
        verdict=judge_bounds(float(bounds.low), float(bounds.high), rule.alpha),
        mde=mde,
        n_star=float(np.ceil(need)),
        gap_vs_mde=judge_against_mde(p_a - p_b, mde, mde),
        grim=grims,
        printed=extra,
    )
