"""Chart of a watch: the gap with its confidence sequence, and the e-values below."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from nstar._verbs.watch import Moment, WatchResult
from nstar.errors import ParameterError
from nstar.report.charts._canvas import Canvas, num, square
from nstar.report.charts._curves import LEFT, RIGHT, GapUnits, line
from nstar.report.charts._figure import Figure
from nstar.report.charts._labels import LabelCurve, Rectangle
from nstar.report.charts._scale import AxisScale, axis, height, linear
from nstar.report.charts._text import BOLD, shorten_all, width
from nstar.report.documents import TextTable
from nstar.report.prose import watch as words
from nstar.report.prose.gap import coverage, gap, points
from nstar.report.prose.numbers import count

__all__ = ["evidence_path"]

_ABOVE, _BELOW = 170.0, 150.0
"""Heights of the two panels."""
_SCALED_SHARE = 0.25
"""Share of the items from which the sequence sets the scale. Earlier, it is too wide to show in
full.
"""
_MIN_LOG10_E_DRAWN = -3.0
"""Smallest log10 e-value on the axis. Smaller values are of no interest."""
_ROWS = 16
"""Number of moments in the table of the figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlotPanel:
    """A panel: two scales and the lines drawn on them."""

    at: AxisScale
    up: AxisScale
    drawn: list[LabelCurve] = field(default_factory=list)
    """Lines that labels should not cover."""

    def curve(self, canvas: Canvas, values: Sequence[tuple[int, float]], style: str) -> None:
        """Draw a line through the values, broken where they leave the panel."""
        strokes: list[LabelCurve] = [LabelCurve([], [])]
        for n, value in values:
            if self.up.low <= value <= self.up.high:
                strokes[-1] = LabelCurve(
                    [*strokes[-1].xs, self.at(n)], [*strokes[-1].ys, self.up(value)]
                )
            elif strokes[-1].xs:
                strokes.append(LabelCurve([], []))
        visible = [s for s in strokes if s.xs]
        self.drawn.extend(visible)
        canvas.path((line(list(s.xs), list(s.ys)) for s in visible), style)

    def across(self, canvas: Canvas, value: float, style: str) -> None:
        """Draw a horizontal line across the panel."""
        y = self.up(value)
        self.drawn.append(LabelCurve([LEFT, RIGHT], [y, y]))
        canvas.path([f"M{num(LEFT)} {num(y)}H{num(RIGHT)}"], style)

    def down(self, canvas: Canvas, n: int, value: float) -> None:
        """Draw a vertical line at a number of items, with a mark at a value."""
        x = self.at(n)
        canvas.path([f"M{num(x)} {num(self.up.stop)}V{num(self.up.start)}"], "rule")
        canvas.path([square(x, self.up(value), 4)], "full")

    def free(self, n: int, wide: float) -> Iterator[tuple[float, float]]:
        """Yield positions for a label next to a number of items where it covers no line."""
        x = self.at(n)
        left = x - 10 - wide if x + 10 + wide > RIGHT else x + 10
        for y in (self.up.start - 12, self.up.stop + 12):
            box = Rectangle(left, y - 9, left + wide, y + 9)
            if not any(box.holds(*point) for c in self.drawn for point in c.points()):
                yield left, y


def _margin_gaps(watch: WatchResult) -> list[float]:
    """Return the gaps at the margin, if the question has one."""
    margin = watch.question.margin
    if margin is None:
        return []
    worse = margin if watch.lower_is_better else -margin
    return [worse, -worse] if watch.question.equivalence else [worse]


def _gaps(moments: Sequence[Moment], marks: Sequence[float], factor: float) -> list[float]:
    """Return the values that the scale of gaps must include."""
    late = [m for m in moments if m.n_items >= _SCALED_SHARE * moments[-1].n_items]
    ends = [v for m in late for v in (m.low, m.high, m.gap) if math.isfinite(v)]
    return [factor * v for v in (0.0, *marks, *ends)]


def _draw_gaps(
    canvas: Canvas, watch: WatchResult, moments: Sequence[Moment], y: float
) -> _PlotPanel:
    units = GapUnits(graded=not points(watch))
    k, marks = units.factor, _margin_gaps(watch)
    up = linear(_gaps(moments, marks, k), y + _ABOVE, y, n_ticks=5)
    at = linear((0.0, moments[-1].n_items), LEFT, RIGHT, n_ticks=5, snug=True)
    at = replace(at, ticks=tuple(t for t in at.ticks if t == int(t)))
    panel = _PlotPanel(at=at, up=up)
    axis(canvas, at, y, y + _ABOVE, lambda _: "")
    height(
        canvas, up, LEFT, RIGHT, lambda v: f"{v:+g}{units.after}".replace("-", "−") if v else "0"
    )
    known = [m for m in moments if math.isfinite(m.low)]
    if len(known) > 1:
        xs = [at(m.n_items) for m in known]
        low, high = [up(k * m.low) for m in known], [up(k * m.high) for m in known]
        canvas.path([line(xs + xs[::-1], high + low[::-1]) + "z"], "ribbon")
    panel.across(canvas, 0.0, "axis")
    for mark in marks:
        panel.across(canvas, k * mark, "level")
    panel.curve(canvas, [(m.n_items, k * m.gap) for m in moments], "curve")
    return panel


def _decades(log_e: float) -> float:
    return log_e / math.log(10)


def _power_of_ten(decades: float) -> str:
    """Return the label of a tick on the axis of e-values."""
    exponent = round(decades)
    if exponent < -3 or exponent > 4:
        return f"10^{exponent}".replace("-", "−")
    return f"{10.0**exponent:,.10g}"


def _evalue_scale(values: Sequence[float], y: float) -> AxisScale:
    low = math.floor(max(min(values), _MIN_LOG10_E_DRAWN) - 0.01)
    high = math.ceil(max(values) + 0.3)
    step = max(math.ceil((high - low) / 6), 1)
    ticks = tuple(float(t) for t in range(low, high + 1) if t % step == 0)
    return AxisScale(low=low, high=high, start=y + _BELOW, stop=y, ticks=ticks)


def _draw_evidence(
    canvas: Canvas, watch: WatchResult, moments: Sequence[Moment], at: AxisScale, y: float
) -> _PlotPanel:
    limit = _decades(watch.question.log_e_value_threshold)
    curves = {"curve": [(m.n_items, _decades(m.log_e_value)) for m in moments]}
    margin = [
        (m.n_items, _decades(m.log_e_value_margin))
        for m in moments
        if m.log_e_value_margin is not None
    ]
    if margin:
        curves["axis w2"] = margin
    up = _evalue_scale([0.0, limit, *(v for curve in curves.values() for _, v in curve)], y)
    panel = _PlotPanel(at=at, up=up)
    axis(canvas, at, y, y + _BELOW)
    height(canvas, up, LEFT, RIGHT, _power_of_ten)
    panel.across(canvas, limit, "level")
    for style, values in reversed(curves.items()):
        panel.curve(canvas, values, style)
    canvas.text((LEFT + RIGHT) / 2, y + _BELOW + 26, watch.question.unit, "s", "middle")
    return panel


def _deciding_log_e_value(watch: WatchResult, moment: Moment) -> float:
    """Return the log e-value that decided the verdict."""
    if watch.verdict in ("better", "worse") or moment.log_e_value_margin is None:
        return moment.log_e_value
    return moment.log_e_value_margin


def _mark(
    canvas: Canvas,
    watch: WatchResult,
    moment: Moment,
    fields: tuple[_PlotPanel, _PlotPanel],
    factor: float,
) -> None:
    """Mark the decision in both panels, with its verdict where there is room."""
    above, below = fields
    above.down(canvas, moment.n_items, factor * moment.gap)
    below.down(canvas, moment.n_items, _decades(_deciding_log_e_value(watch, moment)))
    verdict = watch.verdict.replace("noninferior", "non-inferior")
    label = f"{verdict} after {words.counted(watch, moment.n_items)}"
    spots = (
        spot
        for one in (below, above)
        for spot in one.free(moment.n_items, width(label, 13 * BOLD))
    )
    x, y = next(spots, (None, None))
    if x is not None and y is not None:
        canvas.text(x, y, label, "b")


def _key(watch: WatchResult) -> list[tuple[str, list[tuple[list[str], str]]]]:
    level, margin = coverage(1 - watch.question.alpha), watch.question.margin
    out = [
        ("gap", [(["M-8 0H8"], "curve")]),
        (f"{level} confidence sequence", [(["M-8 -6H8V6H-8z"], "ribbon")]),
    ]
    if margin is not None:
        sign = "±" if watch.question.equivalence else ""
        out.append((f"margin {sign}{gap(watch, margin)}", [(["M-8 0H8"], "level")]))
    return out


def _key_below(watch: WatchResult) -> list[tuple[str, list[tuple[list[str], str]]]]:
    out: list[tuple[str, list[tuple[list[str], str]]]] = [
        ("e-value of", []),
        ("gap is 0", [(["M-8 0H8"], "curve")]),
    ]
    margin = watch.question.margin
    if margin is not None:
        size = "gap" if watch.question.equivalence else "loss"
        out.append((f"{size} is {gap(watch, margin)} or more", [(["M-8 0H8"], "axis w2")]))
    limit = words.evalue(watch.question.log_e_value_threshold)
    return [*out, (f"decision threshold 1/α = {limit}", [(["M-8 0H8"], "level")])]


def _table(
    watch: WatchResult, moments: Sequence[Moment], title: str, decided: Moment | None
) -> TextTable:
    step = math.ceil(len(moments) / _ROWS)
    moment_by_items = {
        m.n_items: m for m in (*moments[::step], moments[-1], *([decided] if decided else []))
    }
    margin = watch.question.margin is not None
    rows = tuple(
        (
            count(m.n_items),
            *(
                gap(watch, v, sign=True) if math.isfinite(v) else "–"
                for v in (m.gap, m.low, m.high)
            ),
            words.evalue(m.log_e_value),
            *([words.evalue(m.log_e_value_margin)] if m.log_e_value_margin is not None else []),
        )
        for _, m in sorted(moment_by_items.items())
    )
    last = ["margin"] if margin else []
    header = (watch.question.unit, "gap", "low", "high", "e-value, gap is 0", *last)
    return TextTable(title=title, header=header, rows=rows)


def evidence_path(watch: WatchResult) -> Figure:
    """Draw the gap, confidence sequence, and e-values against items, and mark the decision."""
    moments, one = watch.moments, watch.question.unit.removesuffix("s")
    if len(moments) < 2:
        unit = "items with scores of both models" if one == "item" else "votes between the models"
        msg = f"Nothing to draw yet: a path needs at least two {unit}."
        raise ParameterError(msg)
    first, second = shorten_all(watch.question.models, 330, 18)
    title = f"{first} − {second}, {one} by {one}"
    finding = words.document(watch).headline
    decided = next((m for m in moments if m.n_items == watch.decided_at), None)
    canvas = Canvas()
    y = canvas.legend(canvas.head(title, words.short(watch, watch)), _key(watch))
    above = _draw_gaps(canvas, watch, moments, y)
    y = canvas.legend(y + _ABOVE + 28, _key_below(watch))
    below = _draw_evidence(canvas, watch, moments, above.at, y)
    if decided is not None:
        factor = GapUnits(graded=not points(watch)).factor
        _mark(canvas, watch, decided, (above, below), factor)
    return canvas.figure(
        y + _BELOW + 42,
        title=title,
        alt=f"{title}, with the e-value below. {finding}",
        table=_table(watch, moments, title, decided),
    )
