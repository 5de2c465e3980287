"""Resolution of a benchmark: MDE, q, and N* of the test in use."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nstar import stats
from nstar._base.types import Interval
from nstar._verbs.compare.task_comparison import GapEstimate, PairedCounts
from nstar._verbs.verdict import ABSURD, Criteria


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """q = n / n_star at a gap, with intervals that follow from that of the gap."""

    q: float | None
    q_ci: Interval | None
    n_star: float
    n_star_ci: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Gap that the test detects on n items, and items that a gap needs."""

    n: int
    """Number of items."""
    mde: float
    """Smallest gap detected with the target power; infinite if there is none."""
    mde_least: float
    """Smallest gap detected if every disagreement favored one model; infinite if there is none."""
    significant_gap: float
    """Smallest observed gap that the test rejects at the noise of this sample; infinite if there
    is none."""
    needed: Callable[[float], float]
    """Items needed to detect a gap of this size, infinite at 0."""

    def at(self, delta: float) -> tuple[float, float]:
        """Return q and N* at a gap declared in advance, which use only the observed noise."""
        need = self.needed(abs(delta))
        return self.n / need, need

    def observed(self, reading: GapEstimate, delta: float, criteria: Criteria) -> Resolution:
        """Return q and N* at the observed gap, which restate its p-value.

        The limits of N* are the items that the limits of the gap need, infinite if 0 lies between
        them. For a one-sided test, a gap in the other direction counts as 0.
        """
        none = Interval(math.inf, math.inf)
        if reading.se == 0:
            return Resolution(q=None, q_ci=None, n_star=math.inf, n_star_ci=none)
        low, high = (float(v) for v in reading.ci)
        if criteria.alternative == "less" or (criteria.sides == 2 and delta < 0):
            delta, low, high = -delta, -high, -low
        need, max_need, min_need = (self.needed(max(gap, 0.0)) for gap in (delta, low, high))
        return Resolution(
            q=self.n / need,
            q_ci=Interval(self.n / max_need, self.n / min_need),
            n_star=need,
            n_star_ci=Interval(min_need, max_need),
        )


def _counted(counts: PairedCounts, rule: dict[str, Any]) -> Detection:
    test, n, psi = stats.McNemarTest(**rule), counts.n, counts.psi

    def needed(gap: float) -> float:
        return float(test.n_star(gap, psi=max(psi, gap))) if gap > 0 else math.inf

    return Detection(
        n=n,
        mde=float(test.mde(n, psi=psi)) if psi > 0 else math.inf,
        mde_least=float(test.mde_unopposed(n)),
        significant_gap=float(test.significant_gap(counts.n10 + counts.n01, n)),
        needed=needed,
    )


def _measured(reading: GapEstimate, n: int, rule: dict[str, Any]) -> Detection:
    graded = reading.kind == "independent" and reading.rests_on is None
    test = (stats.GradedTest if graded else stats.StudentTest)(**rule)
    min_items = test.least if isinstance(test, stats.GradedTest) else 0
    se, df = reading.se, reading.df

    def needed(gap: float) -> float:
        return max(n * float(test.growth(gap / se, df, lost=reading.df_lost)), min_items)

    measured = se > 0 and n >= min_items
    return Detection(
        n=n,
        mde=float(test.reach(df)) * se if measured else math.inf,
        mde_least=math.inf,
        significant_gap=float(test.significant_gap(se, df)) if se > 0 else math.inf,
        needed=needed if se > 0 else lambda _: math.inf,
    )


def detection(
    reading: GapEstimate, counts: PairedCounts | None, n: int, criteria: Criteria
) -> Detection:
    """Return the detection of the test in use: McNemar's, Student's, or sign flips."""
    rule: dict[str, Any] = {
        "alpha": criteria.alpha,
        "power": criteria.power,
        "sides": criteria.sides,
    }
    if counts is not None and reading.kind == "independent":
        return _counted(counts, rule)
    return _measured(reading, n, rule)


def possible_gap(gap: float, largest: float) -> float | None:
    """Return the gap, or None if no scores can have it."""
    return gap if math.isfinite(gap) and gap <= largest else None


def items_missing(n_star: float, n: int) -> int | None:
    """Return the items still missing to ``n_star``; None if the number is not useful."""
    return None if n_star > ABSURD else max(math.ceil(n_star - 1e-9) - n, 0)
