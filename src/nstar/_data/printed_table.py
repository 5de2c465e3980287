"""Parse a table as printed in papers: models as rows, benchmarks as columns, bold marks."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, TypeAlias

from nstar.errors import DataError, by_interface

_CELLS = 20_000
"""Largest number of values in a table."""
_LONG = 120
"""Largest number of characters in a cell with a number."""

_MISSING = {"", "-", "–", "—", "--", "---", "n/a", "na", "nan", "none", "null", "/", "x"}
_NUMBER = re.compile(r"[-+]?(\d{1,9}(\.\d{0,9})?|\.\d{1,9})", re.ASCII)
_BOLD = re.compile(
    r"\*\*(.*)\*\*|__(.*)__|\\(?:textbf|mathbf|bm|boldsymbol)\s*\{(.*)\}|\{\\(?:bf|bfseries)\s+(.*)\}"
    r"|<(?:b|strong)>(.*)</(?:b|strong)>"
)
_PLAIN = re.compile(
    r"\$(.*)\$|\\(?:underline|textit|emph|text|num|mathit)\s*\{(.*)\}|\*(.*)\*|_(.*)_"
    r"|<(?:u|i|em)>(.*)</(?:u|i|em)>"
)
_FOOTNOTE = re.compile(r"(?:\$?\^\{?[^\d{}$^]{1,12}\}?\$?|\*{1,3}|[†‡§¶#]{1,3})$")
_LOWER = re.compile(r"↓|\\downarrow|\blower\b", re.IGNORECASE)
_LOWER_NAMES = {
    *("ppl", "perplexity", "wer", "cer", "loss", "nll", "error", "err", "ece", "brier"),
    *("rmse", "mse", "mae", "fid", "latency", "bpb", "bpc"),
}
_COUNTS = {"items", "n", "n_items", "questions", "samples"}
"""Names of columns that contain numbers of items instead of scores."""
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
    refused: str = ""
    """Reason why this column cannot be checked as accuracies. Empty if it can."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    where: str
    text: str
    value: float
    digits: int
    percent: bool
    bold: bool
    typed: bool  # as text, which keeps the printed digits


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
    heads = [_unmarked(str(name))[0] for name in names[1:]]
    _refuse_claims(source, heads)
    _sized(source, heads, listed)
    models: dict[str, str] = {}
    for at, cells in listed:
        model = _unmarked(str(cells[0]))[0] if cells[0] is not None else ""
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
        _column(head, [_cell(f"{at}, column {_short(head)}", cells[k]) for at, cells in listed])
        for k, head in enumerate(heads, start=1)
    ]
    return PrintedTable(source=source, models=tuple(models), columns=tuple(_one_scale(read)))


def _refuse_claims(source: str, heads: Sequence[str]) -> None:
    """Raise an error if each row is a claim with two scores and a number of items."""
    names = [head.lower() for head in heads]
    counts = [name for name in names if name in _COUNTS]
    if not counts:
        return
    msg = (
        f"{source}: column {_short(counts[0])} contains item counts, so each row looks "
        "like a claim. A table has one row per model and one column per benchmark. "
        "Check one claim at a time: "
    ) + by_interface(
        python='nstar.claim("71.4%", "70.6%", items=1000)',
        command="nstar claim 71.4% 70.6% --items 1000",
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


def _unmarked(text: str) -> tuple[str, bool]:
    """Return text without bold, italics, and footnote signs, and whether it was bold."""
    plain, bold = text.strip()[:_LONG], False
    for _ in range(6):
        before = plain
        for marks, strong in ((_BOLD, True), (_PLAIN, False)):
            match = marks.fullmatch(plain)
            if match is not None:
                plain = next(part for part in match.groups() if part is not None).strip()
                bold = bold or strong
        if plain == before:
            break
    return plain, bold


def _cell(where: str, entry: Any) -> _Cell | None:
    """Parse a number with its digits. Return None for a missing number."""
    if entry is None or (isinstance(entry, float) and math.isnan(entry)):
        return None
    typed = not isinstance(entry, Real) or isinstance(entry, bool)
    if not typed:
        entry = f"{float(entry):.9f}".rstrip("0").rstrip(".")
    plain, bold = _unmarked(str(entry))
    if plain.lower() in _MISSING:
        return None
    percent = False
    for _ in range(4):  # footnote signs, a percent sign, and surrounding marks
        plain = _FOOTNOTE.sub("", plain).strip()
        percent = percent or plain.endswith("%")
        plain, is_bold = _unmarked(plain.removesuffix("%").removesuffix("\\"))
        bold = bold or is_bold
    number = plain.replace("−", "-")
    if _NUMBER.fullmatch(number) is None:
        msg = f"{where}: {_short(str(entry))} {_mend(number)}"
        raise DataError(msg)
    digits = len(number.partition(".")[2])
    return _Cell(
        where=where,
        text=number,
        value=float(number),
        digits=digits,
        percent=percent,
        bold=bold,
        typed=typed,
    )


def _mend(text: str) -> str:
    if "±" in text or "\\pm" in text or "(" in text:
        pm = by_interface(python="nstar.claim_scores", command="nstar claim scores")
        return f"is more than one number. Use only the value. For values with errors, use {pm}."
    if re.fullmatch(r"\d+,\d+", text):
        return f"has a comma. Use {text.replace(',', '.')}."
    return "is not a number. Use 71.4, 71.4% or 0.714; leave missing values empty."


def _column(name: str, cells: Sequence[_Cell | None]) -> PrintedColumn:
    """Return the values of one benchmark on one scale."""
    known_cells = [cell for cell in cells if cell is not None]
    percent = any(cell.percent or cell.value > 1 for cell in known_cells)
    refused = _refused(name, known_cells)
    odd = [c for c in known_cells if percent and not c.percent and 0 < c.value <= 1]
    if odd and not refused:
        msg = (
            f"{odd[0].where}: {odd[0].text} is in a column of percentages. Use "
            f"{odd[0].text}% or {100 * odd[0].value:g}."
        )
        raise DataError(msg)
    scale, extra_digits = (100, 2) if percent else (1, 0)
    max_digits = max((cell.digits for cell in known_cells), default=0)
    return PrintedColumn(
        name=name,
        shares=tuple(None if c is None else round(c.value / scale, 12) for c in cells),
        decimals=tuple(
            0 if c is None else (c.digits if c.typed else max_digits) + extra_digits for c in cells
        ),
        percent=percent,
        bold=tuple(c is not None and c.bold for c in cells),
        refused=refused,
    )


def _refused(name: str, cells: Sequence[_Cell]) -> str:
    """Return the reason why values are not accuracies for which higher is better."""
    if len(cells) < 2:
        return "fewer than two models have a value"
    words = set(re.findall(r"[a-z]+", name.lower()))
    values = [cell.value for cell in cells]
    bold = [cell.value for cell in cells if cell.bold]
    smallest = bool(bold) and max(bold) == min(values) < max(values)
    if _LOWER.search(name) or words & _LOWER_NAMES or smallest:
        reason = "its smallest value is bold" if smallest else "so its name says"
        return (
            f"lower is better ({reason}), but only shares of correct answers are "
            "supported: replace a per-item error rate by 100 minus its value"
        )
    bad = next((c for c in cells if not 0 <= c.value <= 100), None)
    if bad is not None:
        return f"{bad.text} is not an accuracy of 0 to 100%: use nstar claim scores with its error"
    return ""


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
        if entry is None or str(entry).strip().lower() in _MISSING:
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
    plain = re.sub(r"↑|\\uparrow|\$", "", _unmarked(name)[0])
    return " ".join(re.sub(r"\([^()]{0,60}\)", "", plain).lower().split())
