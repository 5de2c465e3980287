"""A picture with its words and its numbers."""

from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path

from nstar.errors import NstarError, ParameterError
from nstar.report.charts._style import PRINT_STYLE, STYLE
from nstar.report.documents import Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A standalone SVG document, what it shows in a sentence or two, and the data behind it."""

    svg: str
    """The document: no scripts, nothing from elsewhere, light and dark."""
    title: str
    """What is drawn."""
    alt: str
    """What there is to see, for those who do not see it."""
    table: Grid
    """The numbers drawn."""

    def fragment(self) -> str:
        """The picture without its style sheet, for a page that has :data:`STYLE` once."""
        return self.svg.replace(f"<style>{STYLE}</style>\n", "", 1)

    def render(self, suffix: str) -> bytes:
        """The bytes of a file that ends in ``.svg`` or ``.pdf``."""
        if suffix.lower() == ".svg":
            return self.svg.encode()
        if suffix.lower() == ".pdf":
            return self._pdf()
        msg = f"a figure is written as .svg or .pdf; got {suffix or 'no suffix'!r}"
        raise ParameterError(msg)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file that ends in ``.svg``, or in ``.pdf`` with ``nstar[pdf]``."""
        target = Path(path)
        target.write_bytes(self.render(target.suffix))

    def _pdf(self) -> bytes:
        try:
            svg2pdf = import_module("cairosvg").svg2pdf
        except (ImportError, OSError) as error:
            msg = f"PDF figures need the extra: pip install 'nstar[pdf]' ({error})"
            raise NstarError(msg) from error
        plain = self.svg.replace(STYLE, PRINT_STYLE, 1)
        return bytes(svg2pdf(bytestring=plain.encode()))

    def _repr_svg_(self) -> str:
        """The picture in a notebook."""
        return self.svg
