"""Plain text: aligned columns, wrapped sentences, no colours, for pipes and files."""

import re
import textwrap

from nstar.report.documents import Document, Grid
from nstar.report.formats.curve import draw

WIDTH = 88


_COMMAND = re.compile(r"^(\s*:)(?=:)|(#)(?=#\[)", re.MULTILINE)


def unheard(text: str) -> str:
    r"""The text without lines that GitHub Actions would take for commands.

    Examples
    --------
    >>> print(unheard("  ::stop-commands::x"))
      : :stop-commands::x
    """
    return _COMMAND.sub(r"\1\2 ", text)


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_on_hyphens=False,
    )


def grid_lines(grid: Grid, width: int = WIDTH) -> list[str]:
    """The title, and the table with right-aligned columns; the marked row carries an arrow.

    Parameters
    ----------
    grid
        What to show.
    width
        Columns of the screen; beyond them the table is set tight.
    """
    table = [grid.header, *grid.rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(grid.header))]
    between = "   " if sum(widths) + 3 * len(widths) - 1 <= width else "  "
    line = "  " + "─" * (sum(widths) + len(between) * (len(widths) - 1))
    lines = [_wrap(grid.title)]
    for k, row in enumerate(table, start=-1):
        if k in grid.lines:
            lines.append(line)
        mark = "→ " if k == grid.marked else "  "
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append((mark + between.join(cells)).rstrip())
    return lines


def render_text(doc: Document) -> str:
    """The whole document, ending in a newline."""
    parts = [_wrap(doc.headline)]
    parts += ["\n".join(grid_lines(g)) for g in doc.grids]
    if doc.chart is not None:
        parts.append("\n".join([doc.chart.title, *draw(doc.chart)]).rstrip())
    if doc.paragraph:
        parts.append("To paste\n" + _wrap(doc.paragraph, "  "))
    if doc.notes:
        parts.append("\n".join(["Notes", *(_wrap(n, "  - ") for n in doc.notes)]))
    if doc.assumptions:
        parts.append("\n".join(["Assumes", *(_wrap(a, "  - ") for a in doc.assumptions)]))
    return unheard("\n\n".join(parts)) + "\n"
