r"""LaTeX for papers: booktabs tables and plain sentences; every string is escaped.

Nothing but ``\usepackage{booktabs}`` is needed, and ``longtable`` where a table is longer than
a page. Any engine sets it, pdflatex too.
"""

import re
from collections.abc import Iterator

from nstar.report.documents import Document, Grid
from nstar.report.formats.tex import tex

_PAGE = 45
"""Rows of a table that fit one page."""

_WIDE = 64
"""Signs of a row that fit a narrow page in \\small."""

_NUMBER = re.compile(r"[-+−<>≤≥~… ]*[\d∞–-]|$|…")


def _columns(grid: Grid) -> str:
    """``l`` for words, ``r`` for numbers."""
    return "".join(
        "r" if all(_NUMBER.match(row[k]) for row in grid.rows) else "l"
        for k in range(len(grid.header))
    )


def _size(grid: Grid) -> str:
    """Wide tables are set in smaller type, with less between columns."""
    table = (grid.header, *grid.rows)
    signs = sum(max(map(len, column)) for column in zip(*table, strict=True))
    size, between = (r"\small", 4) if signs <= _WIDE else (r"\footnotesize", 3)
    return rf"{size}\setlength{{\tabcolsep}}{{{between}pt}}"


def _row(cells: tuple[str, ...], *, bold: bool = False) -> str:
    body = (rf"\textbf{{{tex(c)}}}" if bold and c else tex(c) for c in cells)
    return " & ".join(body) + r" \\"


def _body(grid: Grid) -> Iterator[str]:
    for i, cells in enumerate(grid.rows):
        if i in grid.lines:
            yield r"\midrule"
        yield _row(cells, bold=i == grid.marked)
    yield r"\bottomrule"


def _short(grid: Grid) -> list[str]:
    return [
        r"\begin{table}",
        rf"\centering{_size(grid)}",
        rf"\caption{{{tex(grid.title)}}}\medskip",
        rf"\begin{{tabular}}{{{_columns(grid)}}}",
        r"\toprule",
        _row(grid.header),
        r"\midrule",
        *_body(grid),
        r"\end{tabular}",
        r"\end{table}",
    ]


def _long(grid: Grid) -> list[str]:
    return [
        rf"\begingroup{_size(grid)}",
        rf"\begin{{longtable}}{{{_columns(grid)}}}",
        rf"\caption{{{tex(grid.title)}}}\\",
        r"\toprule",
        _row(grid.header),
        r"\midrule",
        r"\endhead",
        *_body(grid),
        r"\end{longtable}",
        r"\endgroup",
    ]


def _grid(grid: Grid) -> str:
    return "\n".join(_long(grid) if len(grid.rows) > _PAGE else _short(grid))


def _list(title: str, sentences: tuple[str, ...]) -> str:
    items = (rf"\item {tex(s)}" for s in sentences)
    return "\n".join([rf"\paragraph{{{title}}}", r"\begin{itemize}", *items, r"\end{itemize}"])


def render_latex(doc: Document) -> str:
    r"""The document as the inside of a LaTeX file; the chart is left to ``\includegraphics``."""
    long = any(len(g.rows) > _PAGE for g in doc.grids)
    parts = [rf"% \usepackage{{booktabs{',longtable' if long else ''}}}", tex(doc.headline)]
    parts += [_grid(g) for g in doc.grids]
    if doc.paragraph:
        parts.append(tex(doc.paragraph))
    if doc.notes:
        parts.append(_list("Notes", doc.notes))
    if doc.assumptions:
        parts.append(_list("Assumes", doc.assumptions))
    return "\n\n".join(parts) + "\n"
