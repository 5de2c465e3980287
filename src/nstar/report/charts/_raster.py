"""Figures in other formats: PNG by resvg, PDF by cairosvg, each an extra, loaded when wanted."""

from functools import cache
from importlib import import_module
from typing import Any

from nstar.errors import NstarError

_SCALE = 2.0
"""Pixels per unit."""

_FONTS = (
    *("Arial", "Helvetica", "Segoe UI", "DejaVu Sans", "Liberation Sans", "Noto Sans", "Roboto"),
    *("Open Sans", "Ubuntu", "Cantarell", "FreeSans", "Nimbus Sans", "Verdana"),
)
"""Sans-serif faces of the usual systems."""


def _load(module: str, what: str, extra: str) -> Any:
    try:
        return import_module(module)
    except (ImportError, OSError) as error:
        msg = f"{what} figures need the extra: pip install 'nstar[{extra}]' ({error})"
        raise NstarError(msg) from error


def _letter(face: str, text: str) -> str:
    """A drawing of nothing but a letter."""
    at = 'xmlns="http://www.w3.org/2000/svg" width="20" height="20"'
    return f'<svg {at}><text y="15" font-family="{face}">{text}</text></svg>'


@cache
def _sans() -> str:
    """A face that this machine has: resvg leaves out, silently, words for which it has none."""
    draw = _load("resvg_py", "PNG", "png").svg_to_bytes
    nothing = bytes(draw(svg_string=_letter(_FONTS[0], "")))
    for face in _FONTS:
        if bytes(draw(svg_string=_letter(face, "M"))) != nothing:
            return face
    msg = f"PNG figures need a sans-serif font, such as {_FONTS[3]}; this machine has none of ours"
    raise NstarError(msg)


def to_png(svg: str) -> bytes:
    """Pixels of a drawing, two per unit."""
    draw = _load("resvg_py", "PNG", "png").svg_to_bytes
    face = _sans()
    return bytes(draw(svg_string=svg, zoom=_SCALE, sans_serif_family=face, font_family=face))


def to_pdf(svg: str) -> bytes:
    """A page as large as the drawing."""
    return bytes(_load("cairosvg", "PDF", "pdf").svg2pdf(bytestring=svg.encode()))


CONVERTED = {".png": to_png, ".pdf": to_pdf}
"""By suffix: from a drawing with plain colors to the bytes of a file."""
