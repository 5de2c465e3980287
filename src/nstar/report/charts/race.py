"""Chart of a race: how long each model was active, what eliminated it, and its gap."""

from collections.abc import Iterator

from nstar._verbs.race import RaceResult
from nstar.errors import ParameterError
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num, square
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, axis, logarithmic, make_rows
from nstar.report.charts._text import shorten_all, width
from nstar.report.documents import TextTable
from nstar.report.prose import race as words
from nstar.report.prose.gap import gap
from nstar.report.prose.numbers import count, name

__all__ = ["lifelines"]

_MAX_NAMES, _GAPS = 220.0, 62.0
"""Maximum width of names on the left, and width of gaps on the right."""
_TALL, _MAX_MODELS_WITH_ROWS = 20.0, 40
"""Height of a row, and the largest number of models that get rows of this height."""


def _rows(race: RaceResult) -> Iterator[tuple[str, int, str, str]]:
    """Yield the model, its items, its gap, and the model that eliminated it, leader first."""
    for r in race.active_models:
        yield (
            r.model,
            race.n_items,
            "leads" if r.gap is None else gap(race, r.gap, sign=True),
            "",
        )
    for d in race.eliminated_models:
        yield d.model, d.n_items, gap(race, d.gap, sign=True), d.beaten_by


def _cross(x: float, y: float, half: float) -> str:
    k = num(2 * half)
    return f"M{num(x - half)} {num(y - half)}l{k} {k}M{num(x - half)} {num(y + half)}l{k} -{k}"


def _draw(canvas: Canvas, race: RaceResult, at: AxisScale, top: float) -> float:
    """Draw the rows from ``top`` downwards; return where they end."""
    entries = list(_rows(race))
    rows = make_rows(len(entries), top, full=_TALL, max_full=_MAX_MODELS_WITH_ROWS)
    half = 1.5 if rows.crowded else 4.0
    axis(canvas, at, rows.top, rows.bottom)
    ends = [(at(n), rows(i), bool(by)) for i, (_, n, _, by) in enumerate(entries)]
    lines = (f"M{num(at.start)} {num(y)}H{num(x)}" for x, y, _ in ends)
    canvas.path(lines, "ci w2" if rows.crowded else "ci w4")
    canvas.path((_cross(x, y, half) for x, y, dropped in ends if dropped), "axis w2")
    canvas.path((square(x, y, half) for x, y, dropped in ends if not dropped), "full")
    short = shorten_all([model for model, *_ in entries], at.start - EDGE - 6, 13)
    for i in rows.labeled():
        canvas.text(EDGE, rows(i), short[i])
        canvas.text(WIDTH - EDGE, rows(i), entries[i][2], "s ink", "end")
    return rows.bottom


def lifelines(race: RaceResult) -> Figure:
    """Draw a line for each model, from the first item to its elimination."""
    if not race.n_items:
        msg = "Nothing to draw yet: no item has answers from all models."
        raise ParameterError(msg)
    title = f"A race of {len(race.question.models):,} models, item by item"
    canvas = Canvas()
    y = canvas.head(title, words.short(race))
    keys = [("eliminated (beaten)", [([_cross(0, 0, 4)], "axis w2")])]
    keys.append(("remaining", [([square(0, 0, 4)], "full")]))
    y = canvas.legend(y, keys if race.eliminated_models else keys[1:])
    ends = [float(n) for _, n, _, _ in _rows(race)]
    names = max(width(model[:80], 13) for model in race.question.models) + EDGE + 8
    at = logarithmic((min(ends) / 2, *ends), min(names, _MAX_NAMES), WIDTH - EDGE - _GAPS)
    canvas.text(WIDTH - EDGE, y, "final gap", "s", "end")
    bottom = _draw(canvas, race, at, y + 10)
    canvas.text((at.start + at.stop) / 2, bottom + 26, "items (log scale)", "s", "middle")
    table = TextTable(
        title=title,
        header=("model", "items", "gap", "beaten by"),
        rows=tuple(
            (name(model), count(n), status, name(by) if by else "–")
            for model, n, status, by in _rows(race)
        ),
    )
    alt = f"{title}. {words.short(race)} A line for each model ends where it was eliminated."
    return canvas.figure(bottom + 40, title=title, alt=alt, table=table)
