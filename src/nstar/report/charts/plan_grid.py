"""A grid of plans as a heat map: a number in each cell, the larger the darker."""

import math

from nstar._base.record import record
from nstar._verbs.plan.grid_result import PlanGrid
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas
from nstar.report.charts._figure import Figure
from nstar.report.charts._text import width
from nstar.report.prose import plan_grid as words

__all__ = ["grid_heat"]

_STEP = 26.0
"""Height of a row."""
_SHADES = 5
"""Shades, so pale that text on them stays readable."""
_MIN_WIDTH = 46.0
"""Width of a column at least."""


def _shade(value: float | None, low: float, high: float, *, ratios: bool) -> int:
    """Shade from 1 (the smallest value) to 5 (the largest); 0 for a cell without a number."""
    if value is None or not math.isfinite(value):
        return 0
    if high <= low:
        return 1
    if ratios and low > 0:
        share = math.log(value / low) / math.log(high / low)
    else:
        share = (value - low) / (high - low)
    return 1 + min(int(share * _SHADES), _SHADES - 1)


def _shades(grid: PlanGrid, field: str) -> list[int]:
    """Shade of each cell; powers are compared by their differences, all else by ratios."""
    values = [words.value_of(cell, field) for cell in grid.scenarios]
    known = [v for v in values if v is not None and math.isfinite(v)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    return [_shade(v, low, high, ratios=field != "power") for v in values]


@record()
class _Labels:
    """Everything that is written beside or into the cells."""

    rows: list[str]
    """Values of the rows."""
    columns: list[str]
    """Values of the columns."""
    cells: list[str]
    """Numbers, row by row."""

    @classmethod
    def of(cls, grid: PlanGrid, field: str) -> "_Labels":
        """Those of a grid; one column has no name."""
        axis = grid.column_axis
        return cls(
            rows=[
                words.axis_text(grid, grid.row_axis, v)
                for v in words.axis_values(grid, grid.row_axis)
            ],
            columns=[""]
            if axis is None
            else [words.axis_text(grid, axis, v) for v in words.axis_values(grid, axis)],
            cells=[words.cell_text(grid, cell, field).strip() for cell in grid.scenarios],
        )


def grid_heat(grid: PlanGrid) -> Figure:
    """Heat map of the number that every cell computes; of gains and losses, the gains."""
    field = words.shown_values(grid)[0]
    said, title = words.document(grid).headline, words.title(grid, field)
    labels = _Labels.of(grid, field)
    row_name, column_name = words.axis_names(grid)
    across = len(labels.columns)
    left = EDGE + max(width(t, 12) for t in [*labels.rows, row_name]) + 10
    least = max(_MIN_WIDTH, *(width(t, 12) + 10 for t in [*labels.cells, *labels.columns]))
    canvas = Canvas(max(WIDTH, left + least * across + EDGE))
    wide = (canvas.wide - EDGE - left) / across
    y = canvas.head(title, f"{said} The larger the number, the darker the cell.") + 4
    if column_name:
        canvas.text(left + wide * across / 2, y, column_name, "s", "middle")
        y += 18
    canvas.text(EDGE, y, row_name, "s")
    for j, text in enumerate(labels.columns):
        canvas.text(left + (j + 0.5) * wide, y, text, "s ink", "middle")
    y += 12
    for i, text in enumerate(labels.rows):
        canvas.text(EDGE, y + (i + 0.5) * _STEP, text, "s ink")
    for k, (shade, text) in enumerate(zip(_shades(grid, field), labels.cells, strict=True)):
        x, top = left + k % across * wide, y + k // across * _STEP
        canvas.rect(x, top, wide - 1, _STEP - 1, f"win o{shade}" if shade else "band")
        canvas.text(x + wide / 2, top + _STEP / 2, text, "s ink", "middle")
    alt = f"Heat map of {len(labels.rows)} rows and {across} columns. {said}"
    table = words.table_of(grid, field)
    return canvas.figure(y + len(labels.rows) * _STEP + 8, title=title, alt=alt, table=table)
