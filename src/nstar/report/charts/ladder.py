"""Ladder of a leaderboard: the score of each model, and its rank range.

Readers tend to compare the intervals of single scores, but paired comparisons are much more
precise. The chart therefore adds a caveat, and shows ranks on their own axis.
"""

from nstar._verbs.audit import Audit
from nstar._verbs.battles import Battles
from nstar._verbs.simulate.result import Simulation
from nstar.report.charts._board import board
from nstar.report.charts._canvas import SIZES, Canvas
from nstar.report.charts._figure import Figure
from nstar.report.charts._ladder_board import LadderBoard
from nstar.report.charts._ladder_rows import NARROW, WIDE, LadderRows
from nstar.report.charts._narrow_ladder import NarrowLadder
from nstar.report.charts._simulated_board import simulated_board
from nstar.report.charts._text import wrap
from nstar.report.charts._votes_board import votes_board

__all__ = ["NARROW", "WIDE", "ladder", "ladder_board"]


def ladder_board(result: Audit | Battles | Simulation, where: str | None = None) -> LadderBoard:
    """Return the data of a ladder from a ranking, from ratings, or from simulated boards."""
    if isinstance(result, Simulation):
        return simulated_board(result, where)
    return votes_board(result, where) if isinstance(result, Battles) else board(result, where)


def _heading(canvas: Canvas, of: LadderBoard, style: str) -> float:
    """Draw the title and the line below it; return where more may begin."""
    y = canvas.lines(canvas.edge + SIZES[style] / 2, of.finding(), style) + 2
    return canvas.lines(y, of.about(), "n soft") + (16 if style == "x" else 10)


def _heads(rows: LadderRows, y: float) -> float:
    """Draw the headings of the two plot areas, each with its small print."""
    c, of = rows.canvas, rows.of
    left, ends = rows.rank_area[0] + 8, []
    c.text(rows.score_area[0], y, of.score_title, "b")
    c.text(left, y, of.rank_title, "b")
    fields = ((*rows.score_area, of.caveat), (left, rows.rank_area[1], of.rank_note))
    for start, stop, text in fields:
        lines = wrap(text, stop - start, 12)
        for k, line in enumerate(lines):
            c.text(start, y + 18 + 16 * k, line, "s")
        ends.append(y + 18 + 16 * len(lines))
    return max(ends)


def _notes(canvas: Canvas, of: LadderBoard, y: float) -> float:
    """Draw the explanation of the marks beside names; return the height of the sheet."""
    for line in of.remarks():
        y = canvas.notes(y, line)
    canvas.text(canvas.wide - canvas.edge, y, "nstar", "s b", "end")
    return y + 18


def ladder(
    result: Audit | Battles | Simulation, *, where: str | None = None, width: float = WIDE
) -> Figure:
    """Draw one row per model: its score with an interval, and its rank range.

    ``where`` is the model to highlight.
    """
    of = ladder_board(result, where)
    if width < WIDE:
        narrow = NarrowLadder(of)
        canvas = Canvas(NARROW, 14.0)
        y = _heading(canvas, of, "l")
        y = narrow.draw(canvas, narrow.key(canvas, y)) + 20
    else:
        rows = LadderRows(of)
        canvas, pad = rows.canvas, rows.pad
        rows.top = _heads(rows, _heading(canvas, of, "x")) + 18 + pad
        rows.draw()
        y = rows.bottom + 36 + pad
    return canvas.figure(
        _notes(canvas, of, y),
        title=of.finding(),
        alt=of.shown(),
        caption=of.caption(),
        table=of.table(),
    )
