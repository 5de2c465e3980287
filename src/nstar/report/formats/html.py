"""HTML for notebooks: one escaped fragment without scripts or external resources.

No colors are set, so text, lines, and curves follow the theme of the notebook. A wide table
scrolls on its own.
"""

from collections.abc import Container
from html import escape

from nstar.report.documents import Document, TextTable
from nstar.report.formats.curve_svg import draw_svg

_NO_MATH = "tex2jax_ignore mathjax_ignore"
"""Classes by which a notebook takes a dollar for a dollar."""
_WHOLE = "max-width:60em;overflow-wrap:anywhere"
_WIDE = "overflow-x:auto"
_TITLE = "margin:.6em 0 .2em"
_LIST = "margin:0 0 .6em;padding-left:1.4em"
_CELL = "padding:.15em .7em;vertical-align:top"
_SIDES = {
    True: f"{_CELL};text-align:left;min-width:5em",
    False: f"{_CELL};text-align:right;white-space:nowrap",
}
"""Of words, which may wrap, and of numbers, which may not."""
_BOLD = ";font-weight:bold"
_LINE = ";border-top:1px solid"


def _row(
    cells: tuple[str, ...],
    tag: str,
    worded: list[bool],
    extra_style: str = "",
    bold: Container[int] = (),
) -> str:
    inside = (
        f'<{tag} style="{_SIDES[words]}{_BOLD * (k in bold)}{extra_style}">{escape(c)}</{tag}>'
        for k, (c, words) in enumerate(zip(cells, worded, strict=True))
    )
    return f"<tr>{''.join(inside)}</tr>"


def _grid(grid: TextTable) -> str:
    worded = grid.worded()
    rows = (
        _row(cells, "td", worded, _LINE * (i in grid.lines), grid.bold(i))
        for i, cells in enumerate(grid.rows)
    )
    head, body = _row(grid.header, "th", worded), "\n".join(rows)
    table = f"<table>\n<thead>{head}</thead>\n<tbody>{body}</tbody></table>"
    return f'{_title(grid.title)}\n<div style="{_WIDE}">{table}</div>'


def _title(text: str) -> str:
    """Above what it names; a caption would be no wider than its table."""
    return f'<p style="{_TITLE}">{escape(text)}</p>'


def _list(title: str, sentences: tuple[str, ...]) -> str:
    body = "".join(f"<li>{escape(s)}</li>" for s in sentences)
    head = f'<p style="{_TITLE}"><strong>{title}</strong></p>'
    return f'{head}<ul style="{_LIST}">{body}</ul>'


def render_html(doc: Document) -> str:
    """Return the document as an HTML fragment."""
    parts = [f"<p><strong>{escape(doc.headline)}</strong></p>"]
    parts += [_grid(g) for g in doc.grids]
    if doc.chart is not None:
        parts += [_title(doc.chart.title), draw_svg(doc.chart)]
    if doc.paragraph:
        parts.append(f"<blockquote>{escape(doc.paragraph)}</blockquote>")
    if doc.notes:
        parts.append(_list("Notes", doc.notes))
    if doc.assumptions:
        parts.append(_list("Assumptions", doc.assumptions))
    if doc.rest:
        parts.append(_title(doc.rest))
    inside = "\n".join(parts)
    return f'<div>\n<div class="{_NO_MATH}" style="{_WHOLE}">\n{inside}\n</div>\n</div>\n'
