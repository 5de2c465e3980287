"""Ladder for phones: each model has its rank, its score, and its name beside its rank range."""

from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from nstar.report.charts._canvas import Anchor, Canvas, num
from nstar.report.charts._ladder_board import LadderBoard
from nstar.report.charts._ladder_rows import NARROW
from nstar.report.charts._text import shorten_all, width
from nstar.report.prose.gap import coverage

_EDGE, _RIGHT = 14.0, NARROW - 14.0
_SIZE = 13.0
_STEP, _TALL_STEP = 26.0, 42.0
"""Height of a row whose name is beside its bar, and of a row whose name is above it."""
_AWAY = 6.0
"""Distance between a name and the block of its tier."""


Place: TypeAlias = tuple[float, Anchor]
"""Horizontal position of a name, and the end of the name that is there."""


def _name_width(name: str) -> float:
    """Return the width of a name in the widest of the common fonts."""
    return 1.04 * width(name, _SIZE)


@dataclass(frozen=True, slots=True)
class NarrowLadder:
    """Rows of a ladder for phones. Each name is placed where there is room for it."""

    of: LadderBoard

    @property
    def number(self) -> float:
        """Return the right end of the ranks."""
        return _EDGE + max(width(f"{self.of.models:,}", 12), 16.0)

    @property
    def score(self) -> float:
        """Return the right end of the scores."""
        labels = (self.of.label(i) for i in range(self.of.models))
        return self.number + 8 + max(width(text, _SIZE) for text in labels)

    @property
    def left(self) -> float:
        """Return the left end of the rank ranges."""
        return self.score + 10

    def x(self, rank: float) -> float:
        """Return the left edge of a rank."""
        return self.left + (rank - 1) * (_RIGHT - self.left) / self.of.models

    def names(self) -> list[str]:
        """Return the names with their marks, shortened only if they are wider than a row."""
        short_rows = set(self.of.marked())
        name_width = _RIGHT - self.left - width(" †", _SIZE)
        short = shorten_all(self.of.rows.name, name_width, _SIZE)
        return [text + (" †" if i in short_rows else "") for i, text in enumerate(short)]

    def beside(self, names: list[str]) -> list[Place | None]:
        """Return the position of each name beside the block of its tier, or None without room."""
        out: list[Place | None] = []
        r = self.of.rows
        for first, last in self.of.tiers():
            low = min(first + 1, *r.rank_low[first : last + 1].tolist())
            high = max(last + 1, *r.rank_high[first : last + 1].tolist())
            ends = self.x(low) - _AWAY, self.x(high + 1) + _AWAY
            each = [_name_width(name) for name in names[first : last + 1]]
            together = self.side(ends, max(each))
            out += [together or self.side(ends, wide) for wide in each]
        return out

    def side(self, ends: tuple[float, float], wide: float) -> Place | None:
        """Return a position right of a block, else left of it; None if neither side has room."""
        if ends[1] + wide <= NARROW - 4:
            return ends[1], "start"
        return (ends[0], "end") if ends[0] - wide >= self.left else None

    def key(self, canvas: Canvas, y: float) -> float:
        """Draw the legend of bars, colors, and blocks; return where rows may begin."""
        of, conf = self.of, coverage(self.of.conf)
        y = canvas.legend(
            y,
            [
                (f"{conf} rank range (simultaneous)", [(["M-5 0H5"], "set w8")]),
                ("one rank only", [(["M0 0h0.01"], "set one w8")]),
                ("tier", [(["M-7 -7h14v14h-14z"], "band")]),
            ],
        )
        less = "; lower is better" if of.less else ""
        return (
            canvas.notes(y, f"Left: rank and {of.axis[0].lower()}{of.axis[1:]}{less}{of.origin}.")
            + 2
        )

    def draw(self, canvas: Canvas, top: float) -> float:
        """Draw the rows from ``top`` downwards; return where they end."""
        of, r, names = self.of, self.of.rows, self.names()
        places = self.beside(names)
        heights = (_TALL_STEP if place is None else _STEP for place in places)
        edges = list(accumulate(heights, initial=top))
        for first, last in of.tiers():
            x, y = self.x(first + 1), edges[first]
            canvas.rect(x, y, self.x(last + 2) - x, edges[last + 1] - y, "band", r=4)
        if of.highlight is not None:
            y, high = edges[of.highlight], edges[of.highlight + 1] - edges[of.highlight]
            canvas.rect(_EDGE / 2, y + 1, NARROW - _EDGE, high - 2, "marked", r=4)
        cell = self.x(2) - self.x(1)
        thick = 10 if cell >= 10 else 8
        inset = min(cell, thick) / 2
        for i, name in enumerate(names):
            y, bold = edges[i + 1] - _STEP / 2, " b" if i == of.highlight else ""
            low, high = int(r.rank_low[i]), int(r.rank_high[i])
            start, stop = self.x(low) + inset, self.x(high + 1) - inset
            one = "" if low < high else " one"
            canvas.path([f"M{num(start)} {num(y)}H{num(stop + 0.01)}"], f"set{one} w{thick}")
            canvas.text(self.number, y, f"{r.rank[i]:,}", "s", "end")
            canvas.text(self.score, y, of.label(i), "m b", "end")
            if (place := places[i]) is None:
                x = min(self.x(low), NARROW - 4 - _name_width(name))
                canvas.text(x, y - 17, name, f"m{bold}")
            else:
                canvas.text(place[0], y, name, f"m{bold}", place[1])
        return edges[-1]
