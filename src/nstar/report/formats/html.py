"""HTML for notebooks: one fragment, every string escaped, no scripts, nothing from elsewhere."""

from html import escape

from nstar.report.documents import Document, Grid
from nstar.report.formats.curve import draw

_STYLE = "text-align:right;padding:0 .8em 0 0"
_NO_MATHS = "tex2jax_ignore mathjax_ignore"
"""Classes by which a notebook takes a dollar for a dollar."""
_LINE = ";border-top:1px solid"


def _row(cells: tuple[str, ...], tag: str, *, bold: bool = False, line: bool = False) -> str:
    style = _STYLE + (";font-weight:bold" if bold else "") + (_LINE if line else "")
    return "".join(
        ("<tr>", *(f'<{tag} style="{style}">{escape(c)}</{tag}>' for c in cells), "</tr>")
    )


def _grid(grid: Grid) -> str:
    rows = (
        _row(cells, "td", bold=i == grid.marked, line=i in grid.lines)
        for i, cells in enumerate(grid.rows)
    )
    caption = f'<caption style="text-align:left">{escape(grid.title)}</caption>'
    head, body = _row(grid.header, "th"), "\n".join(rows)
    return f"<table>{caption}\n<thead>{head}</thead>\n<tbody>{body}</tbody></table>"


def _list(title: str, sentences: tuple[str, ...]) -> str:
    body = "".join(f"<li>{escape(s)}</li>" for s in sentences)
    return f"<p>{title}</p><ul>{body}</ul>"


def render_html(doc: Document) -> str:
    """The whole document as a fragment to stand in a page."""
    parts = [f"<p><strong>{escape(doc.headline)}</strong></p>"]
    parts += [_grid(g) for g in doc.grids]
    if doc.chart is not None:
        parts.append(f"<pre>{escape(chr(10).join([doc.chart.title, *draw(doc.chart)]))}</pre>")
    if doc.paragraph:
        parts.append(f"<blockquote>{escape(doc.paragraph)}</blockquote>")
    if doc.notes:
        parts.append(_list("Notes", doc.notes))
    if doc.assumptions:
        parts.append(_list("Assumes", doc.assumptions))
    inside = "\n".join(parts)
    return f'<div>\n<div class="{_NO_MATHS}">\n{inside}\n</div>\n</div>\n'
