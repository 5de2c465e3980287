"""``plan``: solve the one identity for items, detectable gap or power.

Three questions, one result type: can a gap be detected (:func:`plan`), can its absence be
shown (:func:`plan_margin`), can it be measured precisely (:func:`plan_precision`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast

import numpy as np

from nstar import stats
from nstar._plan.design import Design
from nstar._plan.noise import Graded, Noise, PairedPsi, PairedRho, Unpaired
from nstar._typing import Array, Direction, FloatLike
from nstar._verdict import Criteria
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats import _check
from nstar.stats._roots import first_whole

__all__ = ["Curve", "Plan", "PlanRow", "Question", "plan", "plan_margin", "plan_precision"]

Question: TypeAlias = Literal["difference", "equivalence", "non-inferiority", "precision"]
SolvedFor: TypeAlias = Literal["items", "mde", "power", "half_width"]

RHO_GRID = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Item correlations shown beside the assumed one, because one number hides the assumption."""

_CURVE_POINTS = 61
_LEAST = 1e-7
"""Smallest gap planned for: beyond it items are counted in quadrillions."""
_FEW = 1000
"""Items up to which power is enumerated; the formulas are optimistic there."""
_HALVINGS = 30
"""Steps of a search for a margin: to a billionth."""
_ENUMERABLE = 1e6
"""Items up to which enumerating the power of a test is instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """The plan under one alternative assumption or gap."""

    name: str
    """What varies: ``"rho"``, ``"psi"`` or ``"delta"``."""
    value: float
    """Its value."""
    chosen: bool = False
    """Whether this is the assumption of the headline."""
    psi: float | None = None
    """Discordance implied, for 0/1 scores."""
    n_star: float | None = None
    """Items needed."""
    mde: float | None = None
    """Detectable gain with the given items."""
    mde_down: float | None = None
    """Detectable loss with the given items, a positive size."""
    power: float | None = None
    """Probability of detecting the given gap with the given items."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """Power along one axis."""

    axis: Literal["items", "delta"]
    """What the horizontal axis counts."""
    x: Array = field(repr=False)
    """Items, or gaps as proportions."""
    power: Array = field(repr=False)
    """Probability of detection at each."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """What a benchmark needs, or what it can do, with every assumption it rests on."""

    question: Question
    """What is to be shown."""
    solved_for: SolvedFor
    """The quantity that was not given."""
    criteria: Criteria
    """Level, power, sides."""
    design: Design
    """Noise, family, clusters."""
    items: int | None
    """Items given."""
    delta: float | None
    """Gap given (true gap assumed, for equivalence), a proportion."""
    margin: float | None
    """Margin given."""
    half_width: float | None
    """Half-width given, or reached."""
    n_star: float | None
    """Items needed; ``inf`` when no number suffices."""
    mde: float | None
    """Smallest detectable gain; ``inf`` when none is."""
    mde_down: float | None
    """Smallest detectable loss, a positive size."""
    power: float | None
    """Probability of success: computed when it was solved for, else the one asked for; None
    for a question of precision."""
    q: float | None
    """Resolution ratio items / n_star, when both are known."""
    floor: float | None
    """Gap below which no number of items helps, when the clusters are fixed."""
    margin_least: float | None = None
    """Smallest margin that the given items can show."""
    exact_power: float | None = None
    """Enumerated power of the mid-p test for the gap and items of the headline, where that
    test applies."""
    rows: tuple[PlanRow, ...] = field(default=(), repr=False)
    """The same under other assumptions."""
    curve: Curve | None = field(default=None, repr=False)
    """Power curve."""


def _n_star(design: Design, criteria: Criteria, delta: float) -> float:
    def need(items: float) -> float:
        alone = design.noise.n_star(delta, design.level(criteria, items))
        return float(np.ceil(design.items(alone)))

    return _settled(design, need)


def _settled(design: Design, need: Callable[[float], float]) -> float:
    """Smallest number of items that is enough for the t of as many clusters as it makes.

    With clusters of a given size more items means more clusters, a smaller t and a smaller
    need, so ``need(items) - items`` falls; bisection finds where it turns.
    """
    low = max(need(np.inf), 2.0, design.clusters or 0 if design.icc else 0)  # z, not t
    if not design.icc or design.clusters or not np.isfinite(low):
        return low
    low = max(low, np.ceil(2 * (design.cluster_size or 1.0)))
    high = need(low)  # enough, for need(high) <= need(low)
    if high <= low:
        return low
    return first_whole(lambda items: need(items) <= items, low, high)


def _mde(design: Design, criteria: Criteria, items: float, way: Direction) -> float:
    n = float(design.effective(items))
    return float(design.noise.mde(n, design.level(criteria, items), way))


def _discordance(noise: Noise, delta: FloatLike) -> Array:
    """Share of items on which exactly one model is right, 0/1 scores."""
    if isinstance(noise, PairedPsi):
        return np.full(np.shape(delta), noise.psi)
    return cast("PairedRho", noise).psi(delta)


def _enumerable(design: Design, criteria: Criteria) -> bool:
    """Paired 0/1 scores of independent items, two-sided: power can be enumerated."""
    paired = isinstance(design.noise, PairedRho | PairedPsi)
    return paired and not design.icc and criteria.sides == 2


def _power(design: Design, criteria: Criteria, delta: Array, items: Array) -> Array:
    """Power at each gap and number of items; 0 where the items are not two clusters."""
    gaps, sizes = np.broadcast_arrays(delta, items)
    if not design.icc:
        level = design.level(criteria)
        out = np.array(design.noise.power(gaps, sizes, level), dtype=np.float64)
        few = (sizes <= _FEW) & _enumerable(design, criteria)
        psi, n = _discordance(design.noise, gaps[few]) if few.any() else 0.0, np.ceil(sizes[few])
        out[few] = stats.exact_power(gaps[few], psi=psi, n=n, alpha=level.alpha)
        return out
    out = np.zeros(sizes.shape)
    level, at = design.level(criteria, float(sizes.max())), float(sizes.max())
    for i in np.ndindex(sizes.shape):
        n = float(sizes[i])
        if not design.clusters and n < 2 * (design.cluster_size or 1.0):
            continue
        if not design.clusters and n != at:  # the level depends on the number of clusters
            level, at = design.level(criteria, n), n
        raw = float(design.noise.power(float(gaps[i]), float(design.effective(n)), level))
        out[i] = design.power(raw, criteria, n, level)
    return out


def _both(
    design: Design, criteria: Criteria, items: float | None
) -> tuple[float, float | None] | None:
    if items is None or not np.isfinite(items):
        return None
    up, down = (_mde(design, criteria, items, way) for way in ("up", "down"))
    return up, down if criteria.sides == 2 else None


def _row(
    name: str,
    value: float,
    design: Design,
    criteria: Criteria,
    given: tuple[float | None, int | None],
) -> PlanRow:
    delta, items = given
    noise = design.noise
    both = _both(design, criteria, items)
    binary = isinstance(noise, PairedRho | PairedPsi)
    return PlanRow(
        name=name,
        value=value,
        psi=float(_discordance(noise, delta or 0.0)) if binary else None,
        n_star=None if delta is None else _n_star(design, criteria, delta),
        mde=both[0] if both else None,
        mde_down=both[1] if both else None,
        power=(
            None
            if delta is None or items is None
            else float(_power(design, criteria, np.asarray(delta), np.asarray(items)))
        ),
    )


def _alternatives(noise: Noise, rhos: Sequence[float]) -> Iterator[tuple[str, float, Noise]]:
    """The assumption varied: rho where there is one, psi halved and doubled where not."""
    if isinstance(noise, PairedRho) or (isinstance(noise, Graded) and noise.rho is not None):
        chosen = noise.rho if noise.rho is not None else 0.0
        for rho in sorted({*rhos, chosen}):
            yield "rho", rho, noise.with_rho(rho)
    elif isinstance(noise, PairedPsi):
        for psi in sorted({min(noise.psi * f, 1.0) for f in (0.5, 0.75, 1.0, 1.5, 2.0)}):
            yield "psi", psi, replace(noise, psi=psi)


def _rows(
    design: Design,
    criteria: Criteria,
    given: tuple[float | None, int | None],
    *,
    rhos: Sequence[float],
    deltas: Sequence[float],
) -> tuple[PlanRow, ...]:
    rows = []
    chosen = design.noise
    for name, value, noise in _alternatives(chosen, rhos):
        try:
            row = _row(name, value, replace(design, noise=noise), criteria, given)
        except InfeasibleError:  # these accuracies cannot be that correlated
            row = PlanRow(name=name, value=value)
        rows.append(replace(row, chosen=noise == chosen))
    for delta in deltas:
        row = _row("delta", delta, design, criteria, (delta, given[1]))
        rows.append(replace(row, chosen=delta == given[0]))
    return tuple(rows)


def _curve(design: Design, criteria: Criteria, delta: float | None, items: float) -> Curve | None:
    """Power against items (a gap is given) or against the gap (only items are given)."""
    if not np.isfinite(items):
        return None
    if delta is not None:
        x = np.unique(np.ceil(np.linspace(2 * items / _CURVE_POINTS, 2 * items, _CURVE_POINTS)))
        x = x[x >= max(2, design.clusters or 0 if design.icc else 0)]
        if x.size < 2:
            return None
        return Curve(axis="items", x=x, power=_power(design, criteria, np.asarray(delta), x))
    top = 2 * _mde(design, criteria, items, "up")
    if not np.isfinite(top):
        return None
    gaps = np.linspace(0, min(top, design.noise.room() * (1 - 1e-9)), _CURVE_POINTS)[1:]
    return Curve(axis="delta", x=gaps, power=_power(design, criteria, gaps, np.asarray(items)))


def _floor(design: Design, criteria: Criteria, delta: float) -> float | None:
    """Detectable gap with infinitely many items in the fixed clusters."""
    if not (design.clusters and design.icc > 0):
        return None
    way: Direction = "up" if delta >= 0 else "down"
    worth = design.clusters / design.icc
    return float(design.noise.mde(worth, design.level(criteria), way))


def _exact_power(
    design: Design, criteria: Criteria, delta: float | None, items: float
) -> float | None:
    """Enumeration beside the formula: paired 0/1 scores, independent items, two-sided."""
    if not _enumerable(design, criteria):
        return None
    if delta is None or not np.isfinite(delta) or not 1 <= items <= _ENUMERABLE:
        return None
    psi = _discordance(design.noise, delta)
    level = design.level(criteria)
    return float(stats.exact_power(delta, psi=psi, n=np.ceil(items), alpha=level.alpha))


def _check_room(noise: Noise, deltas: Sequence[float]) -> None:
    """A gap must leave the other model an accuracy strictly between 0 and 1."""
    if isinstance(noise, PairedRho | Unpaired):
        for delta in deltas:
            other = noise.baseline + delta
            _check.feasible(
                0 < other < 1,
                f"a gap of {delta:+.6g} from a baseline of {noise.baseline:.6g} would be an "
                f"accuracy of {other:.6g}, which is not between 0 and 1",
            )


def _designed(design: Design | Noise) -> Design:
    """A bare noise assumption is a design with one comparison of independent items."""
    return design if isinstance(design, Design) else Design(noise=design)


def _ratio(items: int | None, n_star: float | None) -> float | None:
    """q = N / N*, where both are numbers."""
    if items is None or n_star is None or not np.isfinite(n_star):
        return None
    return items / n_star


def _implied_items(design: Design, items: int | None) -> int | None:
    if items is not None:
        _check.require(items >= 2, "items", "at least 2", items)
        if design.icc and design.clusters:
            _check.require(
                items >= design.clusters,
                "items",
                f"at least the {design.clusters} clusters",
                items,
            )
        return items
    if design.clusters and design.cluster_size:
        return round(design.clusters * design.cluster_size)
    return None


def plan(
    design: Design | Noise,
    *,
    delta: float | None = None,
    items: int | None = None,
    criteria: Criteria | None = None,
    rhos: Sequence[float] = RHO_GRID,
    deltas: Sequence[float] = (),
) -> Plan:
    """Items, detectable gap or power: whichever of ``items`` and ``delta`` leaves open.

    Parameters
    ----------
    design
        Noise, family and clusters; a noise assumption alone stands for one comparison.
    delta
        Gap to detect, first minus second, a proportion (score units for graded scores).
    items
        Items both models answer (each model, when unpaired).
    criteria
        Level, power and sides; ``Criteria()`` when None.
    rhos, deltas
        Alternatives to show beside the headline.

    Examples
    --------
    >>> from nstar import Design, PairedRho
    >>> p = plan(Design(noise=PairedRho(baseline=0.70, rho=0.4)), delta=0.01)
    >>> p.solved_for, p.n_star
    ('items', 19593.0)
    """
    design, rule = _designed(design), criteria or Criteria()
    size = _implied_items(design, items)
    if delta is None and size is None:
        msg = "give delta (to get items), items (to get the detectable gap) or both (power)"
        raise ParameterError(msg)
    if delta is not None:
        for gap in (delta, *deltas):
            _check.require(
                _LEAST <= abs(gap) < 1, "delta", f"at least {_LEAST:g} and below 1", gap
            )
            if rule.sides == 1:
                _check.require(gap > 0, "delta", "positive when the test is one-sided", gap)
        _check_room(design.noise, (delta, *deltas))
    n_star = None if delta is None else _n_star(design, rule, delta)
    at = float(size) if size is not None else float(n_star or np.inf)
    both = _both(design, rule, at)
    solved: SolvedFor = "mde" if delta is None else ("items" if size is None else "power")
    power = rule.power
    if delta is not None and size is not None:
        power = float(_power(design, rule, np.asarray(delta), np.asarray(size)))
    return Plan(
        question="difference",
        solved_for=solved,
        criteria=rule,
        design=design,
        items=size,
        delta=delta,
        margin=None,
        half_width=None,
        n_star=n_star,
        mde=both[0] if both else None,
        mde_down=both[1] if both else None,
        power=power,
        q=_ratio(size, n_star),
        floor=_floor(design, rule, delta or 0.0),
        exact_power=_exact_power(
            design, rule, delta if delta is not None else (both[0] if both else None), at
        ),
        rows=_rows(design, rule, (delta, size), rhos=rhos, deltas=deltas),
        curve=_curve(design, rule, delta, at),
    )


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
        if isinstance(d.noise, PairedRho | PairedPsi) and not d.icc and items <= _FEW:
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
        psi = float(_discordance(self.design.noise, self.delta))
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
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            enough = self.power(middle, items) >= self.criteria.power
            low, high = (low, middle) if enough else (middle, high)
        return high


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
    margin
        Largest harmless gap, declared in advance, a proportion > 0.
    delta
        True gap assumed; 0 for models that are equally good.
    one_sided
        True: non-inferiority (A is not worse by the margin); False: equivalence.

    Examples
    --------
    >>> from nstar import Design, PairedPsi
    >>> p = plan_margin(Design(noise=PairedPsi(psi=0.15)), margin=0.05)
    >>> p.n_star
    525.0
    """
    design, rule = _designed(design), criteria or Criteria()
    _check.positive("margin", margin)
    _check_room(design.noise, (delta,))
    kind: Question = "non-inferiority" if one_sided else "equivalence"
    reach = _MarginPower(design=design, criteria=replace(rule, sides=1), delta=delta, kind=kind)
    n_star = reach.items(margin)
    size = _implied_items(design, items)
    curve = None
    if np.isfinite(n_star):
        top = 2 * max(n_star, size or 0)
        x = np.unique(
            np.ceil(np.linspace(max(top / _CURVE_POINTS, reach.least), top, _CURVE_POINTS))
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
        q=_ratio(size, n_star),
        floor=None,
        curve=curve,
    )


def plan_precision(
    design: Design | Noise,
    *,
    half_width: float | None = None,
    items: int | None = None,
    criteria: Criteria | None = None,
) -> Plan:
    """Items for an interval of a wanted half-width around the gap, or the one items give.

    Examples
    --------
    >>> from nstar import Design, PairedPsi
    >>> plan_precision(Design(noise=PairedPsi(psi=0.164)), half_width=0.01).n_star
    6300.0
    """
    design, rule = _designed(design), criteria or Criteria()
    sigma = design.noise.sigma(0.0)
    test = replace(rule, sides=2)
    size = _implied_items(design, items)
    if half_width is not None:
        _check.positive("half_width", half_width)
    if half_width is None and size is None:
        msg = "give half_width (to get items) or items (to get the half-width)"
        raise ParameterError(msg)

    def needed(at: float) -> float:
        ratio = design.quantile(test, at) * sigma / (half_width or np.nan)
        return float(np.ceil(design.items(ratio * ratio)))

    n_star = None if half_width is None else _settled(design, needed)
    reached = half_width
    if size is not None:
        reached = float(design.quantile(test, size) * sigma / np.sqrt(design.effective(size)))
    return Plan(
        question="precision",
        solved_for="items" if size is None else "half_width",
        criteria=rule,
        design=design,
        items=size,
        delta=None,
        margin=None,
        half_width=reached,
        n_star=n_star,
        mde=None,
        mde_down=None,
        power=None,
        q=_ratio(size, n_star),
        floor=None,
    )
