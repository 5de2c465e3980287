"""A sheet to draw on: every number rounded, every string escaped, nothing from elsewhere.

Marks say a verdict by their shape as well as by their colour.
"""

import zlib
from collections.abc import Iterable
from typing import Literal, TypeAlias

from nstar.report.charts._figure import Figure
from nstar.report.charts._style import STYLE
from nstar.report.charts._text import escape, width, wrap
from nstar.report.documents import Grid

WIDTH = 480.0
"""Units across: type of 12 units is 9 px on a telephone and 6 pt in a column of a paper."""
EDGE = 10.0
"""Margin on all sides."""

_SIZES = {"h": 15, "s": 12, "t": 11}
"""Type sizes of the style sheet; all else is 13."""

Anchor: TypeAlias = Literal["start", "middle", "end"]


def num(x: float) -> str:
    """A coordinate with at most two decimals.

    Examples
    --------
    >>> num(12.0), num(3.14159), num(-0.001)
    ('12', '3.14', '0')
    """
    text = f"{x:.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


class Canvas:
    """Shapes in the order in which they are drawn."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def text(
        self, x: float, y: float, text: str, style: str = "", anchor: Anchor = "start"
    ) -> None:
        """A line of text; ``y`` is its middle."""
        size = _SIZES.get(style, 13)
        kind = f' class="{style}"' if style else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        at = f'x="{num(x)}" y="{num(y + 0.35 * size)}"'
        self._parts.append(f"<text {at}{kind}{side}>{escape(text)}</text>")

    def rect(self, x: float, y: float, w: float, h: float, style: str) -> None:
        """A filled rectangle."""
        at = f'x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}"'
        self._parts.append(f'<rect class="{style}" {at}/>')

    def path(self, steps: Iterable[str], style: str) -> None:
        """Strokes or shapes of one style as one path; none if there are no steps."""
        d = "".join(steps)
        if d:
            self._parts.append(f'<path class="{style}" d="{d}"/>')

    def head(self, title: str, about: str) -> float:
        """Title and a line on what is drawn; returns where the drawing may begin."""
        y = EDGE + 8
        for line in wrap(title, WIDTH - 2 * EDGE, 16):
            self.text(EDGE, y, line, "h")
            y += 19
        return self.notes(y, about) + 6

    def notes(self, y: float, text: str) -> float:
        """Small print from ``y`` downwards; returns where it ends."""
        for line in wrap(text, WIDTH - 2 * EDGE, 12):
            self.text(EDGE, y, line, "s")
            y += 16
        return y

    def legend(
        self, y: float, entries: Iterable[tuple[str, list[tuple[list[str], str]]]]
    ) -> float:
        """Words with their marks, in as many lines as they need; returns where it ends.

        A mark is drawn around the origin and moved to its place.
        """
        x = EDGE
        for words, marks in entries:
            inset = 22 if marks else 0
            wide = inset + width(words, 12) + 12
            if x > EDGE and x + wide > WIDTH - EDGE + 12:
                x, y = EDGE, y + 18
            if marks:
                self._parts.append(f'<g transform="translate({num(x + 8)} {num(y)})">')
                for steps, style in marks:
                    self.path(steps, style)
                self._parts.append("</g>")
            self.text(x + inset, y, words, "s")
            x += wide
        return y + 18

    def figure(self, height: float, *, title: str, alt: str, table: Grid) -> Figure:
        """The finished document."""
        body = "\n".join(self._parts)
        key = f"nf{zlib.crc32((title + alt + body).encode('utf-8', 'replace')):08x}"
        size = f"{num(WIDTH)} {num(height)}"
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="nf" viewBox="0 0 {size}" '
            f'width="{num(WIDTH)}" height="{num(height)}" role="img" '
            f'aria-labelledby="{key}t {key}d">\n'
            f'<title id="{key}t">{escape(title)}</title>\n<desc id="{key}d">{escape(alt)}</desc>\n'
            f"<style>{STYLE}</style>\n"
            f'<rect class="paper" width="{num(WIDTH)}" height="{num(height)}"/>\n{body}\n</svg>\n'
        )
        return Figure(svg=svg, title=title, alt=alt, table=table)


def square(x: float, y: float, half: float) -> str:
    """A square around a point."""
    return f"M{num(x - half)} {num(y - half)}h{num(2 * half)}v{num(2 * half)}h{num(-2 * half)}z"


def _diamond(x: float, y: float, half: float) -> str:
    k = num(half)
    return f"M{num(x)} {num(y - half)}l{k} {k}l-{k} {k}l-{k} -{k}z"


def _circle(x: float, y: float, r: float) -> str:
    k = num(r)
    return f"M{num(x - r)} {num(y)}a{k} {k} 0 1 0 {num(2 * r)} 0a{k} {k} 0 1 0 {num(-2 * r)} 0z"


VERDICTS = {
    "resolved": (square, "full"),
    "significant only": (square, "open"),
    "equivalent": (_diamond, "full"),
    "unresolved": (_circle, "open"),
    "better": (square, "full"),
    "worse": (square, "full"),
    "borderline": (square, "open"),
    "inconclusive": (_circle, "open"),
}
"""Shape and style of each word; what is settled is filled."""


def draw_verdicts(
    canvas: Canvas, points: Iterable[tuple[float, float, str]], half: float = 4.0
) -> None:
    """A mark at each point according to its verdict, few paths for many marks."""
    paths: dict[str, dict[str, list[str]]] = {}
    for x, y, word in points:
        shape, style = VERDICTS[word]
        paths.setdefault(style, {}).setdefault(word, []).append(shape(x, y, half))
    for style, by_word in sorted(paths.items()):
        canvas.path((step for steps in by_word.values() for step in steps), style)
