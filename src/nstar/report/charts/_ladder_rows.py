"""Rows of a wide ladder: names, scores with intervals, rank ranges, and tiers as bands."""

import math

from nstar.report.charts._canvas import SIZES, Canvas, num
from nstar.report.charts._ladder_board import LadderBoard
from nstar.report.charts._scale import AxisScale, linear, signed
from nstar.report.charts._text import shorten_all, width

WIDE, NARROW = 1040.0, 390.0
"""Widths in units: for a page or a slide, and for a phone."""
EDGE = 24.0
"""Margin of a wide ladder."""

_MAX_FULL_ROWS = 120
"""Largest number of models with a full row each. With more, rows are thin and only some have
labels.
"""
_TALL = 2400.0
"""Total height of thin rows, unless that would make them thinner than the minimum."""
_THIN = 2.0
"""Minimum height of a row."""
_EVERY = 10
"""Largest number of ranks that all get a tick."""
_LABEL = 26.0
"""Height of a label next to thin rows."""
_WIDTHS = (2, 3, 4, 6, 8)
"""Possible thicknesses of the bars in thin rows."""


def _rounded(x: float) -> str:
    """Return a coordinate, rounded to what the eye can resolve."""
    return num(round(x, 1))


class LadderRows:
    """Draws the rows of a wide ladder. Set the top edge of the first row before drawing."""

    def __init__(self, of: LadderBoard) -> None:
        self.of = of
        self.canvas = Canvas(WIDE, EDGE)
        longest = max(width(name[:80], 14) for name in of.rows.name) + width(" †", 14) + 1
        left, right = 70.0, WIDE - EDGE
        self.names = (left, left + min(max(longest, 120.0), 300.0))
        """Left and right end of the space for names; the rank is left of it."""
        self.score = self.names[1] + 52
        """Right end of the column of scores."""
        self.score_area = (self.score + 24, right - 310 - 32)
        self.rank_area = (right - 310, right)
        """Left and right end of the plot areas; that of ranks includes labels."""
        self.crowded = of.models > _MAX_FULL_ROWS
        """Whether rows are too thin for a label each."""
        self.step = max(_TALL / of.models, _THIN) if self.crowded else 26.0
        """Distance between the centers of adjacent rows."""
        self.thick = max((w for w in _WIDTHS if w <= self.step), default=2) if self.crowded else 10
        """Thickness of a bar, one of those in the style sheet."""
        self.pad = 8.0 if self.crowded else 0.0
        """How far the labels of thin rows extend above the first and below the last row."""
        r = of.rows
        ends = [float(x) for c in (r.score, r.low, r.high) for x in c]
        self.means = linear(ends, *self.score_area, n_ticks=6)
        self.ranks = self._rank_scale()
        self.top = 0.0

    def _rank_scale(self) -> AxisScale:
        """Return the scale of ranks from 1, with room for labels at both ends."""
        last = max(self.of.models, 2)
        margin = width(f"{last:,}", 12) + self.thick / 2 + 4
        start, stop = self.rank_area[0] + margin, self.rank_area[1] - margin
        round_ = linear((1, last), start, stop, n_ticks=5, snug=True).ticks
        if last <= _EVERY:
            round_ = tuple(float(k) for k in range(1, last + 1))
        ticks = dict.fromkeys((1.0, *(t for t in round_ if t > 1 and t == int(t))))
        return AxisScale(low=1, high=last, start=start, stop=stop, ticks=tuple(ticks))

    def labeled(self) -> set[int]:
        """Return the rows with labels.

        If not all fit: the highlighted one, the first of each tier, both ends, and every k-th row.
        """
        rows = range(self.of.models)
        if not self.crowded:
            return set(rows)
        spacing = math.ceil(_LABEL / self.step)
        label_rows: set[int] = set()
        first = [] if self.of.highlight is None else [self.of.highlight]
        starts = (start for start, _ in self.of.tiers())
        for i in (*first, *starts, 0, rows[-1], *rows[::spacing], *rows):
            if label_rows.isdisjoint(range(i - spacing + 1, i + spacing)):
                label_rows.add(i)
        return label_rows

    def y(self, i: float) -> float:
        """Return the vertical position of the marks of a row."""
        return self.top + (i + 0.5) * self.step

    @property
    def bottom(self) -> float:
        """Return the bottom edge of the last row."""
        return self.top + self.of.models * self.step

    def draw(self) -> None:
        """Draw bands, axes, and rows."""
        self.bands()
        self.axes()
        if self.crowded:
            self.scores()
        self.rows()

    def bands(self) -> None:
        """Draw the tiers, and highlight the model that the user chose."""
        c, highlight = self.canvas, self.of.highlight
        left, wide, spacing = EDGE / 2, WIDE - EDGE, min(4.0, self.step / 3)
        for first, last in self.of.tiers():
            y, high = self.top + first * self.step, (last - first + 1) * self.step
            place = (left, y + spacing / 2, wide, high - spacing)
            c.rect(*place, "band", r=min(6.0, high / 4))
        if highlight is not None:
            high = max(self.step - spacing, 3.0)
            center = self.top + (highlight + 0.5) * self.step
            c.rect(left, center - high / 2, wide, high, "marked", r=min(6.0, high / 4))

    def axes(self) -> None:
        """Draw lines at round numbers, and the numbers above and below the rows."""
        for scale in (self.means, self.ranks):
            lines = (f"M{num(scale(t))} {num(self.top)}V{num(self.bottom)}" for t in scale.ticks)
            self.canvas.path(lines, "grid")
            self.ticks(scale, self.top - 8 - self.pad)
            self.ticks(scale, self.bottom + 10 + self.pad)

    def ticks(self, scale: AxisScale, y: float) -> None:
        """Draw the numbers of an axis, without those that would touch another."""
        free = -math.inf
        for tick in scale.ticks:
            words, at = signed(tick), scale(tick)
            half = width(words, 12) / 2
            if at - half >= free and at + half <= WIDE:
                self.canvas.text(at, y, words, "s", "middle")
                free = at + half + 6

    def scores(self) -> None:
        """Draw all scores with their intervals, in few paths because the rows are thin."""
        rows = range(self.of.models)
        self.canvas.path((self.whisker(i) for i in rows), f"ci w{self.thick}")
        xs = (self.means(float(self.of.rows.score[i])) for i in rows)
        dots = (f"M{_rounded(x)} {_rounded(self.y(i))}h0" for i, x in enumerate(xs))
        self.canvas.path(dots, "score w3")

    def whisker(self, i: int) -> str:
        """Return the path of one score's interval; empty if there is none."""
        low, high = float(self.of.rows.low[i]), float(self.of.rows.high[i])
        if math.isnan(low + high):
            return ""
        return f"M{_rounded(self.means(low))} {_rounded(self.y(i))}H{_rounded(self.means(high))}"

    def rows(self) -> None:
        """Draw each model: its name, its score, and its rank range."""
        of = self.of
        short_rows, labeled_rows = set(of.marked()), self.labeled()
        name_width = self.names[1] - self.names[0] - width(" †", SIZES["n"])
        short = shorten_all(of.rows.name, name_width, SIZES["n"])
        for i in range(of.models):
            if not self.crowded:
                self.canvas.path([self.whisker(i)], "ci w6")
                x = self.means(float(self.of.rows.score[i]))
                self.canvas.path([f"M{num(x)} {num(self.y(i))}h0"], "score w8")
            self.rank_set(i, labeled=i in labeled_rows)
            if i in labeled_rows:
                self.label(i, short[i] + (" †" if i in short_rows else ""))

    def label(self, i: int, words: str) -> None:
        """Draw the rank, name, and score of a row."""
        c, y = self.canvas, self.y(i)
        bold = " b" if i == self.of.highlight else ""
        c.text(self.names[0] - 10, y, f"{self.of.rows.rank[i]:,}", "s", "end")
        c.text(self.names[0], y, words, f"n{bold}")
        c.text(self.score, y, self.of.label(i), f"n{bold}", "end")

    def rank_set(self, i: int, *, labeled: bool) -> None:
        """Draw the rank range of a model, with the numbers at both ends."""
        r, y = self.of.rows, self.y(i)
        low, high = int(r.rank_low[i]), int(r.rank_high[i])
        left, right = self.ranks(low), self.ranks(high)
        one = "" if low < high else " one"
        step = f"M{_rounded(left)} {_rounded(y)}H{num(right + 0.01)}"
        self.canvas.path([step], f"set{one} w{self.thick}")
        if labeled:
            away = self.thick / 2 + 4
            self.canvas.text(left - away, y, f"{low:,}" if low < high else "", "lo", "end")
            self.canvas.text(right + away, y, f"{high:,}", "hi")
