"""What would settle it: items at hand and items needed for every open pair of neighbors."""

from dataclasses import dataclass

from nstar._verbs.audit import Audit
from nstar.errors import ParameterError
from nstar.report.charts._board import RankingView, board
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num, square
from nstar.report.charts._figure import Figure
from nstar.report.charts._pair_rows import PairRows, pair_rows
from nstar.report.charts._scale import AxisScale, axis, logarithmic
from nstar.report.documents import TextTable
from nstar.report.prose.comparison.headline import MAX_FACTOR
from nstar.report.prose.gap import gap
from nstar.report.prose.numbers import count, name, ratio

__all__ = ["settle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenPair:
    """A pair of neighbors that is not settled."""

    a: str
    b: str
    delta: float
    n: int
    need: float | None
    """Items in total; None if they are too many to be useful advice."""

    @property
    def times(self) -> str:
        """Items needed over items at hand."""
        return f"over {MAX_FACTOR}×" if self.need is None else f"×{ratio(self.need / self.n)}"


def _open(of: RankingView) -> list[_OpenPair]:
    p = of.ranking.adjacent
    out = []
    for i, word in enumerate(p.states):
        if word not in ("inconclusive", "significant, underpowered") or p.n_items[i] == 0:
            continue
        n, more = int(p.n_items[i]), float(p.more_items[i])
        need = n + more if 0 < more <= (MAX_FACTOR - 1) * n else None
        out.append(
            _OpenPair(a=p.model_a[i], b=p.model_b[i], delta=float(p.gap[i]), n=n, need=need)
        )
    return out


def _table(of: RankingView, pairs: list[_OpenPair]) -> TextTable:
    return TextTable(
        title=f"Adjacent gaps not resolved on {of.task}: items needed",
        header=("first", "second", "gap", "current items", "items needed", "times"),
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


def _draw(canvas: Canvas, pairs: list[_OpenPair], rows: PairRows, at: AxisScale) -> None:
    bars, hand, need, endless = [], [], [], []
    crowded = rows.rows.crowded
    half = 1.5 if crowded else 4.0
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
    canvas.path(bars, "ci w2" if crowded else "ci w6")
    canvas.path(endless, "wire")
    canvas.path(hand, "open")
    canvas.path(need, "full")
    rows.label(canvas)
    for i in rows.labeled():
        canvas.text(WIDTH - EDGE, rows(i), pairs[i].times, "s ink", "end")


def settle(result: Audit) -> Figure:
    """Items at hand and items needed for each open pair of neighbors, on an axis of ratios."""
    of = board(result)
    pairs = _open(of)
    if not pairs:
        msg = "All gaps between adjacent models are resolved: there is nothing to draw."
        raise ParameterError(msg)
    declared = of.ranking.adjacent.delta
    goal = "if the true gaps equal the observed ones"
    if declared is not None:
        goal = f"to detect the declared {gap(of.ranking.scale, float(declared[0]))}"
    what = "gap" if len(pairs) == 1 else "gaps"
    title = f"Items needed to resolve {len(pairs):,} adjacent {what} on {of.task}"
    canvas = Canvas()
    y = canvas.head(title, f"Items needed{of.ranking.more}, {goal}; the axis is logarithmic.")
    keys = [
        ("current items", [([square(0, 0, 4)], "open")]),
        ("items needed", [([square(0, 0, 4)], "full")]),
    ]
    if any(p.need is None for p in pairs):
        keys.append((f"over {MAX_FACTOR}×", [(["M-3 -4l5 4l-5 4"], "wire")]))
    y = canvas.legend(y, keys)
    rows = pair_rows([(p.a, p.b) for p in pairs], y + 16)
    ends = [float(v) for p in pairs for v in (p.n, p.need) if v is not None]
    at = logarithmic(ends, *rows.field)
    axis(canvas, at, rows.rows.top, rows.rows.bottom, _short, above=True, strips=rows.strips())
    _draw(canvas, pairs, rows, at)
    middle, bottom = sum(rows.field) / 2, rows.rows.bottom
    canvas.text(middle, bottom + 26, "items", "s", "middle")
    return canvas.figure(bottom + 40, title=title, alt=_alt(of, pairs), table=_table(of, pairs))


def _short(items: float) -> str:
    """A round number of items: ``10k``, ``2M``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if items >= size:
            return f"{items / size:g}{letter}"
    return f"{items:g}"


def _alt(of: RankingView, pairs: list[_OpenPair]) -> str:
    needs = of.ranking.needs() or "No number of items resolves them."
    return (
        f"{len(pairs):,} of {of.models - 1:,} gaps between adjacent models on {of.task} are not "
        f"resolved; each bar leads from the current items to those needed. {needs}"
    )
