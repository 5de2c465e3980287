"""The figure of docs/evidence/scale.md: how long work takes on one machine and on several."""

from collections.abc import Callable, Sequence

from nstar.report.charts._canvas import Canvas
from nstar.report.charts._curves import LEFT, RIGHT, TALL, line
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import axis, height, logarithmic
from nstar.report.documents import TextTable

__all__ = ["crossover_figure"]

Wall = Callable[[float], float]
STYLES = ("curve", "second", "axis w2")


def _stroke(style: str) -> tuple[list[str], str]:
    return ["M-8 0H8"], style


def crossover_figure(
    works: Sequence[float],
    walls: dict[str, Wall],
    subtitle: str,
    format_tick: Callable[[float], str],
) -> Figure:
    """Wall time against CPU time, both by ratios, a curve for each way to do the work."""
    title = "Where Ray begins to pay"
    canvas = Canvas()
    y = canvas.head(title, subtitle)
    pairs = list(zip(walls.items(), STYLES, strict=False))
    y = canvas.legend(y, [(name, [_stroke(style)]) for (name, _), style in pairs]) + 4
    all_walls = [wall(w) for wall in walls.values() for w in works]
    at = logarithmic(works, LEFT, RIGHT)
    up = logarithmic(all_walls, y + TALL, y)
    axis(canvas, at, y, y + TALL, format_tick)
    height(canvas, up, LEFT, RIGHT, format_tick)
    for (_, wall), style in pairs:
        canvas.path([line([at(w) for w in works], [up(wall(w)) for w in works])], style)
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, "CPU time of the work", "s", "middle")
    rows = tuple(
        (format_tick(w), *(format_tick(wall(w)) for wall in walls.values())) for w in works
    )
    table = TextTable(title=title, header=("CPU time", *walls), rows=rows)
    names = list(walls)
    alt = (
        f"{title}: wall time against CPU time. For little work, the fastest is {names[0]}; the "
        "others begin at the time that a cluster takes to start and end lower by their processors."
    )
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=table)
