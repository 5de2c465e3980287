"""``plan_margin``: items to show that a gap is small."""

from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._plan.design import Design
from nstar._plan.given import (
    CURVE_POINTS,
    FEW,
    check_room,
    designed,
    discordance,
    implied_items,
    ratio,
)
from nstar._plan.noise import Graded, Noise, PairedPsi, PairedRho
from nstar._plan.result import Curve, Plan, Question
from nstar._verdict import Criteria
from nstar.stats import _check
from nstar.stats._roots import first_whole

__all__ = ["plan_margin"]

_HALVINGS = 30
"""Steps of a search for a margin: to a billionth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _MarginPower:
    """Power to show a gap within a margin, and that solved for items or for the margin."""

    design: Design
    criteria: Criteria
    delta: float
    kind: Question

    @property
    def least(self) -> float:
        """Fewest items that make sense: two, or two clusters."""
        if not self.design.icc:
            return 2.0
        return float(self.design.clusters or np.ceil(2 * (self.design.cluster_size or 1.0)))

    def power(self, margin: float, items: float) -> float:
        """Enumerated for few 0/1 scores; with clusters that of the t test on cluster means."""
        d = self.design
        if isinstance(d.noise, PairedRho | PairedPsi) and not d.icc and items <= FEW:
            return self._enumerated(margin, items)
        n = float(d.effective(items)) if np.isfinite(items) else d.clusters / d.icc  # type: ignore[operator]
        sigma, df = d.noise.sigma(self.delta), d.df(items)
        alpha = d.tail(self.criteria)
        if np.isinf(df):
            reach = (
                stats.equivalence_power
                if self.kind == "equivalence"
                else stats.noninferiority_power
            )
            return float(reach(margin, sigma=sigma, n=n, delta=self.delta, alpha=alpha))
        if self.kind == "non-inferiority":
            shift = (margin + self.delta) * np.sqrt(n) / sigma
            if shift <= 0:
                return 0.0
            root = np.sqrt(df + 1)
            return float(stats.t_power(shift / root, sigma=1.0, n=df + 1, alpha=alpha, sides=1))
        spread = sigma * np.sqrt((df + 1) / n)
        return float(
            stats.equivalence_t_power(
                margin, sigma=spread, n=df + 1, delta=self.delta, alpha=alpha
            )
        )

    def _enumerated(self, margin: float, items: float) -> float:
        psi = float(discordance(self.design.noise, self.delta))
        if margin <= 0 or margin >= 1:
            return float(margin > 0)
        return stats.equivalence_exact_power(
            margin,
            psi=min(psi, 1 - 1e-12),
            n=int(np.ceil(items)),
            delta=self.delta,
            alpha=self.design.tail(self.criteria),
            sides=2 if self.kind == "equivalence" else 1,
        )

    def items(self, margin: float) -> float:
        """Smallest number of items with the wanted power; ``inf`` if there is none."""
        room = margin + self.delta if self.kind == "non-inferiority" else margin - abs(self.delta)
        fixed = self.design.icc > 0 and self.design.clusters
        if room <= 0 or (fixed and self.power(margin, np.inf) < self.criteria.power):
            return np.inf
        low = high = self.least
        while self.power(margin, high) < self.criteria.power:
            low, high = high, 2 * high
        return first_whole(lambda n: self.power(margin, n) >= self.criteria.power, low, high)

    def margin(self, items: float) -> float:
        """Smallest margin that ``items`` can show with the wanted power."""
        low, high = 0.0, 2.0
        while isinstance(self.design.noise, Graded) and not self._shows(high, items):
            low, high = high, 2 * high  # score units know no largest gap
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self._shows(middle, items) else (middle, high)
        return high

    def _shows(self, margin: float, items: float) -> bool:
        return self.power(margin, items) >= self.criteria.power


def plan_margin(
    design: Design | Noise,
    *,
    margin: float,
    delta: float = 0.0,
    items: int | None = None,
    one_sided: bool = False,
    criteria: Criteria | None = None,
) -> Plan:
    """Items (or power) to show a gap *small*: equivalence, or non-inferiority.

    Parameters
    ----------
    design
        Noise, family and clusters; a noise assumption alone stands for one comparison.
    margin
        Largest harmless gap, declared in advance, a proportion > 0.
    delta
        True gap assumed; 0 for models that are equally good.
    items
        Items both models answer; None to solve for them.
    one_sided
        True: non-inferiority (A is not worse by the margin); False: equivalence.
    criteria
        Level and power; ``Criteria()`` when None. Each test is one-sided at this level.

    Examples
    --------
    >>> from nstar import Design, PairedPsi
    >>> p = plan_margin(Design(noise=PairedPsi(psi=0.15)), margin=0.05)
    >>> p.n_star
    525.0
    """
    design, rule = designed(design), criteria or Criteria()
    _check.positive("margin", margin)
    check_room(design.noise, (delta,))
    kind: Question = "non-inferiority" if one_sided else "equivalence"
    reach = _MarginPower(design=design, criteria=replace(rule, sides=1), delta=delta, kind=kind)
    n_star = reach.items(margin)
    size = implied_items(design, items)
    curve = None
    if np.isfinite(n_star):
        top = 2 * max(n_star, size or 0)
        x = np.unique(
            np.ceil(np.linspace(max(top / CURVE_POINTS, reach.least), top, CURVE_POINTS))
        )
        if x.size > 1:
            y = np.array([reach.power(margin, float(v)) for v in x])
            curve = Curve(axis="items", x=x, power=y)
    return Plan(
        question=kind,
        solved_for="items" if size is None else "power",
        criteria=rule,
        design=design,
        items=size,
        delta=delta,
        margin=margin,
        margin_least=None if size is None else reach.margin(float(size)),
        half_width=None,
        n_star=n_star,
        mde=None,
        mde_down=None,
        power=rule.power if size is None else reach.power(margin, float(size)),
        q=ratio(size, n_star),
        floor=None,
        curve=curve,
    )
