"""Save results to files, by the suffix of their names, and convert them to data frames."""

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nstar.errors import NstarError, ParameterError

if TYPE_CHECKING:
    from nstar.report import Format, Result

_TEXTS: "dict[str, Format]" = {
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".json": "json",
}
_PAGES = (".html", ".htm")
_PICTURES = (".svg", ".pdf", ".png")
_FRAMES = ("pandas", "polars")
"""Libraries of data frames, in order of preference."""


def save(result: "Result", path: str | PathLike[str]) -> None:
    """Write a result to a file, completely or not at all; an existing file is replaced.

    Parameters
    ----------
    result : Result
        What a verb of nstar returned.
    path : path
        The end of its name says what is written: ``.html`` a page that opens offline, ``.svg``,
        ``.png`` or ``.pdf`` a picture (the latter two with ``nstar[png]`` and ``nstar[pdf]``),
        ``.csv`` the main table, ``.txt``, ``.md``, ``.tex`` or ``.json`` the report.

    Raises
    ------
    ParameterError
        If a name ends otherwise, or no such page, picture or table is made of this result.
    DataError
        If the file cannot be written.
    """
    content = _content(result, Path(path).suffix.lower())
    from nstar._data.export.files import write_whole

    write_whole(path, content)


def _content(result: "Result", suffix: str) -> bytes:
    if suffix in _TEXTS:
        from nstar.report import render

        return render(result, _TEXTS[suffix]).encode("utf-8", "replace")
    if suffix in _PAGES:
        from nstar.report.page import page

        return page(result).encode("utf-8", "replace")
    if suffix in _PICTURES:
        from nstar.report.charts import figure

        return figure(result).render(suffix)
    known = (*_PAGES[:1], *_PICTURES, *_TEXTS)
    msg = f"path must end in {', '.join(known[:-1])} or {known[-1]}; got {suffix or 'nothing'!r}"
    raise ParameterError(msg)


def to_frame(result: "Result") -> Any:
    """Return the main table of a result, with the columns of its CSV, as a data frame.

    Parameters
    ----------
    result : Result
        What a verb of nstar returned.

    Returns
    -------
    DataFrame
        Of pandas; of polars if pandas cannot be imported.

    Raises
    ------
    ParameterError
        If the result has no main table.
    NstarError
        If neither library is there.
    """
    from nstar.report.formats.csv import main_table

    header, rows = main_table(result)
    columns = {name: [row[k] for row in rows] for k, name in enumerate(header)}
    for library in _FRAMES:
        try:
            frames = import_module(library)
        except ImportError:
            continue
        options = {"strict": False} if library == "polars" else {}
        return frames.DataFrame(columns, **options)
    msg = f"A data frame needs {' or '.join(_FRAMES)}: pip install {_FRAMES[0]}"
    raise NstarError(msg)
