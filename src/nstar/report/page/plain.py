"""Page of a result without a script: finding, figures, tables, and notes."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, takewhile
from typing import Any

from nstar._verbs.items import Items
from nstar.errors import ParameterError
from nstar.report import charts, document
from nstar.report._kinds import KINDS
from nstar.report.charts.heat import NARROW, WIDE, heat
from nstar.report.documents import TextTable
from nstar.report.page._document import shell
from nstar.report.page._markup import (
    closing,
    footer,
    header,
    picture,
    section,
    table,
    tables,
    twin,
    two_pictures,
)

__all__ = ["page"]

_BROAD = 66
"""Characters that half a page has room for in a row of a table."""
_HIGH = 20
"""Rows of tables beside a picture, headings among them, that do not outlast it by far."""


def _drawn(result: Any) -> Iterator[str]:
    """Each picture of a result; of items one for wide windows and one for narrow ones."""
    if isinstance(result, Items):
        wide, narrow = (heat(result, width=w) for w in (WIDE, NARROW))
        yield two_pictures("heat", wide, narrow, table(wide.table))
        return
    for kind in charts.kinds(result):
        with suppress(ParameterError):
            yield picture(charts.figure(result, kind))  # type: ignore[arg-type]


def _sections(*parts: tuple[str, str, str]) -> list[str]:
    """Those that have content."""
    return [section(name, title, content) for name, title, content in parts if content]


def _twin(parts: list[str]) -> list[str]:
    return [twin(*parts)] if parts else []


def _broad(grid: TextTable) -> int:
    """Characters in a row of a table, with the space between its columns."""
    columns = zip(grid.header, *grid.rows, strict=True)
    return sum(max(map(len, column)) + 2 for column in columns)


def _beside(grids: Sequence[TextTable], pictures: list[str]) -> int:
    """How many of the first tables stand beside the only picture: narrow ones, and not many."""
    if len(pictures) != 1 or 'id="heat"' in pictures[0]:
        return 0
    high = accumulate(len(grid.rows) + 3 for grid in grids)
    fits = (
        _broad(g) <= _BROAD and (g is grids[0] or h <= _HIGH)
        for g, h in zip(grids, high, strict=True)
    )
    return len(list(takewhile(bool, fits)))


def _shown(grids: Sequence[TextTable], pictures: list[str]) -> list[str]:
    """Pictures and tables, in the order of the page."""
    k = _beside(grids, pictures)
    first, rest = (grids[:k], grids[k:]) if k else (grids, ())
    numbers = _sections(("tables", "In numbers", tables(first) if first else ""))
    more_sections = _sections(("more", "More numbers", tables(rest) if rest else ""))
    return [*([twin(*pictures, *numbers)] if k else [*_twin(pictures), *numbers]), *more_sections]


def page(result: Any) -> str:
    """Return the complete file."""
    title = KINDS[type(result).__name__].title
    doc = document(result, paragraph=True)
    body = (
        '<a class="skip" href="#tables">Skip to the tables</a>' if doc.grids else "",
        header(title, doc),
        "<main>",
        *_shown(doc.grids, list(_drawn(result))),
        *closing(doc),
        "</main>",
        footer(),
    )
    return shell(title=title, body="\n".join(body))
