"""A SequentialPlan in words."""

from dataclasses import asdict
from typing import Any

from nstar._verbs.plan.sequential_result import MULTIPLES, SequentialPlan, SequentialRow
from nstar.report.documents import Document, Grid
from nstar.report.words.numbers import count, probability, pvalue
from nstar.report.words.plan_terms import gap
from nstar.report.words.sequential.notes import assumptions, headline, notes, whole

__all__ = ["data", "document"]


def _cells(row: SequentialRow) -> tuple[str, ...]:
    return (
        "fixed sample" if row.method == "fixed" else row.method,
        "every item" if row.looks is None else str(row.looks),
        count(row.items),
        *(whole(n) for n in (row.at_zero, row.at_gap, row.at_more, row.at_twice)),
        probability(row.power),
    )


def _ways(plan: SequentialPlan) -> Grid:
    gaps = [gap(plan.design, m * abs(plan.delta)) for m in MULTIPLES[1:]]
    return Grid(
        title="Items at most, and on average if the true gap is none, as planned, 1.5 × and 2 ×",
        header=("method", "looks", "at most", "no gap", *gaps, "power"),
        rows=tuple(_cells(row) for row in plan.rows),
        marked=next(k for k, row in enumerate(plan.rows) if row.chosen),
    )


def _looks(plan: SequentialPlan) -> Grid | None:
    if plan.group is None:
        return None
    z = "|Z|" if plan.criteria.sides == 2 else "Z"
    parts = zip(plan.at, plan.group.bounds.tolist(), plan.group.nominal.tolist(), strict=True)
    return Grid(
        title=f"Looks, and the {z} at which each stops",
        header=("look", "after items", z, "p-value"),
        rows=tuple(
            (str(k), count(n), f"{bound:.3f}", pvalue(p))
            for k, (n, bound, p) in enumerate(parts, start=1)
        ),
    )


def document(plan: SequentialPlan) -> Document:
    """Headline, ways of looking side by side, boundaries, notes, assumptions."""
    looks = _looks(plan)
    return Document(
        headline=headline(plan),
        grids=(_ways(plan),) if looks is None else (_ways(plan), looks),
        notes=notes(plan),
        assumptions=assumptions(plan),
    )


def data(plan: SequentialPlan) -> dict[str, Any]:
    """Everything a SequentialPlan holds, flat where people look first."""
    row, group = plan.row, plan.group
    noise = {"kind": type(plan.design.noise).__name__} | asdict(plan.design.noise)  # type: ignore[call-overload]
    return {
        "solved_for": plan.solved_for,
        "method": plan.method,
        "looks": plan.looks,
        "horizon": plan.horizon,
        "n_star": plan.n_star,
        "needed": plan.needed,
        "delta": plan.delta,
        "power": row.power,
        "items": plan.items,
        "at_zero": row.at_zero,
        "at_gap": row.at_gap,
        "at_more": row.at_more,
        "at_twice": row.at_twice,
        "psi": plan.psi,
        "mixture": plan.mixture,
        "criteria": asdict(plan.criteria),
        "design": {"noise": noise, "source": plan.design.source},
        "boundaries": None
        if group is None
        else [
            {"items": n, "z": bound, "p_value": p}
            for n, bound, p in zip(plan.at, group.bounds, group.nominal, strict=True)
        ],
        "table": [asdict(row) for row in plan.rows],
    }
