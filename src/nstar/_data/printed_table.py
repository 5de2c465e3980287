"""Parse a table as printed in papers: models as rows, benchmarks as columns, bold marks."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, TypeAlias

from nstar._data.printed_cell import (
    MISSING,
    ReportedError,
    ReportedNumber,
    number_in,
    unmarked,
)
from nstar.errors import DataError, by_interface

_CELLS = 20_000
"""Largest number of values in a table."""
_LOWER = re.compile(r"↓|\\downarrow|\blower\b", re.IGNORECASE)
_LOWER_NAMES = {
    *("ppl", "perplexity", "wer", "cer", "loss", "nll", "ece", "brier"),
    *("rmse", "mse", "mae", "fid", "latency", "bpb", "bpc", "time", "cost"),
}
_HIGHER = re.compile(r"↑|\\uparrow|\bhigher\b", re.IGNORECASE)
_NOT_SCORES = {
    "params",
    "parameters",
    "size",
    "year",
    "rank",
    "flops",
    "tokens",
    "steps",
    "epochs",
}
_ERROR_SHARES = {"error", "err", "errors", "fpr", "fnr"}
"""Names for which lower is better. Only a percent sign says that they are shares of items."""
_COUNTS = {"items", "n", "n_items", "questions", "samples"}
"""Names of columns that contain numbers of items instead of scores."""
_ERRORS = {"stderr", "std", "sd", "se", "sem", "std err", "std. err.", "±"}
"""Names of columns that contain errors instead of scores."""
_AVERAGES = {"avg", "average", "mean", "overall", "macro", "micro", "total", "all"}

_Rows: TypeAlias = Iterable[tuple[str, Sequence[Any]]]
"""Location of a row, and its cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedColumn:
    """One benchmark of a reported table."""

    name: str
    """Name in the table, without formatting."""
    shares: tuple[float | None, ...]
    """Accuracies as proportions, one per model. None for an empty cell."""
    decimals: tuple[int, ...]
    """Number of decimals of each accuracy as a proportion."""
    percent: bool
    """Whether the table shows percentages."""
    bold: tuple[bool, ...]
    """Whether each value is bold."""
    numbers: tuple[ReportedNumber | None, ...] = ()
    """Numbers as reported, with their errors, in the unit of the table."""
    lower_is_better: bool = False
    """Whether an arrow or the name says so, or the smallest value is bold."""
    refused: str = ""
    """Reason why this column cannot be checked as accuracies. Empty if it can."""

    @property
    def errors(self) -> list[ReportedError]:
        """Return the reported errors."""
        return [x.error for x in self.numbers if x is not None and x.error is not None]

    @property
    def average(self) -> bool:
        """Return whether the name indicates an average of other columns."""
        return bool(_AVERAGES & set(re.findall(r"[a-z]+", self.name.lower())))


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedTable:
    """A reported table."""

    source: str
    """File name, or a name for data in memory."""
    models: tuple[str, ...]
    """Names of the rows, in their order."""
    columns: tuple[PrintedColumn, ...]
    """Benchmarks, in their order."""


def table_of(source: str, names: Sequence[str], rows: _Rows) -> PrintedTable:
    r"""Parse rows that consist of a model's name and its values.

    Raise DataError with the location if a cell is not a number, or a name is missing or repeated.

    >>> rows = [
    ...     ("line 2", ["ours", r"\textbf{71.4}", "9.1"]),
    ...     ("line 3", ["base", "70.6%", "9.4"]),
    ... ]
    >>> table = table_of("t.csv", ["", "MMLU", "PPL"], rows)
    >>> table.columns[0].shares, table.columns[0].bold, table.columns[1].refused[:15]
    ((0.714, 0.706), (True, False), 'lower is better')
    """
    listed = list(rows)
    names, listed = _labeled([unmarked(str(name))[0] for name in names], listed)
    heads = names[1:]
    _refuse_claims(source, heads)
    _sized(source, heads, listed)
    models: dict[str, str] = {}
    for at, cells in listed:
        model = unmarked(str(cells[0]))[0] if cells[0] is not None else ""
        if not model:
            msg = f"{at}: no model name in the first column. Name each row."
            raise DataError(msg)
        if model in models:
            msg = (
                f"{at}: {_short(model)} is repeated (also in {models[model]}). Use a "
                "unique name for each row."
            )
            raise DataError(msg)
        models[model] = at
    read = [
        _column(head, [(f"{at}, column {_short(head)}", cells[k]) for at, cells in listed])
        for k, head in enumerate(heads, start=1)
    ]
    return PrintedTable(source=source, models=tuple(models), columns=tuple(_one_scale(read)))


def _labeled(
    names: list[str], rows: list[tuple[str, Sequence[Any]]]
) -> tuple[list[str], list[tuple[str, Sequence[Any]]]]:
    """Combine the leading columns of text if the first one does not name each row.

    An empty cell stands for the one above it, as below a cell that spans several rows.
    """
    first = [unmarked(str(cells[0] or ""))[0] for _, cells in rows]
    if len(rows) * len(names) > _CELLS or (all(first) and len(set(first)) == len(first)):
        return names, rows
    n_labels = 1
    while n_labels < len(names) - 1 and all(
        isinstance(cells[n_labels], str) and isinstance(_number(cells[n_labels]), str)
        for _, cells in rows
    ):
        n_labels += 1
    if n_labels == 1:
        return names, rows
    combined: list[tuple[str, Sequence[Any]]] = []
    above = [""] * n_labels
    for at, cells in rows:
        labels = [unmarked(str(cell or ""))[0] for cell in cells[:n_labels]]
        above = [label or before for label, before in zip(labels, above, strict=True)]
        combined.append((at, [" ".join(filter(None, above)), *cells[n_labels:]]))
    return [names[0], *names[n_labels:]], combined


def _refuse_claims(source: str, heads: Sequence[str]) -> None:
    """Raise an error if each row is a claim, or one score with its error in another column."""
    names = [head.lower() for head in heads]
    if errors := [name for name in names if name in _ERRORS]:
        msg = (
            f"{source}: column {_short(errors[0])} contains errors. Write each error with its "
            "value, such as 71.4 ± 0.5, in one row for each model and one column per benchmark."
        )
        raise DataError(msg)
    counts = [name for name in names if name in _COUNTS]
    if not counts:
        return
    msg = (
        f"{source}: column {_short(counts[0])} contains item counts, so each row looks "
        "like a claim. A table has one row per model and one column per benchmark. "
        "For a list of claims, use "
    ) + by_interface(
        python=f"nstar.claim_list({source!r:.60}).", command=f"nstar claim list {source:.60}."
    )
    raise DataError(msg)


def _sized(source: str, heads: Sequence[str], rows: Sequence[Any]) -> None:
    size = (
        f"{len(rows):,} row{'s' * (len(rows) != 1)} and "
        f"{len(heads):,} column{'s' * (len(heads) != 1)} of values"
    )
    if not heads or len(rows) < 2:
        msg = (
            f"{source}: found {size}. A table needs at least two rows (models), each "
            "with a name and one value per benchmark."
        )
        raise DataError(msg)
    if len(rows) * len(heads) > _CELLS:
        msg = f"{source}: {size} exceed {_CELLS:,} cells. Use fewer columns at a time."
        raise DataError(msg)
    for k, head in enumerate(heads):
        if not head or head in heads[:k]:
            problem = (
                f"column {k + 2} has no name"
                if not head
                else f"two columns are called {_short(head)}"
            )
            msg = f"{source}: {problem}. Use a unique name for each benchmark."
            raise DataError(msg)


def _short(text: str) -> str:
    return repr(text[:60])


def _number(entry: Any) -> ReportedNumber | str | None:
    """Return a number, None for a missing one, or the reason why a cell is not a number."""
    if entry is None or (isinstance(entry, float) and math.isnan(entry)):
        return None
    if isinstance(entry, Real):
        entry = f"{float(entry):.9f}".rstrip("0").rstrip(".")
    return number_in(str(entry))


def _explained(entry: Any, reason: str) -> str:
    if reason:
        return f"is ambiguous: {reason}."
    if match := re.fullmatch(r"(\d+),(\d+)", unmarked(str(entry))[0]):
        return f"has a comma. Use {match[1]}.{match[2]}."
    if len(re.findall(r"\d+\.\d|\d+%", str(entry))) > 1:
        return "is more than one number. Use one value, or a value with its error: 71.4 ± 0.5."
    return "is not a number. Use 71.4, 71.4%, 0.714, or 71.4 ± 0.5; leave missing values empty."


def _column(name: str, entries: Sequence[tuple[str, Any]]) -> PrintedColumn:
    """Return the values of one benchmark on one scale."""
    parsed = [_number(entry) for _, entry in entries]
    cells = [None if isinstance(cell, str) else cell for cell in parsed]
    known = [cell for cell in cells if cell is not None]
    for (where, entry), cell in zip(entries, parsed, strict=True):
        if isinstance(cell, str) and (known or cell):
            msg = f"{where}: {_short(str(entry))} {_explained(entry, cell)}"
            raise DataError(msg)
    percent = "%" in name or any(cell.percent or cell.value > 1 for cell in known)
    lower, refused = _direction(name, known)
    for (where, _), cell in zip(entries, cells, strict=True):
        is_odd = cell is not None and percent and not cell.percent and 0 < cell.value <= 1
        if cell is not None and is_odd and not (refused or lower or cell.error):
            fix = f"Use {cell.text}% or {100 * cell.value:g}."
            msg = f"{where}: {cell.text} is in a column of percentages. {fix}"
            raise DataError(msg)
    scale, extra_digits = (100, 2) if percent else (1, 0)
    typed = [isinstance(entry, str) for _, entry in entries]  # text keeps the printed digits
    max_digits = max((cell.digits for cell in known), default=0)
    return PrintedColumn(
        name=name,
        shares=tuple(None if c is None else round(c.value / scale, 12) for c in cells),
        decimals=tuple(
            0 if c is None else (c.digits if is_text else max_digits) + extra_digits
            for c, is_text in zip(cells, typed, strict=True)
        ),
        percent=percent,
        bold=tuple(c is not None and c.bold for c in cells),
        numbers=tuple(cells),
        lower_is_better=lower,
        refused=refused,
    )


def _direction(name: str, cells: Sequence[ReportedNumber]) -> tuple[bool, str]:
    """Return whether lower is better, and the reason why values are not shares of items."""
    if not cells:
        return False, "its cells are not scores"
    if len(cells) < 2:
        return False, "fewer than two models have a value"
    words = set(re.findall(r"[a-z]+", name.lower()))
    if words & _NOT_SCORES:
        return False, "its name is not that of a score"
    values = [cell.value for cell in cells]
    bold = [cell.value for cell in cells if cell.bold]
    smallest = bool(bold) and max(bold) == min(values) < max(values)
    smallest = smallest and not _HIGHER.search(name)
    lower = bool(_LOWER.search(name) or words & (_LOWER_NAMES | _ERROR_SHARES) or smallest)
    is_share = "%" in name or any(c.percent for c in cells)
    if lower and (words & _LOWER_NAMES or not is_share):
        by_name = _LOWER.search(name) or words & (_LOWER_NAMES | _ERROR_SHARES)
        reason = "according to its name" if by_name else "its smallest value is bold"
        return True, (
            f"lower is better ({reason}), but its values may not be shares of items. "
            "Add percent signs to error rates, or ± to other scores"
        )
    bad = next((c for c in cells if not 0 <= c.value <= 100), None)
    if bad is not None:
        return lower, f"{bad.text} is not a share of 0 to 100%. Add ± to such scores"
    return lower, ""


def _one_scale(columns: Sequence[PrintedColumn]) -> Iterable[PrintedColumn]:
    """Raise an error for a column of proportions among percentages, which is ambiguous."""
    mixed = any(c.percent and not c.refused for c in columns)
    for column in columns:
        top = max((s for s in column.shares if s is not None), default=0)
        if mixed and not column.percent and not column.refused and top > 0:
            reason = (
                f"no value exceeds {top:g}, but other columns are percentages. Use {top:g}% or "
                f"{100 * top:g}"
            )
            yield replace(column, refused=reason)
        else:
            yield column


def items_of(source: str, names: Sequence[str], rows: _Rows) -> dict[str, int]:
    """Return the items of each benchmark from rows with a name and a count. A header is optional.

    >>> items_of("i.csv", ["MMLU", "14,042"], [("i.csv, line 2", ["GSM8K", 1319])])
    {'mmlu': 14042, 'gsm8k': 1319}
    """
    if len(names) != 2:
        msg = f"{source}: found {len(names)} columns. An item table has two: benchmark and items."
        raise DataError(msg)
    first = [] if _whole(names[1]) is None else [(f"{source}, line 1", list(names))]
    items_by_benchmark: dict[str, int] = {}
    for at, (name, entry) in (*first, *rows):
        if entry is None or str(entry).strip().lower() in MISSING:
            continue
        number = _whole(entry)
        if number is None:
            msg = (
                f"{at}: {_short(str(entry))} is not a valid number of items. Use a whole "
                "number >= 2."
            )
            raise DataError(msg)
        key = matching(str(name))
        if items_by_benchmark.get(key, number) != number:
            msg = (
                f"{at}: {_short(str(name))} has {number:,} items here but "
                f"{items_by_benchmark[key]:,} above. Remove one of the two rows."
            )
            raise DataError(msg)
        items_by_benchmark[key] = number
    return items_by_benchmark


def _whole(entry: Any) -> int | None:
    if isinstance(entry, bool):
        return None
    text = str(entry).strip().replace(",", "").removesuffix(".0")
    if not (text.isascii() and text.isdigit() and len(text) <= 15 and int(text) >= 2):
        return None
    return int(text)


def matching(name: str) -> str:
    """Normalize the name of a benchmark: remove marks, arrows, settings in brackets, and case."""
    plain = re.sub(r"↑|\\uparrow|\$", "", unmarked(name)[0])
    return " ".join(re.sub(r"\([^()]{0,60}\)", "", plain).lower().split())
