"""Draw a curve in characters: eight rows of braille dots, readable in any terminal font."""

from nstar.report.documents import TextChart

_ROWS = 8
_COLUMNS = 60
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BLANK = 0x2800


def _interpolate(xs: tuple[float, ...], ys: tuple[float, ...], x: float) -> float:
    if x <= xs[0]:
        return ys[0]
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:], strict=False):
        if x <= right:
            return low + (high - low) * (x - left) / (right - left)
    return ys[-1]


def _fill(cells: list[list[int]], xs: tuple[float, ...], ys: tuple[float, ...]) -> None:
    tall = _ROWS * 4 - 1
    lo, hi = xs[0], xs[-1]
    before = None
    for i in range(_COLUMNS * 2):
        value = _interpolate(xs, ys, lo + (hi - lo) * i / (_COLUMNS * 2 - 1))
        dot = round((1 - min(max(value, 0.0), 1.0)) * tall)
        start = dot if before is None else min(dot, before + 1 if before < dot else before)
        stop = dot if before is None else max(dot, before - 1 if before > dot else before)
        for d in range(min(start, stop), max(start, stop) + 1):
            cells[d // 4][i // 2] |= _DOTS[d % 4][i % 2]
        before = dot


def draw(chart: TextChart) -> list[str]:
    """Return lines of text: the curve, the target level as a dotted line, and the marked point."""
    cells = [[_BLANK] * _COLUMNS for _ in range(_ROWS)]
    for heights in filter(None, (chart.y, chart.also)):
        _fill(cells, chart.x, heights)
    lo, hi = chart.x[0], chart.x[-1]
    level_row = min(int((1 - chart.level[0]) * _ROWS), _ROWS - 1)
    column = round((chart.mark[0] - lo) / (hi - lo) * (_COLUMNS - 1))
    names = {0: chart.ends[0], _ROWS - 1: chart.ends[1], level_row: chart.level[1]}
    wide = max(6, *map(len, names.values()))
    lines = []
    for r in range(_ROWS):
        text = "".join(
            chr(c) if c != _BLANK else ("┄" if r == level_row else ("╎" if i == column else " "))
            for i, c in enumerate(cells[r])
        )
        name = names.get(r, "")
        lines.append(f"{name:>{wide}} ┤{text}")
    lines.append(" " * (wide + 1) + "└" + "─" * _COLUMNS)
    mark = chart.mark[1]
    left, right = chart.x_labels
    max_start = _COLUMNS - len(right) - len(mark) - 1
    start = max(min(max(column - len(mark) // 2, len(left) + 1), max_start), 0)
    axis = left.ljust(start) + mark if max_start > len(left) else f"{left} … {mark} …"
    lines.append(" " * (wide + 2) + axis.ljust(max(_COLUMNS - len(right), len(axis) + 1)) + right)
    return lines
