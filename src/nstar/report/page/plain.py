"""Page of a result without a script: title, lead, tiles, a chart beside its table, and folds."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from nstar._base.result import Result
from nstar._verbs.claim import Claim
from nstar._verbs.items import Items
from nstar.errors import ParameterError
from nstar.report import charts, document
from nstar.report._kinds import KINDS
from nstar.report.charts.claim_curve import claim_curve
from nstar.report.charts.heat import NARROW, WIDE, heat
from nstar.report.documents import Document, TextTable
from nstar.report.page._document import shell
from nstar.report.page._markup import (
    closing,
    fold,
    footer,
    header,
    listing,
    picture,
    section,
    table,
    two_pictures,
)
from nstar.report.prose.page_top import with_top

__all__ = ["page"]

_BROAD = 66
"""Characters that a column beside a chart has room for in a row of a table."""
_SHORT = 7
"""Rows of a table up to which the assumptions stand below it, beside the chart."""


def _drawn(result: Result) -> Iterator[str]:
    """Each picture of a result; of items one for wide windows and one for narrow ones."""
    if isinstance(result, Items):
        wide, narrow = (heat(result, width=w) for w in (WIDE, NARROW))
        yield two_pictures("heat", wide, narrow, table(wide.table))
        return
    if isinstance(result, Claim):
        chart = claim_curve(result)
        yield from [] if chart is None else [picture(chart)]
        return
    for kind in charts.kinds(result):
        with suppress(ParameterError):
            yield picture(charts.figure(result, kind))  # type: ignore[arg-type]


def _breadth(grid: TextTable) -> int:
    """Characters in a row of a table, with the space between its columns."""
    columns = zip(grid.header, *grid.rows, strict=True)
    return sum(max(map(len, column)) + 2 for column in columns)


def _stack(*parts: str) -> str:
    inside = "\n".join(parts)
    return f"<div>\n{inside}\n</div>"


def _sides(*parts: str) -> str:
    """Two parts side by side where there is room."""
    inside = "\n".join(parts)
    return f'<div class="sides top">\n{inside}\n</div>'


def _assumptions(doc: Document) -> str:
    return section("assumptions", "Assumptions", listing(doc.assumptions))


def _open(doc: Document, pictures: list[str]) -> tuple[list[str], Sequence[TextTable]]:
    """Return the open parts of the page, and the tables in them.

    A narrow table stands beside the only chart, and a short one with the assumptions below it.
    Otherwise the tables of the short report stand below the pictures.
    """
    beside = len(pictures) == 1 and 'id="heat"' not in pictures[0]
    if beside and doc.grids and _breadth(doc.grids[0]) <= _BROAD:
        first = doc.grids[0]
        is_short = len(first.rows) <= _SHORT
        below = [_assumptions(doc)] if is_short and doc.assumptions else []
        return [_sides(pictures[0], _stack(table(first), *below))], doc.grids[:1]
    grids = (doc.key or doc.grids[:1]) if 'id="heat"' in "".join(pictures) else doc.grids[:1]
    parts = [table(grid) for grid in grids]
    if beside and doc.assumptions:
        return [_sides(pictures[0], _assumptions(doc)), *parts], grids
    if len(parts) == 2 and all(_breadth(grid) <= _BROAD for grid in grids):
        return [*pictures, _sides(*parts)], grids
    return [*pictures, *(f'<div class="solo">\n{part}\n</div>' for part in parts)], grids


def page(result: Result) -> str:
    """Return the complete file."""
    kind = type(result).__name__
    doc = with_top(kind, result, document(result, paragraph=True))
    parts, grids = _open(doc, list(_drawn(result)))
    rest = [grid for grid in doc.grids if grid not in grids]
    folds = [fold(f"table-{k}", grid.title, table(grid)) for k, grid in enumerate(rest)]
    shown_before = any('id="assumptions"' in part for part in parts)
    body = (
        '<a class="skip" href="#main">Skip to the numbers</a>',
        header(KINDS[kind].title, doc),
        '<main id="main">',
        *parts,
        *closing(replace(doc, assumptions=()) if shown_before else doc, *folds),
        "</main>",
        footer(live=False),
    )
    command = KINDS[kind].printed_by.partition(",")[0]
    return shell(title=f"{doc.title} · nstar {command}", body="\n".join(filter(None, body)))
