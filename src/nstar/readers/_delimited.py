"""Read small files of separated values, row by row with line numbers."""

import csv
import io
from pathlib import PurePath

from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers._read_errors import in_words, reading

Separated = tuple[list[str], list[tuple[str, list[str]]]]
"""Names of the columns, and the position and cells of each row."""
_MAX_FILE_BYTES = 4 << 20
"""Maximum size of a file in bytes."""


def decoded(where: str, content: bytes) -> str:
    """Return the text of a file that must be UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        msg = f"{where}, line {line}: not valid UTF-8. Save the file as UTF-8."
        raise ReadError(msg) from error


def separated(where: str, content: bytes, delimiter: str) -> Separated:
    r"""Return the header and the nonempty rows. Every row must be as long as the header.

    >>> separated("t.csv", b"a,b\n\n1, 2\n", ",")
    (['a', 'b'], [('t.csv, line 3', ['1', '2'])])
    """
    text = io.StringIO(decoded(where, content), newline="")
    table = csv.reader(text, delimiter=delimiter)
    rows: list[tuple[str, list[str]]] = []
    try:
        names = [name.strip() for name in next(table, [])]
        for cells in table:
            if not any(cell.strip() for cell in cells):
                continue
            at = f"{where}, line {table.line_num}"
            if len(cells) != len(names):
                msg = (
                    f"{at}: the row has {len(cells)} cell{'s' * (len(cells) != 1)}, but the "
                    f"header has {len(names)}. Correct the row."
                )
                raise ReadError(msg)
            rows.append((at, [cell.strip() for cell in cells]))
    except csv.Error as error:
        msg = f"{where}, line {table.line_num}: {error}"
        raise ReadError(msg) from error
    return names, rows


def rows_of(path: str, subject: str) -> Separated:
    """Read a small CSV or TSV file, with the line number of each row."""
    place = Place(path)
    suffix = PurePath(place.name).suffix.lower()
    if suffix not in (".csv", ".tsv"):
        msg = f"{place}: {subject} must be a .csv or .tsv file."
        raise ReadError(msg)
    with reading(place), place.open() as file:
        content = file.read(_MAX_FILE_BYTES + 1)
    if len(content) > _MAX_FILE_BYTES:
        msg = (
            f"{place}: the file is larger than {in_words(_MAX_FILE_BYTES)}, the limit for "
            f"{subject}."
        )
        raise ReadError(msg)
    head = content.split(b"\n", 1)[0]
    comma = ";" if b";" in head and b"," not in head else ","
    return separated(str(place), content, "\t" if suffix == ".tsv" else comma)
