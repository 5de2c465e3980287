"""What else to know about a design: other splits, other assumptions, more money, more looks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._verbs.budget.design import Planner, RunDesign
from nstar._verbs.budget.result import BudgetRow, MoneyCurve, Sequential
from nstar._verbs.budget.spread import Spread
from nstar.errors import ParameterError

_RUNS = (1, 2, 3, 5, 10, 20, 50, 100)
_RHOS = (0.0, 0.3, 0.5, 0.7, 0.9)
_FLIPS = (0.0, 0.1, 0.2, 0.3, 0.4)
_POINTS = 41
_LOOKS = 5


@dataclass(frozen=True, slots=True)
class BudgetAsked:
    """The question, and what else is to be tabulated."""

    budget: float | None
    """Money."""
    delta: float | None
    """Gap."""
    deltas: Sequence[float] = ()
    """Other gaps."""


def answer(planner: Planner, budget: float | None, delta: float | None) -> RunDesign | None:
    """Best design for the money or, without money, the cheapest for the gap."""
    if budget is not None:
        try:
            return planner.best(budget)
        except ParameterError:
            return None
    return None if delta is None else planner.cheapest(delta)


def _row(row: BudgetRow, planner: Planner, asked: BudgetAsked) -> BudgetRow:
    design = answer(planner, asked.budget, asked.delta)
    if design is None or asked.budget is None or asked.delta is None:
        return replace(row, design=design)
    return replace(row, design=design, power=planner.power(asked.delta, design))


def _by_runs(planner: Planner, chosen: RunDesign) -> Iterator[tuple[BudgetRow, Planner]]:
    """As many runs of both models, around what was chosen."""
    most = 4 * max(chosen.runs_a, chosen.runs_b)
    same = chosen.runs_a == chosen.runs_b
    for n in sorted({*(r for r in _RUNS if r <= max(most, 5)), *([chosen.runs_a] * same)}):
        yield (
            BudgetRow(name="runs", value=n, chosen=same and n == chosen.runs_a),
            replace(planner, runs=(n, n)),
        )


def _by_rho(planner: Planner) -> Iterator[tuple[BudgetRow, Planner]]:
    """Other correlations, where one was assumed."""
    assumed = planner.spread.rho
    if assumed is None:
        return
    for rho in sorted({*_RHOS, assumed}):
        other = planner.spread.with_rho(rho)
        if other is not None:
            row = BudgetRow(name="rho", value=rho, chosen=rho == assumed)
            yield row, replace(planner, spread=other)


def _by_flip(planner: Planner) -> Iterator[tuple[BudgetRow, Planner]]:
    """Other shares of runs that disagree, where one was assumed."""
    s = planner.spread
    if s.flip is None or s.baseline is None or s.rho is None:
        return
    most = 2 * s.baseline * (1 - s.baseline)
    for flip in sorted({*(f for f in _FLIPS if f <= most), s.flip}):
        other = Spread.of_rates(s.baseline, flip, s.rho)
        row = BudgetRow(name="flip", value=flip, chosen=flip == s.flip)
        yield row, replace(planner, spread=other)


def _is_possible(row: BudgetRow, planner: Planner, asked: BudgetAsked) -> bool:
    """Whether success rates as far apart as the row's gap can correlate as assumed."""
    found = row.design.mde if row.design else None
    gap = found if asked.delta is None else asked.delta
    return gap is None or planner.spread.most_rho(gap, planner.criteria.sides) is None


def alternatives(
    planner: Planner, design: RunDesign | None, asked: BudgetAsked
) -> tuple[BudgetRow, ...]:
    """The same question under other runs, other assumptions, and other gaps."""
    varied: list[tuple[BudgetRow, Planner]] = []
    if design is not None and planner.fixed_runs is None:
        varied += _by_runs(planner, design)
    varied += _by_rho(planner)
    varied += _by_flip(planner)
    rows = [
        found
        for row, other in varied
        if (found := _row(row, other, asked)).chosen or _is_possible(found, other, asked)
    ]
    rows = [r for r in rows if any(o.design for o in rows if o.name == r.name)]
    for gap in asked.deltas:
        row = BudgetRow(name="delta", value=gap, chosen=gap == asked.delta)
        rows.append(_row(row, planner, replace(asked, delta=gap)))
    return tuple(rows)


def money_curve(planner: Planner, around: float) -> MoneyCurve | None:
    """Detectable gap from a tenth to twice the money."""
    low = max(around / 10, planner.least_budget)
    if 2 * around < 1.05 * low:
        return None
    money = np.linspace(low, 2 * around, _POINTS)
    gaps = np.array([planner.best(float(m)).mde for m in money])
    return MoneyCurve(money=money, mde=gaps)


def different_tasks(
    planner: Planner, budget: float | None, delta: float | None
) -> RunDesign | None:
    """The same money, or the same gap, with different tasks for each model."""
    spread = planner.spread.apart()
    few = planner.tasks_available is not None and planner.tasks_available < 4
    if spread is None or few:
        return None
    return answer(replace(planner, spread=spread), budget, delta)


def sequential_saving(planner: Planner, design: RunDesign) -> Sequential:
    """Costs of five looks with an O'Brien–Fleming boundary, over those of one."""
    c = planner.criteria
    plan = stats.group_sequential(_LOOKS, alpha=c.alpha, power=c.power, sides=c.sides)
    return Sequential(
        looks=_LOOKS,
        most=plan.inflation,
        at_gap=plan.cost(1.0),
        at_twice=plan.cost(2.0),
        at_zero=plan.cost(0.0),
        fits=design.tasks * plan.inflation <= planner.most_tasks,
    )
