"""Live view of ratings while votes come in."""

from typing import Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nstar._verbs.battles import Battles
from nstar.report.formats.live_parts import LabeledRows, harmless
from nstar.report.prose.battles.headline import nearest, sentences
from nstar.report.prose.battles.notes import without_rating
from nstar.report.prose.battles.tables import ratings
from nstar.report.prose.numbers import count

_AROUND, _MIN_MODELS_SHOWN = 12, 3
"""Lines of the screen that are left to words, and models that are shown all the same."""


def _leaders(result: Battles, max_rows: int) -> Table:
    """The first models, as many as there is room for."""
    grid = ratings(result, short=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for k, header in enumerate(grid.header):
        side: Literal["left", "right"] = "left" if k == 1 else "right"
        table.add_column(Text(header, "dim"), justify=side, no_wrap=True)
    for row in grid.rows[:max_rows]:
        table.add_row(*(harmless(cell) for cell in row))
    if len(grid.rows) > max_rows:
        table.add_row(Text("…", "dim"), Text(f"{len(result) - max_rows:,} more", "dim"))
    return table


def board_view(result: Battles, title: str, pause: str, height: int) -> RenderableType:
    """Return the finding, the progress, the inconclusive gaps, and the leaders.

    ``pause`` says when the votes are read again; it may be empty.
    """
    rows = LabeledRows()
    rows.add("votes", f"{count(result.n_votes)} of {count(result.n_votes_planned)} planned")
    rows.add(
        "inconclusive",
        f"{result.n_inconclusive:,} of {len(result.adjacent):,} gaps between adjacent models",
    )
    for label, text in (("nearest", nearest(result)), ("unrated", without_rating(result))):
        if text:
            rows.add(label, text)
    settled = not result.n_inconclusive and not result.unrated
    parts: list[RenderableType] = [
        harmless(title, "dim"),
        harmless(" ".join(sentences(result)), "bold green" if settled else "bold"),
        rows.table,
        _leaders(result, max(height - _AROUND, _MIN_MODELS_SHOWN)),
    ]
    return Group(*parts, *([harmless(pause, "dim")] if pause else []))
