"""Figure: an SVG document with its description and its numbers."""

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

    def _repr_svg_(self) -> str:
        """Return the figure for a notebook."""
        return self.svg
