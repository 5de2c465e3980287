"""Colored terminal output; the only module that imports rich, and only when it draws."""

from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.constrain import Constrain
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from nstar.report.documents import Document, TextTable
from nstar.report.formats.curve import draw

WIDTH = 96
"""Longest line of prose: sentences that run across a wide screen are hard to read."""
NARROW = 72
"""Below this many columns tables are set tight and the curve is left out."""


def _table(grid: TextTable, *, narrow: bool) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 3, 0, 0))
    table.add_column("", width=1)  # not by color alone
    for k, (name, words) in enumerate(zip(grid.header, grid.worded(), strict=True)):
        side: Literal["left", "right"] = "left" if k and words else "right"
        table.add_column(Text(name, "dim"), justify=side, no_wrap=True)
    for i, row in enumerate(grid.starred()):
        if i in grid.lines:
            table.add_row("", *(Rule(style="dim") for _ in row))
        mark, style = ("→", "bold cyan") if i == grid.marked else ("", "")
        table.add_row(mark, *(Text(c) for c in row), style=style)
    return table


def _width(grid: TextTable) -> int:
    """Columns that the table takes when it is set wide."""
    table = (grid.header, *grid.rows)
    return sum(3 + max(map(len, column)) for column in zip(*table, strict=True)) + 4


def _list(title: str, items: tuple[str, ...], style: str) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    for item in items:
        grid.add_row(Text("•", style), Text(item, style))
    return Group(Text(title, "bold"), Padding(grid, (0, 0, 0, 2)))


def _assumed(doc: Document) -> RenderableType:
    """A sentence in its own line, several as a list."""
    if len(doc.assumptions) == 1:
        return Text(f"Assumptions: {doc.assumptions[0]}", "dim")
    return _list("Assumptions", doc.assumptions, "dim")


def _parts(doc: Document, *, narrow: bool) -> list[RenderableType]:
    """The headline, the tables, and what follows them."""
    parts: list[RenderableType] = [Text(doc.headline, "bold")]
    parts += [_table(g, narrow=narrow) for g in doc.grids]
    if doc.chart is not None and not narrow:
        lines = draw(doc.chart)
        parts.append(Group(Text(doc.chart.title, "bold"), *(Text(x, "cyan") for x in lines)))
    if doc.paragraph:
        body = Padding(Text(doc.paragraph, "italic"), (0, 2))
        parts.append(Group(Text("To paste", "bold"), body))
    if doc.notes:
        parts.append(_list("Notes", doc.notes, ""))
    if doc.assumptions:
        parts.append(_assumed(doc))
    if doc.rest:
        parts.append(Text(doc.rest, "dim"))
    return parts


def print_terminal(doc: Document) -> None:
    """Print the document to standard output."""
    console = Console(highlight=False)
    narrow = console.width < NARROW or any(_width(g) > console.width for g in doc.grids)
    titles = {i: g.title for i, g in enumerate(doc.grids, start=1)}  # tables may be wide
    for i, part in enumerate(_parts(doc, narrow=narrow)):
        if i:
            console.print()
        if i in titles:
            console.print(Constrain(Text(titles[i], "bold"), WIDTH))
            screen = console.width
            console.width = 9999
            console.width = max(screen, Measurement.get(console, console.options, part).maximum)
            console.print(part, crop=False)
            console.width = screen
        else:
            console.print(Constrain(part, WIDTH))
