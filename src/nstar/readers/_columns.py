"""Read chosen columns of tables as they are: text, numbers, or truth values."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from nstar._data.findings import abbreviate
from nstar.errors import ReadError, arg
from nstar.readers._base import Journal, ReaderOptions
from nstar.readers._fallback_names import by_file
from nstar.readers._files import Place, walk
from nstar.readers._read_errors import printable
from nstar.readers._tables import Frame, open_frame
from nstar.readers._tables._columns import ALIASES
from nstar.readers._tables._frame import list_columns

_KEYS = ("model", "item", "task")


class ColumnTable(NamedTuple):
    """Rows of one file, by part."""

    where: str
    """Name of the file in messages."""
    model: str
    """Name of the model if there is no such column."""
    parts: Mapping[str, pa.ChunkedArray]
    """Values of each part; ``model`` and ``task`` only where there are such columns."""


def read_columns(
    data: Any, parts: Sequence[str], options: ReaderOptions, groups: Sequence[str] = ()
) -> list[ColumnTable]:
    """Return the columns of some parts, and those of item, model, task, and groups.

    The data are files, folders, patterns, or URLs; or a frame, a mapping of columns, or a list of
    records. ``options.columns`` maps parts to columns; others have the name of their part.
    """
    journal = Journal(options=options)
    tables = [
        _table(place, frame, model, parts, options, groups)
        for place, frame, model in _frames(data, journal)
    ]
    n_rows = sum(len(table.parts["item"]) for table in tables)
    if n_rows > options.limits.rows:
        msg = f"{n_rows:,} rows exceed the limit of {options.limits.rows:,}."
        raise ReadError(msg)
    return tables


def _frames(data: Any, journal: Journal) -> Iterator[tuple[Place, Frame, str]]:
    is_list = isinstance(data, list | tuple) and all(isinstance(p, str | Path) for p in data)
    if not isinstance(data, str | Path) and not (is_list and data):
        from nstar.readers.frames import memory_frame  # noqa: PLC0415 files need none of it

        yield *memory_frame(data, [name for _, name in journal.options.columns]), ""
        return
    paths = [data] if isinstance(data, str | Path) else list(data)
    places = list(walk(paths, links=journal.options.follow_links))
    if not places:
        msg = f"No files found in {abbreviate(list(map(str, paths)), 3)}."
        raise ReadError(msg)
    names = by_file(places, [Path(place.name).stem for place in places])
    for place, name in zip(places, names, strict=True):
        requested = [column for _, column in journal.options.columns]
        yield place, open_frame(place, journal, requested), name


def _table(
    place: Place,
    frame: Frame,
    model: str,
    parts: Sequence[str],
    options: ReaderOptions,
    groups: Sequence[str],
) -> ColumnTable:
    frame.refuse_rows(1)
    names = [column.name for column in frame.columns]
    chosen = _chosen(place, names, parts, dict(options.columns), groups)
    columns = list(dict.fromkeys(chosen.values()))
    batches = [chunk.batch for chunk in frame.chunks(columns)]
    try:
        table = pa.Table.from_batches(batches) if batches else None
    except pa.ArrowException as error:
        msg = f"{place}: a column has values of several types: {printable(str(error))[:200]}"
        raise ReadError(msg) from error
    if table is None or not table.num_rows:
        msg = f"{place}: no rows found."
        raise ReadError(msg)
    values = {part: table.column(name) for part, name in chosen.items()}
    return ColumnTable(str(place), model, values)


def _chosen(
    place: Place,
    names: Sequence[str],
    parts: Sequence[str],
    declared: Mapping[str, str],
    groups: Sequence[str],
) -> dict[str, str]:
    """Return the column of every part. Raise ReadError if one is missing."""
    chosen = {}
    for part in (*_KEYS, *parts):
        aliases = [part] if part in declared or part not in _KEYS else _aliases(part)
        candidates = [declared[part]] if part in declared else aliases
        column = next((name for name in candidates if name in names), None)
        if column is not None:
            chosen[part] = column
        elif part in declared or part not in ("model", "task"):
            option = arg("columns", f"{part}=NAME")
            expected = declared.get(part, part)
            msg = f"{place}: no column {expected!r}. Set {option}. Columns: {list_columns(names)}."
            raise ReadError(msg)
    for group in groups:
        if group not in names:
            msg = f"{place}: no column {group!r}. Columns: {list_columns(names)}."
            raise ReadError(msg)
        chosen[f"group:{group}"] = group
    return chosen


def _aliases(part: str) -> list[str]:
    return [name for names in ALIASES[part] for name in names]
