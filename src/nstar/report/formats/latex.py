r"""LaTeX for papers: booktabs tables and plain sentences; every string is escaped.

Nothing but ``\usepackage{booktabs}`` is needed, and ``longtable`` where a table is longer than
a page. Any engine sets it, pdflatex too.
"""

import re
from collections.abc import Container, Iterator
from itertools import pairwise
from unicodedata import normalize

from nstar.report.documents import Document, TextTable

_PAGE = 45
"""Rows of a table that fit one page."""

_WIDE = 64
"""Signs of a row that fit a narrow page in \\small."""

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
    """``l`` for words, ``r`` for numbers."""
    return "".join(
        "r" if all(_NUMBER.match(row[k]) for row in grid.rows) else "l"
        for k in range(len(grid.header))
    )


def _size(grid: TextTable) -> str:
    """Wide tables are set in smaller type, with less between columns."""
    table = (grid.header, *grid.rows)
    signs = sum(max(map(len, column)) for column in zip(*table, strict=True))
    size, between = (r"\small", 4) if signs <= _WIDE else (r"\footnotesize", 3)
    return rf"{size}\setlength{{\tabcolsep}}{{{between}pt}}"


def _row(cells: tuple[str, ...], bold: Container[int] = ()) -> str:
    body = (rf"\textbf{{{tex(c)}}}" if k in bold and c else tex(c) for k, c in enumerate(cells))
    return " & ".join(body) + r" \\"


def _body(grid: TextTable) -> Iterator[str]:
    for i, cells in enumerate(grid.rows):
        if i in grid.lines:
            yield r"\midrule"
        yield _row(cells, grid.bold(i))
    yield r"\bottomrule"


def _short(grid: TextTable) -> list[str]:
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


def _long(grid: TextTable) -> list[str]:
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


def _grid(grid: TextTable) -> str:
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
        parts.append(_list("Assumptions", doc.assumptions))
    return "\n\n".join(parts) + "\n"
