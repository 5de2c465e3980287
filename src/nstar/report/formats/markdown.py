"""Markdown for issues, reviews, and pull requests; external strings are escaped.

A comment may have 65,536 characters, so a longer report leaves out rows and counts them.
"""

import re
from collections.abc import Container
from dataclasses import dataclass

from nstar.report.documents import Document, TextTable
from nstar.report.formats.curve import draw

LIMIT = 60_000
"""Largest size of a report in bytes."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#@!&~])")
_LIVE = re.compile(r"(?i)(?<=@)|(?<=#)(?=\d)|(?<=\bgh-)(?=\d)|(?<=[a-z]:)(?=//)|(?<=\bwww)(?=\.)")
"""Behind a sign, for escaped mentions, issues and addresses are live on GitHub all the same."""
_OPENS = re.compile(r"([-+=:]|\d+(?=[.)]))")
_BREAK = "\u200b"


def escape(text: str) -> str:
    r"""Text within a line: no markup, no link, no mention, no formula.

    Examples
    --------
    >>> print(escape("![x](y) $z$"))
    \!\[x\](y) &dollar;z&dollar;
    """
    safe_text = _LIVE.sub(_BREAK, " ".join(text.split()))
    plain = _SPECIAL.sub(r"\\\1", safe_text)
    return plain.replace("$", "&dollar;").replace(_BREAK, "&ZeroWidthSpace;")


def _block(text: str) -> str:
    """Text that begins a line: no list, heading or rule either."""
    plain = escape(text)
    opens = _OPENS.match(plain)
    if opens is None:
        return plain
    at = 0 if opens[1] in "-+=:" else opens.end()
    return f"{plain[:at]}\\{plain[at:]}"


@dataclass(frozen=True, slots=True)
class TrimmableSection:
    """Lines that are always shown, and lines that may be cut from the end."""

    head: str
    rows: tuple[str, ...] = ()
    what: str = "rows"

    def upto(self, size: int) -> str:
        """As many of the rows as have ``size`` bytes, and how many are missing."""
        n_kept, bytes_left = 0, size
        for row in self.rows:
            bytes_left -= len(row.encode()) + 1
            if bytes_left < 0:
                break
            n_kept += 1
        lines = [self.head, *self.rows[:n_kept]]
        if n_kept < len(self.rows):
            gone = f"{len(self.rows) - n_kept:,} of {len(self.rows):,} {self.what}"
            lines += ["", f"… {gone} not shown; `--format json` contains all."]
        return "\n".join(lines)


def _grid(grid: TextTable) -> TrimmableSection:
    def row(cells: tuple[str, ...], bold: Container[int] = ()) -> str:
        body = (f"**{escape(c)}**" if k in bold and c else escape(c) for k, c in enumerate(cells))
        return "| " + " | ".join(body) + " |"

    head = [f"{_block(grid.title)}\n", row(grid.header), "|" + " ---: |" * len(grid.header)]
    line = row(("—",) * len(grid.header)) + "\n"
    rows = (
        (line if i in grid.lines else "") + row(cells, grid.bold(i))
        for i, cells in enumerate(grid.rows)
    )
    return TrimmableSection("\n".join(head), tuple(rows))


def _list(title: str, sentences: tuple[str, ...], noun: str) -> TrimmableSection:
    return TrimmableSection(title, tuple(f"- {_block(s)}" for s in sentences), noun)


def sections(doc: Document) -> list[TrimmableSection]:
    """Headline, tables, chart, text to paste, notes and assumptions, in this order."""
    parts = [TrimmableSection(f"**{escape(doc.headline)}**"), *map(_grid, doc.grids)]
    if doc.chart is not None:
        parts.append(
            TrimmableSection("\n".join(["```text", doc.chart.title, *draw(doc.chart), "```"]))
        )
    if doc.paragraph:
        parts.append(
            TrimmableSection("To paste:\n", (f"> {_block(doc.paragraph)}",), "paragraphs")
        )
    if doc.notes:
        parts.append(_list("Notes:\n", doc.notes, "notes"))
    if len(doc.assumptions) == 1:
        parts.append(TrimmableSection(f"Assumptions: {_block(doc.assumptions[0])}"))
    elif doc.assumptions:
        parts.append(_list("Assumptions:\n", doc.assumptions, "assumptions"))
    if doc.rest:
        parts.append(TrimmableSection(_block(doc.rest)))
    return parts


def fitted(parts: list[TrimmableSection], limit: int) -> str:
    """Join the sections to at most ``limit`` bytes; the longest are cut."""
    size = limit
    while True:
        text = "\n\n".join(part.upto(size) for part in parts) + "\n"
        if len(text.encode()) <= limit or size == 0:
            return text
        size = size * 9 // 10


def render_markdown(doc: Document) -> str:
    """Return the document as GitHub Markdown; the longest parts of a long one are cut."""
    return fitted(sections(doc), LIMIT)
