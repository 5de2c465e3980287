"""What a report says, before anyone decides how it looks.

A result becomes a Document once; each output format is a function of a Document
in which no character steers a terminal, turns text round or hides.
"""

from dataclasses import dataclass, replace

__all__ = ["Chart", "Document", "Grid", "cleaned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A small table of ready-made strings."""

    title: str
    """What the rows show."""
    header: tuple[str, ...]
    """Column names."""
    rows: tuple[tuple[str, ...], ...]
    """Cells, one string each."""
    marked: int | None = None
    """Index of the row the headline speaks of."""
    lines: tuple[int, ...] = ()
    """Indices of rows with a line above them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A curve with one marked point."""

    title: str
    """What is drawn."""
    x: tuple[float, ...]
    """Horizontal positions."""
    y: tuple[float, ...]
    """Heights in [0, 1]."""
    x_labels: tuple[str, str]
    """Labels of the left and right end."""
    mark: tuple[float, str]
    """Horizontal position of the marked point and its label."""
    level: tuple[float, str]
    """Height of the horizontal line and its label."""
    also: tuple[float, ...] = ()
    """Heights of a second curve in the same field; empty for none."""
    ends: tuple[str, str] = ("100 %", "0 %")
    """What the heights 1 and 0 stand for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Answer first, then the reason, then the detail."""

    headline: str
    """One plain sentence with the answer."""
    grids: tuple[Grid, ...] = ()
    """Tables."""
    chart: Chart | None = None
    """At most one picture."""
    notes: tuple[str, ...] = ()
    """What else the reader should know, a sentence each."""
    assumptions: tuple[str, ...] = ()
    """What the answer rests on, a sentence each."""
    paragraph: str | None = None
    """Text to paste into a review or a paper."""


def _line(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_line, texts))


def _grid(grid: Grid) -> Grid:
    return replace(
        grid,
        title=_line(grid.title),
        header=_lines(grid.header),
        rows=tuple(map(_lines, grid.rows)),
    )


def cleaned(doc: Document) -> Document:
    r"""The document as every format may show it, whoever wrote its strings.

    Examples
    --------
    >>> cleaned(Document(headline="a\x1b[31m\nb")).headline
    'a?[31m b'
    """
    return replace(
        doc,
        headline=_line(doc.headline),
        grids=tuple(map(_grid, doc.grids)),
        notes=_lines(doc.notes),
        assumptions=_lines(doc.assumptions),
        paragraph=None if doc.paragraph is None else _line(doc.paragraph),
    )
