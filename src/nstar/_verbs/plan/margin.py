"""``plan_margin``: items to show that a gap is small."""

from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Sides
from nstar._verbs.plan.design import (
    CURVE_POINTS,
    Design,
    check_room,
    check_unpooled,
    designed,
    discordance,
    implied_items,
    least_items,
    ratio,
    worth,
)
from nstar._verbs.plan.noise import Graded, Noise, PairedPsi, PairedRho, Unpaired
from nstar._verbs.plan.result import Plan, PlanGoal, PowerCurve
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, by_interface
from nstar.stats._roots import first_whole
from nstar.stats.margin import margin_least

_ENUMERATED = 10_000_000
"""Items up to which the power of counts is enumerated."""
_HALVINGS = 30
"""Bisection steps of a search for a margin, to a billionth."""
_ENDLESS = 1e15
"""Number of items that stands for infinitely many in a fixed number of clusters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _MarginPower:
    """Power to show a gap within a margin, and that solved for items or for the margin."""

    design: Design
    criteria: Criteria
    delta: float
    kind: PlanGoal

    @property
    def counted(self) -> bool:
        """Return whether Tango's test applies: counts of independent 0/1 scores."""
        d = self.design
        return isinstance(d.noise, PairedRho | PairedPsi) and not (d.icc or d.whole_clusters)

    @property
    def psi(self) -> float:
        """Return the share of items on which exactly one model is right."""
        return float(discordance(self.design.noise, self.delta))

    @property
    def sides(self) -> Sides:
        """Return the number of sides, 2 for equivalence."""
        return 2 if self.kind == "equivalence" else 1

    @property
    def width(self) -> float:
        """Return best minus worst score."""
        noise = self.design.noise
        return noise.width if isinstance(noise, Graded) else 1.0

    @property
    def fewest(self) -> float:
        """Return the fewest useful items: two, or two clusters."""
        d = self.design
        if not d.whole_clusters:
            return least_items(d)
        return float(d.clusters or np.ceil(2 * (d.cluster_size or 1.0)))

    def power(self, margin: float, items: float) -> float:
        """Return the power of the test of compare, audit, and gate.

        By the normal formula if unpaired.
        """
        if margin >= self.width:
            return 1.0
        d, alpha = self.design, self.design.tail(self.criteria)
        if self.counted and items <= _ENUMERATED:
            return stats.equivalence_exact_power(
                margin,
                psi=self.psi,
                n=int(np.ceil(items)),
                delta=self.delta,
                alpha=alpha,
                sides=self.sides,
            )
        n = worth(d, items)
        sigma = d.noise.sigma(self.delta)
        if self.counted or isinstance(d.noise, Unpaired):
            return self._normal(margin, n, sigma, alpha)
        units, df = n, d.df(items) if d.icc else n - 1
        if d.whole_clusters:
            units = d.groups(items)
            sigma, df = sigma * np.sqrt(units / n), units - 1
        return float(
            stats.margin_power(
                margin,
                sigma=sigma,
                n=units,
                width=self.width,
                delta=self.delta,
                df=df,
                alpha=alpha,
                sides=self.sides,
                clusters=d.whole_clusters,
            )
        )

    def _normal(self, margin: float, n: float, sigma: float, alpha: float) -> float:
        is_equivalence = self.kind == "equivalence"
        reach = stats.equivalence_power if is_equivalence else stats.noninferiority_power
        return float(reach(margin, sigma=sigma, n=n, delta=self.delta, alpha=alpha))

    def items(self, margin: float) -> tuple[float, float]:
        """Return the fewest items with the target power, and those that keep it; ``inf`` if none.

        The two differ for counts, whose power is a sawtooth.
        """
        distance = (
            margin + self.delta if self.kind == "non-inferiority" else margin - abs(self.delta)
        )
        d = self.design
        fixed = (d.icc > 0 or d.whole_clusters) and d.clusters
        target, min_items = self.criteria.power, self.fewest
        if distance <= 0 or (
            fixed and self.power(margin, np.inf if d.icc > 0 else _ENDLESS) < target
        ):
            return np.inf, np.inf
        if self.counted and margin < 1:
            reached = stats.equivalence_exact_n_star(
                margin,
                psi=self.psi,
                delta=self.delta,
                alpha=self.design.tail(self.criteria),
                power=target,
                sides=self.sides,
            )
            return max(reached.first, min_items), max(reached.steady, min_items)
        low = high = min_items
        while self.power(margin, high) < target:
            low, high = high, 2 * high
        n = first_whole(lambda k: self.power(margin, k) >= target, low, high)
        return n, n

    def least_clusters(self, items: int | None) -> float | None:
        """Return the smallest margin that the clusters can show if whole clusters may fail."""
        d = self.design
        if not d.whole_clusters or (items is None and d.clusters is None):
            return None
        alpha = d.tail(self.criteria)
        return float(margin_least(d.groups(items or 0), width=self.width, alpha=alpha))

    def margin(self, items: float) -> float:
        """Return the smallest margin that ``items`` can show with the target power."""
        low, high = 0.0, self.width
        for _ in range(_HALVINGS):
            midpoint = (low + high) / 2
            is_reached = self.power(midpoint, items) >= self.criteria.power
            low, high = (low, midpoint) if is_reached else (midpoint, high)
        return high


def _check_width(design: Design, margin: float) -> None:
    """Check that a margin, and an SD, fit the range of scores."""
    noise = design.noise
    if not isinstance(noise, Graded):
        checks.require(margin < 1, "margin", "a proportion below 1", margin)
        return
    width = noise.width
    if not (margin < width and noise.sigma() <= width):
        example = by_interface(
            python="score_range=(0, 100), or width=100 of Graded", command="--score-range 0:100"
        )
        msg = (
            f"A margin of {margin:g} and a standard deviation of differences of {noise.sigma():g} "
            f"are too large for scores with a range of {width:g}. Set the range of scores "
            f"({example})."
        )
        raise ParameterError(msg)


def plan_margin(
    design: Design | Noise,
    *,
    margin: float,
    delta: float = 0.0,
    items: int | None = None,
    one_sided: bool = False,
    criteria: Criteria | None = None,
) -> Plan:
    """Plan the items (or power) that show a gap to be small: equivalence, or non-inferiority.

    The plan is for the margin test of ``compare``, ``audit`` and ``gate``. For 0/1 scores of
    independent items, this is Tango's test, with enumerated power. Otherwise it is a t test that
    allows for losses of the whole scale too rare to be observed, which is exact for normal
    differences. The power of counts is a sawtooth: it first reaches the target at ``n_star``, and
    stays above it from ``n_star_stable``.

    Parameters
    ----------
    design : Design or Noise
        Noise, family and clusters; a noise assumption alone stands for one comparison.
    margin : float
        Largest gap that does not matter, declared in advance, a proportion > 0.
    delta : float, default 0.0
        Assumed true gap; 0 for equally good models.
    items : int, optional
        Number of items that both models answer. Default: computed.
    one_sided : bool, default False
        Whether to test non-inferiority (A is not worse by the margin) instead of equivalence.
    criteria : Criteria, optional
        Level and power; ``Criteria()`` when None. Each test is one-sided at this level.

    Examples
    --------
    >>> from nstar import Design, PairedPsi
    >>> p = plan_margin(Design(noise=PairedPsi(psi=0.15)), margin=0.05)
    >>> p.n_star
    525.0
    """
    design, rule = designed(design), criteria or Criteria()
    check_unpooled(design.noise, "a margin")
    checks.positive("margin", margin)
    check_room(design.noise, (delta,))
    kind: PlanGoal = "non-inferiority" if one_sided else "equivalence"
    reach = _MarginPower(
        design=design, criteria=replace(rule, alternative="greater"), delta=delta, kind=kind
    )
    _check_width(design, margin)
    n_star, steady = reach.items(margin)
    size = implied_items(design, items)
    curve = None
    if np.isfinite(n_star):
        top = 2 * max(n_star, size or 0)
        x = np.unique(
            np.ceil(np.linspace(max(top / CURVE_POINTS, reach.fewest), top, CURVE_POINTS))
        )
        if x.size > 1:
            y = np.array([reach.power(margin, float(v)) for v in x])
            curve = PowerCurve(axis="items", x=x, power=y)
    return Plan(
        question=kind,
        solved_for="items" if size is None else "power",
        criteria=rule,
        noise_design=design,
        n_items=size,
        delta=delta,
        margin=margin,
        min_margin=None if size is None else reach.margin(float(size)),
        min_margin_clusters=reach.least_clusters(size),
        half_width=None,
        n_star=n_star,
        n_star_stable=steady,
        mde=None,
        mde_loss=None,
        power=rule.power if size is None else reach.power(margin, float(size)),
        q=ratio(size, n_star),
        mde_floor=None,
        power_curve=curve,
    )
