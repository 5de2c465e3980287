"""Live view of a race while answers come in."""

from typing import Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nstar._verbs.race import RaceResult
from nstar.report.documents import TextTable
from nstar.report.formats.live_parts import LabeledRows, harmless
from nstar.report.prose.numbers import count, name
from nstar.report.prose.race import short, survivors

_AROUND, _MIN_MODELS_SHOWN = 11, 3
"""Lines of the screen that are left to words, and models that are shown all the same."""


def _table(grid: TextTable, max_rows: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for header, words in zip(grid.header, grid.worded(), strict=True):
        side: Literal["left", "right"] = "left" if words else "right"
        table.add_column(Text(header, "dim"), justify=side, no_wrap=True)
    for row in grid.rows[:max_rows]:
        table.add_row(*(harmless(cell) for cell in row))
    if len(grid.rows) > max_rows:
        table.add_row(Text(f"{len(grid.rows) - max_rows:,} more", "dim"))
    return table


def race_view(result: RaceResult, title: str, height: int) -> RenderableType:
    """Return the answer, the progress, the last eliminated model, and the remaining ones."""
    rows = LabeledRows()
    rows.add("items", f"{count(result.n_items)} of {count(result.question.items)}")
    rows.add(
        "remaining", f"{len(result.active_models):,} of {len(result.question.models):,} models"
    )
    rows.add("answers", f"{count(result.n_answers_used)} of {count(result.n_answers_planned)}")
    if result.eliminated_models:
        last = result.eliminated_models[0]
        model, by = (name(n, limit=30) for n in (last.model, last.beaten_by))
        rows.add("eliminated", f"{model} by {by}, after {count(last.n_items)}")
    style = "bold green" if result.verdict in ("winner", "within") else "bold"
    parts: list[RenderableType] = [
        harmless(title, "dim"),
        harmless(short(result), style),
        rows.table,
        _table(survivors(result), max(height - _AROUND, _MIN_MODELS_SHOWN)),
    ]
    return Group(*parts)
