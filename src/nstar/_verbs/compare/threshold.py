"""Tests of one model's mean score against a threshold.

Counts of independent 0/1 scores are tested by the exact binomial test. Other means are tested by
t, with an allowance for scores at either end of the scale that are too rare to be observed: a mean
above the threshold is a loss to a perfect model that is smaller than the threshold's.
"""

import math
from dataclasses import dataclass, replace

from nstar import stats
from nstar._base.types import Array, Interval
from nstar._verbs.compare.independent import confidence
from nstar._verbs.compare.margin import MarginTest, PlannedMargin
from nstar._verbs.compare.task_comparison import GapEstimate, TaskComparison
from nstar._verbs.verdict import ABSURD, Criteria

_EXACT = "exact binomial"


def threshold_reading(scores: Array, threshold: float, criteria: Criteria) -> GapEstimate:
    """Return the exact interval and test of independent 0/1 scores, as a gap to the threshold."""
    n, right = scores.size, int(scores.sum())
    mean, conf = right / n, confidence(criteria)
    low, high = stats.clopper_pearson_interval(right, n, conf=conf)
    above = float(stats.threshold_pvalue(right, n, p0=threshold))
    below = float(stats.threshold_pvalue(n - right, n, p0=1 - threshold))
    one_sided = {"greater": above, "less": below, "two-sided": min(2 * min(above, below), 1.0)}
    return GapEstimate(
        kind="independent",
        se=math.sqrt(mean * (1 - mean) / n),
        df=math.inf,
        ci=Interval(float(low) - threshold, float(high) - threshold),
        ci_method="Clopper-Pearson",
        pvalue=one_sided[criteria.alternative],
        pvalue_method=_EXACT,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdTest:
    """One-sided tests that a mean is better than a fixed score."""

    mean: float
    """Observed mean."""
    worst: float
    """Score at the end of the scale away from which a mean is shown."""
    best: float
    """Score at the other end."""
    n_items: int
    """Number of items."""
    reading: GapEstimate
    """Error and degrees of freedom under the declared design."""

    @classmethod
    def of(cls, pair: TaskComparison) -> "ThresholdTest":
        """Return the test that the mean of a comparison is better than a score."""
        low, high = pair.score_range
        test = cls(
            mean=pair.mean_a, worst=low, best=high, n_items=pair.n_items, reading=pair.estimate
        )
        return test.turned() if pair.lower_is_better else test

    def turned(self) -> "ThresholdTest":
        """Return the test that the mean is worse than a score."""
        return replace(self, worst=self.best, best=self.worst)

    @property
    def is_exact(self) -> bool:
        """Return whether the test is that of counts."""
        return self.reading.pvalue_method == _EXACT

    @property
    def n_best(self) -> int:
        """Return the number of items at the best score, for counts."""
        return round(self.n_items * self.share(self.mean))

    @property
    def is_perfect(self) -> bool:
        """Return whether every score is the best one."""
        return self.reading.se == 0 and self.mean == self.best

    def share(self, value: float) -> float:
        """Return the position of a score between the worst and the best one."""
        return (value - self.worst) / (self.best - self.worst)

    def _loss(self, value: float) -> float:
        return abs(self.best - value)

    @property
    def _from_best(self) -> MarginTest:
        return MarginTest(
            delta=-self._loss(self.mean),
            width=self._loss(self.worst),
            reading=self.reading,
            items=self.n_items,
            counts=None,
        )

    def pvalue(self, value: float) -> float:
        """Return the p-value of "the mean is not better than ``value``"."""
        if self.is_exact:
            return float(stats.threshold_pvalue(self.n_best, self.n_items, p0=self.share(value)))
        return self._from_best.pvalue(self._loss(value), 1)

    def limit(self, alpha: float) -> float:
        """Return the one-sided confidence limit of the mean, toward the worst score."""
        conf = 1 - 2 * alpha
        if self.is_exact:
            low, _ = stats.clopper_pearson_interval(self.n_best, self.n_items, conf=conf)
            return self.worst + float(low) * (self.best - self.worst)
        loss = -float(self._from_best.interval(conf).low)
        return self.best + loss * math.copysign(1.0, self.worst - self.best)

    def power(self, value: float, mean: float, rule: Criteria) -> float:
        """Return the probability of showing a true ``mean`` to be better than ``value``."""
        if self.is_exact:
            p0, p1 = self.share(value), self.share(mean)
            return float(stats.threshold_power(p1, self.n_items, p0=p0, alpha=rule.alpha))
        plan = PlannedMargin(delta=-self._loss(mean), sides=1)
        return self._from_best.power(self._loss(value), self.n_items, rule, plan)

    def needed(self, value: float, mean: float, rule: Criteria) -> float:
        """Return the items that show a true ``mean`` to be better than ``value``."""
        p0, p1 = self.share(value), self.share(mean)
        if not p0 < p1:
            return math.inf
        if not self.is_exact:
            plan = PlannedMargin(delta=-self._loss(mean), sides=1)
            return self._from_best.needed(self._loss(value), rule, plan)
        if p1 >= 1:
            return float(stats.least_items_above(p0, alpha=rule.alpha))
        approx = stats.one_sample_n_star(p1, p0=p0, alpha=rule.alpha, power=rule.power, sides=1)
        if approx > ABSURD:
            return math.inf
        return float(stats.threshold_items(p1, p0=p0, alpha=rule.alpha, power=rule.power))

    def least_items(self, value: float, alpha: float) -> int:
        """Return the fewest items that show a mean better than ``value``, if all are perfect."""
        if self.is_exact:
            return int(stats.least_items_above(self.share(value), alpha=alpha))
        perfect = replace(self._from_best, delta=0.0, reading=replace(self.reading, se=0.0))
        rule = Criteria(alpha=alpha, alternative="greater")
        return int(perfect.needed(self._loss(value), rule, PlannedMargin(sides=1)))
