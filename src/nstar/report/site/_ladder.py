"""Ladder of a benchmark as files, for wide windows and for phones."""

from collections.abc import Mapping
from html import escape

from nstar.report.charts import Figure
from nstar.report.charts._ladder_geometry import NARROW, WIDE
from nstar.report.charts.ladder import ladder
from nstar.report.site._board import SiteBoard

LADDER, _NARROW = "ladder.svg", "ladder-narrow.svg"
_BREAK = "(max-width: 699px)"


def ladders(board: SiteBoard) -> Mapping[str, Figure]:
    """File → what is drawn in it."""
    widths = {LADDER: WIDE, _NARROW: NARROW}
    return {
        name: ladder(board.result, width=width, titled=False) for name, width in widths.items()
    }


def ladder_picture(figure: Figure) -> str:
    """The picture that fits the window, as markup."""
    return (
        f'<figure class="ladder">\n<picture><source media="{_BREAK}" srcset="{_NARROW}">'
        f'<img src="{LADDER}" alt="{escape(figure.alt)}"></picture>\n</figure>'
    )
