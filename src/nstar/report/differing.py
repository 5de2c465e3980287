"""Write the items on which two models differ, as a table or as JSON Lines."""

import csv
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from nstar.report.formats.csv import _cell

__all__ = ["differing_file"]


def _sheet(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return CSV without formulas that a spreadsheet would evaluate."""
    out = StringIO(newline="")
    csv.writer(out).writerows([_cell(value) for value in row] for row in (header, *rows))
    return out.getvalue()


def differing_file(columns: Mapping[str, Sequence[Any]], suffix: str) -> tuple[int, bytes]:
    r"""How many rows there are, and the whole file: ``.csv`` or ``.jsonl``.

    Examples
    --------
    >>> differing_file({"item": ["q1"], "gap": [1.0]}, ".jsonl")
    (1, b'{"item": "q1", "gap": 1.0}\n')
    """
    rows = list(zip(*columns.values(), strict=True))
    if suffix.lower() == ".csv":
        return len(rows), _sheet(list(columns), rows).encode("utf-8", "replace")
    lines = (json.dumps(dict(zip(columns, row, strict=True))) for row in rows)
    return len(rows), "".join(f"{line}\n" for line in lines).encode()
