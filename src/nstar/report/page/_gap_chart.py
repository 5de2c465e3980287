"""Chart of a gap with its interval, and forest plots: percent across, pixels down.

``assets/draw.js`` draws the same gap chart for a pair that a reader selects.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nstar.report.charts._text import escape

_HEIGHT, _STEP = 150, 26
_PAD = 0.06
"""Share of an axis that stays free at either end."""


def pct(share: float) -> str:
    """A share of the width as a position.

    Examples
    --------
    >>> pct(0.25), pct(1 / 3)
    ('25%', '33.33%')
    """
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def tick_text(value: float) -> str:
    """A value on an axis of gaps, with its sign."""
    text = f"{abs(value):.6g}"
    return "0" if text == "0" else f"{'−' if value < 0 else '+'}{text}"


@dataclass(frozen=True, slots=True)
class GapAxis:
    """A straight axis of gaps."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "GapAxis":
        """An axis with room for 0 and all finite values."""
        finite = [0.0, *(x for x in values if math.isfinite(x))]
        low, high = min(finite), max(finite)
        pad = _PAD / (1 - 2 * _PAD) * (high - low) or 1.0
        return cls(low - pad, high + pad)

    def __call__(self, value: float) -> float:
        """Share of the way to a gap; those beyond the axis stay at its end."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def ticks(self, n_ticks: int = 6) -> Iterator[float]:
        """Round gaps."""
        raw = (self.high - self.low) / n_ticks
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(k * size for k in (1, 2, 5, 10) if k * size >= raw * 0.999)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        yield from (k * step for k in range(first, last + 1))


def line(kind: str, x: tuple[float, float], y: tuple[float, float]) -> str:
    """A line between two shares of the width."""
    return f'<line class="{kind}" x1="{pct(x[0])}" x2="{pct(x[1])}" y1="{y[0]:g}" y2="{y[1]:g}"/>'


def words(x: float, y: float, text: str, kind: str = "s m") -> str:
    """A text at a share of the width."""
    return f'<text class="{kind}" x="{pct(x)}" y="{y:g}">{escape(text)}</text>'


def point(x: float, y: float, kind: str, size: float = 10) -> str:
    """The mark of a verdict at a share of the width."""
    half = size / 2
    return (
        f'<svg class="o" x="{pct(x)}" y="{y:g}"><use href="#{kind}" x="-{half:g}" y="-{half:g}" '
        f'width="{size:g}" height="{size:g}"/></svg>'
    )


def _direction(x: float, text: str, model: tuple[str, str], kind: str) -> str:
    """Which model is better on a side; narrow windows have its letter only."""
    letter, name = model
    label = f'{letter}<tspan class="roomy">, {escape(name)},</tspan>'
    return f'<text class="{kind}" x="{pct(x)}" y="146">{text.format(label)}</text>'


def gap_chart(
    *,
    value: float,
    interval: tuple[float, float],
    mde: float | None,
    kind: str,
    texts: tuple[str, str, str, str],
    names: tuple[tuple[str, str], tuple[str, str]],
    alt: str,
) -> str:
    """Draw one gap, first minus second, with its interval and the undetectable gaps.

    Parameters
    ----------
    value, interval, mde
        In the units of the axis; NaN and None where there is none.
    kind
        Class of the verdict: ``sig``.
    texts
        The gap, the ends of its interval, and the MDE in words.
    names
        Letter and name of the model that is better on the right, and of the one on the left.
    alt
        What the chart shows, in a sentence.
    """
    reach = mde if mde is not None and math.isfinite(mde) else 0.0
    axis = GapAxis.of((value, *interval, reach, -reach))
    parts = []
    if reach:
        start, end = axis(-reach), axis(reach)
        parts = [
            f'<rect class="near" x="{pct(start)}" width="{pct(end - start)}" y="22" height="82"/>',
            *(line("near-end", (x, x), (22, 104)) for x in (start, end)),
            words(end, 15, f"MDE {texts[3]}"),
        ]
    parts.append(line("axis", (0, 1), (104, 104)))
    for tick in axis.ticks():
        parts += (
            line("axis", (axis(tick), axis(tick)), (104, 109)),
            words(axis(tick), 123, tick_text(tick)),
        )
    parts.append(line("zero", (axis(0), axis(0)), (12, 104)))
    if not math.isnan(interval[0]):
        low, high = map(axis, interval)
        sides = ("s m", "s m") if high - low > 0.16 else ("s e", "s")
        parts.append(line("iv thick", (low, high), (68, 68)))
        for end, at, text, side in zip(interval, (low, high), texts[1:], sides, strict=False):
            if math.isfinite(end):
                parts.append(words(at, 91, text, side))
    if math.isfinite(value):
        parts += (point(axis(value), 68, kind, 20), words(axis(value), 48, texts[0], "b big m"))
    parts += (
        _direction(0, "← {} better", names[1], "s"),
        _direction(1, "{} better →", names[0], "s e"),
    )
    return (
        f'<svg class="chart gap {kind}" height="{_HEIGHT}" role="img" aria-label="{escape(alt)}">'
        f"{''.join(parts)}</svg>"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """A gap in one row."""

    label: str
    size: str
    """Number of items."""
    value: float
    interval: tuple[float, float]
    """The interval that the verdict follows; NaN where there is none."""
    alone: tuple[float, float] | None = None
    """The unadjusted interval, where it is another one."""
    kind: str
    """Class of the verdict."""
    text: str
    word: str = ""
    """The verdict."""
    limit: float | None = None
    """Gap below which a loss is not acceptable."""


def _forest_row(axis: GapAxis, k: int, row: ForestRow) -> str:
    y = k * _STEP + _STEP / 2
    parts = []
    if row.limit is not None:
        x, top = axis(row.limit), k * _STEP
        parts = [
            f'<rect class="harm" width="{pct(x)}" y="{top}" height="{_STEP}"/>',
            line("limit", (x, x), (top, top + _STEP)),
        ]
    if not math.isnan(row.interval[0]) and row.interval != row.alone:
        style = "iv thin" if row.alone else "iv"
        parts.append(line(style, (axis(row.interval[0]), axis(row.interval[1])), (y, y)))
    if row.alone and not math.isnan(row.alone[0]):
        parts.append(line("iv thick", (axis(row.alone[0]), axis(row.alone[1])), (y, y)))
    if math.isfinite(row.value):
        parts.append(point(axis(row.value), y, row.kind))
    return f'<g class="{row.kind}">{"".join(parts)}</g>'


def forest(rows: Sequence[ForestRow], alt: str, all_items: float = math.nan) -> str:
    """Draw gaps below each other on one axis; dashed, that of all items."""
    ends = [x for r in rows for x in (r.value, *r.interval, *(r.alone or ()))]
    limits = [r.limit for r in rows if r.limit is not None]
    axis, height = GapAxis.of([*ends, *limits, all_items]), len(rows) * _STEP
    left, right, grid = list[str](), list[str](), list[str]()
    for k, row in enumerate(rows):
        y = k * _STEP + _STEP / 2 + 4.5
        left += (words(0, y, row.label, ""), words(1, y, row.size, "s e roomy"))
        right.append(
            f'<g class="{row.kind}">{words(0, y, row.word, "roomy")}'
            f"{words(1, y, row.text, 'b e')}</g>"
        )
    for tick in axis.ticks():
        x = axis(tick)
        grid += (
            line("grid" if tick else "zero", (x, x), (0, height)),
            words(x, height + 16, tick_text(tick)),
        )
    if math.isfinite(all_items):
        grid.append(line("near-end", (axis(all_items),) * 2, (0, height)))
    gaps = "".join(_forest_row(axis, k, row) for k, row in enumerate(rows))
    box = f'<svg class="chart" height="{height + 20}" aria-hidden="true">'
    return (
        f'<div class="forest" role="img" aria-label="{escape(alt)}">\n{box}{"".join(left)}</svg>\n'
        f"{box}{''.join(grid)}{gaps}</svg>\n{box}{''.join(right)}</svg>\n</div>"
    )


def mosaic_plot(n_both: int, first: int, second: int, neither: int) -> str:
    """Draw items as areas: columns are the first model, correct and not, and rows the second."""
    total, tall = max(n_both + first + second + neither, 1), 200
    wide = (n_both + first) / total
    columns = (
        (0.0, wide, (("both", n_both, "mz"), ("only A", first, "ma"))),
        (wide, 1 - wide, (("only B", second, "mb"), ("neither", neither, "mz"))),
    )
    parts = [words(0, 12, "A correct", "s"), words(1, 12, "A incorrect", "s e")]
    for left, size, cells in columns:
        y, column_total = 20.0, max(sum(n for _, n, _ in cells), 1)
        for label, n, kind in cells:
            height = tall * n / column_total
            parts.append(
                f'<g class="{kind}"><rect x="{pct(left)}" width="{pct(size)}" y="{y:.1f}" '
                f'height="{height:.1f}"/>'
            )
            if height >= 16 and size >= 0.12:
                parts.append(
                    f'<text class="b" x="{pct(left)}" dx="10" y="{y + 15:.1f}">{n:,} '
                    f"<tspan>{label}</tspan></text>"
                )
            parts.append("</g>")
            y += height
    alt = f"Both {n_both:,}, only A {first:,}, only B {second:,}, neither {neither:,}"
    return (
        f'<svg class="chart mosaic" height="{tall + 24}" role="img" aria-label="{alt}">'
        f"{''.join(parts)}</svg>"
    )
