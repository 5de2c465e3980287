"""Chart of the gap between two models in each group of items."""

from collections.abc import Sequence

from nstar._verbs.compare import Comparison, TaskComparison
from nstar._verbs.compare.task_comparison import GroupBreakdown, GroupRow
from nstar.errors import ParameterError
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num, square
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, ChartRows, axis, linear, make_rows
from nstar.report.charts._text import shorten_all
from nstar.report.documents import TextTable
from nstar.report.prose.gap import coverage, gap, header_unit, points, score, span, unit
from nstar.report.prose.numbers import count, name

__all__ = ["groups"]

_LEFT, _RIGHT = 146.0, 304.0
_ITEMS = 354.0
"""Right end of the column with numbers of items."""
_LARGEST = 6.0
"""Half the side of the square for the largest group."""


def _pair(result: Comparison, task: str | None) -> TaskComparison:
    for pair in result.tasks:
        if pair.task == task or (task is None and pair.breakdowns):
            return pair
    if task is not None:
        msg = f"No compared task is called {task!r}."
        raise ParameterError(msg)
    return result.tasks[0]


def _table(pair: TaskComparison, parts: GroupBreakdown, rows: Sequence[GroupRow]) -> TextTable:
    return TextTable(
        title=f"Gap by {name(parts.column)}, largest first; contributions sum to the total",
        header=(
            *(name(parts.column), "items", "first", "second", "gap"),
            *(f"{coverage(pair.confidence_level)} CI", "share of the gap"),
        ),
        rows=tuple(
            (
                name(row.group, limit=200),
                count(row.n_items),
                score(pair, row.mean_a),
                score(pair, row.mean_b),
                gap(pair, row.gap, sign=True, column=True),
                span(pair, row.ci, column=True),
                gap(pair, row.gap * row.n_items / pair.n_items, sign=True, column=True),
            )
            for row in rows
        ),
    )


def _draw(
    canvas: Canvas,
    pair: TaskComparison,
    group_rows: Sequence[GroupRow],
    rows: ChartRows,
    at: AxisScale,
) -> None:
    k = 100.0 if points(pair) else 1.0
    wires = (
        f"M{num(at(k * float(row.ci[0])))} {num(rows(i))}H{num(at(k * float(row.ci[1])))}"
        for i, row in enumerate(group_rows)
        if row.ci is not None
    )
    canvas.path(wires, "wire" if rows.crowded else "ci w4")
    largest = max(row.n_items for row in group_rows)
    half = min(_LARGEST, 0.5 * rows.step)
    squares = (
        square(at(k * row.gap), rows(i), max(half * (row.n_items / largest) ** 0.5, 1))
        for i, row in enumerate(group_rows)
    )
    canvas.path(squares, "slate")


def _labels(
    canvas: Canvas, pair: TaskComparison, group_rows: Sequence[GroupRow], rows: ChartRows
) -> None:
    short = shorten_all([row.group for row in group_rows], _LEFT - 12 - EDGE)
    for i in rows.labeled((0, rows.n - 1)):
        row = group_rows[i]
        canvas.text(EDGE, rows(i), short[i])
        canvas.text(_ITEMS, rows(i), count(row.n_items), "s", "end")
        size = gap(pair, row.gap, sign=True, column=True).removesuffix(unit(pair))
        canvas.text(WIDTH - EDGE, rows(i), size, "s", "end")


def _alt(
    result: Comparison, pair: TaskComparison, parts: GroupBreakdown, group_rows: Sequence[GroupRow]
) -> str:
    first, second = (name(n, limit=40) for n in result.models)
    ahead = sum(row.gap > 0 for row in group_rows)
    behind = sum(row.gap < 0 for row in group_rows)
    ends = [
        f"{gap(pair, r.gap, sign=True)} in {name(r.group)}"
        for r in (group_rows[0], group_rows[-1])
    ]
    return (
        f"Gap {first} − {second} in {len(group_rows):,} groups by {name(parts.column)}: above "
        f"zero in {ahead:,}, below in {behind:,}, from {ends[0]} to {ends[1]}. The whole gap is "
        f"{gap(pair, pair.gap, sign=True)}; without {name(parts.leave_one_out.most_influential)} "
        f"it would be {gap(pair, parts.leave_one_out.gap_without, sign=True)}."
    )


def groups(result: Comparison, *, where: str | None = None) -> Figure:
    """Draw the gap in each group with its interval, next to the overall gap.

    The size of a square shows the number of items in its group. ``where`` is the task to show, by
    default the first one with groups.
    """
    pair = _pair(result, where)
    if not pair.breakdowns:
        msg = (
            f"The items of {name(pair.task)} have no groups, so the gap cannot be split by group."
        )
        raise ParameterError(msg)
    declared = [b for b in pair.breakdowns if b.column == pair.estimate.column]
    parts = (declared or list(pair.breakdowns))[0]
    group_rows = sorted(parts.groups, key=lambda row: -row.gap)
    k = 100.0 if points(pair) else 1.0
    first, second = (name(n, limit=40) for n in result.models)
    title = f"{first} − {second} by {name(parts.column, limit=40)}"
    canvas = Canvas()
    total_text = f"{gap(pair, pair.gap, sign=True)} on {name(pair.task, limit=40) or 'all items'}"
    y = canvas.head(
        title,
        f"{coverage(pair.confidence_level)} CI per group, items independent; "
        "squares grow with the items.",
    )
    y = canvas.legend(
        y,
        (
            ("gap in the group", [(["M-8 0H8"], "ci w4"), ([square(0, 0, 4)], "slate")]),
            (f"total gap, {total_text}", [(["M0 -7V7"], "level")]),
        ),
    )
    header = f"gap{header_unit(pair)}"
    rows = make_rows(len(group_rows), y + 14, full=20, max_full=60)
    ends = [k * float(e) for row in group_rows for e in (row.ci or (row.gap,))]
    at = linear((0.0, *ends, k * pair.gap), _LEFT, _RIGHT, n_ticks=5)
    canvas.text(_ITEMS, y + 2, "items", "s", "end")
    canvas.text(WIDTH - EDGE, y + 2, header, "s", "end")
    axis(canvas, at, rows.top, rows.bottom)
    canvas.path([f"M{num(at(0))} {num(rows.top)}V{num(rows.bottom)}"], "axis")
    canvas.path([f"M{num(at(k * pair.gap))} {num(rows.top)}V{num(rows.bottom)}"], "level")
    _draw(canvas, pair, group_rows, rows, at)
    _labels(canvas, pair, group_rows, rows)
    canvas.text((_LEFT + _RIGHT) / 2, rows.bottom + 26, header, "s", "middle")
    alt = _alt(result, pair, parts, group_rows)
    return canvas.figure(
        rows.bottom + 40, title=title, alt=alt, table=_table(pair, parts, group_rows)
    )
