"""SVG canvas. Numbers are rounded, strings are escaped, and nothing external is loaded.

Marks show a verdict by their shape as well as by their color.
"""

import zlib
from collections.abc import Iterable
from typing import Literal, TypeAlias

from nstar.report.charts._figure import Figure
from nstar.report.charts._style import STYLE
from nstar.report.charts._text import BOLD, clean, escape, width, wrap
from nstar.report.documents import TextTable

WIDTH = 420.0
"""Width in units. Text of 12 units is 11 px on a phone and 7 pt in a column of a paper."""
EDGE = 10.0
"""Margin on all sides."""

SIZES: dict[str, float] = {
    "xx": 64,
    "x": 24,
    "l": 18,
    "h": 16,
    "n": 14,
    "s": 12,
    "lo": 12,
    "hi": 12,
    "t": 11,
    "u": 8,
}
"""Font size of each class of the style sheet. A class that is not listed has size 13."""

_BOLD = ("xx", "x", "l", "h")
"""Classes of titles, whose bold letters are wider."""

Anchor: TypeAlias = Literal["start", "middle", "end"]


def num(x: float) -> str:
    """Format a coordinate with at most two decimals.

    Examples
    --------
    >>> num(12.0), num(3.14159), num(-0.001)
    ('12', '3.14', '0')
    """
    text = f"{x:.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


class Canvas:
    """Shapes in the order in which they are drawn."""

    def __init__(self, wide: float = WIDTH, edge: float = EDGE) -> None:
        self.wide, self.edge = wide, edge
        self._caption = ""
        self._parts: list[str] = []

    @property
    def room(self) -> float:
        """Return the width between the margins."""
        return self.wide - 2 * self.edge

    def text(
        self, x: float, y: float, text: str, style: str = "", anchor: Anchor = "start"
    ) -> None:
        """Draw a line of text centered on ``y``.

        The first class of its style sets the font size.
        """
        size = SIZES.get(style.split(" ", maxsplit=1)[0], 13)
        kind = f' class="{style}"' if style else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        at = f'x="{num(x)}" y="{num(y + 0.35 * size)}"'
        self._parts.append(f"<text {at}{kind}{side}>{escape(text)}</text>")

    def rect(self, x: float, y: float, w: float, h: float, style: str, *, r: float = 0) -> None:
        """Draw a filled rectangle, with rounded corners if ``r`` is set."""
        at = f'x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}"'
        also = f' rx="{num(r)}"' if r else ""
        self._parts.append(f'<rect class="{style}" {at}{also}/>')

    def path(self, steps: Iterable[str], style: str) -> None:
        """Draw strokes or shapes of one style as one path. Without steps, draw nothing."""
        d = "".join(steps)
        if d:
            self._parts.append(f'<path class="{style}" d="{d}"/>')

    def head(self, title: str, subtitle: str) -> float:
        """Draw the title and the subtitle; return where the drawing may begin."""
        self._caption = f"{title}. {subtitle}"
        y = self.lines(EDGE + 8, title, "h")
        return self.notes(y, subtitle) + 6

    def lines(self, y: float, text: str, style: str) -> float:
        """Draw text of one style over the whole width from ``y`` on; return where it ends."""
        size = SIZES.get(style.split(" ", maxsplit=1)[0], 13)
        for line in wrap(text, self.room, BOLD * size if style in _BOLD else size):
            self.text(self.edge, y, line, style)
            y += round(1.28 * size)
        return y

    def notes(self, y: float, text: str) -> float:
        """Draw small print, starting at ``y``; return where it ends."""
        for line in wrap(text, self.room, 12.4):
            self.text(self.edge, y, line, "s")
            y += 16
        return y

    def legend(
        self, y: float, entries: Iterable[tuple[str, list[tuple[list[str], str]]]]
    ) -> float:
        """Draw labels with their marks, in as many lines as needed; return where they end.

        A mark is drawn around the origin and then moved to its position.
        """
        x = self.edge
        for words, marks in entries:
            inset = 22 if marks else 0
            wide = inset + width(words, 12) + 12
            if x > self.edge and x + wide > self.wide - self.edge + 12:
                x, y = self.edge, y + 18
            if marks:
                self._parts.append(f'<g transform="translate({num(x + 8)} {num(y)})">')
                for steps, style in marks:
                    self.path(steps, style)
                self._parts.append("</g>")
            self.text(x + inset, y, words, "s")
            x += wide
        return y + 18

    def figure(
        self,
        height: float,
        *,
        title: str,
        alt: str,
        table: TextTable,
        caption: str = "",
    ) -> Figure:
        """Return the finished document; ``data`` holds the scales that scripts need.

        The default caption is the heading.
        """
        caption = clean(caption or self._caption or f"{title}.")
        body = "\n".join(self._parts)
        key = f"nf{zlib.crc32((title + alt + body).encode('utf-8', 'replace')):08x}"
        size = f"{num(self.wide)} {num(height)}"
        paper = f'<rect class="paper" width="{num(self.wide)}" height="{num(height)}"/>'
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="nf" viewBox="0 0 {size}" '
            f'width="{num(self.wide)}" height="{num(height)}" role="img" '
            f'aria-labelledby="{key}t {key}d">\n'
            f'<title id="{key}t">{escape(title)}</title>\n<desc id="{key}d">{escape(alt)}</desc>\n'
            f"<metadata>{escape(caption)}</metadata>\n"
            f"<style>{STYLE}</style>\n"
            f"{paper}\n{body}\n</svg>\n"
        )
        return Figure(svg=svg, title=title, alt=alt, caption=caption, table=table)


def square(x: float, y: float, half: float) -> str:
    """Return a square around a point."""
    return f"M{num(x - half)} {num(y - half)}h{num(2 * half)}v{num(2 * half)}h{num(-2 * half)}z"


def _diamond(x: float, y: float, half: float) -> str:
    k = num(half)
    return f"M{num(x)} {num(y - half)}l{k} {k}l-{k} {k}l-{k} -{k}z"


def _circle(x: float, y: float, r: float) -> str:
    k = num(r)
    return f"M{num(x - r)} {num(y)}a{k} {k} 0 1 0 {num(2 * r)} 0a{k} {k} 0 1 0 {num(-2 * r)} 0z"


def _half_disc(x: float, y: float, r: float) -> str:
    k = num(r)
    return f"M{num(x)} {num(y - r)}a{k} {k} 0 0 0 0 {num(2 * r)}z"


VERDICTS = {
    "significant": ((_circle, "full"),),
    "significant, underpowered": ((_circle, "half"), (_half_disc, "full")),
    "equivalent": ((_diamond, "slate"),),
    "better": ((_circle, "full"),),
    "worse": ((_circle, "full"),),
    "borderline": ((_diamond, "open"),),
    "inconclusive": ((_circle, "open"),),
}
"""Shapes and styles of the verdicts, the same as on the pages: ●, ◐ and ○."""


def verdict_key(word: str) -> list[tuple[list[str], str]]:
    """Return the legend mark of a verdict."""
    return [([shape(0, 0, 4)], style) for shape, style in VERDICTS[word]]


def draw_verdicts(
    canvas: Canvas, points: Iterable[tuple[float, float, str]], half: float = 4.0
) -> None:
    """Draw a mark for the verdict at each point, with few paths even for many marks."""
    paths: dict[str, list[str]] = {}
    for x, y, word in points:
        for shape, style in VERDICTS[word]:
            paths.setdefault(style, []).append(shape(x, y, half))
    for style in sorted(paths, reverse=True):  # a half disc lies on its circle
        canvas.path(paths[style], style)
