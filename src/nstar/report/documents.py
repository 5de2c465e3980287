"""Document: the content of a report, independent of its format.

A result is converted to a Document once. Each output format is a function of a Document, in which
no character controls a terminal, reverses text, or is hidden. A report has three lengths: its
headline, one screen, or everything.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from nstar._base.result import Level
from nstar._base.visible import with_visible
from nstar.errors import by_interface

__all__ = ["Document", "TextChart", "TextTable", "Tile", "at_level", "cleaned"]

_NOTES = {14: 4, 18: 3}
"""Rows of the tables on one screen, and the notes for which they leave room."""
_FEWEST_NOTES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable:
    """A small table of strings."""

    title: str
    """Title of the table."""
    header: tuple[str, ...]
    """Column names."""
    rows: tuple[tuple[str, ...], ...]
    """Cells of each row."""
    marked: int | None = None
    """Index of the row that the headline refers to."""
    lines: tuple[int, ...] = ()
    """Indices of rows with a line above them."""
    strong: tuple[tuple[int, int], ...] = ()
    """Row and column of bold cells; plain text marks them by asterisks."""

    def bold(self, row: int) -> set[int]:
        """Return the bold columns of a row: all of the marked one."""
        if row == self.marked:
            return set(range(len(self.header)))
        return {k for i, k in self.strong if i == row}

    def starred(self) -> tuple[tuple[str, ...], ...]:
        """Return the rows for plain text, which has no bold."""
        strong = set(self.strong)
        return tuple(
            tuple(f"*{cell}*" if (i, k) in strong else cell for k, cell in enumerate(row))
            for i, row in enumerate(self.rows)
        )

    def worded(self) -> list[bool]:
        """Return whether each column holds words: most of its cells begin with a letter."""
        columns = zip(*self.rows, strict=True)
        filled = [[cell for cell in column if cell] for column in columns]
        flags = [2 * sum(c[0].isalpha() for c in cells) > len(cells) for cells in filled]
        return flags or [True for _ in self.header]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChart:
    """A curve with one marked point."""

    title: str
    """Title of the chart."""
    x: tuple[float, ...]
    """Horizontal positions."""
    y: tuple[float, ...]
    """Heights in [0, 1]."""
    x_labels: tuple[str, str]
    """Labels of the left and right end."""
    mark: tuple[float, str]
    """Horizontal position of the marked point and its label."""
    level: tuple[float, str]
    """Height of the horizontal line and its label."""
    also: tuple[float, ...] = ()
    """Heights of a second curve in the same field; empty for none."""
    ends: tuple[str, str] = ("100%", "0%")
    """Labels of the heights 1 and 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A number in large type at the top of a page."""

    number: str
    """The number: ``13``."""
    unit: str
    """Text after it in small type: ``of 28``, ``pp``."""
    label: str
    """Meaning of the number."""
    more: str
    """One sentence that explains it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Content of a report: finding, reasons, details."""

    headline: str
    """The finding, in one or two plain sentences."""
    opening: str = ""
    """First sentence of the headline, if it can stand alone."""
    key: tuple[TextTable, ...] = ()
    """Tables of a report of one screen; the first of ``grids`` if empty."""
    enough: str = ""
    """What would resolve the inconclusive results, if the headline does not say it."""
    grids: tuple[TextTable, ...] = ()
    """Tables."""
    chart: TextChart | None = None
    """At most one picture."""
    notes: tuple[str, ...] = ()
    """Notes, a sentence each, the most important first."""
    detail: tuple[str, ...] = ()
    """Notes of the full report only."""
    basis: str = ""
    """Assumptions in one sentence; the first of ``assumptions`` if empty."""
    assumptions: tuple[str, ...] = ()
    """Assumptions, a sentence each."""
    paragraph: str | None = None
    """Paragraph for a review or a paper."""
    rest: str = ""
    """How to see what this length leaves out."""
    title: str = ""
    """Finding as the title of a page, at most 70 characters; the opening if empty."""
    lead: str = ""
    """Two sentences below the title of a page; the rest of the headline if empty."""
    tiles: tuple[Tile, ...] = ()
    """Numbers at the top of a page, three at most."""
    caution: str = ""
    """Caution that changes the meaning, if a page shows it apart from the headline."""

    def spoken(self) -> tuple[str, str]:
        """Return the headline as a title, and the text below it.

        Examples
        --------
        >>> Document(headline="No. Ask more.", opening="No.").spoken()
        ('No.', 'Ask more.')
        """
        if self.title:
            return self.title, self.lead
        first = self.opening or self.headline
        rest = self.headline.removeprefix(first).lstrip()
        basis = f"Assumptions: {self.basis}" if self.basis else ""
        return first, " ".join(filter(None, (rest, self.enough, basis)))


def at_level(doc: Document, level: Level) -> Document:
    """Return the document at one of its lengths.

    Examples
    --------
    >>> doc = Document(headline="Yes.", notes=tuple("abcdefg"))
    >>> (
    ...     at_level(doc, "brief").notes,
    ...     at_level(doc, "short").notes,
    ...     len(at_level(doc, "full").notes),
    ... )
    ((), ('a', 'b', 'c', 'd'), 7)
    """
    if level == "full":
        return replace(doc, notes=(*doc.notes, *doc.detail), detail=())
    if level == "brief":
        return Document(headline=doc.headline, opening=doc.opening, paragraph=doc.paragraph)
    tables = doc.key or doc.grids[:1]
    rows = sum(len(table.rows) for table in tables)
    max_notes = next((notes for upto, notes in _NOTES.items() if rows <= upto), _FEWEST_NOTES)
    basis = (doc.basis,) if doc.basis else doc.assumptions[:1]
    return Document(
        headline=doc.headline,
        opening=doc.opening,
        grids=tables,
        notes=doc.notes[:max_notes],
        assumptions=basis,
        paragraph=doc.paragraph,
        rest=_rest(doc, tables, max_notes),
    )


def _rest(doc: Document, tables: tuple[TextTable, ...], notes: int) -> str:
    """Return what the full report adds; empty if there is no more."""
    parts = (
        *_titles([grid.title for grid in doc.grids if grid not in tables], known=tables),
        "" if doc.chart is None else "a chart",
        _more(max(len(doc.notes) - notes, 0) + len(doc.detail), "note"),
        _more(len(doc.assumptions) - (not doc.basis), "assumption"),
    )
    texts = [part for part in parts if part]
    if not texts:
        return ""
    option_text = by_interface(python='.render(level="full")', command="--full")
    return f"{option_text} adds: {', '.join(texts)}."


_MAX_TITLES = 5
_TITLE_END = re.compile(r"[:;,(]| \[")


def _titles(titles: Sequence[str], known: Sequence[TextTable] = ()) -> list[str]:
    """Return the beginnings of titles of tables, as items of a list, without those known.

    Examples
    --------
    >>> _titles(["Sensitivity analysis: pairs by assumption", "MDE (80% power)"])
    ['sensitivity analysis', 'MDE', '']
    """
    shown_before = {_TITLE_END.split(table.title)[0].strip() for table in known}
    begins = dict.fromkeys(_TITLE_END.split(title)[0].strip() for title in titles)
    names = [name for name in begins if name not in shown_before]
    beginnings = [_as_table(name) for name in names[:_MAX_TITLES] if name]
    return [*beginnings, _more(len(names) - len(beginnings), "more table")]


def _as_table(title: str) -> str:
    """Return the beginning of a title as an item of a list: ``By task`` is a table by task."""
    text = title[0].lower() + title[1:] if title.partition(" ")[0][1:].islower() else title
    return f"table {text}" if text.startswith("by ") else text


def _more(number: int, noun: str) -> str:
    if number <= 0:
        return ""
    return f"{number} {noun}{'s' if number > 1 else ''}"


def _printable(text: str) -> str:
    return with_visible(text, lambda c: " " if c.isspace() else "?")


def _in_grid(grid: TextTable) -> TextTable:
    return replace(
        grid,
        title=_printable(grid.title),
        header=tuple(map(_printable, grid.header)),
        rows=tuple(tuple(map(_printable, row)) for row in grid.rows),
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
        headline=_printable(doc.headline),
        opening=_printable(doc.opening),
        key=tuple(_in_grid(grid) for grid in doc.key),
        grids=tuple(_in_grid(grid) for grid in doc.grids),
        notes=tuple(map(_printable, doc.notes)),
        detail=tuple(map(_printable, doc.detail)),
        basis=_printable(doc.basis),
        enough=_printable(doc.enough),
        assumptions=tuple(map(_printable, doc.assumptions)),
        paragraph=None if doc.paragraph is None else _printable(doc.paragraph),
        rest=_printable(doc.rest),
        title=_printable(doc.title),
        lead=_printable(doc.lead),
        tiles=tuple(Tile(**{k: _printable(x) for k, x in asdict(t).items()}) for t in doc.tiles),
        caution=_printable(doc.caution),
    )
