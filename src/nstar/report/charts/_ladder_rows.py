"""Rows of a ladder: names, scores with intervals, rank ranges, and tiers as bands."""

import math

from nstar.report.charts._canvas import SIZES, Canvas, num
from nstar.report.charts._ladder_board import LadderBoard
from nstar.report.charts._ladder_geometry import EDGE, WIDE, LadderGeometry
from nstar.report.charts._scale import AxisScale, linear, signed
from nstar.report.charts._text import shorten_all, width


def _rounded(x: float) -> str:
    """Return a coordinate, rounded to what the eye can resolve."""
    return num(round(x, 1))


class LadderRows:
    """Draws the rows of a ladder. Set the top edge of the first row before drawing."""

    def __init__(self, of: LadderBoard, at: LadderGeometry) -> None:
        self.of, self.at = of, at
        self.canvas = Canvas(WIDE, EDGE)
        r = of.rows
        ends = [float(x) for c in (r.score, r.low, r.high) for x in c]
        self.means = linear(ends, *at.means, n_ticks=6)
        self.ranks = at.rank_scale()
        self.top = 0.0

    def y(self, i: float) -> float:
        """Return the vertical position of the marks of a row."""
        return self.top + (i + 0.5) * self.at.step

    @property
    def bottom(self) -> float:
        """Return the bottom edge of the last row."""
        return self.top + self.at.models * self.at.step

    def draw(self) -> None:
        """Draw bands, axes, and rows."""
        self.bands()
        self.axes()
        if self.at.crowded:
            self.scores()
        self.rows()

    def bands(self) -> None:
        """Draw the tiers, and highlight the model that the user chose."""
        c, at, highlight = self.canvas, self.at, self.of.asked
        left, wide = EDGE / 2, WIDE - EDGE
        for first, last in self.of.tiers():
            y, high = self.top + first * at.step, (last - first + 1) * at.step
            place = (left, y + at.apart / 2, wide, high - at.apart)
            c.rect(*place, "band", r=min(6.0, high / 4))
        if highlight is not None:
            high = max(at.step - at.apart, 3.0)
            center = self.top + (highlight + 0.5) * at.step
            c.rect(left, center - high / 2, wide, high, "marked", r=min(6.0, high / 4))

    def axes(self) -> None:
        """Draw lines at round numbers, and the numbers above and below the rows."""
        for scale in (self.means, self.ranks):
            lines = (f"M{num(scale(t))} {num(self.top)}V{num(self.bottom)}" for t in scale.ticks)
            self.canvas.path(lines, "grid")
            self.ticks(scale, self.top - 8 - self.at.pad)
            self.ticks(scale, self.bottom + 10 + self.at.pad)

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
        rows = range(self.at.models)
        self.canvas.path((self.whisker(i) for i in rows), f"ci w{self.at.thick}")
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
        of, at, highlight = self.of, self.at, self.of.asked
        short_rows = set(of.marked())
        first = [] if highlight is None else [highlight]
        labeled_rows = set(at.labeled([*first, *(start for start, _ in self.of.tiers())]))
        name_width = at.name[1] - at.name[0] - width(" †", SIZES["n"])
        short = shorten_all(of.rows.name, name_width, SIZES["n"])
        for i in range(at.models):
            if not at.crowded:
                self.canvas.path([self.whisker(i)], "ci w6")
                x = self.means(float(self.of.rows.score[i]))
                self.canvas.path([f"M{num(x)} {num(self.y(i))}h0"], "score w8")
            self.rank_set(i, labeled=i in labeled_rows)
            if i in labeled_rows:
                self.label(i, short[i] + (" †" if i in short_rows else ""))

    def label(self, i: int, words: str) -> None:
        """Draw the rank, name, and score of a row."""
        c, at, y = self.canvas, self.at, self.y(i)
        bold = " b" if i == self.of.asked else ""
        c.text(at.number, y, f"{self.of.rows.rank[i]:,}", "s", "end")
        c.text(at.name[0], y, words, f"n{bold}")
        c.text(at.score, y, self.of.label(i), f"n{bold}", "end")

    def rank_set(self, i: int, *, labeled: bool) -> None:
        """Draw the rank range of a model, with the numbers at both ends."""
        r, at, y = self.of.rows, self.at, self.y(i)
        low, high = int(r.rank_low[i]), int(r.rank_high[i])
        left, right = self.ranks(low), self.ranks(high)
        one = "" if low < high else " one"
        step = f"M{_rounded(left)} {_rounded(y)}H{num(right + 0.01)}"
        self.canvas.path([step], f"set{one} w{at.thick}")
        if labeled:
            away = at.thick / 2 + 4
            self.canvas.text(left - away, y, f"{low:,}" if low < high else "", "lo", "end")
            self.canvas.text(right + away, y, f"{high:,}", "hi")
