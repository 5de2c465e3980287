"""``plan_precision``: items to measure a gap precisely."""

from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._verbs.plan.design import (
    Design,
    check_unpooled,
    designed,
    discordance,
    implied_items,
    least_items,
    ratio,
    worth,
)
from nstar._verbs.plan.noise import Graded, Noise, PairedPsi, PairedRho, Unpaired
from nstar._verbs.plan.result import Plan
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError
from nstar.stats._roots import first_whole

_TOWARD = 4
"""Steps toward a size, before sizes are tried one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _HalfWidthSolver:
    """Expected half-width of the interval of ``compare``, for two equal models."""

    design: Design
    criteria: Criteria

    @property
    def conf(self) -> float:
        """Return the coverage of each interval of the family."""
        return 1 - 2 * self.design.tail(self.criteria)

    def reached(self, items: float) -> float:
        """Return the half-width: Tango's for independent 0/1 scores, else t or z."""
        d = self.design
        if isinstance(d.noise, PairedRho | PairedPsi) and not d.icc:
            psi = float(discordance(d.noise, 0.0))
            return stats.paired_half_width(items, psi=psi, conf=self.conf)
        n = worth(d, items)
        sigma = d.noise.sigma(0.0)
        if isinstance(d.noise, Unpaired) and not d.icc:
            return float(stats.half_width(n, sigma=sigma, conf=self.conf))
        df = n - 1 if isinstance(d.noise, Graded) and not d.icc else d.df(items)
        return float(stats.t_half_width(n, sigma=sigma, df=df, conf=self.conf))

    def items(self, target: float) -> float:
        """Return the fewest items with the target half-width.

        ``inf`` if fixed clusters are too few.
        """
        d = self.design
        if d.icc > 0 and d.clusters and self.reached(np.inf) > target:
            return np.inf
        guess = min_items = least_items(d)
        for _ in range(_TOWARD):  # a half-width is nearly proportional to 1 / √n
            guess = max(float(np.ceil(guess * (self.reached(guess) / target) ** 2)), min_items)
        low = high = guess
        step = 1.0
        while self.reached(high) > target:
            low, high, step = high, high + step, 2 * step
        while low > min_items and self.reached(low) <= target:
            low, high, step = max(low - step, min_items), low, 2 * step
        if self.reached(low) <= target:
            return low
        return first_whole(lambda n: self.reached(n) <= target, low, high)


def plan_precision(
    design: Design | Noise,
    *,
    half_width: float | None = None,
    items: int | None = None,
    criteria: Criteria | None = None,
) -> Plan:
    """Plan the items for a target half-width of the interval, or the half-width of given items.

    The plan is for the expected interval of ``compare`` for two equal models: Tango's for 0/1
    scores of independent items, else t with the degrees of freedom of items or clusters.

    Parameters
    ----------
    design : Design or Noise
        Noise, family and clusters; a noise assumption alone stands for one comparison.
    half_width : float, optional
        Target half-width of the interval, a proportion > 0.
    items : int, optional
        Number of items that both models answer. Without ``half_width``, the half-width is
        computed.
    criteria : Criteria, optional
        Criteria, of which the interval uses ``alpha``: its coverage is 1 - alpha. Default:
        ``Criteria()``.

    Examples
    --------
    >>> from nstar import Design, PairedPsi
    >>> plan_precision(Design(noise=PairedPsi(psi=0.164)), half_width=0.01).n_star
    6314.0
    """
    design, rule = designed(design), criteria or Criteria()
    check_unpooled(design.noise, "an interval")
    size = implied_items(design, items)
    if half_width is not None:
        checks.positive("half_width", half_width)
    if half_width is None and size is None:
        msg = "Set half_width (to get items) or items (to get the half-width)."
        raise ParameterError(msg)
    precision = _HalfWidthSolver(design=design, criteria=replace(rule, alternative="two-sided"))
    n_star = None if half_width is None else precision.items(half_width)
    return Plan(
        question="precision",
        solved_for="items" if size is None else "half_width",
        criteria=rule,
        noise_design=design,
        n_items=size,
        delta=None,
        margin=None,
        half_width=half_width if size is None else precision.reached(float(size)),
        n_star=n_star,
        mde=None,
        mde_loss=None,
        power=None,
        q=ratio(size, n_star),
        mde_floor=None,
    )
