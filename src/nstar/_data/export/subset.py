"""Lists of selected items with their weights, such as those that ``--weights`` reads."""

import csv
import json
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from nstar.errors import DataError

Row = tuple[str, str, int, float]
"""Task, item, stratum, and weight."""

_UNSAFE = re.compile(r"^\s|\s$|^[=+\-@]|[\x00-\x1f]")
"""Pattern of ids that a spreadsheet would evaluate, or that a CSV reader would trim."""
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


def csv_text(rows: Iterable[Row]) -> str:
    """Return CSV with the item, the task if any has a name, the stratum, and the weight.

    >>> csv_text([("", "q1", 1, 12.5)]).splitlines()
    ['item,stratum,weight', 'q1,1,12.5']
    """
    all_rows = list(rows)
    has_tasks = any(task for task, *_ in all_rows)
    out = StringIO()
    write = csv.writer(out, lineterminator="\r\n").writerow
    write(("item", "task", "stratum", "weight") if has_tasks else ("item", "stratum", "weight"))
    for task, item, stratum, weight in all_rows:
        write((item, *((task,) if has_tasks else ()), stratum, repr(weight)))
    return out.getvalue()


def json_lines(rows: Iterable[Row]) -> str:
    """Return the same columns as JSON Lines, which preserve any id."""
    return "".join(
        json.dumps(
            {"item": item, **({"task": task} if task else {}), "stratum": s, "weight": w},
            ensure_ascii=False,
        )
        + "\n"
        for task, item, s, w in rows
    )


def _refuse_unsafe(text: str) -> None:
    if _UNSAFE.search(text) and not _NUMBER.fullmatch(text):
        msg = (
            f"A CSV file or a spreadsheet would change the id {text!r:.60}. "
            "Write a .jsonl file instead."
        )
        raise DataError(msg)


def subset_bytes(rows: Iterable[Row], suffix: str) -> bytes:
    """Return the content of the file in the format of its suffix, ``.csv`` or ``.jsonl``.

    Raise DataError if an id would not survive CSV, or a spreadsheet would evaluate it.
    """
    all_rows = list(rows)
    if suffix == ".jsonl":
        return json_lines(all_rows).encode("utf-8", "surrogatepass")
    for task, item, *_ in all_rows:
        _refuse_unsafe(item)
        _refuse_unsafe(task)
    return csv_text(all_rows).encode("utf-8", "surrogatepass")


def list_bytes(header: Sequence[str], rows: Iterable[Sequence[Any]], suffix: str) -> bytes:
    """Return a list with these columns as CSV or JSON Lines."""
    out = StringIO()
    if suffix == ".jsonl":
        out.writelines(
            json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False) + "\n"
            for row in rows
        )
        return out.getvalue().encode("utf-8", "surrogatepass")
    write = csv.writer(out, lineterminator="\r\n").writerow
    write(header)
    for row in rows:
        for cell in row:
            if isinstance(cell, str):
                _refuse_unsafe(cell)
        write(row)
    return out.getvalue().encode("utf-8", "surrogatepass")
