"""Write the report of a grid of plans."""

import math
from collections.abc import Sequence
from dataclasses import replace

from nstar._verbs.plan.result import PlanAxis, PlanCell, PlanGrid
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, items, probability
from nstar.report.prose.plan import among, within
from nstar.report.prose.plan_terms import (
    a_gap,
    baseline,
    basis,
    condition,
    gap,
    noise_assumption,
    precision,
    with_article,
)

_AXES: dict[PlanAxis, str] = {"items": "items", "delta": "gap", "rho": "rho"}
_SOLVED = {
    "items": "Items needed",
    "mde": "Detectable gain",
    "mde_loss": "Detectable loss",
    "power": "Power",
    "half_width": "Half-width of the CI",
}
"""Title of a table for each field of a cell; ``items`` is the field ``n_star``."""


def axis_values(grid: PlanGrid, axis: PlanAxis | None) -> list[float]:
    """Return the values of an axis, in the given order."""
    if axis is None:
        return []
    return list(dict.fromkeys(_axis_value(cell, axis) for cell in grid.scenarios))


def _axis_value(cell: PlanCell, axis: PlanAxis) -> float:
    value: float = getattr(cell, "n_items" if axis == "items" else axis)
    return value


def axis_names(grid: PlanGrid) -> tuple[str, str]:
    """Return the names of the rows and the columns; empty if there is one column."""
    column = grid.column_axis
    return _AXES[grid.row_axis], "" if column is None else _AXES[column]


def axis_text(grid: PlanGrid, axis: PlanAxis, value: float) -> str:
    """Return one value of an axis, as a header of a table."""
    if axis == "items":
        return count(value)
    return f"{value:g}" if axis == "rho" else gap(grid.noise_design, value)


def _both_ways(grid: PlanGrid) -> bool:
    """Return whether detectable losses differ from detectable gains in any cell."""
    return any(
        cell.mde is not None
        and cell.mde_loss is not None
        and not math.isclose(cell.mde, cell.mde_loss, rel_tol=1e-9)
        for cell in grid.scenarios
    )


def shown_values(grid: PlanGrid) -> tuple[str, ...]:
    """Return the fields of a cell that are displayed; the first is in the headline."""
    if grid.solved_for == "mde" and _both_ways(grid):
        return ("mde", "mde_loss")
    return (grid.solved_for,)


def value_of(cell: PlanCell, field: str) -> float | None:
    """Return the number of a cell that a table displays."""
    value: float | None = getattr(cell, "n_star" if field == "items" else field)
    return None if cell.is_infeasible else value


def cell_text(grid: PlanGrid, cell: PlanCell, field: str) -> str:
    """Return the number of a cell as text."""
    value = value_of(cell, field)
    if field == "items":
        return count(value)
    if field == "power":
        return probability(value)
    values = [value_of(c, f) for c in grid.scenarios for f in shown_values(grid)]
    return gap(grid.noise_design, value, digits=precision(values))


def _name(grid: PlanGrid, field: str) -> str:
    if field == "mde" and not _both_ways(grid):
        return "Detectable gap" if grid.criteria.sides == 2 else _SOLVED["mde"]
    return _SOLVED[field]


def _given(grid: PlanGrid, *, but: Sequence[PlanAxis] = ()) -> str:
    """Return the items, gap, or margin that all cells share, as a clause."""
    first = grid.scenarios[0]
    parts = []
    if first.delta and "delta" not in but:
        parts.append(a_gap(grid.noise_design, first.delta))
    if grid.margin is not None:
        parts.append(f"{with_article(gap(grid.noise_design, grid.margin))} margin")
    if first.n_items is not None and "items" not in but:
        parts.append(items(first.n_items))
    return f" for {' and '.join(parts)}" if parts else ""


def _axes(grid: PlanGrid) -> list[PlanAxis]:
    return [axis for axis in (grid.row_axis, grid.column_axis) if axis is not None]


def title(grid: PlanGrid, field: str) -> str:
    """Return the title of a table: the quantity and its axes."""
    words = {**_AXES, "items": "number of items", "rho": "item correlation (rho)"}
    by = " and ".join(words[a] for a in _axes(grid))
    return f"{_name(grid, field)}{_given(grid, but=_axes(grid))}, by {by}"


def _where(grid: PlanGrid, cell: PlanCell) -> str:
    """Return the position of a cell as text."""
    text_by_axis = {
        "items": lambda: items(cell.n_items or 0),
        "delta": lambda: f"{gap(grid.noise_design, cell.delta)} gap",
        "rho": lambda: f"rho = {cell.rho:g}",
    }
    return ", ".join(text_by_axis[axis]() for axis in _axes(grid))


def _rule(grid: PlanGrid) -> str:
    c = grid.criteria
    solved = grid.solved_for in ("power", "half_width")
    power = "" if solved else probability(c.power)
    side = "one-sided" if c.sides == 1 else ""
    noise = "" if "rho" in _axes(grid) else condition(grid.noise_design)
    parts = [part for part in (f"{power} power" if power else "", side, noise) if part]
    return f" ({', '.join(parts)})" if parts else ""


def _headline(grid: PlanGrid) -> str:
    field = shown_values(grid)[0]
    known = [c for c in grid.scenarios if math.isfinite(value_of(c, field) or math.inf)]
    name = f"{_name(grid, field)}{_given(grid, but=_axes(grid))}{baseline(grid.noise_design)}"
    name += f"{among(grid.noise_design)}{within(grid.noise_design)}"
    if not known:
        return f"{name}{_rule(grid)}: no cell of this grid has a finite answer."
    low, high = (pick(known, key=lambda c: value_of(c, field) or 0.0) for pick in (min, max))
    ends = [f"{cell_text(grid, c, field).strip()} ({_where(grid, c)})" for c in (low, high)]
    return f"{name}{_rule(grid)}: {ends[0]} to {ends[1]}."


def table_of(grid: PlanGrid, field: str) -> TextTable:
    """Return a table with rows by the first axis and columns by the second."""
    if grid.column_axis is None:
        fields = shown_values(grid)
        return TextTable(
            title=title(grid, fields[0])
            if len(fields) == 1
            else "Detectable gap, by number of items",
            header=(_AXES[grid.row_axis], *(_name(grid, f).lower() for f in fields)),
            rows=tuple(
                (
                    axis_text(grid, grid.row_axis, _axis_value(cell, grid.row_axis)),
                    *(cell_text(grid, cell, field) for field in fields),
                )
                for cell in grid.scenarios
            ),
        )
    rows, columns = (axis_values(grid, axis) for axis in (grid.row_axis, grid.column_axis))
    wide = len(columns)
    head = _AXES[grid.row_axis]
    names = [f"{_AXES[a]} {axis_text(grid, a, v)}" for a in _axes(grid)[1:] for v in columns]
    return TextTable(
        title=title(grid, field),
        header=(head, *names),
        rows=tuple(
            (
                axis_text(grid, grid.row_axis, value),
                *(cell_text(grid, c, field) for c in grid.scenarios[i * wide : (i + 1) * wide]),
            )
            for i, value in enumerate(rows)
        ),
    )


def _notes(grid: PlanGrid) -> tuple[str, ...]:
    notes = []
    impossible = sum(cell.is_infeasible for cell in grid.scenarios)
    if impossible:
        notes.append(
            f"{impossible:,} of the {len(grid.scenarios):,} cells "
            f"{'is' if impossible == 1 else 'are'} empty (–), because no two models can have "
            "these accuracies and this correlation."
        )
    if any(math.isinf(value_of(cell, "items") or 0.0) for cell in grid.scenarios):
        notes.append("∞ means that no number of items is enough.")
    return tuple(notes)


def _assumption(grid: PlanGrid) -> str:
    """Return the noise. If the correlation varies, the table has its values."""
    text = noise_assumption(grid.noise_design)
    rho = getattr(grid.noise_design.noise, "rho", None)
    if rho is None or "rho" not in _axes(grid):
        return text
    return "Both models answer the same items; the table shows the item correlation (rho)."


def document(grid: PlanGrid) -> Document:
    """Return the report: headline, a table per quantity, notes, and assumptions."""
    fields = shown_values(grid)
    tables = tuple(table_of(grid, f) for f in (fields[:1] if grid.column_axis is None else fields))
    c = grid.criteria
    tested = replace(c, alternative="greater") if grid.margin is not None else c
    return Document(
        headline=_headline(grid),
        basis=basis(grid.noise_design, tested),
        key=tables,
        grids=tables,
        notes=_notes(grid),
        assumptions=(
            _assumption(grid),
            "Each cell is a separate plan, the same as from nstar plan with the values of "
            "that cell.",
        ),
    )
