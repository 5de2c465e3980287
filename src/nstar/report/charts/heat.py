"""Heat map of models by items: share correct among items of similar difficulty."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from nstar._verbs.items import Items
from nstar._verbs.items.result import HeatmapRow
from nstar.report.charts._canvas import Canvas, num, square
from nstar.report.charts._figure import Figure
from nstar.report.charts._ladder_rows import NARROW, WIDE
from nstar.report.charts._scale import ChartRows, make_rows
from nstar.report.charts._text import shorten_all
from nstar.report.charts._text import width as width_of
from nstar.report.documents import TextTable
from nstar.report.prose.gap import score
from nstar.report.prose.numbers import count, name, percent

__all__ = ["NARROW", "WIDE", "heat"]

_MEAN = 52.0
"""Width of the column of means, right of the names."""
_STEPS = 10
"""Number of shades, not counting the empty one."""
_GAP = 3.0
"""Space between discriminating items and items that all models answer the same way."""
_LABELS = {"all right": "all right", "all wrong": "all wrong", "all alike": "alike"}


def _shade(share: float) -> int:
    """Return the shade of a share, from 0 to 10. Only 0% has shade 0, and only 100% has shade 10.

    Examples
    --------
    >>> _shade(0.0), _shade(0.001), _shade(0.5), _shade(0.999), _shade(1.0)
    (0, 1, 5, 9, 10)
    """
    if share in (0.0, 1.0):
        return int(share) * _STEPS
    return min(max(round(_STEPS * share), 1), _STEPS - 1)


def _style(shade: int) -> str:
    return "win" if shade == _STEPS else f"win o{shade}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _HeatmapLayout:
    """Positions on a wide or a narrow sheet."""

    wide: float
    """Width in units."""
    edge: float
    """Margin."""
    left: float
    """Left end of the items, right of names and means."""
    row: float
    """Height of a row with room for its name."""
    small: str
    """Style class of names."""
    size: float
    """Font size of names."""

    @property
    def right(self) -> float:
        """Return the right end of the items."""
        return self.wide - self.edge

    @classmethod
    def of(cls, result: Items, wide: float) -> "_HeatmapLayout":
        """Return a layout of the requested width that leaves enough room for names."""
        thin = wide < WIDE
        edge, small, size, max_name_width = (
            (10.0, "t", 11.0, 130.0) if thin else (24.0, "s ink", 12.0, 300.0)
        )
        name_width = max(width_of(_label(row), size) for row in result.heatmap_rows)
        left = edge + min(name_width, max_name_width) + _MEAN + 8
        return cls(wide=wide, edge=edge, left=left, row=14 if thin else 17, small=small, size=size)


def _label(row: HeatmapRow) -> str:
    """Return the name of a model, and how many more models share its row."""
    return row.model if row.n_models == 1 else f"{row.model} +{row.n_models - 1:,}"


def _edges(result: Items, at: _HeatmapLayout) -> list[tuple[float, float]]:
    """Return the left and right end of each bin.

    Width is proportional to items; kinds are set apart.
    """
    kinds = len({b.status for b in result.heatmap_bins})
    total_width = at.right - at.left - _GAP * (kinds - 1)
    unit = total_width / sum(b.n_items for b in result.heatmap_bins)
    x, out, last = at.left, [], result.heatmap_bins[0].status
    for b in result.heatmap_bins:
        x += _GAP if b.status != last else 0.0
        out.append((x, x + unit * b.n_items))
        x, last = out[-1][1], b.status
    return out


def _cells(
    result: Items, edges: list[tuple[float, float]], rows: ChartRows
) -> dict[int, list[str]]:
    """Return the rectangles of each shade. Neighbors of the same shade and kind are merged."""
    out: dict[int, list[str]] = {}
    for i, row in enumerate(result.heatmap_rows):
        y = rows.top + i * rows.step
        columns = range(len(edges))
        kinds = [b.status for b in result.heatmap_bins]
        shades = [None if x != x else _shade(x) for x in row.shares]  # noqa: PLR0124 NaN
        for (shade, _), run in groupby(columns, key=lambda k: (shades[k], kinds[k])):
            these = list(run)
            if shade:
                left, right = edges[these[0]][0], edges[these[-1]][1]
                wide = num(right - left)
                step = f"M{num(left)} {num(y)}h{wide}v{num(rows.step)}h-{wide}z"
                out.setdefault(shade, []).append(step)
    return out


def _kinds(result: Items, edges: list[tuple[float, float]]) -> Iterator[tuple[str, float, float]]:
    """Yield each kind of item with its left and right end."""
    for kind, run in groupby(range(len(edges)), key=lambda k: result.heatmap_bins[k].status):
        these = list(run)
        yield kind, edges[these[0]][0], edges[these[-1]][1]


def _below(
    canvas: Canvas, result: Items, at: _HeatmapLayout, edges: list[tuple[float, float]], y: float
) -> float:
    """Draw the labels of the kinds below the rows; return where they end."""
    kind_spans = list(_kinds(result, edges))
    for kind, left, right in kind_spans:
        canvas.path([f"M{num(left)} {num(y - 8)}v4H{num(right)}v-4"], "rule")
        if kind == "live":
            words = "discriminating items, easy → hard"
            center = min((left + right) / 2, at.right - width_of(words, 12) / 2)
            canvas.text(center, y + 6, words, "s", "middle")
    dead = {
        "all right": result.item_counts.n_all_correct,
        "all wrong": result.item_counts.n_all_wrong,
    }
    dead["all alike"] = result.item_counts.n_all_equal
    texts = {
        k: f"{_LABELS[k]} {percent(dead[k] / result.n_items, 1)}"
        for k, _, _ in kind_spans
        if k != "live"
    }
    for kind, left, right in kind_spans:
        if kind == "all right":
            canvas.text(left, y + 21, texts[kind], "s")
        elif kind in texts:
            end = at.right if kind == kind_spans[-1][0] else right
            line = y + 21 if kind == "all wrong" else y + 36
            canvas.text(
                max(end, at.left + width_of(texts[kind], 12)), line, texts[kind], "s", "end"
            )
    return y + (44 if "all alike" in texts else 30)


def _names(canvas: Canvas, result: Items, at: _HeatmapLayout, rows: ChartRows) -> None:
    name_width = at.left - at.edge - _MEAN - 8 + 0.01  # against rounding
    short = shorten_all([_label(row) for row in result.heatmap_rows], name_width, at.size)
    for i in rows.labeled((0, rows.n - 1)):
        canvas.text(at.edge, rows(i), short[i], at.small)
        canvas.text(
            at.left - 7, rows(i), score(result, result.heatmap_rows[i].mean), "t soft", "end"
        )


def _title(result: Items) -> str:
    """Return the main finding."""
    all_counts, top = result.item_counts, result.item_counts_top
    if not all_counts.n_non_discriminating:
        title = (
            f"All {count(result.n_items)} items discriminate among {count(all_counts.n_models)} "
            "models"
        )
    else:
        share = percent(all_counts.n_non_discriminating / all_counts.n_items, 1)
        title = (
            f"{share} of {count(result.n_items)} items do not discriminate among "
            f"{count(all_counts.n_models)} models"
        )
    if top.n_models < all_counts.n_models and top.n_non_discriminating:
        title += (
            f", {percent(top.n_non_discriminating / top.n_items, 0)} among the top {top.n_models}"
        )
    return title


def _table(result: Items, title: str) -> TextTable:
    """Return all bins, with their numbers of items."""
    words = _LABELS | {"live": "discriminating"}
    header = [f"{words[b.status]} {count(b.n_items)}" for b in result.heatmap_bins]
    return TextTable(
        title=f"{title}. Share correct by bin of items, easy to hard (with numbers of items)",
        header=("model", "mean", *header),
        rows=tuple(
            (
                name(_label(row), limit=200),
                score(result, row.mean),
                *("–" if x != x else f"{100 * x:.0f}" for x in row.shares),  # noqa: PLR0124
            )
            for row in result.heatmap_rows
        ),
    )


def _about(result: Items, *, has_combined_rows: bool) -> str:
    """Return what a cell shows, and which items do not discriminate."""
    description = "Each cell shows the share of its items that a model gets right"
    if not result.is_binary:
        description = "Each cell shows a model's mean score on its items, as a share of the scale"
    rank = " A row combines models with adjacent ranks." if has_combined_rows else ""
    line = (
        ""
        if has_combined_rows
        else f" The line is below the top {result.item_counts_top.n_models}."
    )
    return (
        f"{description}. Columns group items of similar difficulty, so scores fall from left to "
        "right; look for breaks in that "
        f"pattern.{rank}"
        f"{line if result.item_counts_top.n_models < len(result.heatmap_rows) else ''}"
    )


def heat(result: Items, *, width: float = WIDE) -> Figure:
    """Draw models from best to worst against items from easy to hard."""
    at = _HeatmapLayout.of(result, width)
    canvas = Canvas(at.wide, at.edge)
    title = _title(result)
    has_combined_rows = any(row.n_models > 1 for row in result.heatmap_rows)
    y = canvas.lines(at.edge + 8, title, "h" if width < WIDE else "l")
    y = canvas.notes(y, _about(result, has_combined_rows=has_combined_rows)) + 6
    back = ([square(0, 0, 7)], "band")
    shades = (0.0, 0.25, 0.5, 0.75, 1.0)
    marks = [
        (percent(s), [back, ([square(0, 0, 7)], _style(_shade(s)))] if s else [back])
        for s in shades
    ]
    y = canvas.legend(y, marks)
    rows = make_rows(len(result.heatmap_rows), y + 2, full=at.row, max_full=40)
    edges = _edges(result, at)
    for _, left, right in _kinds(result, edges):
        canvas.rect(left, rows.top, right - left, rows.bottom - rows.top, "band")
    for shade, steps in sorted(_cells(result, edges, rows).items()):
        canvas.path(steps, _style(shade))
    k = result.item_counts_top.n_models
    if not has_combined_rows and k < len(result.heatmap_rows):
        line = rows.top + k * rows.step
        canvas.path([f"M{num(at.edge)} {num(line)}H{num(at.right)}"], "axis")
    _names(canvas, result, at, rows)
    end = _below(canvas, result, at, edges, rows.bottom + 14)
    alt = (
        f"{count(len(result.models))} models by {count(result.n_items)} items, models from best "
        f"to worst and items from easy to hard. {title}."
    )
    caption = f"{title}. {_about(result, has_combined_rows=has_combined_rows)}"
    table = _table(result, title)
    return canvas.figure(end + 6, title=title, alt=alt, caption=caption, table=table)
