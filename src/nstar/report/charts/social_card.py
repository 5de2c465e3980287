"""Image of a ranking for link previews."""

import math

from nstar._verbs.audit import Audit
from nstar._verbs.battles import Battles
from nstar.report.charts._canvas import Anchor, Canvas, num
from nstar.report.charts._figure import Figure
from nstar.report.charts._ladder_board import LadderBoard
from nstar.report.charts._text import shorten, width, wrap
from nstar.report.charts.ladder import ladder_board
from nstar.report.prose.gap import coverage

__all__ = ["share_image"]

_CARD = (600.0, 315.0)
"""Width and height in units. Two pixels per unit give the 1200 × 630 that networks show."""
_EDGE = 28.0
_WORDS = 276.0
"""Width of the text, left of the ranks."""
_LEFT, _TOP, _SIDE = 312.0, 28.0, 260.0
"""Position and side of the square that holds the ranks, one step down and right per model."""
_MAX_STEP = 24.0
_BARS = (1, 2, 3, 4, 6, 8, 10)
"""Possible thicknesses of a bar in the style sheet."""
_NAMES = ("t", 11.0), ("u", 8.0)
"""Style class and size of names, for few and for many models."""
_BOLDER = 1.05
"""Ratio of the widths of bold and regular letters in the font of a PNG."""


def _words(canvas: Canvas, of: LadderBoard) -> None:
    """Draw the finding in large type, the benchmark, and the sizes of gaps."""
    still, total = f"{of.n_inconclusive:,}", f"{len(of.states):,}"
    amount, x = f"{of.models:,} models · {of.amount}", _EDGE
    if of.benchmark:
        short = shorten(of.benchmark, _WORDS - width(amount, 13) - 12, 13 * _BOLDER)
        canvas.text(x, 42, short, "b")
        x += width(short, 13 * _BOLDER) + 5
        amount = f"· {amount}"
    canvas.text(x, 42, amount, "m soft")
    canvas.text(_EDGE - 2, 88, still, "xx amber" if of.n_inconclusive else "xx blue")
    canvas.text(_EDGE + width(still, 64) + 8, 100, f"of {total}", "x soft")
    canvas.text(_EDGE, 144, "adjacent ranks", "x")
    verb = "is" if of.n_inconclusive == 1 else "are"
    canvas.text(_EDGE, 174, f"{verb} inconclusive", "x")
    lines = [line for text in of.facts() for line in wrap(text, _WORDS, 13)]
    for k, line in enumerate(lines[:4]):
        canvas.text(_EDGE, 203 + 16 * k, line, "m soft")


def _side(ends: tuple[float, float], wide: float) -> tuple[float, Anchor] | None:
    """Return the position of a name beside a block or a bar; None if neither side has room."""
    if ends[1] + 5 + wide <= _CARD[0] - 8:
        return ends[1] + 5, "start"
    return (ends[0] - 5, "end") if ends[0] - 5 - wide >= _LEFT else None


def _ranks(canvas: Canvas, of: LadderBoard) -> None:
    """Draw tiers as blocks along the diagonal, and the rank range of each model."""
    r, step = of.rows, min(_SIDE / of.models, _MAX_STEP)
    top = _TOP + (_SIDE - step * of.models) / 2
    longest, max_width = max(width(name, 11) for name in r.name), _CARD[0] - _LEFT - 16
    style, size = _NAMES[step < 14 or longest > max_width - step * of.models]
    thick = max((w for w in _BARS if w <= 0.6 * step), default=1)
    spacing = math.ceil(1.1 * size / step)
    for first, last in of.tiers():
        side, x = (last - first + 1) * step, _LEFT + first * step
        canvas.rect(x, top + first * step, side, side, "band", r=min(2.5, side / 4))
        labeled_rows = [i for i in range(first, last + 1) if i % spacing == 0]
        spot = _side((x, x + side), max((width(r.name[i], size) for i in labeled_rows), default=0))
        for i in range(first, last + 1):
            left, right = (_LEFT + (k[i] - 0.5) * step for k in (r.rank_low, r.rank_high))
            y, one = top + (i + 0.5) * step, "" if r.rank_low[i] < r.rank_high[i] else " one"
            canvas.path([f"M{num(left)} {num(y)}H{num(right + 0.01)}"], f"set{one} w{thick}")
            ends = left - thick / 2, right + thick / 2
            fits = i in labeled_rows and (spacing == 1 or spot is not None)
            if fits and (at := spot or _side(ends, width(r.name[i], size))):
                canvas.text(at[0], y, r.name[i], style, at[1])


def share_image(result: Audit | Battles) -> Figure:
    """Draw a card that says how many adjacent gaps are inconclusive.

    Its ``render(".png")`` has the 1200 × 630 pixels that social networks require.
    """
    of = ladder_board(result)
    canvas = Canvas(_CARD[0], _EDGE)
    canvas.rect(0, 0, _CARD[0], 5, "amber" if of.n_inconclusive else "blue")
    _words(canvas, of)
    _ranks(canvas, of)
    canvas.path([f"M{_EDGE + 3} 272h14"], "set w6")
    canvas.text(_EDGE + 26, 272, f"{coverage(of.conf)} rank range (simultaneous)", "s ink")
    canvas.path([f"M{_EDGE + 10} 289h0.01"], "set one w6")
    canvas.text(_EDGE + 26, 289, "one rank only", "s ink")
    canvas.rect(_EDGE + 118, 283, 12, 12, "band", r=2.5)
    canvas.text(_EDGE + 136, 289, "tier", "s ink")
    canvas.text(_CARD[0] - _EDGE, 300, "nstar", "b", "end")
    where = f" on {of.benchmark}" if of.benchmark else ""
    still, total = of.n_inconclusive, len(of.states)
    verb = "is" if still == 1 else "are"
    title = f"{still:,} of {total:,} adjacent ranks{where} {verb} inconclusive"
    alt = f"{title}, among {of.models:,} models. {' '.join(of.facts())}"
    return canvas.figure(_CARD[1], title=title, alt=alt, table=of.table())
