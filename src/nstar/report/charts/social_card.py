"""A ranking on a card: the picture that a shared address shows, and a small ladder for lists."""

from nstar._verbs.audit import Audit
from nstar._verbs.battles import Battles
from nstar.report.charts._figure import Figure
from nstar.report.charts._ladder_board import LadderBoard
from nstar.report.charts._ladder_geometry import CARD, card_rungs
from nstar.report.charts._ladder_rows import LadderRows
from nstar.report.charts._text import shorten, wrap
from nstar.report.charts.ladder import ladder_board

__all__ = ["share_image"]

_FOOT = 24.0
"""Height of the last line."""


def _rows_that_fit(of: LadderBoard, top: float) -> int:
    """Rows of 20 units between the heading and the last line."""
    return min(of.models, int((CARD[1] - _FOOT - 6 - top) // 20))


def _heading(rows: LadderRows) -> float:
    """Title and who leads; returns where rows may begin."""
    c, of = rows.canvas, rows.of
    y = c.lines(rows.at.edge + 8, of.finding(), "l")
    for line in wrap(of.about(), c.room, 13.4)[:2]:
        c.text(rows.at.edge, y, shorten(line, c.room), "m soft")
        y += 18
    y += 6
    c.text(rows.at.means[0], y, of.axis, "s b")
    c.text(rows.at.ranks[1] - 4, y, "Rank range", "s b", "end")
    return y + 26


def _foot(rows: LadderRows) -> None:
    """What is not shown, what intervals are, and who drew it."""
    c, of, y = rows.canvas, rows.of, CARD[1] - 16
    hidden = of.models - rows.at.models
    more = f"and {hidden:,} more; " if hidden else ""
    words = f"{more}{of.small_print}"
    c.text(rows.at.edge, y, words[0].upper() + words[1:], "s")
    c.text(CARD[0] - rows.at.edge, y, "nstar", "b", "end")


def share_image(result: Audit | Battles) -> Figure:
    """A card of 1200 × 630 pixels as PNG: the finding, and as many of the first models as fit.

    Parameters
    ----------
    result : Audit or Battles
        A ranking, or ratings from votes.

    Returns
    -------
    Figure
        ``render(".png")`` has the size that social networks ask for; as SVG it is a small ladder.
    """
    of = ladder_board(result)
    top = _heading(LadderRows(of, card_rungs(of, 1)))
    rows = LadderRows(of, card_rungs(of, _rows_that_fit(of, top)))
    rows.top = _heading(rows)
    rows.draw()
    _foot(rows)
    return rows.canvas.figure(
        CARD[1],
        title=of.finding(),
        alt=of.shown_first(rows.at.models),
        table=of.table(),
    )
