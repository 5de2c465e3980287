"""Markdown for issues, reviews and pull requests; every string from outside is escaped."""

import re

from nstar.report._curve import draw
from nstar.report._document import Document, Grid

__all__ = ["render_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#@!])")


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _grid(grid: Grid) -> str:
    def row(cells: tuple[str, ...], *, bold: bool = False) -> str:
        body = (f"**{_escape(c)}**" if bold else _escape(c) for c in cells)
        return "| " + " | ".join(body) + " |"

    lines = [f"{_escape(grid.title)}\n", row(grid.header)]
    lines.append("|" + " ---: |" * len(grid.header))
    for i, cells in enumerate(grid.rows):
        if i in grid.lines:
            lines.append(row(("—",) * len(grid.header)))
        lines.append(row(cells, bold=i == grid.marked))
    return "\n".join(lines)


def render_markdown(doc: Document) -> str:
    """The whole document as GitHub-flavoured Markdown."""
    parts = [f"**{_escape(doc.headline)}**"]
    parts += [_grid(g) for g in doc.grids]
    if doc.chart is not None:
        parts.append("\n".join(["```text", doc.chart.title, *draw(doc.chart), "```"]))
    if doc.paragraph:
        parts.append("> " + _escape(doc.paragraph))
    if doc.notes:
        parts.append("\n".join(f"- {_escape(n)}" for n in doc.notes))
    if doc.assumptions:
        parts.append("\n".join(["Assumes:\n", *(f"- {_escape(a)}" for a in doc.assumptions)]))
    return "\n\n".join(parts) + "\n"
