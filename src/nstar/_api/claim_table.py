"""``claim_table``: a whole printed table."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from nstar._base import checks
from nstar._data.printed_table import PrintedTable, items_of, table_of
from nstar._data.series import holds_columns
from nstar._verbs.claim import TableClaim, judged_table
from nstar.errors import ParameterError, arg


def claim_table(data: Any, items: Any, *, alpha: float = 0.05) -> TableClaim:
    r"""Which best values of a printed table are supported?

    Parameters
    ----------
    data
        The table: a path to CSV or TSV, a frame, or a mapping of columns, the first of which
        names the models; or a mapping from model to its values by benchmark. Cells may be as
        pasted: ``"71.4"``, ``"71.4%"``, ``r"\textbf{71.4}"``, ``"–"``. Higher is better.
    items
        Items of each benchmark: a mapping, a frame or a file of two columns; or one number.
    alpha
        Level of the whole table; it is divided among columns and, in each, among the models
        that the best is compared with (Bonferroni).

    Returns
    -------
    TableClaim
        For each column whether its best value is supported whatever the correlation between
        models, under none, or depending on it; and what was left out, with the reason.

    Raises
    ------
    DataError
        A cell is not a number, or no column can be judged.

    References
    ----------
    Methods: Printed figures

    Examples
    --------
    >>> table = {"model": ["ours", "base"], "MMLU": ["71.4", "64.0"], "GSM8K": ["88.1", "87.8"]}
    >>> c = claim_table(table, {"MMLU": 14042, "GSM8K": 1319})
    >>> [(column.benchmark, column.significance) for column in c.columns]
    [('MMLU', 'always'), ('GSM8K', 'never')]
    """
    return judged_table(printed_table(data), _items(items), alpha=alpha)


def printed_table(data: Any) -> PrintedTable:
    """The table of a file, a frame or a mapping; see :func:`claim_table`."""
    if isinstance(data, str | PathLike):
        from nstar.readers._printed import rows_of

        source = fspath(data)
        return table_of(source, *rows_of(source, "a printed table"))
    if isinstance(data, Mapping) and data and all(isinstance(x, Mapping) for x in data.values()):
        names = list(dict.fromkeys(str(b) for row in data.values() for b in row))
        keyed = ({str(b): v for b, v in row.items()} for row in data.values())
        rows = [[m, *(row.get(b) for b in names)] for m, row in zip(data, keyed, strict=True)]
        return table_of("the table", ["model", *names], _placed("the table", rows))
    return table_of("the table", *_frame("data", "the table", data))


def _items(given: Any) -> int | dict[str, int]:
    if isinstance(given, str | PathLike):
        from nstar.readers._printed import rows_of

        source = fspath(given)
        return items_of(source, *rows_of(source, "items by benchmark"))
    if isinstance(given, Mapping) and all(not _listed(x) for x in given.values()):
        rows = _placed("items", map(list, given.items()))
        return items_of("items", ["benchmark", "items"], rows)
    if isinstance(given, Mapping) or holds_columns(given):
        return items_of("items", *_frame("items", "items", given))
    checks.counts(items=given)
    checks.require(given >= 2, "items", "at least 2", given)
    return int(given)


def _listed(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _placed(source: str, rows: Any) -> Iterator[tuple[str, Sequence[Any]]]:
    return ((f"{source}, row {k}", row) for k, row in enumerate(rows, start=1))


def _frame(word: str, source: str, data: Any) -> tuple[list[str], Any]:
    """Names and rows of a frame or a mapping of columns."""
    if not (isinstance(data, Mapping) or holds_columns(data)):
        msg = f"{arg(word)} must be a path, a frame or a mapping; got {type(data).__name__}"
        raise ParameterError(msg)
    from nstar.readers.frames import as_arrow

    table = as_arrow(data)
    columns = [column.to_pylist() for column in table.columns]
    return table.column_names, _placed(source, map(list, zip(*columns, strict=True)))
