"""A result as a page without a script: the answer, its pictures, tables and words."""

from collections.abc import Iterator
from contextlib import suppress
from html import escape
from typing import Any

from nstar._verbs.items import Items
from nstar.errors import ParameterError
from nstar.report import charts, document
from nstar.report._kinds import KINDS
from nstar.report.charts.heat import NARROW, WIDE, heat
from nstar.report.documents import Document
from nstar.report.page._markup import (
    cited,
    footer,
    header,
    listing,
    picture,
    section,
    table,
    tables,
    twin,
    two_pictures,
)
from nstar.report.page._shell import shell

__all__ = ["page"]

_NARROW = 5
"""Columns of a table that half a page has room for."""


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


def _beside(doc: Document, drawn: list[str]) -> bool:
    """Whether the only picture has the tables beside it: they are narrow, and so is it."""
    narrow = all(len(grid.header) <= _NARROW for grid in doc.grids)
    return len(drawn) == 1 and narrow and 'id="heat"' not in drawn[0]


def page(result: Any) -> str:
    """The whole file."""
    title = KINDS[type(result).__name__].title
    doc = document(result, paragraph=True)
    drawn = list(_drawn(result))
    numbers = _sections(("tables", "In numbers", tables(doc.grids) if doc.grids else ""))
    words = _sections(
        ("notes", "Notes", listing(doc.notes) if doc.notes else ""),
        ("assumptions", "What this rests on", listing(doc.assumptions) if doc.assumptions else ""),
    )
    paste = doc.paragraph and f'<blockquote class="prose">{escape(doc.paragraph)}</blockquote>'
    last = _sections(
        ("paragraph", "Paragraph to paste", paste or ""), ("cite", "How to cite", cited())
    )
    body = (
        '<a class="skip" href="#tables">Skip to the tables</a>' if numbers else "",
        header(title, doc),
        "<main>",
        *([twin(*drawn, *numbers)] if _beside(doc, drawn) else [*_twin(drawn), *numbers]),
        *_twin(words),
        twin(*last),
        "</main>",
        footer(),
    )
    return shell(title=title, body="\n".join(body))
