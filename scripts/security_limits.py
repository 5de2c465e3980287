"""Write the limits and the policy of docs/security.md, read out of the code.

python scripts/security_limits.py            rewrite the page
python scripts/security_limits.py --check    exit 1 if it is stale
"""

import re
import sys

import numpy as np

import nstar
from _section import keep
from nstar._data.pack.manifest import _MOST_BYTES as MANIFEST
from nstar._data.pack.names import _MOST_BYTES as NAMES
from nstar._data.read_limits import (
    CELLS_PER_ROW,
    KEPT_PER_BYTE,
    NAME_CAP,
    ROWS_PER_BYTE,
    UNPACKED_PER_BYTE,
)
from nstar._verbs.gate.history import _MAX_LINE_CHARACTERS as NIGHT
from nstar.readers import _decode, _json, _zip
from nstar.readers._tables._csv import _HEADER_CAP as HEADER
from nstar.readers.follow import _MAX_LINE_BYTES as WATCHED
from nstar.report.page import page
from nstar.report.prose.numbers import count


def size(n: int) -> str:
    """Bytes in words."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n >= 1 << shift:
            return f"{n / (1 << shift):g} {unit}"
    return f"{n} bytes"


def limits() -> str:
    limits_of = nstar.types.Limits()
    bits = 8 / ROWS_PER_BYTE
    rows = [
        (
            "rows of one log (scores; values of a nested column)",
            f"{count(limits_of.rows)}, or {ROWS_PER_BYTE} per byte of its file "
            f"({bits:g} bits per score)",
            "rows",
        ),
        (
            "rows of one task that must be sorted (runs, repeated rows)",
            count(limits_of.rows),
            "rows",
        ),
        (
            "columns of a table, or fields of its first records",
            count(limits_of.columns),
            "columns",
        ),
        ("different names of models, items, runs, or groups", count(limits_of.names), "names"),
        (
            "models × items of one task",
            f"{count(limits_of.cells)}, or {CELLS_PER_ROW} per score",
            "cells",
        ),
        (
            "unpacked size of a gzip, zstd, or Parquet file, or of the files read from an archive",
            f"{size(limits_of.unpacked)}, or {UNPACKED_PER_BYTE} bytes per packed byte",
            "unpacked",
        ),
        ("one block of rows of an Arrow file, unpacked", size(limits_of.unpacked), "unpacked"),
        (
            "samples of an `.eval` log kept in memory",
            f"{size(limits_of.kept)}, or {KEPT_PER_BYTE} bytes per byte of the file",
            "kept",
        ),
        ("one line, one element of an array, or the rest of a JSON document", size(_json.CAP), ""),
        ("commas, colons, and brackets in the stored part of it", count(_decode.MARKS), ""),
        ("commas, colons, and brackets in a whole document", count(_decode.WHOLE), ""),
        (
            "NaN, Infinity, and half surrogate pairs in one line, element, or file of an archive",
            count(_decode.MARKS),
            "",
        ),
        ("NaN, Infinity, and half surrogate pairs in a whole document", count(_decode.WHOLE), ""),
        ("one name of a model, item, task, run, or group", size(NAME_CAP), ""),
        ("one file in an archive, in memory", size(_zip.MEMBER_CAP), ""),
        ("one file in an archive, read in parts", size(_zip.STREAM_CAP), ""),
        ("files in an archive", count(_zip.ENTRIES_CAP), ""),
        ("table of contents of an archive", size(_zip.DIRECTORY_CAP), ""),
        ("header of a CSV file", size(HEADER), ""),
        ("one line of a log in `nstar watch`", size(WATCHED), ""),
        ("one entry in the history of a gate", size(NIGHT), ""),
        ("manifest of a packed matrix", size(MANIFEST), ""),
        ("names in a packed matrix", size(NAMES), ""),
    ]
    table = ["| size | limit | option |", "|---|---|---|"]
    for subject, n, option in rows:
        table.append(f"| {subject} | {n} | {f'`--limit {option}=…`' if option else ''} |")
    return "\n".join(table)


def policy() -> str:
    matrix = nstar.ScoreMatrix.from_arrays(np.eye(2, 40), models=["a", "b"])
    text = page(nstar.audit(matrix))
    match = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert match is not None
    rules = re.sub(r"'sha256-[^']*'", "'sha256-…'", match[1])
    return (
        "The content security policy of a page (`--html`) has the hashes of its only script and "
        f"its only style sheet:\n\n```text\n{rules}\n```"
    )


if __name__ == "__main__":
    sys.exit(keep("security.md", "limits", limits()) | keep("security.md", "policy", policy()))
