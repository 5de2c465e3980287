"""What a report says, before anyone decides how it looks.

A result becomes a Document once; each output format is a function of a Document.
"""

from dataclasses import dataclass

__all__ = ["Chart", "Document", "Grid"]


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
