"""Errors about files, with messages that name the file and a fix."""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

from nstar._base.visible import escaped
from nstar._data.confined import entries_of
from nstar.errors import NstarError, ReadError

UNFINISHED = "the last line is incomplete and is skipped"
"""Note about a file that is still being written."""
_SHEETS = {
    ".xlsx": "an Excel workbook",
    ".xlsm": "an Excel workbook",
    ".xlsb": "an Excel workbook",
    ".xls": "an Excel workbook",
    ".ods": "an OpenDocument spreadsheet",
    ".numbers": "a Numbers spreadsheet",
}

_QUOTES = tuple("“”„‟‘’‚«»")
_LOOKED_AT = 2000
"""Maximum number of directory entries that are searched for a similar name."""


@contextmanager
def reading(place: Any) -> Iterator[None]:
    """Convert errors about a file inside the block to a :class:`ReadError` that names the file.

    For a remote file, all exceptions are converted, because file systems of fsspec raise many
    types. For a local file, they are OSError, EOFError, and ValueError (a NUL in the name).
    """
    remote = getattr(place, "fs", None) is not None
    expected = Exception if remote else (OSError, EOFError, ValueError)
    try:
        yield
    except NstarError:
        raise
    except PermissionError as error:
        msg = f"{place}: permission denied. Change its permissions or use a copy."
        raise ReadError(msg) from error
    except FileNotFoundError as error:
        msg = f"{place}: no such file or folder{_similar(str(place))}"
        raise ReadError(msg) from error
    except expected as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        msg = f"Cannot read {place}: {printable(str(reason))[:300]}"
        raise ReadError(msg) from error


def _similar(path: str) -> str:
    """Return a hint that names a sibling with a similar name, if there is one."""
    if path[:1] in _QUOTES or path[-1:] in _QUOTES:
        return ". Remove the typographic quotes, or use plain ones."
    requested = Path(path)
    try:
        with entries_of(str(requested.parent)) as entries:
            names = [entry.name for entry in islice(entries, _LOOKED_AT)]
    except (OSError, ValueError):  # DataError also, for a folder without read permission
        names = []
    alike = [n for n in names if get_close_matches(requested.stem, [Path(n).stem], 1, 0.7)]
    close = get_close_matches(requested.name, alike, n=1)
    if not close:
        return ". Check the spelling."
    return f". Did you mean {printable(str(requested.with_name(close[0])))}?"


def printable(text: str) -> str:
    r"""Return text with control characters, line breaks, and other hidden characters escaped.

    >>> print(printable("a" + chr(27) + "b"))
    a\x1bb
    """
    return escaped(text)


def workbook(name: str) -> str | None:
    """Return advice for a spreadsheet, recognized by its file name; None for other files.

    >>> workbook("scores.XLSX").split(". ")[0], workbook("scores.csv")
    ('is an Excel workbook, which nstar does not read', None)
    """
    suffix = Path(name).suffix.lower()
    if suffix not in _SHEETS:
        return None
    menu_path = "File, Export To, CSV" if suffix == ".numbers" else "File, Save As, CSV UTF-8"
    return (
        f"is {_SHEETS[suffix]}, which nstar does not read. Save the sheet as CSV ({menu_path}) "
        "with a header line (model, item, score) and decimal points (0.5), or in "
        "Python: pandas.read_excel(FILE).to_csv(NAME, index=False)"
    )


def in_words(size: int) -> str:
    """Return a number of bytes as text.

    >>> in_words(64 << 20), in_words(999)
    ('64 MiB', '999 bytes')
    """
    return f"{size >> 20} MiB" if size >> 20 else f"{size} bytes"
