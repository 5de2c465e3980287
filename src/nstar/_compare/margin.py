"""The gap of one pair against a margin: the test that compare, gate and their plans share."""

import math
from dataclasses import dataclass, replace

from nstar import stats
from nstar._compare.parts import Counts, Reading
from nstar._typing import Interval, Sides

__all__ = ["MarginTest", "exposed"]


def exposed(reading: Reading, items: int) -> float:
    """Items on which a rare loss could have shown; in clusters they count as the design says.

    Clusters that all show the same gap say nothing of that, and count themselves.
    """
    if reading.kind == "cluster" and reading.se == 0:
        return float(reading.groups or items)
    return items / max(reading.design_effect or 1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTest:
    """Tango's test where counts decide; else t, with losses too rare to have shown allowed for."""

    delta: float
    """Gap that is tested, first minus second."""
    width: float
    """Best minus worst score."""
    reading: Reading
    """Error and degrees of freedom, under the declared design."""
    items: int
    """Items in common."""
    counts: Counts | None
    """Of 0/1 scores."""

    @property
    def counted(self) -> Counts | None:
        """Counts, where they decide: 0/1 scores of independent items."""
        return self.counts if self.reading.kind == "items" else None

    @property
    def exposed(self) -> float:
        """Items on which a rare loss could have shown."""
        return exposed(self.reading, self.items)

    def turned(self) -> "MarginTest":
        """Second minus first."""
        c = self.counts
        back = None if c is None else replace(c, n10=c.n01, n01=c.n10)
        return replace(self, delta=-self.delta, counts=back)

    def pvalue(self, margin: float, sides: Sides) -> float:
        """Of "behind by the margin or more", or with two sides of "as far apart"."""
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
            )
        )

    def interval(self, conf: float) -> Interval:
        """Both one-sided bounds at (1 - conf) / 2."""
        c = self.counted
        if c is not None:
            low, high = stats.paired_interval(c.n10, c.n01, c.n, conf=conf)
        else:
            d = self.reading
            low, high = stats.margin_interval(
                self.delta, d.se, self.exposed, df=d.df, width=self.width, conf=conf
            )
        return Interval(float(low), float(high))

    @property
    def sigma(self) -> float:
        """Standard deviation of one difference, were all items independent and worth the same."""
        return self.reading.se * math.sqrt(self.exposed)
