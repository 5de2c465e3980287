"""What the figures of docs/concepts are drawn with: curves in one field, on nstar's own canvas."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from textwrap import fill

from nstar.report.charts._canvas import Anchor, Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, line
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, axis, height, linear, signed
from nstar.report.charts._text import width
from nstar.report.documents import TextTable

__all__ = ["Concept", "Mark", "PlotFrame", "Stroke", "curves", "grid", "points", "prose", "table"]


@dataclass(frozen=True, kw_only=True)
class Concept:
    """One page: its figure, and the parts of its text that hold numbers."""

    figure: Figure
    sections: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Stroke:
    """One curve."""

    name: str
    style: str
    xs: Sequence[float]
    ys: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A place on the horizontal axis that the words speak of, with what is there."""

    x: float
    words: str
    y: float
    """Height of the words, as a share of the field from its top."""
    left: bool = False
    """Whether they stand on the left of it."""


@dataclass(frozen=True, kw_only=True)
class PlotFrame:
    """Axes."""

    across: str
    """Name of the horizontal axis."""
    said_x: Callable[[float], str] = signed
    said_y: Callable[[float], str] = signed
    ticks: tuple[float, ...] = ()
    """Values on a horizontal axis by ratios; a straight one if empty."""
    top: float | None = None
    """Value at the upper end, if it is to be fixed."""
    level: tuple[float, str] | None = None
    """A value that was promised, and its words."""
    marks: Sequence[Mark] = field(default_factory=tuple)


def points(gap: float, digits: int = 1) -> str:
    return f"{100 * gap:.{digits}f} pp"


def prose(text: str) -> str:
    """A paragraph in lines as long as those of the pages."""
    return fill(text, 116, break_on_hyphens=False)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, numbers behind the first column to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def grid(title: str, across: str, strokes: Sequence[Stroke], frame: PlotFrame) -> TextTable:
    """The numbers behind a figure of curves that share their points."""
    xs = strokes[0].xs
    spacing = max(1, len(xs) // 12)
    rows = tuple(
        (frame.said_x(x), *(frame.said_y(s.ys[i]) for s in strokes))
        for i, x in enumerate(xs)
        if i % spacing == 0
    )
    return TextTable(title=title, header=(across, *(s.name for s in strokes)), rows=rows)


def _across(strokes: Sequence[Stroke], frame: PlotFrame) -> AxisScale:
    xs = [x for s in strokes for x in s.xs]
    if not frame.ticks:
        return linear(xs, LEFT, RIGHT, n_ticks=5, snug=True)
    return AxisScale(
        low=min(xs), high=max(xs), start=LEFT, stop=RIGHT, ticks=frame.ticks, log=True
    )


def _level(canvas: Canvas, up: AxisScale, frame: PlotFrame) -> None:
    if frame.level is not None:
        at = up(frame.level[0])
        canvas.path([f"M{num(LEFT)} {num(at)}H{num(RIGHT)}"], "level")
        canvas.text(RIGHT - width(frame.level[1], 12), at - 9, frame.level[1], "s")


def curves(
    *, title: str, subtitle: str, alt: str, strokes: Sequence[Stroke], frame: PlotFrame
) -> Figure:
    """Curves with a legend above them and the places that matter marked."""
    canvas = Canvas()
    y = canvas.head(title, subtitle)
    y = canvas.legend(y, [(s.name, [(["M-8 0H8"], s.style)]) for s in strokes]) + 4
    top = frame.top if frame.top is not None else max(v for s in strokes for v in s.ys)
    at = _across(strokes, frame)
    up = linear((0.0, top), y + TALL, y, n_ticks=4, snug=True)
    axis(canvas, at, y, y + TALL, frame.said_x)
    height(canvas, up, LEFT, RIGHT, frame.said_y)
    _level(canvas, up, frame)
    for mark in frame.marks:
        x = at(mark.x)
        canvas.path([f"M{num(x)} {num(y)}V{num(y + TALL)}"], "rule")
        away: tuple[float, Anchor] = (-6, "end") if mark.left else (6, "start")
        canvas.text(x + away[0], y + mark.y * TALL, mark.words, "s", away[1])
    for s in strokes:
        canvas.path([line([at(x) for x in s.xs], [up(v) for v in s.ys])], s.style)
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, frame.across, "s", "middle")
    table_ = grid(title, frame.across, strokes, frame)
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=table_)
