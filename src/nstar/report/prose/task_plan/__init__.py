"""Write the report of a budget plan."""

import math
from collections.abc import Iterator
from typing import Any

from nstar._verbs.budget import TaskPlan, TaskPlanScenario
from nstar.report.documents import Document, TextChart, TextTable
from nstar.report.prose.numbers import count, money, probability
from nstar.report.prose.task_plan.headline import gap, headline
from nstar.report.prose.task_plan.notes import assumptions, basis, notes

_TITLES = {
    "runs": "By runs per task and model",
    "rho": "By correlation (rho) of the models' true scores over tasks",
    "flip": "By how often two runs of a task disagree, at the same success rate",
    "delta": "By gap",
}
_FIRST = {"runs": "runs", "rho": "rho", "flip": "disagree", "delta": "gap"}


def _first(plan: TaskPlan, row: TaskPlanScenario) -> str:
    if row.name == "runs":
        return f"{row.value:,.0f}"
    if row.name == "delta":
        return gap(plan, row.value, is_set=True)
    return f"{row.value:.2f}"


def _header(plan: TaskPlan, rows: list[TaskPlanScenario]) -> tuple[str, ...]:
    name = rows[0].name
    size_columns = ("tasks",) if name == "runs" or plan.n_runs else ("tasks", "runs A", "runs B")
    last = ("detectable gap",) if plan.solved_for != "cost" else ()
    chance = ("power",) if any(r.power is not None for r in rows) else ()
    return (_FIRST[name], *size_columns, "cost", *last, *chance)


def _has_cents(plan: TaskPlan) -> bool:
    """Return whether costs need decimals and are large enough for two of them."""
    costs = [r.design.cost for r in plan.scenarios if r.design]
    return min(costs, default=0.0) >= 0.1 and any("." in money(c) for c in costs)


def _cells(plan: TaskPlan, row: TaskPlanScenario, header: tuple[str, ...]) -> tuple[str, ...]:
    d = row.design
    full = {
        "tasks": count(d.n_tasks if d else None),
        "runs A": count(d.n_runs_a if d else None),
        "runs B": count(d.n_runs_b if d else None),
        "cost": money(d.cost, cents=_has_cents(plan)) if d else "–",
        "detectable gap": gap(plan, d.mde if d else None),
        "power": probability(row.power),
    }
    return (_first(plan, row), *(full[h] for h in header[1:]))


def _grids(plan: TaskPlan) -> tuple[TextTable, ...]:
    out = []
    for name, split_title in _TITLES.items():
        rows = [r for r in plan.scenarios if r.name == name]
        if not rows:
            continue
        header = _header(plan, rows)
        chosen = [i for i, r in enumerate(rows) if r.is_headline]
        title = split_title
        if not plan.variances.is_split:
            title = title.replace("true scores", "scores of single runs")
        same = " with the same budget" if plan.budget is not None and name == "runs" else ""
        out.append(
            TextTable(
                title=title + same,
                header=header,
                rows=tuple(_cells(plan, r, header) for r in rows),
                marked=chosen[0] if chosen else None,
            )
        )
    return tuple(out)


def _chart(plan: TaskPlan) -> TextChart | None:
    curve, design = plan.mde_by_budget, plan.best_design
    if curve is None or design is None:
        return None
    x = tuple(float(v) for v in curve.budget)
    top = float(curve.mde.max())
    at = plan.budget if plan.budget is not None else design.cost
    return TextChart(
        title="Detectable gap, by cost",
        x=x,
        y=tuple(float(v) / top for v in curve.mde),
        x_labels=(money(x[0]), money(x[-1])),
        mark=(min(max(at, x[0]), x[-1]), money(at)),
        level=(design.mde / top, gap(plan, design.mde)),
        ends=(gap(plan, top), gap(plan, 0.0)),
    )


def document(plan: TaskPlan) -> Document:
    """Return the report: headline, other designs, the curve, notes, and assumptions."""
    sentences = headline(plan)
    return Document(
        headline=" ".join(sentences),
        opening=sentences[0],
        grids=_grids(plan),
        chart=_chart(plan),
        notes=tuple(notes(plan)),
        basis=basis(plan),
        assumptions=assumptions(plan),
    )


def table_rows(plan: TaskPlan) -> Iterator[dict[str, Any]]:
    """Yield one flat row for the design in the headline, and for each alternative."""
    first = TaskPlanScenario(
        name="runs", value=math.nan, is_headline=True, design=plan.best_design
    )
    for row in (first, *plan.scenarios):
        label = "headline" if row is first else row.name
        d = row.design
        yield {
            "name": label,
            "value": None if row is first else row.value,
            "n_tasks": d.n_tasks if d else None,
            "n_runs_a": d.n_runs_a if d else None,
            "n_runs_b": d.n_runs_b if d else None,
            "cost": d.cost if d else None,
            "mde": d.mde if d else None,
            "power": plan.power if row is first else row.power,
        }
