"""Plain text for pipes and files: aligned columns, wrapped sentences, no colors."""

import re
import textwrap

from nstar.report.documents import Document, TextTable
from nstar.report.formats.curve import draw

WIDTH = 88


_COMMAND = re.compile(r"^(\s*:)(?=:)|(#)(?=#\[)", re.MULTILINE)


def unheard(text: str) -> str:
    r"""Return the text without lines that GitHub Actions would interpret as commands.

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


def grid_lines(grid: TextTable, width: int = WIDTH) -> list[str]:
    """Return the title and the table; the marked row has an arrow.

    Columns are right-aligned, except words beyond the first column. A table that is wider than the
    screen is set tight.
    """
    table = [grid.header, *grid.starred()]
    widths = [max(len(row[i]) for row in table) for i in range(len(grid.header))]
    between = "   " if sum(widths) + 3 * len(widths) - 1 <= width else "  "
    left = [k > 0 and words for k, words in enumerate(grid.worded())]
    line = "  " + "─" * (sum(widths) + len(between) * (len(widths) - 1))
    lines = [_wrap(grid.title + "; bold values are shown as *x*" * bool(grid.strong))]
    for k, row in enumerate(table, start=-1):
        if k in grid.lines:
            lines.append(line)
        mark = "→ " if k == grid.marked else "  "
        lines.append((mark + between.join(map(_cell, row, widths, left))).rstrip())
    return lines


def _cell(text: str, width: int, left: bool) -> str:  # noqa: FBT001
    return text.ljust(width) if left else text.rjust(width)


def _assumed(doc: Document) -> str:
    """A sentence in its own line, several as a list."""
    if len(doc.assumptions) == 1:
        return _wrap(f"Assumptions: {doc.assumptions[0]}")
    return "\n".join(["Assumptions", *(_wrap(a, "  - ") for a in doc.assumptions)])


def render_text(doc: Document) -> str:
    """Return the complete document, ending in a newline."""
    parts = [_wrap(doc.headline)]
    parts += ["\n".join(grid_lines(g)) for g in doc.grids]
    if doc.chart is not None:
        parts.append("\n".join([doc.chart.title, *draw(doc.chart)]).rstrip())
    if doc.paragraph:
        parts.append("To paste\n" + _wrap(doc.paragraph, "  "))
    if doc.notes:
        parts.append("\n".join(["Notes", *(_wrap(n, "  - ") for n in doc.notes)]))
    if doc.assumptions:
        parts.append(_assumed(doc))
    if doc.rest:
        parts.append(_wrap(doc.rest))
    return unheard("\n\n".join(parts)) + "\n"
