"""Test of the gap of one pair against a margin, for compare, gate, and their plans."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from nstar import stats
from nstar._base.types import Interval, Sides
from nstar._verbs.compare.task_comparison import Equivalence, GapEstimate, PairedCounts
from nstar._verbs.verdict import ABSURD, Criteria
from nstar.errors import ParameterError
from nstar.stats._roots import first_whole
from nstar.stats.margin import margin_least_items

_MIN_DF = 1.0
"""Smallest degrees of freedom."""


class PlannedMargin(NamedTuple):
    """Assumptions of a plan: true gap, sides of the margin, and noise if not as observed."""

    delta: float = 0.0
    sides: Sides = 2
    sigma: float | None = None


def exposed(reading: GapEstimate, items: int) -> float:
    """Return the units on which a rare loss could have been observed: items or clusters.

    If only single items may be lost, items in clusters are divided by the design effect. If all
    clusters show the same gap, the design effect is unknown, and clusters are counted.
    """
    if reading.whole_clusters is not None:
        return reading.whole_clusters
    if reading.kind == "cluster" and reading.se == 0:
        return float(reading.n_groups or items)
    n_observed = reading.rests_on  # a judge may not see the loss, nor items that weigh little
    return (items if n_observed is None else n_observed) / max(reading.design_effect or 1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTest:
    """Tango's test for counts; otherwise t, which allows for losses too rare to be observed."""

    delta: float
    """Observed gap, first minus second."""
    width: float
    """Best minus worst score."""
    reading: GapEstimate
    """Error and degrees of freedom under the declared design."""
    items: int
    """Number of shared items."""
    counts: PairedCounts | None
    """Counts of 0/1 scores."""

    @property
    def counted(self) -> PairedCounts | None:
        """Return the counts if the test uses them: 0/1 scores of independent items."""
        return self.counts if self.reading.kind == "independent" else None

    @property
    def exposed(self) -> float:
        """Return the units on which a rare loss could have been observed."""
        return exposed(self.reading, self.items)

    @property
    def whole_clusters(self) -> bool:
        """Return whether whole clusters may fail, so that clusters are the units."""
        return self.reading.whole_clusters is not None

    def turned(self) -> "MarginTest":
        """Return the test of second minus first."""
        c = self.counts
        back = None if c is None else replace(c, n10=c.n01, n01=c.n10)
        return replace(self, delta=-self.delta, counts=back)

    def pvalue(self, margin: float, sides: Sides) -> float:
        """Return the p-value of a loss, or with two sides of a gap, of at least the margin."""
        c = self.counted
        if c is not None:
            test = stats.noninferiority_pvalue if sides == 1 else stats.equivalence_pvalue
            return float(test(c.n10, c.n01, c.n, margin=margin))
        d = self.reading
        return float(
            stats.margin_pvalue(
                self.delta,
                d.se,
                self.exposed,
                df=d.df,
                width=self.width,
                margin=margin,
                sides=sides,
                clusters=self.whole_clusters,
            )
        )

    def interval(self, conf: float) -> Interval:
        """Return both one-sided bounds at (1 - conf) / 2."""
        c = self.counted
        if c is not None:
            low, high = stats.paired_interval(c.n10, c.n01, c.n, conf=conf)
        else:
            d = self.reading
            low, high = stats.margin_interval(
                self.delta,
                d.se,
                self.exposed,
                df=d.df,
                width=self.width,
                conf=conf,
                clusters=self.whole_clusters,
            )
        return Interval(float(low), float(high))

    def power(self, margin: float, items: float, rule: Criteria, plan: PlannedMargin) -> float:
        """Return the probability of showing the margin on this number of similar items."""
        c = self.counted
        if c is not None:
            return stats.equivalence_exact_power(
                margin,
                psi=max(c.psi, abs(plan.delta)),
                n=int(items),
                delta=plan.delta,
                alpha=rule.alpha,
                sides=plan.sides,
            )
        share = items / self.items
        return float(
            stats.margin_power(
                margin,
                sigma=plan.sigma or self.sigma,
                n=share * self.exposed,
                width=self.width,
                delta=plan.delta,
                df=self._freedom(items),
                alpha=rule.alpha,
                sides=plan.sides,
                clusters=self.whole_clusters,
            )
        )

    def needed(self, margin: float, rule: Criteria, plan: PlannedMargin) -> float:
        """Return the number of similar items that show the margin with the target power.

        Infinite if none do, or if the true gap reaches the margin. The power of counts is a
        sawtooth: the size lies between the first that suffices and the one from which on all do.
        """
        max_gap = margin + plan.delta if plan.sides == 1 else margin - abs(plan.delta)
        if max_gap <= 0:
            return math.inf
        if self.sigma == 0:
            return self._identical(margin, rule)
        c = self.counted
        if c is not None:
            return stats.equivalence_exact_n_star(
                margin,
                psi=max(c.psi, abs(plan.delta)),
                delta=plan.delta,
                alpha=rule.alpha,
                power=rule.power,
                sides=plan.sides,
                steps=False,
            ).first

        def is_sufficient(items: float) -> bool:
            return self.power(margin, items, rule, plan) >= rule.power

        low = high = self._fewest()
        if is_sufficient(high):
            return high
        while not is_sufficient(high):
            low, high = high, 2 * high
            if high > ABSURD:
                return math.inf
        return first_whole(is_sufficient, low, high)

    @property
    def sigma(self) -> float:
        """Return the SD of one unit's difference if all units were independent and equal."""
        return self.reading.se * math.sqrt(self.exposed)

    def _per_group(self) -> float:
        """Return the items per cluster; 1 if items are the units."""
        d = self.reading
        return self.items / (d.whole_clusters or d.n_groups or 1) if d.kind == "cluster" else 1.0

    def _freedom(self, items: float) -> float:
        """Return the degrees of freedom for this number of items, in similar clusters if any."""
        d = self.reading
        if d.kind == "cluster" or d.rests_on is not None:
            return max((d.df + 1) * items / self.items - 1, _MIN_DF)
        return max(items - (self.items - d.df if math.isfinite(d.df) else 1.0), _MIN_DF)

    def _fewest(self) -> float:
        """Return the fewest items that have an error."""
        d = self.reading
        lost = self.items - d.df if d.kind == "strata" else 1.0
        return math.ceil(2 * self._per_group()) if d.kind == "cluster" else lost + 1

    def _identical(self, margin: float, rule: Criteria) -> float:
        """Return the items at which identical scores show the margin."""
        min_units = margin_least_items(
            margin, width=self.width, alpha=rule.alpha, clusters=self.whole_clusters
        )
        return math.ceil(min_units * self._per_group())


def equivalence(test: MarginTest, margin: float, rule: Criteria) -> Equivalence:
    """Return two one-sided tests at alpha, and the equivalent interval of coverage 1 - 2 alpha."""
    if rule.alpha >= 0.5:
        msg = f"alpha must be below 0.5 for an equivalence test; got {rule.alpha:g}"
        raise ParameterError(msg)
    ci = test.interval(1 - 2 * rule.alpha)
    return Equivalence(
        margin=margin,
        confidence_level=1 - 2 * rule.alpha,
        ci=ci,
        pvalue=test.pvalue(margin, sides=2),
        is_equivalent=bool(-margin < ci.low and ci.high < margin),
        pvalue_noninferior=test.pvalue(margin, sides=1),
        is_noninferior=bool(ci.low > -margin),
        n_star=test.needed(margin, rule, PlannedMargin()),
    )
