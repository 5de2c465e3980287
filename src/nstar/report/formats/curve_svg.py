"""Draw a curve as a small inline SVG, in the color of the surrounding text."""

from html import escape

from nstar.report.documents import TextChart

_LEFT, _RIGHT, _TOP, _BOTTOM = 76.0, 470.0, 10.0, 120.0
_WIDE, _HIGH = 480, 152
_LETTER = 7.0
"""Width of a character, roughly."""
_ROW = 16.0
"""From one line of text to the next."""
_TEXT = "fill:currentColor;stroke:none;font-size:12px"
_THIN = "fill:none;stroke:currentColor;stroke-width:1"
_STYLES = {
    "axis": _THIN,
    "level": f"{_THIN};stroke-dasharray:2 4",
    "mark": f"{_THIN};stroke-dasharray:5 4",
    "curve": "fill:none;stroke:currentColor;stroke-width:2.5",
    "also": "fill:none;stroke:currentColor;stroke-width:2.5;stroke-dasharray:7 4",
}


def _x(chart: TextChart, value: float) -> float:
    low, high = chart.x[0], chart.x[-1]
    return _LEFT + (_RIGHT - _LEFT) * (value - low) / (high - low)


def _y(height: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * min(max(height, 0.0), 1.0)


def _path(points: list[tuple[float, float]], kind: str) -> str:
    steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<path style="{_STYLES[kind]}" d="M{steps}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    style = f"{_TEXT};text-anchor:{anchor}"
    return f'<text style="{style}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _heights(chart: TextChart) -> list[str]:
    """Names on the left; the level's takes the place of an end that it is too near to."""
    level = _y(chart.level[0])
    ends = zip((_TOP, _BOTTOM), chart.ends, strict=True)
    labels = [(y, name) for y, name in ends if abs(y - level) >= _ROW]
    labels.append((level, chart.level[1]))
    return [_text(_LEFT - 6, y + 4, name, "end") for y, name in labels]


def _positions(chart: TextChart) -> list[str]:
    """Names below: both ends, and the mark between them or, without room, a line further down."""
    (left, right), (value, mark) = chart.x_labels, chart.mark
    x, half = _x(chart, value), len(mark) * _LETTER / 2
    x = min(max(x, half), _WIDE - half)
    crowded = (
        x - half < _LEFT + (len(left) + 1) * _LETTER
        or x + half > _RIGHT - (len(right) + 1) * _LETTER
    )
    y = _BOTTOM + _ROW
    ends = [_text(_LEFT, y, left, "start"), _text(_RIGHT, y, right, "end")]
    return [*ends, _text(x, y + _ROW * crowded, mark, "middle")]


def draw_svg(chart: TextChart) -> str:
    """The curve, the wanted level as a dotted line and the marked point as a dashed one."""
    across = [_x(chart, x) for x in chart.x]
    mark, level = _x(chart, chart.mark[0]), _y(chart.level[0])
    lines = [
        _path([(_LEFT, _TOP), (_LEFT, _BOTTOM), (_RIGHT, _BOTTOM)], "axis"),
        _path([(_LEFT, level), (_RIGHT, level)], "level"),
        _path([(mark, _TOP), (mark, _BOTTOM)], "mark"),
    ]
    for kind, heights in (("curve", chart.y), ("also", chart.also)):
        if heights:
            points = zip(across, map(_y, heights), strict=True)
            lines.append(_path(list(points), kind))
    inside = "\n".join([*lines, *_heights(chart), *_positions(chart)])
    attributes = f'role="img" aria-label="{escape(chart.title)}"'
    style = f"display:block;width:100%;max-width:{_WIDE}px;font-family:inherit"
    return f'<svg viewBox="0 0 {_WIDE} {_HIGH}" {attributes} style="{style}">\n{inside}\n</svg>'
