"""A Document without characters that steer a terminal, turn text round or hide in it."""

from dataclasses import replace

from nstar.report.documents import Document, Grid

__all__ = ["cleaned"]


def _line(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_line, texts))


def _grid(grid: Grid) -> Grid:
    return replace(
        grid,
        title=_line(grid.title),
        header=_lines(grid.header),
        rows=tuple(map(_lines, grid.rows)),
    )


def cleaned(doc: Document) -> Document:
    r"""The document as every format may show it, whoever wrote its strings.

    Examples
    --------
    >>> cleaned(Document(headline="a\x1b[31m\nb")).headline
    'a?[31m b'
    """
    return replace(
        doc,
        headline=_line(doc.headline),
        grids=tuple(map(_grid, doc.grids)),
        notes=_lines(doc.notes),
        assumptions=_lines(doc.assumptions),
        paragraph=None if doc.paragraph is None else _line(doc.paragraph),
    )
