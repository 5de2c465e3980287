"""A picture with its words and its numbers."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from nstar._data.export.files import write_whole
from nstar.errors import ParameterError
from nstar.report.charts._raster import CONVERTED
from nstar.report.charts._style import PRINT_STYLE, STYLE
from nstar.report.documents import TextTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A standalone SVG document, what it shows in a sentence or two, and the data behind it."""

    svg: str
    """The document: no scripts, nothing from elsewhere, light and dark."""
    title: str
    """What is drawn."""
    alt: str
    """What there is to see, for those who do not see it."""
    caption: str
    """What to print below it: what is drawn, and how to read it."""
    table: TextTable
    """The numbers drawn."""

    def fragment(self) -> str:
        """The picture without its style sheet, for a page that has :data:`STYLE` once."""
        return self.svg.replace(f"<style>{STYLE}</style>\n", "", 1)

    def render(self, suffix: str) -> bytes:
        """The bytes of a file that ends in ``.svg``, ``.pdf`` or ``.png``."""
        if suffix.lower() == ".svg":
            return self.svg.encode()
        if suffix.lower() in CONVERTED:
            return CONVERTED[suffix.lower()](self.svg.replace(STYLE, PRINT_STYLE, 1))
        msg = (
            f"The extension of a figure must be .svg, .pdf or .png; got {suffix or 'no suffix'!r}"
        )
        raise ParameterError(msg)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it: ``.svg``, or ``.png`` with ``nstar[png]``, or ``.pdf`` with ``nstar[pdf]``."""
        write_whole(path, self.render(Path(path).suffix))

    def _repr_svg_(self) -> str:
        """The picture in a notebook."""
        return self.svg
