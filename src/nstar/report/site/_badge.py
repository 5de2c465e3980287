"""Badge for a README: the gap that a benchmark detects."""

from html import escape

from nstar.report.charts._text import width
from nstar.report.site._board import SiteBoard

_HEIGHT, _PAD, _TYPE = 20, 6, 11
_LABEL = "nstar"


def badge_text(board: SiteBoard) -> str:
    """What the badge says."""
    size = board.detectable_gap
    return f"detects {size} gaps" if size else "detectable gap: unknown"


def _widths(board: SiteBoard) -> tuple[int, int]:
    left, right = (round(width(t, _TYPE)) + 2 * _PAD for t in (_LABEL, badge_text(board)))
    return left, right


def badge_width(board: SiteBoard) -> int:
    """Pixels across."""
    return sum(_widths(board))


def _words(text: str, start: int, size: int) -> str:
    center = f"{start + size / 2:g}"
    return f'<text x="{center}" y="14" textLength="{size - 2 * _PAD}">{escape(text)}</text>'


def badge(board: SiteBoard) -> bytes:
    """A standalone SVG."""
    left, right = _widths(board)
    total_width = left + right
    label = f"{_LABEL}: {escape(badge_text(board))}"
    words = _words(_LABEL, 0, left) + _words(badge_text(board), left, right)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_width}" height="{_HEIGHT}" '
        f'role="img" aria-label="{label}">\n<title>{label}</title>\n'
        f'<clipPath id="r"><rect width="{total_width}" height="{_HEIGHT}" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="#3b4045"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="#00558a"/></g>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="{_TYPE}">{words}</g>\n</svg>\n'
    ).encode()
