"""``plan_sequential``: largest and expected items of a comparison with interim looks.

One design is planned with several methods, because the cost of looking depends on the method.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.interim_looks import (
    PLANNED_LOOKS,
    USUAL,
    EveryItem,
    PlannedLooks,
    Way,
    around,
    course,
    horizon,
)
from nstar._verbs.plan.noise import Graded, Noise, Unpaired
from nstar._verbs.plan.sequential_result import (
    MULTIPLES,
    LookBoundary,
    SequentialPlan,
    SequentialScenario,
    SequentialSolvedFor,
)
from nstar._verbs.plan.solve import plan
from nstar._verbs.verdict import Criteria
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats.confseq import FIRST_LOOK
from nstar.stats.looks import GroupSequential

_EDGE = 1 - 1e-6
"""Share of the largest possible gap that is still searched."""
_MIN_GAP_SEARCHED = 1e-5
"""Share of the largest possible gap at which the search starts."""
_SIDE_BY_SIDE = ("obrien-fleming", "pocock")


def _refuse(design: Design, criteria: Criteria, method: Way) -> None:
    """Raise an error for questions that this method cannot answer, with one that can."""
    if design.n_comparisons > 1 or design.icc:
        msg = (
            "Interim looks are planned for one comparison on independent items. Remove models and "
            "icc."
        )
        raise ParameterError(msg)
    if isinstance(design.noise, Unpaired):
        msg = (
            "Interim looks are planned for two models on the same items. Pass PairedRho or "
            "PairedPsi."
        )
        raise ParameterError(msg)
    graded = isinstance(design.noise, Graded)
    if method == "e-process" and graded:
        msg = "e-process needs 0/1 scores. Use bets or asymptotic for graded scores."
        raise ParameterError(msg)
    if method == "asymptotic" and not graded:
        msg = "asymptotic needs graded scores. Use e-process for 0/1 scores."
        raise ParameterError(msg)
    if method not in PLANNED_LOOKS and criteria.sides == 1:
        msg = (
            f"{method} is two-sided. For a one-sided test, use one of: {', '.join(PLANNED_LOOKS)}."
        )
        raise ParameterError(msg)


def _comparable_methods(design: Design, criteria: Criteria, method: Way) -> Iterator[Way]:
    """Yield the methods that answer the same question, including the requested one."""
    methods: tuple[EveryItem, ...] = (
        ("asymptotic", "bets") if isinstance(design.noise, Graded) else ("e-process", "bets")
    )
    for planned_method in PLANNED_LOOKS:
        if planned_method in _SIDE_BY_SIDE or planned_method == method:
            yield planned_method
    if criteria.sides == 2:
        yield from methods


def _group(method: Way, criteria: Criteria, looks: int) -> GroupSequential | None:
    for spending in PLANNED_LOOKS:
        if method == spending:
            return stats.group_sequential(
                looks,
                alpha=criteria.alpha,
                power=criteria.power,
                sides=criteria.sides,
                spending=spending,
            )
    return None


def _boundaries(group: GroupSequential | None, max_items: int) -> tuple[LookBoundary, ...]:
    """Return the boundary of each planned look."""
    if group is None:
        return ()
    at = np.ceil(group.timing * max_items - 1e-9).tolist()
    looks = zip(at, group.bounds.tolist(), group.nominal.tolist(), strict=True)
    return tuple(LookBoundary(n_items=int(n), z=z, pvalue=p) for n, z, p in looks)


def _row(
    method: Way, planned: PlannedLooks, group: GroupSequential | None, items: int
) -> SequentialScenario:
    ends = course(method, planned, group)

    def mean(multiple: float) -> float | None:
        try:
            return ends(multiple, items).mean
        except ParameterError:  # scores cannot have such a gap
            return None

    zero, (power, at_gap) = ends(0.0, items).mean, ends(1.0, items)
    return SequentialScenario(
        method=method,
        n_looks=None if group is None else group.looks,
        n_items_max=items,
        power=power,
        mean_at_zero=zero,
        mean_at_delta=at_gap,
        mean_at_1_5_delta=mean(MULTIPLES[2]),
        mean_at_2_delta=mean(MULTIPLES[3]),
    )


def _fixed(planned: PlannedLooks, items: int | None) -> tuple[int, SequentialScenario]:
    """Return N* of a fixed sample, and that sample as a row.

    Its items do not depend on the gap.
    """
    once = plan(
        planned.design, delta=planned.delta, items=items, criteria=planned.criteria, rhos=()
    )
    if once.n_star is None or not np.isfinite(once.n_star):
        msg = f"No number of items detects a gap of {planned.delta:g} under these assumptions."
        raise InfeasibleError(msg)
    n = int(once.n_star) if items is None else items

    def possible(multiple: float) -> float | None:
        try:
            planned.gap(multiple)
        except ParameterError:
            return None
        return float(n)

    row = SequentialScenario(
        method="fixed",
        n_looks=1,
        n_items_max=n,
        power=once.power or planned.criteria.power,
        mean_at_zero=n,
        mean_at_delta=n,
        mean_at_1_5_delta=possible(MULTIPLES[2]),
        mean_at_2_delta=possible(MULTIPLES[3]),
    )
    return int(once.n_star), row


def _all_methods(
    planned: PlannedLooks, method: Way, looks: int, items: int | None
) -> list[SequentialScenario]:
    """Return every method, each with the given items or with its own horizon."""
    rows = []
    for scenario_method in _comparable_methods(planned.design, planned.criteria, method):
        if scenario_method == "asymptotic" and items is not None and items < FIRST_LOOK:
            continue
        group = _group(scenario_method, planned.criteria, looks)
        try:
            max_items = horizon(scenario_method, planned, group) if items is None else items
            rows.append(
                replace(
                    _row(scenario_method, planned, group, max_items),
                    is_headline=scenario_method == method,
                )
            )
        except ParameterError:  # differences in [-1, 1] that no bet can have
            if scenario_method == method:
                raise
    return rows


def _smallest_gap(
    planned: PlannedLooks, method: Way, group: GroupSequential | None, items: int
) -> float:
    """Return the smallest gain that the items detect with the target power."""
    noise, target_power = planned.design.noise, planned.criteria.power
    max_gap = noise.room() * _EDGE
    if isinstance(noise, Graded):
        max_gap = np.sqrt(max(1 - noise.sigma() ** 2, 0.0)) * _EDGE

    def excess(delta: float) -> float:
        at = PlannedLooks(design=planned.design, criteria=planned.criteria, delta=delta)
        return course(method, at, group)(1.0, items).power - target_power

    level = planned.design.level(planned.criteria)
    guess = float(noise.mde(items / (group.inflation if group else USUAL), level, "up"))
    ends = (_MIN_GAP_SEARCHED * max_gap, max_gap)
    root = around(excess, min(guess, max_gap), ends, tol=1e-6 * max_gap) if max_gap > 0 else None
    if root is None:
        msg = (
            f"With these looks, {items:,} items cannot detect any gap with a power of "
            f"{target_power:g}. Use more items or fewer looks."
        )
        raise InfeasibleError(msg)
    return root


def _checked_items(method: Way, items: int | None, looks: int) -> int | None:
    """Return the given items after checking that they are whole and suffice for this method."""
    if items is None:
        return None
    checks.counts(items=items)
    checks.require(items >= 2, "items", "at least 2", items)
    if method in PLANNED_LOOKS:
        checks.require(items >= looks, "items", f"at least {looks}, the number of looks", items)
    if method == "asymptotic" and items < FIRST_LOOK:
        msg = f"asymptotic needs at least {FIRST_LOOK} items; got {items}. Use bets."
        raise ParameterError(msg)
    return int(items)


def plan_sequential(
    design: Design | Noise,
    method: Way,
    *,
    delta: float | None = None,
    items: int | None = None,
    looks: int = 5,
    criteria: Criteria | None = None,
) -> SequentialPlan:
    """Plan the largest and the expected number of items for an evaluation with interim looks.

    Parameters
    ----------
    design : Design or Noise
        Noise of one comparison: 0/1 scores (``PairedRho``, ``PairedPsi``) or ``Graded``.
    method : Way
        Method. For looks after every item: ``e-process`` (0/1 scores), ``bets`` (scores in [0,
        1]), or ``asymptotic`` (graded scores). For a few planned looks: ``obrien-fleming``,
        ``pocock``, ``lan-demets-of``, or ``lan-demets-pocock``.
    delta : float, optional
        Gap to detect, first minus second, a proportion (score units for graded scores).
    items : int, optional
        Maximum number of items. With ``delta``, the result is the power; without it, the smallest
        detectable gain.
    looks : int, default 5
        Number of planned looks, including the last one. Ignored by methods that look after every
        item.
    criteria : Criteria, optional
        Level of all looks together, power, and alternative; ``Criteria()`` when None.

    Examples
    --------
    >>> from nstar import PairedPsi
    >>> sequential_plan = plan_sequential(PairedPsi(psi=0.2), "e-process", delta=0.05)
    >>> sequential_plan.n_items_max, round(sequential_plan.n_items_mean), sequential_plan.n_star
    (1018, 627, 626)
    """
    full_design = design if isinstance(design, Design) else Design(noise=design)
    rule = criteria or Criteria()
    checks.choice("method", method, (*PLANNED_LOOKS, "e-process", "asymptotic", "bets"))
    _refuse(full_design, rule, method)
    items = _checked_items(method, items, looks)
    group = _group(method, rule, looks)
    planned = PlannedLooks(design=full_design, criteria=rule, delta=delta or 0.0)
    if delta is None:
        if items is None:
            msg = "Set delta (to get items), items (to get the detectable gap), or both (power)."
            raise ParameterError(msg)
        planned = replace(planned, delta=_smallest_gap(planned, method, group, items))
    n_star, first = _fixed(planned, items)
    rows = (first, *_all_methods(planned, method, looks, items))
    solved: SequentialSolvedFor = (
        "mde" if delta is None else ("items" if items is None else "power")
    )
    max_items = next(row.n_items_max for row in rows if row.is_headline)
    return SequentialPlan(
        solved_for=solved,
        method=method,
        n_looks=None if group is None else looks,
        criteria=rule,
        noise_design=full_design,
        n_items=items,
        delta=planned.delta,
        psi=None if isinstance(full_design.noise, Graded) else planned.psi(1.0),
        n_star=n_star,
        n_items_needed=horizon(method, planned, group) if solved == "power" else max_items,
        boundaries=_boundaries(group, max_items),
        scenarios=rows,
    )
