"""What would settle it: items at hand and items needed for every open pair of neighbours."""

from dataclasses import dataclass

from nstar._verbs.audit import Audit, Leaderboard
from nstar._verbs.verdict import ABSURD
from nstar.errors import ParameterError
from nstar.report.charts._board import DrawnBoard, board
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num, square
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, ChartRows, axis, logarithmic, make_rows
from nstar.report.charts._text import shorten_all
from nstar.report.documents import Grid
from nstar.report.words.gap import gap
from nstar.report.words.numbers import count, name, ratio

__all__ = ["settle"]

_LEFT, _RIGHT = 178.0, 400.0
_NAMES = _LEFT - 10 - EDGE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """A pair of neighbours that is not settled."""

    a: str
    b: str
    delta: float
    n: int
    need: float | None
    """Items in all; None when no number is advice."""

    @property
    def times(self) -> str:
        """Items needed over items at hand."""
        return "no advice" if self.need is None else f"×{ratio(self.need / self.n)}"


def _open(of: DrawnBoard) -> list[_Open]:
    p = of.ranking.adjacent
    out = []
    for i, word in enumerate(p.verdict):
        if word not in ("unresolved", "significant only") or p.n[i] == 0:
            continue
        n, more = int(p.n[i]), float(p.more_items[i])
        need = n + more if 0 < more <= ABSURD else None
        out.append(_Open(a=p.a[i], b=p.b[i], delta=float(p.delta[i]), n=n, need=need))
    return out


def _table(of: DrawnBoard, pairs: list[_Open]) -> Grid:
    return Grid(
        title=f"Open neighbours on {of.task}: {of.ranking.more} that would settle them",
        header=("first", "second", "gap", "items at hand", "items needed", "times"),
        rows=tuple(
            (
                name(p.a, limit=200),
                name(p.b, limit=200),
                gap(of.ranking.scale, p.delta, sign=True, column=True),
                count(p.n),
                count(p.need),
                p.times,
            )
            for p in pairs
        ),
    )


def _draw(canvas: Canvas, pairs: list[_Open], rows: ChartRows, at: AxisScale) -> None:
    bars, hand, need, endless = [], [], [], []
    half = 1.5 if rows.crowded else 4.0
    for i, p in enumerate(pairs):
        x, y = at(p.n), rows(i)
        stop = at.stop if p.need is None else at(p.need)
        bars.append(f"M{num(x)} {num(y)}H{num(stop)}")
        hand.append(square(x, y, half))
        if p.need is None:
            k = num(half)
            endless.append(f"M{num(stop - half)} {num(y - half)}l{k} {k}l-{k} {k}")
        else:
            need.append(square(stop, y, half))
    canvas.path(bars, "span w2" if rows.crowded else "span w6")
    canvas.path(endless, "wire")
    canvas.path(hand, "open")
    canvas.path(need, "full")
    names = list(dict.fromkeys(n for p in pairs for n in (p.a, p.b)))
    short = dict(zip(names, shorten_all(names, _NAMES - 12), strict=True))
    for i in rows.labelled((0, rows.n - 1)):
        canvas.text(EDGE, rows(i) - 7, short[pairs[i].a])
        canvas.text(EDGE, rows(i) + 7, f"− {short[pairs[i].b]}", "s")
        canvas.text(WIDTH - EDGE, rows(i), pairs[i].times, "s", "end")


def settle(result: Audit | Leaderboard) -> Figure:
    """Items at hand and items needed for each open pair of neighbours, on an axis of ratios."""
    of = board(result)
    pairs = _open(of)
    if not pairs:
        msg = "all neighbours are settled; there is nothing to draw"
        raise ParameterError(msg)
    declared = of.ranking.adjacent.delta0
    goal = "if each gap is really as seen"
    if declared is not None:
        goal = f"to detect the declared {gap(of.ranking.scale, float(declared[0]))}"
    title = f"What would settle it: {len(pairs):,} open neighbours on {of.task}"
    canvas = Canvas()
    y = canvas.head(
        title, f"With {of.ranking.more}, {goal}; equal steps on the axis are equal ratios."
    )
    keys = [
        ("items at hand", [([square(0, 0, 4)], "open")]),
        ("items needed in all", [([square(0, 0, 4)], "full")]),
    ]
    if any(p.need is None for p in pairs):
        keys.append(("beyond any advice", [(["M-3 -4l5 4l-5 4"], "wire")]))
    y = canvas.legend(y, keys)
    rows = make_rows(len(pairs), y + 2, full=32, most=40)
    ends = [float(v) for p in pairs for v in (p.n, p.need) if v is not None]
    at = logarithmic(ends, _LEFT, _RIGHT)
    axis(canvas, at, rows.top, rows.bottom, _short)
    _draw(canvas, pairs, rows, at)
    canvas.text((_LEFT + _RIGHT) / 2, rows.bottom + 26, "items", "s", "middle")
    return canvas.figure(
        rows.bottom + 40, title=title, alt=_alt(of, pairs), table=_table(of, pairs)
    )


def _short(items: float) -> str:
    """A round number of items: ``10k``, ``2M``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if items >= size:
            return f"{items / size:g}{letter}"
    return f"{items:g}"


def _alt(of: DrawnBoard, pairs: list[_Open]) -> str:
    needs = of.ranking.needs() or "For none of them is any number of items advice."
    return (
        f"{len(pairs):,} of {of.models - 1:,} neighbours on {of.task} are not settled; a bar "
        f"leads from the items at hand to those needed. {needs}"
    )
