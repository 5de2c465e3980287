"""Marks that say a verdict by their shape as well as by their colour."""

from collections.abc import Iterable

from nstar.report.charts._canvas import Canvas, num

Mark = tuple[list[str], str]


def square(x: float, y: float, half: float) -> str:
    """A square around a point."""
    return f"M{num(x - half)} {num(y - half)}h{num(2 * half)}v{num(2 * half)}h{num(-2 * half)}z"


def _diamond(x: float, y: float, half: float) -> str:
    k = num(half)
    return f"M{num(x)} {num(y - half)}l{k} {k}l-{k} {k}l-{k} -{k}z"


def _circle(x: float, y: float, r: float) -> str:
    k = num(r)
    return f"M{num(x - r)} {num(y)}a{k} {k} 0 1 0 {num(2 * r)} 0a{k} {k} 0 1 0 {num(-2 * r)} 0z"


VERDICTS = {
    "resolved": (square, "full"),
    "significant only": (square, "open"),
    "equivalent": (_diamond, "full"),
    "unresolved": (_circle, "open"),
    "better": (square, "full"),
    "worse": (square, "full"),
    "borderline": (square, "open"),
    "inconclusive": (_circle, "open"),
}
"""Shape and style of each word; what is settled is filled."""


def draw(canvas: Canvas, points: Iterable[tuple[float, float, str]], half: float = 4.0) -> None:
    """A mark at each point according to its verdict, few paths for many marks."""
    paths: dict[str, dict[str, list[str]]] = {}
    for x, y, word in points:
        shape, style = VERDICTS[word]
        paths.setdefault(style, {}).setdefault(word, []).append(shape(x, y, half))
    for style, by_word in sorted(paths.items()):
        canvas.path((step for steps in by_word.values() for step in steps), style)
