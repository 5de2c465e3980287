"""Win matrix: the score of each pair in its own votes, and the number of votes.

The size of a square shows its number of votes, so that a score of two votes does not look like one
of two hundred. If there is room, the cells contain the numbers.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._verbs.battles import Battles
from nstar.errors import ParameterError
from nstar.report.charts._canvas import Canvas, num, square
from nstar.report.charts._figure import Figure
from nstar.report.charts._ladder_rows import NARROW, WIDE
from nstar.report.charts._scale import ChartRows
from nstar.report.charts._text import shorten_all, width
from nstar.report.documents import TextTable
from nstar.report.prose.numbers import count, name, percent

__all__ = ["win_matrix"]

_MAX_MODELS_WIDE, _N_BEST = 60, 30
"""Largest number of models of which all are drawn, and the number drawn if there are more."""
_MAX_MODELS_NARROW = 20
"""Maximum number of models on a narrow sheet."""
_NUMBERED, _LARGEST = 34.0, 44.0
"""Minimum and maximum width of a cell that contains its score and votes."""
_SQUARE = 20.0
"""Maximum width of a cell without numbers."""
_MIN_SQUARE_SHARE, _MAX_SQUARE_SHARE = 0.3, 0.92
"""Side of a square as a share of its cell, for one vote and for many votes."""
_FULL_SIZE_QUANTILE = 0.9
"""Quantile of the pairs' votes from which a square has full size."""
_CLEAR = 0.75
"""Score from which a win counts as clear."""
_SMALLEST = 560.0
"""Minimum width for titles."""
_LABEL = 12.0
"""Font size of names."""
_SLACK = 1.08
"""Safety factor for the measured width of names."""

_KINDS = {
    "win": f"won {percent(_CLEAR)} or more",
    "win-pale": "won more than half",
    "paper": "exactly half",
    "loss-pale": "lost more than half",
    "loss": f"lost {percent(_CLEAR)} or more",
}
"""Result of the row's model against the column's model, for each color."""


def _kind(score: float) -> str:
    """Return the color class of a score."""
    if score == 0.5:
        return "paper"
    if score > 0.5:
        return "win" if score >= _CLEAR else "win-pale"
    return "loss" if score <= 1 - _CLEAR else "loss-pale"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PairCells:
    """Pairs of the displayed models, and the positions of their cells."""

    result: Battles
    """Ratings and names."""
    met: IntArray
    """Number of votes between each pair of displayed models."""
    score: Array
    """Score of the row's model against the column's model; NaN without votes."""
    wide: float
    """Available width in units."""
    names: float
    """Right end of the names."""
    step: float
    """Width of a cell."""

    @property
    def models(self) -> int:
        """Return the number of displayed models."""
        return len(self.met)

    @property
    def edge(self) -> float:
        """Return the margin."""
        return _columns(self.wide)[0]

    @property
    def numbered(self) -> bool:
        """Return whether cells contain their scores."""
        return self.step >= _NUMBERED

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the cells of pairs that met."""
        yield from ((int(i), int(j)) for i, j in np.argwhere(self.met > 0) if i != j)

    def counts(self) -> IntArray:
        """Return the number of votes of each pair of displayed models."""
        return self.met[np.triu_indices(self.models, 1)]

    def many(self) -> int:
        """Return the number of votes that a full-size square represents."""
        counts = self.counts()
        return int(np.quantile(counts[counts > 0], _FULL_SIZE_QUANTILE, method="higher"))

    def half(self, votes: int) -> float:
        """Return half the side of the square for a number of votes.

        Its area is proportional to them.
        """
        share = 1.0 if self.numbered else math.sqrt(min(votes / self.many(), 1.0))
        return self.step / 2 * max(_MIN_SQUARE_SHARE, _MAX_SQUARE_SHARE * share)


def _columns(wide: float) -> tuple[float, float]:
    """Return the margin, and the left end of names."""
    return (14.0, 36.0) if wide == NARROW else (24.0, 54.0)


def _sheet(result: Battles, wide: float) -> _PairCells:
    """Return the cells of the models that fit on a sheet."""
    met, score = result.pair_votes, result.pair_scores
    if met is None or score is None:
        msg = (
            "A win matrix needs the votes, which a result read from a file does not contain. Rate "
            "the votes again to draw it."
        )
        raise ParameterError(msg)
    if not np.triu(met, 1).any():
        msg = "Nothing to draw, because no votes compare two rated models."
        raise ParameterError(msg)
    all_, limit = (
        (_MAX_MODELS_NARROW, _MAX_MODELS_NARROW) if wide == NARROW else (_MAX_MODELS_WIDE, _N_BEST)
    )
    n_drawn = len(result) if len(result) <= all_ else limit
    edge, start = _columns(wide)
    longest = _SLACK * max(width(n[:80], _LABEL) for n in result.ratings.model[:n_drawn]) + 8
    name_width = min(longest, 120.0 if wide == NARROW else 250.0)
    step = min(math.floor(4 * (wide - edge - start - name_width) / n_drawn) / 4, _LARGEST)
    step = step if step >= _NUMBERED else min(step, _SQUARE)
    names = min(start + longest, wide - edge - n_drawn * step)
    return _PairCells(
        result=result,
        met=met[:n_drawn, :n_drawn],
        score=score[:n_drawn, :n_drawn],
        wide=wide,
        names=names,
        step=step,
    )


def _title(of: _PairCells) -> str:
    """Return a title that says how many pairs met, and how often."""
    counts, m = of.counts(), of.models
    met = counts[counts > 0]
    whose = f"{m:,} models" if m == len(of.result) else f"the first {m:,} models"
    typical = count(float(np.median(met)))
    votes = "1 vote" if typical == "1" else f"{typical} votes"
    if len(counts) == 1:
        return f"The two models met in {votes}"
    all_met = len(met) == len(counts)
    pairs = f"All {len(met):,}" if all_met else f"{len(met):,} of {len(counts):,}"
    return f"{pairs} pairs of {whose} met, a typical one in {votes}"


def _about(of: _PairCells) -> str:
    """Return what a cell shows."""
    description = "Row model's win rate against the column model, ties half"
    if of.numbered:
        description += " (%), with the number of votes"
    blank = "" if (of.counts() > 0).all() else " Pairs that never met are blank."
    n_hidden = len(of.result) - of.models
    rest = f" {n_hidden:,} lower-rated models are not shown." if n_hidden else ""
    return f"{description}. Models are in order of their ratings.{blank}{rest}"


def _keys(canvas: Canvas, of: _PairCells, y: float) -> float:
    """Draw the legend of colors and sizes."""
    kinds = {_kind(float(of.score[i, j])) for i, j in of.pairs()}
    entries = []
    for kind in (k for k in _KINDS if k in kinds):
        dot = [(["M0 0h0"], "dot w3")] if kind == "paper" else []
        back = [([square(0, 0, 7)], "band")]
        entries.append((_KINDS[kind], [*back, ([square(0, 0, 6)], kind), *dot]))
    many = of.many()
    sizes = sorted({1, max(1, many // 4), many})
    for k in sizes:
        last = k == many and int(of.counts().max()) > many
        words = f"{k:,} {'vote' if k == 1 else 'votes'}{' or more' if last else ''}"
        entries.append((words, [([square(0, 0, of.half(k))], "win")]))
    return canvas.legend(y, entries)


def _cells(canvas: Canvas, of: _PairCells, rows: ChartRows) -> None:
    """Draw the squares of pairs that met; the background marks pairs that did not."""
    side, left = of.models * of.step, of.names
    canvas.rect(left, rows.top, side, side, "band")
    indices = range(of.models)
    diagonal = (square(left + (k + 0.5) * of.step, rows(k), of.step / 2) for k in indices)
    canvas.path(diagonal, "paper")
    paths: dict[str, list[str]] = {}
    dots = []
    for i, j in of.pairs():
        x, half = left + (j + 0.5) * of.step, of.half(int(of.met[i, j]))
        kind = _kind(float(of.score[i, j]))
        if of.numbered and kind in ("win", "loss"):
            kind = f"{kind}-pale"
        paths.setdefault(kind, []).append(square(x, rows(i), half))
        if kind == "paper" and not of.numbered:
            dots.append(f"M{num(x)} {num(rows(i))}h0")
    for style, squares in paths.items():
        canvas.path(squares, style)
    canvas.path(dots, "dot w2")


def _short_count(votes: int, max_width: float) -> str:
    """Return a number of votes in full, or in thousands or millions if that does not fit."""
    text = f"{votes:,}"
    if width(text, 11) <= max_width:
        return text
    return f"{votes / 1e3:.0f}k" if votes < 999_500 else f"{votes / 1e6:.0f}M"


def _numbers(canvas: Canvas, of: _PairCells, rows: ChartRows) -> None:
    """Draw the scores, with the votes below them."""
    for i, j in of.pairs():
        x, y = of.names + (j + 0.5) * of.step, rows(i)
        canvas.text(x, y - 7, f"{100 * of.score[i, j]:.0f}", "s ink b", "middle")
        canvas.text(x, y + 8, _short_count(int(of.met[i, j]), of.step - 4), "t", "middle")


def _names(canvas: Canvas, of: _PairCells, rows: ChartRows) -> None:
    """Draw the ranks and names of rows, and the ranks of columns."""
    r, m = of.result.ratings, of.models
    start = _columns(of.wide)[1]
    ranks = [f"{k:,}" for k in r.rank[:m]]
    short = shorten_all(r.model[:m], (of.names - 8 - start) / _SLACK, _LABEL)
    for i in range(m):
        canvas.text(start - 5, rows(i), ranks[i], "t", "end")
        canvas.text(start, rows(i), short[i], "t" if of.step < 13 else "s ink")
    spacing = math.ceil((5 + width(max(ranks, key=len), 11)) / of.step)
    for i in range(0, m, spacing):
        canvas.text(of.names + (i + 0.5) * of.step, rows.top - 9, ranks[i], "t", "middle")


def _table(of: _PairCells, title: str) -> TextTable:
    """Return the scores with the number of votes behind them."""
    r, m = of.result.ratings, of.models

    def cell(i: int, j: int) -> str:
        if i == j or not of.met[i, j]:
            return "–" if i == j else ""
        return f"{100 * of.score[i, j]:.0f} of {of.met[i, j]:,}"

    return TextTable(
        title=f"{title}. Win rate in percent and number of votes, by rank of the other model",
        header=("rank", "model", *(f"{k:,}" for k in r.rank[:m])),
        rows=tuple(
            (f"{r.rank[i]:,}", name(r.model[i], limit=200), *(cell(i, j) for j in range(m)))
            for i in range(m)
        ),
    )


def win_matrix(result: Battles, *, width: float = WIDE) -> Figure:
    """Draw a matrix of models in order of rating, with the score and votes of each pair that met.

    A narrow matrix shows fewer models. Ratings that were read from a file have no matrix.
    """
    of = _sheet(result, width)
    title = _title(of)
    side = of.names + of.models * of.step + of.edge
    canvas = Canvas(max(side, NARROW if width == NARROW else _SMALLEST), of.edge)
    y = canvas.lines(of.edge + 4, title, "h")
    y = canvas.notes(y, _about(of)) + 6
    y = y if of.numbered else _keys(canvas, of, y)
    rows = ChartRows(n=of.models, top=y + 14, step=of.step, label=11.0)
    _cells(canvas, of, rows)
    if of.numbered:
        _numbers(canvas, of, rows)
    _names(canvas, of, rows)
    never = np.count_nonzero(of.counts() == 0)
    alt = (
        f"Matrix of {of.models:,} models by {of.models:,} in order of rating. {title}; "
        f"{never:,} {'pair' if never == 1 else 'pairs'} never met."
    )
    caption, table = f"{title}. {_about(of)}", _table(of, title)
    return canvas.figure(rows.bottom + 14, title=title, alt=alt, caption=caption, table=table)
