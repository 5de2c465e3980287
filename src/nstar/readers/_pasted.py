"""Read a table as pasted from a paper: Markdown, LaTeX, CSV, or tab-separated text.

Text is only split into cells. LaTeX is not executed, and its macros are not expanded.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import PurePath

from nstar.errors import ReadError
from nstar.readers._delimited import Separated, decoded, separated
from nstar.readers._files import Place
from nstar.readers._read_errors import in_words, reading

_SUFFIXES = (".csv", ".tsv", ".md", ".markdown", ".tex", ".txt")
_MAX_BYTES = 1 << 18
"""Maximum size of a text in bytes."""
_MAX_COLUMNS = 200
_MAX_DEPTH = 30
"""Largest depth of nested braces."""

_RULE_LINE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BEGIN = re.compile(
    r"\\begin\s*\{(tabular\*?|tabularx|tabulary|array|longtable|xltabular|tblr|NiceTabular)\}"
)
_WIDE = ("tabular*", "tabularx", "tabulary", "xltabular")
"""Environments whose first argument is a width."""
_COMMENT = re.compile(r"(\\.)|%[^\n]*")
_LINE = re.compile(
    r"\s*\\(?:(hline|midrule|hhline|hdashline|endhead)|(?:toprule|bottomrule|endfirsthead|endfoot|endlastfoot|"
    r"noalign|addlinespace|cmidrule|cline|rowcolor|arrayrulecolor|specialrule|caption|label))"
    r"(?![a-zA-Z])\*?\s*(?:\([^()]*\))?\s*(?:\[[^\[\]]*\])?\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}\s*)*"
)
_TOKEN = re.compile(r"\\\\\*?(?:[ \t]*\[[^\[\]\n]{0,20}\])?|\\.|[{}&]", re.DOTALL)
"""End of a row, a command or an escaped character, a brace, or the end of a cell."""
_SPANNING = re.compile(r"\s*\\multicolumn\s*\{\s*(\d{1,3})\s*\}\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")


def table_rows(source: str, subject: str = "a table") -> Separated:
    """Read a file, or standard input for ``-``. Text of several lines is a table itself."""
    if "\n" in source:
        return rows_in("the text", source)
    suffix = PurePath(source).suffix.lower()
    if source == "-":
        place, content = "standard input", sys.stdin.buffer.read(_MAX_BYTES + 1)
    else:
        path = Place(source)
        place, suffix = str(path), PurePath(path.name).suffix.lower()
        if suffix not in _SUFFIXES:
            msg = f"{place}: {subject} must be a file of type .csv, .tsv, .md, .tex, or .txt."
            raise ReadError(msg)
        with reading(path), path.open() as file:
            content = file.read(_MAX_BYTES + 1)
    return rows_in(place, decoded(place, content), suffix)


def rows_in(where: str, text: str, suffix: str = "") -> Separated:
    r"""Return the header and the rows of the only table in a text.

    >>> rows_in("t", "| m | X |\n|---|---|\n| a | **71.4** |")
    (['m', 'X'], [('t, line 3', ['a', '**71.4**'])])
    >>> rows_in("t", r"m & X \\ \midrule a & \textbf{71.4} \\")
    (['m', 'X'], [('t, line 1', ['a', '\\textbf{71.4}'])])
    """
    if len(text) > _MAX_BYTES:
        msg = f"{where}: the text is larger than {in_words(_MAX_BYTES)}, the limit for a table."
        raise ReadError(msg)
    head = next((line for line in text.splitlines() if line.strip()), "")
    if not head:
        msg = f"{where}: there is no table, because the text is empty."
        raise ReadError(msg)
    if suffix == ".tex" or _BEGIN.search(text) or (r"\\" in text and "&" in text):
        return _latex(where, text)
    if suffix in (".md", ".markdown") or any(_is_rule(line) for line in text.splitlines()):
        return _markdown(where, text)
    comma = ";" if ";" in head and "," not in head else ","
    delimiter = "\t" if suffix == ".tsv" or "\t" in head else comma
    return separated(where, text.encode(), delimiter)


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and _RULE_LINE.fullmatch(line) is not None


def _checked(where: str, names: list[str], rows: list[tuple[str, list[str]]]) -> Separated:
    """Return the table without section rows. Raise ReadError for rows of another length."""
    if len(names) > _MAX_COLUMNS:
        msg = f"{where}: {len(names):,} columns exceed {_MAX_COLUMNS}. Use fewer columns."
        raise ReadError(msg)
    full_rows = []
    for at, cells in rows:
        if len(set(filter(None, cells))) <= 1 < len(names):
            continue  # empty, or the heading of a group of rows
        if len(cells) != len(names):
            msg = (
                f"{at}: the row has {len(cells)} cell{'s' * (len(cells) != 1)}, but the "
                f"header has {len(names)}. Correct the row."
            )
            raise ReadError(msg)
        full_rows.append((at, cells))
    return names, full_rows


def _markdown(where: str, text: str) -> Separated:
    lines = text.splitlines()
    rules = [k for k, line in enumerate(lines) if k and "|" in lines[k - 1] and _is_rule(line)]
    if len(rules) != 1:
        n_tables = f"{len(rules)} tables" if rules else "no table (a header above a line of ---)"
        msg = f"{where}: found {n_tables}. Paste one Markdown table."
        raise ReadError(msg)
    rows = []
    for k in range(rules[0] + 1, len(lines)):
        if "|" not in lines[k]:
            break
        rows.append((f"{where}, line {k + 1}", _piped(lines[k])))
    return _checked(where, _piped(lines[rules[0] - 1]), rows)


def _piped(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip())
    if cells and not cells[0].strip():
        cells = cells[1:]
    if cells and not cells[-1].strip():
        cells = cells[:-1]
    return [cell.strip().replace(r"\|", "|") for cell in cells]


def _latex(where: str, text: str) -> Separated:
    plain = _COMMENT.sub(r"\1", text)
    begins = list(_BEGIN.finditer(plain))
    if len(begins) > 1:
        msg = f"{where}: found {len(begins)} tables. Paste one of them."
        raise ReadError(msg)
    start, end = 0, len(plain)
    if begins:
        environment = begins[0][1]
        start = _after_arguments(plain, begins[0].end(), 1 + (environment in _WIDE))
        end = plain.find(rf"\end{{{environment}}}", start)
        if end < 0:
            msg = f"{where}: \\begin{{{environment}}} has no \\end. Paste the whole table."
            raise ReadError(msg)
    header: list[list[str]] = []
    rows: list[tuple[str, list[str]]] = []
    is_header = True
    for at, cells, has_rule in _latex_rows(where, plain, start, end):
        is_header = is_header and not (has_rule and header)
        if is_header:
            header.append(cells)
        else:
            rows.append((at, cells))
    if not rows and header:  # no line below the header
        rows = [(where, cells) for cells in header[1:]]
        header = header[:1]
    width = max((len(cells) for cells in header), default=0)
    full = [cells + [""] * (width - len(cells)) for cells in header]
    names = [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*full, strict=True)]
    return _checked(where, names, rows)


def _after_arguments(text: str, at: int, n_groups: int) -> int:
    """Return the position after the optional arguments and ``n_groups`` arguments in braces."""
    depth = 0
    for k in range(at, len(text)):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(text[k], 0)
        if text[k] == "}" and depth == 0:
            n_groups -= 1
            if n_groups == 0:
                return k + 1
    return at


def _latex_rows(
    where: str, text: str, start: int, end: int
) -> Iterator[tuple[str, list[str], bool]]:
    """Yield the location and the cells of each row, and whether a line is above it."""
    cells: list[str] = []
    depth, begin, has_rule, line, counted = 0, start, False, 1, 0
    for token in (*_TOKEN.finditer(text, start, end), None):
        stop, mark = (end, "") if token is None else (token.start(), token[0])
        line, counted = line + text.count("\n", counted, stop), stop
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if not 0 <= depth <= _MAX_DEPTH:
            msg = f"{where}, line {line}: braces do not match. Correct the row."
            raise ReadError(msg)
        if token is not None and (depth or not (mark == "&" or mark.startswith("\\\\"))):
            continue
        part, is_below = text[begin:stop], False
        if not cells:
            part, is_below = _without_lines(part)
        has_rule = has_rule or is_below
        cells += _spanned(part)
        if len(cells) > _MAX_COLUMNS:
            msg = f"{where}, line {line}: more than {_MAX_COLUMNS} columns. Use fewer columns."
            raise ReadError(msg)
        if mark != "&":
            if any(cells):
                yield f"{where}, line {line}", cells, has_rule
                has_rule = False
            cells = []
        begin = stop + len(mark)


def _without_lines(cell: str) -> tuple[str, bool]:
    """Return the first cell of a row without lines above it, and whether there were any."""
    rule, position = False, 0
    while (match := _LINE.match(cell, position)) is not None:
        rule, position = rule or match[1] is not None, match.end()
    return cell[position:], rule


def _spanned(cell: str) -> list[str]:
    """Return a cell, repeated over the columns that it spans."""
    match = _SPANNING.match(cell)
    text = " ".join((cell if match is None else cell[match.end() :]).split())
    if match is None:
        return [text]
    text = text.removeprefix("{").removesuffix("}").strip()
    n_columns = min(int(match[1]), _MAX_COLUMNS)
    return [text] * n_columns
