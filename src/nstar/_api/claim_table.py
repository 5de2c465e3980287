"""``claim_table``: check the best values of a reported table."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from nstar._base import checks
from nstar._base.parameter_types import (
    BenchmarkItems,
    PlusMinusKind,
    PrintedTable,
    Proportion,
    SeedCount,
)
from nstar._base.verb import verb
from nstar.errors import ParameterError, arg

if TYPE_CHECKING:
    from nstar._data.printed_table import PrintedTable as Table
    from nstar._verbs.claim import TableClaim


@verb()
def claim_table(
    data: PrintedTable,
    /,
    *,
    items: BenchmarkItems | None = None,
    pm_is: PlusMinusKind | None = None,
    seeds: SeedCount | None = None,
    confidence_level: Proportion = 0.95,
    alpha: Proportion = 0.05,
) -> "TableClaim":
    r"""Check whether the best value of each benchmark in a reported table is supported.

    Bold values are the claims, or the best value of each column if none is bold. Arrows (↑ ↓) show
    whether higher or lower is better. Values can include markup and errors, such as ``71.4%``,
    ``**71.4** ± 0.5``, ``71.4 (0.5)``, or ``\textbf{71.4}``. LaTeX is never executed.

    Parameters
    ----------
    data : path, frame, or mapping
        Table in Markdown, LaTeX, or CSV (or - for standard input), with a row for each model and
        a column for each benchmark.
        The first column names the models. In Python, also the text of a table, a frame, a mapping
        of columns, or a mapping from each model to its values by benchmark.
    items : int, path, frame, or mapping, optional
        Number of items in each benchmark, or a file with the columns benchmark and items.
        In Python, also a mapping or a frame of two columns. Only values with an error can be
        checked without it.
    pm_is : str, optional
        Meaning of ±: standard deviation, standard error, or half-width of a confidence interval.
        By default, each meaning is tested, and the headline states this.
    seeds : int, optional
        Number of runs behind each score, if ± describes the variation over runs.
    confidence_level : float, default 0.95
        Confidence level, if ± is the half-width of a confidence interval.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
        The level is divided among the columns, and within a column among the models that are
        compared with the best model (Bonferroni).

    Returns
    -------
    TableClaim
        A verdict on the best value of each column, and a reason for each column that was not
        checked.

    Raises
    ------
    DataError
        A cell is not a number, or no column can be checked.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    >>> table = {"model": ["ours", "base"], "MMLU": ["71.4", "64.0"], "GSM8K": ["88.1", "87.8"]}
    >>> c = claim_table(table, items={"MMLU": 14042, "GSM8K": 1319})
    >>> [(column.benchmark, column.verdict) for column in c.columns]
    [('MMLU', 'supported'), ('GSM8K', 'not_supported')]
    """
    from nstar._verbs.claim import judged_table

    return judged_table(
        _table(data),
        None if items is None else _items(items),
        pm_is=pm_is,
        seeds=seeds,
        conf=confidence_level,
        alpha=alpha,
    )


def _table(data: Any) -> "Table":
    """Return the table from a file, a frame, or a mapping."""
    from nstar._data.printed_table import table_of

    if isinstance(data, str | PathLike):
        from nstar.readers._pasted import table_rows

        source = fspath(data)
        return table_of("the text" if "\n" in source else source, *table_rows(source))
    if isinstance(data, Mapping) and data and all(isinstance(x, Mapping) for x in data.values()):
        names = list(dict.fromkeys(str(b) for row in data.values() for b in row))
        keyed = ({str(b): v for b, v in row.items()} for row in data.values())
        rows = [[m, *(row.get(b) for b in names)] for m, row in zip(data, keyed, strict=True)]
        return table_of("the table", ["model", *names], _placed("the table", rows))
    return table_of("the table", *frame_rows("data", "the table", data))


def _items(items: Any) -> int | dict[str, int]:
    """Return the number of items of every benchmark."""
    from nstar._data.printed_table import items_of
    from nstar._data.series import holds_columns

    if isinstance(items, str | PathLike):
        from nstar.readers._delimited import rows_of

        source = fspath(items)
        return items_of(source, *rows_of(source, "items by benchmark"))
    if isinstance(items, Mapping) and all(not _listed(x) for x in items.values()):
        rows = _placed("items", map(list, items.items()))
        return items_of("items", ["benchmark", "items"], rows)
    if isinstance(items, Mapping) or holds_columns(items):
        return items_of("items", *frame_rows("items", "items", items))
    checks.counts(items=items)
    checks.require(items >= 2, "items", "at least 2", items)
    return int(items)


def _listed(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _placed(source: str, rows: Any) -> Iterator[tuple[str, Sequence[Any]]]:
    return ((f"{source}, row {k}", row) for k, row in enumerate(rows, start=1))


def frame_rows(word: str, source: str, data: Any) -> tuple[list[str], Any]:
    """Return names and rows of a frame or a mapping of columns."""
    from nstar._data.series import holds_columns

    if not (isinstance(data, Mapping) or holds_columns(data)):
        msg = f"{arg(word)} must be a path, a frame or a mapping; got {type(data).__name__}"
        raise ParameterError(msg)
    from nstar.readers.frames import as_arrow

    table = as_arrow(data)
    columns = [column.to_pylist() for column in table.columns]
    return table.column_names, _placed(source, map(list, zip(*columns, strict=True)))
