"""``plan``: solve one equation for items, detectable gap, or power."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy import special

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, Direction
from nstar._verbs.plan.design import (
    CURVE_POINTS,
    Design,
    check_room,
    designed,
    discordance,
    implied_items,
    ratio,
    settled,
)
from nstar._verbs.plan.noise import Graded, Noise, PairedPsi, PairedRho
from nstar._verbs.plan.result import Plan, PlanScenario, PowerCurve, SolvedFor, Varied
from nstar._verbs.plan.select_best import choice_items, choice_lead, choice_probability
from nstar._verbs.verdict import Criteria
from nstar.errors import InfeasibleError, ParameterError

RHO_GRID = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Item correlations shown next to the assumed one, because one number hides the assumption."""

_MIN_GAP_PLANNED = 1e-7
"""Smallest gap of a plan; below, numbers of items are meaningless."""
_COMPARISONS = (1, 9, 45)
"""Comparisons of two models, and of adjacent and all pairs among ten models."""
_ENUMERABLE = 1e6
"""Items up to which enumerating the power of one design is fast."""


def _n_star(design: Design, criteria: Criteria, delta: float) -> float:
    if design.goal == "best":
        return choice_items(design, criteria, delta)

    def need(items: float) -> float:
        n_independent = design.noise.n_star(delta, design.level(criteria, items))
        return float(np.ceil(design.items(n_independent)))

    return settled(design, need)


def mde_at(design: Design, criteria: Criteria, items: float, direction: Direction = "up") -> float:
    """Return the smallest detectable gap, or the lead at which these items select the best."""
    if design.goal == "best":
        return choice_lead(design, criteria, items)
    n = float(design.effective(items))
    return float(design.noise.mde(n, design.level(criteria, items), direction))


def _enumerable(design: Design) -> bool:
    """Return whether power can be enumerated: for one paired comparison of 0/1 scores."""
    is_single = not design.icc and not design.joint and design.goal != "best"
    return isinstance(design.noise, PairedRho | PairedPsi) and is_single


def _power(design: Design, criteria: Criteria, delta: Array, items: Array) -> Array:
    """Return the probability of success: of one comparison, of all, or of selecting the best."""
    if design.goal == "best":
        return choice_probability(design, delta, items)
    each = _each_power(design, criteria, delta, items)
    if not design.joint:
        return each
    powers = [design.joint_power(float(x), criteria) for x in each.ravel()]
    return np.reshape(powers, each.shape)


def _each_power(design: Design, criteria: Criteria, delta: Array, items: Array) -> Array:
    """Return the power at each gap and number of items.

    0 where items are fewer than two clusters.
    """
    gaps, sizes = np.broadcast_arrays(delta, items)
    if not design.icc:
        return np.asarray(design.noise.power(gaps, sizes, design.level(criteria)))
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
    up = mde_at(design, criteria, items, "up")
    if criteria.sides == 1 or design.goal == "best":
        return up, None
    return up, mde_at(design, criteria, items, "down")


def _row(
    name: Varied,
    value: float,
    design: Design,
    criteria: Criteria,
    inputs: tuple[float | None, int | None],
) -> PlanScenario:
    delta, items = inputs
    noise = design.noise
    mde_pair = _both(design, criteria, items)
    binary = isinstance(noise, PairedRho | PairedPsi)
    return PlanScenario(
        name=name,
        value=value,
        psi=float(discordance(noise, delta or 0.0)) if binary else None,
        n_star=None if delta is None else _n_star(design, criteria, delta),
        mde=mde_pair[0] if mde_pair else None,
        mde_loss=mde_pair[1] if mde_pair else None,
        power=(
            None
            if delta is None or items is None
            else float(_power(design, criteria, np.asarray(delta), np.asarray(items)))
        ),
    )


def _alternatives(noise: Noise, rhos: Sequence[float]) -> Iterator[tuple[Varied, float, Noise]]:
    """Vary the assumption: rho if there is one, else psi halved and doubled."""
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
    inputs: tuple[float | None, int | None],
    *,
    rhos: Sequence[float],
    deltas: Sequence[float],
) -> tuple[PlanScenario, ...]:
    rows = []
    chosen = design.noise
    for name, value, noise in _alternatives(chosen, rhos):
        try:
            row = _row(name, value, replace(design, noise=noise), criteria, inputs)
        except InfeasibleError:  # these accuracies cannot have this correlation
            row = PlanScenario(name=name, value=value)
        rows.append(replace(row, is_headline=noise == chosen))
    for delta in deltas:
        row = _row("delta", delta, design, criteria, (delta, inputs[1]))
        rows.append(replace(row, is_headline=delta == inputs[0]))
    return tuple(rows)


def _curve(
    design: Design, criteria: Criteria, delta: float | None, items: float
) -> PowerCurve | None:
    """Return power by items (a gap is given) or by gap (only items are given)."""
    if not np.isfinite(items):
        return None
    if delta is not None:
        x = np.unique(np.ceil(np.linspace(2 * items / CURVE_POINTS, 2 * items, CURVE_POINTS)))
        x = x[x >= max(2, design.clusters or 0 if design.icc else 0)]
        if x.size < 2:
            return None
        return PowerCurve(axis="items", x=x, power=_power(design, criteria, np.asarray(delta), x))
    top = 2 * mde_at(design, criteria, items, "up")
    if not np.isfinite(top):
        return None
    gaps = np.linspace(0, min(top, design.noise.room() * (1 - 1e-9)), CURVE_POINTS)[1:]
    return PowerCurve(
        axis="delta", x=gaps, power=_power(design, criteria, gaps, np.asarray(items))
    )


def _check_size(noise: Noise, gap: float) -> None:
    """Check that a gap between accuracies is below 1.

    A gap between graded scores is in the units of the scores.
    """
    if isinstance(noise, Graded):
        min_gap = _MIN_GAP_PLANNED * noise.sd
        checks.require(
            min_gap <= abs(gap) < np.inf, "delta", f"finite and at least {min_gap:g}", gap
        )
        return
    checks.require(
        _MIN_GAP_PLANNED <= abs(gap) < 1,
        "delta",
        f"at least {_MIN_GAP_PLANNED:g} and below 1",
        gap,
    )


def _floor(design: Design, criteria: Criteria, delta: float) -> float | None:
    """Return the detectable gap with infinitely many items in the fixed clusters."""
    if not (design.clusters and design.icc > 0):
        return None
    direction: Direction = "up" if delta >= 0 else "down"
    if design.goal == "best":
        return choice_lead(design, criteria, 1e15)
    worth = design.clusters / design.icc
    return float(design.noise.mde(worth, design.level(criteria), direction))


def _exact_power(
    design: Design, criteria: Criteria, delta: float | None, items: float
) -> float | None:
    """Return enumerated power next to the formula, for paired, independent 0/1 scores."""
    if not _enumerable(design):
        return None
    if delta is None or not np.isfinite(delta) or not 1 <= items <= _ENUMERABLE:
        return None
    psi = discordance(design.noise, delta)
    test = design.level(criteria).mcnemar
    return float(
        stats.exact_power(
            delta,
            psi=psi,
            n=np.ceil(items),
            method="default",
            alpha=test.alpha,
            sides=test.sides,
        )
    )


def _joint_power(design: Design, criteria: Criteria, delta: float, items: float) -> float | None:
    """Return the power of detecting every comparison; None if nothing is proved."""
    if design.goal == "best":
        return None
    joint_design = replace(design, joint=True)
    return float(_power(joint_design, criteria, np.asarray(delta), np.asarray(items)))


def _items_for_all_pairs(design: Design, criteria: Criteria, delta: float) -> float | None:
    """Return, for a selection, the items that would prove the gap between any two models."""
    if design.goal != "best":
        return None
    return _n_star(replace(design, goal="all-pairs"), criteria, delta)


def stricter_policies(
    design: Design, criteria: Criteria, delta: float
) -> list[tuple[int | None, float, float, float]]:
    """Return comparisons, critical value, growth of N*, and N* of one test and stricter ones.

    The number of comparisons is that of Bonferroni's adjustment, or None for the anytime-valid
    policy. There are no rows for families, clusters, and one-sided tests.
    """
    n_star = _n_star(design, criteria, delta)
    is_single = design.n_comparisons == 1 and design.goal != "best" and not design.icc
    if not is_single or criteria.sides == 1 or not np.isfinite(n_star):
        return []
    alphas: dict[int | None, float] = {m: criteria.alpha / m for m in _COMPARISONS}
    alphas[None] = 2 * float(special.ndtr(-stats.anytime_critical(criteria.alpha)))
    rules = {m: replace(criteria, alpha=alpha) for m, alpha in alphas.items()}
    sizes = {m: _n_star(design, rule, delta) for m, rule in rules.items()}
    return [(m, rules[m].z, n / n_star, n) for m, n in sizes.items()]


def plan(
    design: Design | Noise,
    *,
    delta: float | None = None,
    items: int | None = None,
    criteria: Criteria | None = None,
    rhos: Sequence[float] = RHO_GRID,
    deltas: Sequence[float] = (),
    headline_only: bool = False,
) -> Plan:
    """Compute whichever of items, detectable gap, and power is not given.

    Parameters
    ----------
    design : Design or Noise
        Noise, family and clusters; a noise assumption alone stands for one comparison.
    delta : float, optional
        Gap to detect, first minus second, a proportion (score units for graded scores).
    items : int, optional
        Number of items that both models answer, or that each model answers if unpaired.
    criteria : Criteria, optional
        Level, power, and alternative hypothesis; ``Criteria()`` when None.
    rhos, deltas : sequence of float
        Alternatives to report in addition to the headline.
    headline_only : bool, default False
        Whether to compute only the headline, without alternatives, curve, and enumerated power.

    Examples
    --------
    >>> from nstar import Design, PairedRho
    >>> p = plan(Design(noise=PairedRho(baseline=0.70, rho=0.4)), delta=0.01)
    >>> p.solved_for, p.n_star
    ('items', 19593.0)
    """
    design, rule = designed(design), criteria or Criteria()
    size = implied_items(design, items)
    if delta is None and size is None:
        msg = "Set delta (to get items), items (to get the detectable gap), or both (power)."
        raise ParameterError(msg)
    if delta is not None:
        for gap in (delta, *deltas):
            _check_size(design.noise, gap)
            if rule.sides == 1 or design.goal == "best":
                checks.require(
                    gap > 0,
                    "delta",
                    "positive, because the test is one-sided and the first model must be better",
                    gap,
                )
        check_room(design.noise, (delta, *deltas))
    n_star = None if delta is None else _n_star(design, rule, delta)
    at = float(size) if size is not None else float(n_star or np.inf)
    mde_pair = _both(design, rule, at)
    solved: SolvedFor = "mde" if delta is None else ("items" if size is None else "power")
    power = 1 - rule.alpha if design.goal == "best" else rule.power
    at_once = None
    if delta is not None and design.n_comparisons > 1 and np.isfinite(at):
        at_once = _joint_power(design, rule, delta, at)
    if delta is not None and size is not None:
        power = float(_power(design, rule, np.asarray(delta), np.asarray(size)))
    return Plan(
        question="difference",
        solved_for=solved,
        criteria=rule,
        noise_design=design,
        n_items=size,
        delta=delta,
        margin=None,
        half_width=None,
        n_star=n_star,
        mde=mde_pair[0] if mde_pair else None,
        mde_loss=mde_pair[1] if mde_pair else None,
        power=power,
        power_all=at_once,
        n_items_all_pairs=None if delta is None else _items_for_all_pairs(design, rule, delta),
        q=ratio(size, n_star),
        mde_floor=_floor(design, rule, delta or 0.0),
        power_exact=None
        if headline_only
        else _exact_power(
            design, rule, delta if delta is not None else (mde_pair[0] if mde_pair else None), at
        ),
        scenarios=()
        if headline_only
        else _rows(design, rule, (delta, size), rhos=rhos, deltas=deltas),
        power_curve=None if headline_only else _curve(design, rule, delta, at),
    )
