"""Read logs. This package contains the only code that opens result files.

One module per format, tried in the order of ``SIGNS``. Packages may add more under the entry point
group ``nstar.readers``.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nstar._base.plugins import entry_points
from nstar._data.findings import abbreviate
from nstar._data.series import holds_columns
from nstar._data.table import Source, Table, constant
from nstar.errors import ReadError
from nstar.readers._base import Journal, Reader, ReaderOptions, scores_as_floats
from nstar.readers._built_in import SIGNS, LazyReader
from nstar.readers._scan import LogScan, find_units

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "BUILT_IN",
    "LogScan",
    "Reader",
    "ReaderOptions",
    "collect",
    "nothing_in",
    "place_of",
    "read",
    "readers",
    "scan",
]

BUILT_IN = tuple(SIGNS)
"""Names of the modules in this folder, in the order in which they are tried; plain tables are
last.
"""


def readers(name: str | None = None) -> tuple[Reader, ...]:
    """Return all readers in the order in which they are tried, or only the one with this name."""
    foreign = [_foreign(entry) for entry in entry_points(group="nstar.readers")]
    all_readers = (*foreign, *map(LazyReader, BUILT_IN))
    if name is None:
        return all_readers
    chosen = tuple(r for r in all_readers if r.name == name)
    if not chosen:
        names = [r.name for r in all_readers]
        close = get_close_matches(name.lower(), names, n=1)
        fix = f"Did you mean {close[0]}?" if close else f"Available: {', '.join(names)}."
        msg = f"No reader {name!r}. {fix}"
        raise ReadError(msg)
    return chosen


def _foreign(entry: "EntryPoint") -> Reader:
    """Return the reader of another package. Error messages name the package."""
    try:
        reader = entry.load()
    except Exception as error:
        msg = f"Cannot load the reader {entry.name!r} ({entry.value}): {error!r}"
        raise ReadError(msg) from error
    missing = [part for part in ("name", "sniff", "units", "read") if not hasattr(reader, part)]
    if missing:
        msg = f"The reader {entry.name!r} ({entry.value}) is missing {', '.join(missing)}."
        raise ReadError(msg)
    reader_object: Reader = reader
    return reader_object


def scan(
    data: Any,
    options: ReaderOptions | None = None,
    keeps: Callable[[str], bool] | None = None,
) -> LogScan:
    """Find the logs under some paths, or accept data in memory, without reading scores yet.

    Parameters
    ----------
    data : object
        Files, folders, patterns or URLs; or a frame, a mapping of columns, a list of records or a
        Table.
    options : ReaderOptions, optional
        Options for reading. The defaults suit most data.
    keeps : callable, optional
        Return whether a model is selected, given its name. A log of another model is skipped if
        its model is known in advance. Logs of several models keep the rows of all models.
    """
    journal = Journal(options=options or ReaderOptions())
    if _in_memory(data):
        from nstar.readers.frames import memory_unit  # noqa: PLC0415 files need none of it

        return LogScan([memory_unit(data)], journal)
    paths = [data] if isinstance(data, str | Path) else list(data)
    units = find_units(paths, readers(journal.options.reader), journal, keeps)
    return LogScan(units, journal)


def read(data: Any, options: ReaderOptions | None = None) -> Table:
    """Read all scores of some data into one table. The parameters are those of :func:`scan`."""
    return collect(scan(data, options))


def _in_memory(data: object) -> bool:
    """Return whether an object holds data rather than a path to them."""
    return isinstance(data, Table) or holds_columns(data)


def place_of(data: Any) -> str:
    """Return how messages refer to some data: by their paths, or by their type.

    Examples
    --------
    >>> place_of("run.csv"), place_of(["a.json", "b.json"]), place_of({"item": [1]})
    ('run.csv', 'a.json, b.json', 'the frame')
    """
    if _in_memory(data):
        return "the table" if isinstance(data, Table) else "the frame"
    paths = [data] if isinstance(data, str | Path) else list(data)
    return abbreviate([str(path) for path in paths], 3)


def collect(scanned: LogScan) -> Table:
    """Return all batches of a scan in one table."""
    batches = [pa.Table.from_batches([b]) for b in scanned.batches() if b.num_rows]
    if not batches:
        raise ReadError(nothing_in(scanned.journal.sources))
    table = pa.concat_tables(map(scores_as_floats, batches), promote_options="default")
    table = table.unify_dictionaries()
    if "task" not in table.column_names:
        table = table.append_column("task", constant("", len(table)))
    return Table(data=table, sources=tuple(scanned.journal.sources))


def nothing_in(sources: Sequence[Source]) -> str:
    """Return a message about logs that contain no scores."""
    notes = "; ".join(dict.fromkeys(n for s in sources for n in s.notes))
    where = ", ".join(s.path for s in sources[:3]) or "the logs"
    return f"{where}: no scores found" + (f" ({notes})." if notes else ".")
