"""A leaderboard as a ladder: where each model may stand, and which lines between tiers hold.

Whiskers of single means would invite the reader to compare them, and paired models differ by far
less than those whiskers suggest. So the means are dots, and what the data leave open is drawn on
an axis of ranks.
"""

from collections.abc import Iterator

from nstar._verbs.audit import Audit, Leaderboard
from nstar.report.charts._board import DrawnBoard, board
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, ChartRows, axis, linear, make_rows
from nstar.report.charts._text import shorten_all
from nstar.report.documents import Grid
from nstar.report.words.audit.ranking import rank_set
from nstar.report.words.gap import gap, points
from nstar.report.words.numbers import name

__all__ = ["ladder"]

_NUMBER = 34.0
"""Right end of the rank before a name."""
_NAME = (39.0, 186.0)
_MEAN = (198.0, 270.0)
_RANK = (292.0, 412.0)
_SET = WIDTH - EDGE


def _table(of: DrawnBoard) -> Grid:
    r, p, scale = of.ranking.ranks, of.ranking.adjacent, of.ranking.scale
    unit = " %" if points(scale) else ""
    rows = tuple(
        (
            f"{r.rank[i]:,}",
            name(r.name[i], limit=200),
            f"{of.factor * r.mean[i]:.2f}" if points(scale) else f"{r.mean[i]:.4g}",
            rank_set(r, i),
            f"{r.tier[i]:,}",
            f"{r.n[i]:,}",
            gap(scale, float(p.delta[i]), sign=True, column=True) if i < len(p) else "",
            p.verdict[i] if i < len(p) else "",
        )
        for i in range(len(r))
    )
    return Grid(
        title=f"Ranking on {of.task}: {of.sets}",
        header=(
            *("rank", "model", f"{of.by}{unit}", "rank set", "tier", "items"),
            *("gap to the next", "verdict"),
        ),
        rows=rows,
        marked=of.ranking.asked,
        lines=tuple(_starts(of)),
    )


def _starts(of: DrawnBoard) -> Iterator[int]:
    """Rows with which a tier begins, but the first."""
    tier = of.ranking.ranks.tier
    return (i for i in range(1, len(tier)) if tier[i] != tier[i - 1])


def _tier_key(of: DrawnBoard) -> tuple[str, list[tuple[list[str], str]]]:
    """What a line says, or that there is none."""
    if not any(_starts(of)):
        return "no line between tiers is supported", []
    return "tier line: every model above beats every one below", [(["M-8 0H8"], "rule")]


def _names(canvas: Canvas, of: DrawnBoard, rows: ChartRows) -> None:
    r, asked = of.ranking.ranks, of.ranking.asked
    short = shorten_all(r.name, _NAME[1] - _NAME[0])
    first = () if asked is None else (asked,)
    for i in rows.labelled((*first, 0, of.models - 1, *_starts(of))):
        style = "b" if i == asked else ""
        canvas.text(_NUMBER, rows(i), f"{r.rank[i]:,}", "s", "end")
        canvas.text(_NAME[0], rows(i), short[i], style)
        canvas.text(_SET, rows(i), rank_set(r, i), "s", "end")


def _rank_scale(models: int) -> AxisScale:
    """Ranks from 1 on, at whole numbers."""
    last = max(models, 2)
    round_ = linear((1, last), *_RANK, wanted=4, snug=True).ticks
    ticks = dict.fromkeys((1.0, *(t for t in round_ if t > 1 and t == int(t))))
    return AxisScale(low=1, high=last, start=_RANK[0], stop=_RANK[1], ticks=tuple(ticks))


def _marks(
    canvas: Canvas, of: DrawnBoard, rows: ChartRows, means: AxisScale, ranks: AxisScale
) -> None:
    r, asked = of.ranking.ranks, of.ranking.asked
    if asked is not None:
        high = max(rows.step, 3)
        canvas.rect(EDGE / 2, rows(asked) - high / 2, WIDTH - EDGE, high, "band")
    axis(canvas, means, rows.top, rows.bottom)
    axis(canvas, ranks, rows.top, rows.bottom)
    lines = (f"M{num(EDGE)} {num(rows(i - 0.5))}H{num(WIDTH - EDGE)}" for i in _starts(of))
    canvas.path(lines, "rule")
    wide, dot = ("w2", "w3") if rows.crowded else ("w8", "w6")
    spans = (
        f"M{num(ranks(r.rank_lo[i]))} {num(rows(i))}H{num(ranks(r.rank_hi[i]) + 0.01)}"
        for i in range(of.models)
    )
    canvas.path(spans, f"span {wide}")
    for scale, values in ((means, of.factor * r.mean), (ranks, r.rank)):
        dots = (f"M{num(scale(v))} {num(rows(i))}h0" for i, v in enumerate(values))
        canvas.path(dots, f"dot {dot}")


def ladder(result: Audit | Leaderboard, *, where: str | None = None) -> Figure:
    """One row per model: its mean as a dot, and the ranks that the data leave open as a span."""
    of = board(result, where)
    r = of.ranking.ranks
    canvas = Canvas()
    title = f"{of.models:,} models on {of.task}"
    y = canvas.head(title, "")
    y = canvas.legend(
        y,
        (
            ("mean", [(["M0 0h0"], "dot w6")]),
            (f"{of.sets}, with the rank", [(["M-6 0H6"], "span w8"), (["M0 0h0"], "dot w6")]),
            _tier_key(of),
        ),
    )
    rows = make_rows(of.models, y + 15, full=18, most=60)
    means = linear(of.factor * r.mean, *_MEAN, wanted=3)
    ranks = _rank_scale(of.models)
    unit = ", %" if points(of.ranking.scale) else ""
    canvas.text(sum(_MEAN) / 2, y + 4, f"{of.by}{unit}", "s", "middle")
    canvas.text(sum(_RANK) / 2, y + 4, "rank", "s", "middle")
    canvas.text(_SET, y + 4, "set", "s", "end")
    _marks(canvas, of, rows, means, ranks)
    _names(canvas, of, rows)
    return canvas.figure(
        rows.bottom + 24,
        title=title,
        alt=f"Ladder of {of.models:,} models in order of their {of.by} on {of.task}; beside each "
        f"stand the ranks that the data leave open. The ranking {of.ranking.supported()}.",
        table=_table(of),
    )
