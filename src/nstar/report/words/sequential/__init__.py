"""A SequentialPlan in words."""

from nstar._verbs.plan.result import MULTIPLES, SequentialPlan, SequentialRow
from nstar.report.documents import Document, Grid
from nstar.report.words.numbers import count, probability, pvalue
from nstar.report.words.plan_terms import gap
from nstar.report.words.sequential.notes import assumptions, headline, notes, whole

__all__ = ["document"]


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
    if not plan.boundaries:
        return None
    z = "|Z|" if plan.criteria.sides == 2 else "Z"
    return Grid(
        title=f"Looks, and the {z} at which each stops",
        header=("look", "after items", z, "p-value"),
        rows=tuple(
            (str(k), count(look.items), f"{look.z:.3f}", pvalue(look.p_value))
            for k, look in enumerate(plan.boundaries, start=1)
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
