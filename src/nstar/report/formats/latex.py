r"""LaTeX for papers: one booktabs table, or tables and sentences; every string is escaped.

Nothing but ``\usepackage{booktabs}`` is needed, ``longtable`` where a table is longer than a
page, and ``graphicx`` where it is too wide. Any engine sets it, pdflatex too.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from textwrap import wrap
from unicodedata import normalize

from nstar.report.documents import Document, TextTable

_PAGE = 45
"""Rows of a table that fit one page."""

_WIDE = 64
"""Signs of a row that fit a narrow page in \\small."""

_WIDEST = 80
"""Signs of a row that fit a narrow page in \\footnotesize."""

_SENTENCE = re.compile(r"(?<=[.!?]) ")
_LABEL = r"\label"
_CAUTION = re.compile(r"(?:Caution|Underpowered): .*")

_SENTENCE_WIDTH = 44
"""Signs of a cell above which its column has lines."""
_PARAGRAPH = r"p{0.5\linewidth}"

_NUMBER = re.compile(r"[-+−<>≤≥~… ]*[\d∞–-]|$|…")
_LETTERS = ["ss", "o", "O", "ae", "AE", "oe", "OE", "l", "L", "i", "S"]
_COMMANDS = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "…": r"\ldots{}",
    "†": r"\dag{}",
    "–": "--",
    "—": "---",
    "‘": "{`}",
    "’": "{'}",
    "“": "{``}",
    "”": "{''}",
    **{sign: rf"\{word}{{}}" for sign, word in zip("ßøØæÆœŒłŁı§", _LETTERS, strict=True)},
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    **{sign: f"{{{sign}}}" for sign in "[]*`'"},
}
"""Brackets and stars would be read as options of ``\\\\``, quotes would run together."""

_GREEK = """
α alpha β beta γ gamma δ delta ε epsilon θ theta κ kappa λ lambda μ mu µ mu π pi ρ rho σ sigma
τ tau φ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Σ Sigma Φ Phi Ψ Psi Ω Omega
"""

_MATH = {
    "−": "-",
    "×": r"\times",
    "·": r"\cdot",
    "≥": r"\geq",
    "≤": r"\leq",
    "≠": r"\neq",
    "≈": r"\approx",
    "±": r"\pm",
    "∞": r"\infty",
    "√": r"\surd",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "²": "^{2}",
    "³": "^{3}",
    "°": r"^{\circ}",
    **{sign: rf"\{word}" for sign, word in re.findall(r"(\w) (\w+)", _GREEK)},
}

_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}


def _sign(sign: str) -> str:
    """One character; one that pdflatex has no letter for is told by its number."""
    if sign in _COMMANDS:
        return _COMMANDS[sign]
    if sign in _MATH:
        return f"${_MATH[sign]}$"
    if " " <= sign <= "~":
        return sign
    parts = normalize("NFD", sign)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        return f"{{\\{_ACCENTS[parts[1]]}{{{parts[0]}}}}}"
    return f"{{[}}U+{ord(sign):04X}{{]}}"


def tex(text: str) -> str:
    r"""Text on one line in which every special character is a character.

    Examples
    --------
    >>> print(tex("50% of A_1 & α ≥ −2"))
    50\% of A\_1 \& $\alpha$ $\geq$ $-$2
    """
    line = " ".join(normalize("NFC", text).split())
    signs = (
        "{}" + sign if sign == before and sign in "-," else _sign(sign)
        for before, sign in pairwise(f" {line}")
    )
    return "".join(signs)


def _columns(grid: TextTable) -> str:
    """``l`` for words, ``r`` for numbers, and lines of half the width for sentences."""
    columns = [[row[k] for row in grid.rows] for k in range(len(grid.header))]
    return "".join(
        _PARAGRAPH
        if max(map(len, cells), default=0) > _SENTENCE_WIDTH
        else "r"
        if all(map(_NUMBER.match, cells))
        else "l"
        for cells in columns
    )


def _widths(grid: TextTable) -> list[int]:
    """Return the signs of each column; in a wide table, names of columns are set on lines."""
    rows = [[min(len(cell), _SENTENCE_WIDTH) for cell in row] for row in grid.rows]
    cells = [[row[k] for row in rows] for k in range(len(grid.header))]
    full = [max(len(h), *column, 0) for h, column in zip(grid.header, cells, strict=True)]
    if sum(full) <= _WIDE:
        return full
    words = [max(map(len, h.split() or [""])) for h in grid.header]
    return [max(width, *column, 0) for width, column in zip(words, cells, strict=True)]


def _size(widths: list[int]) -> str:
    """Wide tables are set in smaller type, with less between columns."""
    size, between = (r"\small", 4) if sum(widths) <= _WIDE else (r"\footnotesize", 3)
    return rf"{size}\setlength{{\tabcolsep}}{{{between}pt}}"


def _header(grid: TextTable, widths: list[int]) -> str:
    """Column names; one that is wider than its column is set on several lines."""
    cells = []
    for k, (name, width) in enumerate(zip(grid.header, widths, strict=True)):
        lines = [tex(line) for line in wrap(name, width, break_on_hyphens=False)]
        stacked = r"\\".join(lines)
        side = "r" if all(_NUMBER.match(row[k]) for row in grid.rows) else "l"
        cells.append(rf"\shortstack[{side}]{{{stacked}}}" if len(lines) > 1 else stacked)
    return " & ".join(cells) + r" \\"


def _row(cells: tuple[str, ...], bold: Container[int] = ()) -> str:
    body = (rf"\textbf{{{tex(c)}}}" if k in bold and c else tex(c) for k, c in enumerate(cells))
    return " & ".join(body) + r" \\"


def _body(grid: TextTable) -> Iterator[str]:
    for i, cells in enumerate(grid.rows):
        if i in grid.lines:
            yield r"\midrule"
        yield _row(cells, grid.bold(i))
    yield r"\bottomrule"


def _short(grid: TextTable, widths: list[int], label: str) -> list[str]:
    fits = sum(widths) <= _WIDEST
    return [
        r"\begin{table}",
        rf"\centering{_size(widths)}",
        rf"\caption{{{tex(grid.title)}}}{label}\medskip",
        *([] if fits else [r"\resizebox{\linewidth}{!}{%"]),
        rf"\begin{{tabular}}{{{_columns(grid)}}}",
        r"\toprule",
        _header(grid, widths),
        r"\midrule",
        *_body(grid),
        r"\end{tabular}" if fits else r"\end{tabular}}",
        r"\end{table}",
    ]


def _long(grid: TextTable, widths: list[int], label: str) -> list[str]:
    return [
        rf"\begingroup{_size(widths)}",
        rf"\begin{{longtable}}{{{_columns(grid)}}}",
        rf"\caption{{{tex(grid.title)}}}{label}\\",
        r"\toprule",
        _header(grid, widths),
        r"\midrule",
        r"\endhead",
        *_body(grid),
        r"\end{longtable}",
        r"\endgroup",
    ]


def _grid(grid: TextTable, label: str = "") -> str:
    lines = (_long if len(grid.rows) > _PAGE else _short)(grid, _widths(grid), label)
    return "\n".join(lines)


def _list(title: str, sentences: tuple[str, ...]) -> str:
    items = (rf"\item {tex(s)}" for s in sentences)
    return "\n".join([rf"\paragraph{{{title}}}", r"\begin{itemize}", *items, r"\end{itemize}"])


def _packages(grids: Sequence[TextTable]) -> str:
    long = any(len(g.rows) > _PAGE for g in grids)
    wide = any(len(g.rows) <= _PAGE and sum(_widths(g)) > _WIDEST for g in grids)
    return rf"% \usepackage{{booktabs{',longtable' * long}{',graphicx' * wide}}}"


def _caption(doc: Document) -> str:
    """Return the first sentence of a report, and a caution, which a table must not hide."""
    first = doc.opening or _SENTENCE.split(doc.headline, maxsplit=1)[0]
    caution = _CAUTION.search(doc.headline.removeprefix(first))
    return first if caution is None else f"{first} {caution[0]}"


def render_table(doc: Document, label: str) -> str:
    r"""Return the first table with a caption and a label, and the paragraph if there is one."""
    table = replace(doc.grids[0], title=_caption(doc))
    slug = "-".join(re.findall(r"[a-z0-9]+", label.lower()))
    text = f"{_packages([table])}\n{_grid(table, f'{_LABEL}{{tab:{slug}}}')}\n"
    return f"{text}\n{tex(doc.paragraph)}\n" if doc.paragraph else text


def render_latex(doc: Document) -> str:
    r"""The document as the inside of a LaTeX file; the chart is left to ``\includegraphics``."""
    parts = [_packages(doc.grids), tex(doc.headline), *map(_grid, doc.grids)]
    if doc.paragraph:
        parts.append(tex(doc.paragraph))
    if doc.notes:
        parts.append(_list("Notes", doc.notes))
    if doc.assumptions:
        parts.append(_list("Assumptions", doc.assumptions))
    return "\n\n".join(parts) + "\n"
