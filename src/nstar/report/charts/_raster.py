"""Convert figures to PNG with resvg and to PDF with cairosvg. Both are optional dependencies."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from nstar.errors import NstarError

_SCALE = 2.0
"""Pixels per unit."""

_FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))
"""Regular and bold Inter, bundled so that a PNG has the same pixels on every machine."""

_BUNDLED = re.compile("[\n -~\xa0-\u017f\u0386-\u03ce\u2010-\u2027\u2030←↑→↓−∞≈≠≤≥]*")
"""Characters in the bundled Inter. A name with other characters needs a system font."""


def _load(module: str, subject: str, extra: str) -> Any:
    try:
        return import_module(module)
    except (ImportError, OSError) as error:
        msg = f"{subject} figures need the extra: pip install 'nstar[{extra}]' ({error})"
        raise NstarError(msg) from error


def _letter(text: str) -> str:
    """Return a drawing that consists of one letter."""
    at = 'xmlns="http://www.w3.org/2000/svg" width="20" height="20"'
    return f'<svg {at}><text y="15" font-family="Inter">{text}</text></svg>'


def to_png(svg: str) -> bytes:
    """Return the drawing as a PNG with two pixels per unit."""
    draw = _load("resvg_py", "PNG", "png").svg_to_bytes
    others = set(_BUNDLED.sub("", svg))
    fonts = {
        **dict.fromkeys(("font_family", "sans_serif_family"), "Inter"),
        "font_files": _FONTS,
        "skip_system_fonts": not others,
    }
    blank = draw(svg_string=_letter(""), **fonts) if others else b""
    for letter in others:  # resvg omits a word if no font has one of its letters
        if draw(svg_string=_letter(letter), **fonts) == blank:
            svg = svg.replace(letter, "?")
    return bytes(draw(svg_string=svg, zoom=_SCALE, **fonts))


def to_pdf(svg: str) -> bytes:
    """Return the drawing as a PDF page of the same size."""
    return bytes(_load("cairosvg", "PDF", "pdf").svg2pdf(bytestring=svg.encode()))


CONVERTED = {".png": to_png, ".pdf": to_pdf}
"""Converter for each suffix, from a drawing with plain colors to the bytes of a file."""
