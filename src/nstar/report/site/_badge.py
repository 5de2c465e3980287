"""A badge for READMEs: how much of a ranking holds, in one line."""

from html import escape

from nstar.report.charts._text import width
from nstar.report.site._bench import Bench

_HEIGHT, _PAD, _SIZE = 20, 6, 11
_LABEL = "nstar"


def badge_text(bench: Bench) -> str:
    """What the badge says."""
    return f"resolves {bench.share} of adjacent pairs"


def _parts(bench: Bench) -> tuple[int, int]:
    """Widths of the label and of what it says."""
    left, right = (round(width(t, _SIZE)) + 2 * _PAD for t in (_LABEL, badge_text(bench)))
    return left, right


def badge_width(bench: Bench) -> int:
    """Width in pixels."""
    return sum(_parts(bench))


def _text(text: str, start: int, size: int) -> str:
    middle = f"{start + size / 2:g}"
    return f'<text x="{middle}" y="14" textLength="{size - 2 * _PAD}">{escape(text)}</text>'


def badge(bench: Bench) -> bytes:
    """A standalone SVG."""
    (left, right), whole = _parts(bench), badge_width(bench)
    said = f"{_LABEL}: {escape(badge_text(bench))}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{_HEIGHT}" '
        f'role="img" aria-label="{said}">\n<title>{said}</title>\n'
        f'<clipPath id="r"><rect width="{whole}" height="{_HEIGHT}" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="#3b4045"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="#00558a"/></g>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="{_SIZE}">{_text(_LABEL, 0, left)}{_text(badge_text(bench), left, right)}'
        "</g>\n</svg>\n"
    ).encode()
