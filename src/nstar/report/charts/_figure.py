"""Figure: an SVG document with its description and its numbers."""

import re
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from nstar._data.export.files import write_whole
from nstar.errors import NstarError, ParameterError
from nstar.report.charts._style import PRINT_STYLE, STYLE
from nstar.report.documents import TextTable

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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Figure:
    """A standalone SVG document, a short description, and the data behind it."""

    svg: str
    """SVG document for light and dark themes, without scripts or external resources."""
    title: str
    """Title of the figure."""
    alt: str
    """Description for readers who do not see the figure."""
    caption: str
    """Caption that says what the figure shows, and how to read it."""
    table: TextTable
    """Numbers in the figure."""

    def fragment(self) -> str:
        """Return the figure without its style sheet, for a page with :data:`STYLE`."""
        return self.svg.replace(f"<style>{STYLE}</style>\n", "", 1)

    def render(self, suffix: str) -> bytes:
        """Return the bytes of a file with the suffix ``.svg``, ``.pdf`` or ``.png``."""
        if suffix.lower() == ".svg":
            return self.svg.encode()
        if suffix.lower() in CONVERTED:
            return CONVERTED[suffix.lower()](self.svg.replace(STYLE, PRINT_STYLE, 1))
        msg = (
            f"The extension of a figure must be .svg, .pdf or .png; got {suffix or 'no suffix'!r}"
        )
        raise ParameterError(msg)

    def save(self, path: str | PathLike[str]) -> None:
        """Write ``.svg``, or ``.png`` with ``nstar[png]``, or ``.pdf`` with ``nstar[pdf]``."""
        write_whole(path, self.render(Path(path).suffix))

    def __repr__(self) -> str:
        """Return the title and the description, because an SVG is long."""
        return f"<Figure: {self.title}. {self.alt}>"

    def _repr_svg_(self) -> str:
        """Return the figure for a notebook."""
        return self.svg
