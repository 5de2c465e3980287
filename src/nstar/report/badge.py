"""Badge for a README: the word nstar, and a few words beside it."""

from nstar.report.charts._text import escape, width

__all__ = ["BLUE", "badge", "badge_width"]

BLUE = "#00558a"
_HEIGHT, _PAD, _TYPE = 20, 6, 11
_LABEL = "nstar"


def _widths(text: str) -> tuple[int, int]:
    left, right = (round(width(t, _TYPE)) + 2 * _PAD for t in (_LABEL, text))
    return left, right


def badge_width(text: str) -> int:
    """Return the width of a badge in pixels."""
    return sum(_widths(text))


def _words(text: str, start: int, size: int) -> str:
    center = f"{start + size / 2:g}"
    return f'<text x="{center}" y="14" textLength="{size - 2 * _PAD}">{escape(text)}</text>'


def badge(text: str, color: str = BLUE) -> bytes:
    """Return a standalone SVG with white letters on a color."""
    left, right = _widths(text)
    total_width = left + right
    label = f"{_LABEL}: {escape(text)}"
    words = _words(_LABEL, 0, left) + _words(text, left, right)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_width}" height="{_HEIGHT}" '
        f'role="img" aria-label="{label}">\n<title>{label}</title>\n'
        f'<clipPath id="r"><rect width="{total_width}" height="{_HEIGHT}" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="#3b4045"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{color}"/></g>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="{_TYPE}">{words}</g>\n</svg>\n'
    ).encode()
