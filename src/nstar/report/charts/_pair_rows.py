"""Rows of pairs. Names stand above each pair, or beside it if there are many pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nstar.report.charts._canvas import EDGE, WIDTH, Canvas
from nstar.report.charts._scale import ChartRows, make_rows
from nstar.report.charts._text import clean, shorten_all, width

_MAX_TALL_ROWS = 40
"""Largest number of pairs with names above. With more, rows are thin and names stand beside."""
_BESIDE = 158.0
"""Left end of the plot area if names stand beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRows:
    """Rows of a chart with one pair of models per row."""

    pairs: Sequence[tuple[str, str]]
    """First and second model of each pair."""
    rows: ChartRows
    """Positions of the rows."""

    @property
    def above(self) -> bool:
        """Return whether names stand above the drawing of a pair."""
        return not self.rows.crowded

    @property
    def field(self) -> tuple[float, float]:
        """Return the left and right end of the plot area; a pair's numbers stand right of it."""
        return (EDGE + 6 if self.above else _BESIDE), WIDTH - EDGE - 62

    def __call__(self, i: float) -> float:
        """Return the vertical position of a pair's drawing."""
        return self.rows(i) + (9 if self.above else 0)

    def strips(self) -> list[tuple[float, float]]:
        """Return the vertical strips of grid lines, which must not cross names above the pairs."""
        if not self.above:
            return [(self.rows.top, self.rows.bottom)]
        return [(self(i) - 10, self(i) + 10) for i in range(self.rows.n)]

    def labeled(self) -> list[int]:
        """Return the pairs that show their names and numbers."""
        return self.rows.labeled((0, self.rows.n - 1))

    def label(self, canvas: Canvas) -> None:
        """Draw the names of all pairs, or of as many as fit."""
        names = list(dict.fromkeys(name for pair in self.pairs for name in pair))
        label_width = WIDTH - 2 * EDGE if self.above else _BESIDE - 2 * EDGE
        each = (label_width - width(" − ")) / 2 if self.above else label_width - 12
        short = dict(zip(names, shorten_all(names, each), strict=True))
        for i in self.labeled():
            for y, words, style in self._lines(i, short, label_width):
                canvas.text(EDGE, y, words, style)

    def _lines(
        self, i: int, short: dict[str, str], max_width: float
    ) -> Iterator[tuple[float, str, str]]:
        first, second = self.pairs[i]
        y = self.rows(i)
        if not self.above:
            yield y - 7, short[first], ""
            yield y + 7, f"− {short[second]}", "s"
            return
        full_text = clean(f"{first} − {second}")
        fits = width(full_text) <= max_width
        yield y - 9, full_text if fits else f"{short[first]} − {short[second]}", ""


def pair_rows(pairs: Sequence[tuple[str, str]], top: float) -> PairRows:
    """Return rows for pairs, from ``top`` downwards."""
    full = 38.0 if len(pairs) <= _MAX_TALL_ROWS else 32.0
    return PairRows(
        pairs=pairs, rows=make_rows(len(pairs), top, full=full, max_full=_MAX_TALL_ROWS)
    )
