"""Every model against every other: better, worse, equivalent, or not resolved."""

import math
from collections.abc import Iterator
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nstar._verbs.audit import Audit
from nstar.errors import ParameterError, arg
from nstar.report.charts._board import board
from nstar.report.charts._canvas import EDGE, Canvas, num
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import ChartRows
from nstar.report.charts._text import shorten_all, width
from nstar.report.documents import TextTable
from nstar.report.prose.numbers import name

__all__ = ["pair_matrix"]

_LEFT = 150.0
_WIDTH = 480.0
"""Units across: more than other figures have, as cells need them."""
_SIDE = _WIDTH - EDGE - _LEFT
_LABEL = 11.0
"""Height of a label."""
_SIGNS = 40
"""Models up to which cells are large enough for signs."""

_Words: TypeAlias = NDArray[np.str_]

_KINDS = {
    "better": ("better", "win", "on"),
    "better, underpowered": ("better, underpowered", "win-pale", "over"),
    "worse": ("worse", "loss", "under"),
    "worse, underpowered": ("worse, underpowered", "loss-pale", "over"),
    "equivalent": ("equivalent within the margin", "equal", "on"),
    "inconclusive": ("inconclusive", "band", "dot"),
}
"""What the row's model is to the column's: its words, its color, the ink of its sign."""


def _whole(audit: Audit) -> None:
    if len(audit.tasks) > 1:
        msg = f"A pair matrix is of one task. Select one with {arg('tasks')}."
        raise ParameterError(msg)
    if len(audit.listed) != audit.n_pairs:
        msg = (
            f"A pair matrix needs all {audit.n_pairs:,} pairs, but this audit lists "
            f"{len(audit.listed):,}. Set {arg('pairs', 'all')}."
        )
        raise ParameterError(msg)


def _cells(audit: Audit) -> _Words:
    """What the model of each row is to that of each column; empty on the diagonal."""
    place = {model: i for i, model in enumerate(audit.ranking.model)}
    out: _Words = np.full((len(place), len(place)), "", dtype="U20")
    better = -1 if audit.lower_is_better else 1
    pairs = audit.listed
    for a, b, word, delta in zip(
        pairs.model_a, pairs.model_b, pairs.states, pairs.gap, strict=True
    ):
        i, j = place[a], place[b]
        if word in ("equivalent", "inconclusive"):
            out[i, j] = out[j, i] = word
            continue
        tail = "" if word == "significant" else ", underpowered"
        ahead, behind = ("better", "worse") if delta * better > 0 else ("worse", "better")
        out[i, j], out[j, i] = ahead + tail, behind + tail
    return out


def _sign(kind: str, x: float, y: float, k: float) -> str:
    """Plus, minus, equals or a dot around a point, so that cells read without color."""
    bar = f"h{num(2 * k)}"
    if kind == "equivalent":
        return f"M{num(x - k)} {num(y - k / 2)}{bar}M{num(x - k)} {num(y + k / 2)}{bar}"
    if kind == "inconclusive":
        return f"M{num(x)} {num(y)}h0"
    minus = f"M{num(x - k)} {num(y)}{bar}"
    return minus if kind.startswith("worse") else f"{minus}M{num(x)} {num(y - k)}v{num(2 * k)}"


def _areas(cells: _Words, kind: str, rows: ChartRows) -> Iterator[str]:
    """Cells of one kind, neighbors in a row as one rectangle."""
    for i, row in enumerate(cells):
        j = 0
        for same, run in groupby(row == kind):
            n = len(list(run))
            if same:
                x, y = _LEFT + j * rows.step, rows.top + i * rows.step
                wide = num(n * rows.step)
                yield f"M{num(x)} {num(y)}h{wide}v{num(rows.step)}h-{wide}z"
            j += n


def _signs(cells: _Words, kind: str, rows: ChartRows) -> Iterator[str]:
    k = min(0.25 * rows.step, 4)
    for i, j in np.argwhere(cells == kind):
        yield _sign(kind, _LEFT + (j + 0.5) * rows.step, rows(i), k)


def _names(canvas: Canvas, audit: Audit, rows: ChartRows) -> None:
    short = shorten_all(audit.ranking.model, _LEFT - 46, 12)
    ranks = [f"{r:,}" for r in audit.ranking.rank]
    for i in rows.labeled((0, rows.n - 1)):
        canvas.text(34, rows(i), ranks[i], "t", "end")
        canvas.text(39, rows(i), short[i], "t")
    every = math.ceil((7 + width(ranks[-1], 11)) / rows.step)
    for i in range(0, rows.n, every):
        canvas.text(_LEFT + (i + 0.5) * rows.step, rows.top - 9, ranks[i], "t", "middle")


def _table(audit: Audit, cells: _Words) -> TextTable:
    names = [name(n, limit=200) for n in audit.ranking.model]
    return TextTable(
        title="Row model vs column model, by rank",
        header=("rank", "model", *(f"{r:,}" for r in audit.ranking.rank)),
        rows=tuple(
            (f"{audit.ranking.rank[i]:,}", names[i], *("–" if c == "" else str(c) for c in row))
            for i, row in enumerate(cells)
        ),
    )


def pair_matrix(audit: Audit) -> Figure:
    """Models by models in rank order; color, lightness and a sign say the verdict."""
    _whole(audit)
    of, cells = board(audit), _cells(audit)
    canvas = Canvas(_WIDTH)
    title = f"All {audit.n_pairs:,} pairs of {of.models:,} models on {of.task}"
    family = "adjusted for all pairs" if of.ranking.adjusted else "unadjusted"
    y = canvas.head(title, f"Row model vs column model ({family}).")
    seen = [kind for kind in _KINDS if (cells == kind).any()]
    signs = of.models <= _SIGNS
    keys = []
    for kind in seen:
        words, fill, ink = _KINDS[kind]
        sign = [([_sign(kind, 0, 0, 4)], f"{ink} w2")] if signs else []
        keys.append((words, [(["M-7 -7h14v14h-14z"], fill), *sign]))
    y = canvas.legend(y, keys)
    step = min(_SIDE / of.models, 32.0)
    step = math.floor(4 * step) / 4 if step > 4 else step
    rows = ChartRows(n=of.models, top=y + 14, step=step, label=_LABEL)
    for kind in seen:
        canvas.path(_areas(cells, kind, rows), _KINDS[kind][1])
    if signs:
        side = of.models * step
        lines = (
            f"M{num(_LEFT + k * step)} {num(rows.top)}v{num(side)}"
            f"M{num(_LEFT)} {num(rows.top + k * step)}h{num(side)}"
            for k in range(1, of.models)
        )
        canvas.path(lines, "sheet")
        for kind in seen:
            canvas.path(_signs(cells, kind, rows), f"{_KINDS[kind][2]} w2")
    _names(canvas, audit, rows)
    n = audit.verdict_counts
    alt = (
        f"Matrix of {of.models:,} models by {of.models:,} in order of rank on {of.task}. Of "
        f"{audit.n_pairs:,} pairs, {n['significant']:,} are significant "
        f"({audit.n_underpowered:,} of them underpowered), {n['equivalent']:,} equivalent, and "
        f"{n['inconclusive']:,} inconclusive."
    )
    return canvas.figure(rows.bottom + 14, title=title, alt=alt, table=_table(audit, cells))
