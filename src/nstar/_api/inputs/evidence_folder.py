"""Folder that keeps the evidence of a gate over several evaluations."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nstar._data.export import files
from nstar._data.export.lock import FileLock
from nstar._verbs.gate import History
from nstar.errors import DataError, arg

_FILE = "gate.jsonl"
_BUSY = "Another nstar gate process is using this history. Try again when it ends."
_PATIENCE_SECONDS = 60.0


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the history for this gate. Create the folder if it does not exist.

    The file is replaced as a whole at each evaluation. One process must hold the lock from reading
    to writing, or the evidence of another process would be lost.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"Cannot create the folder {folder}: {error.strerror}"
        raise DataError(msg) from error
    lock = FileLock(str(folder / _FILE), "history", _BUSY, _PATIENCE_SECONDS)
    try:
        files.sweep(folder)
        yield
    finally:
        lock.release()


def read_history(folder: Path, *, fresh: bool) -> History:
    """Return the history of the folder, which is empty before the first evaluation."""
    path = folder / _FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return History(fresh=fresh)
    except OSError as error:
        msg = f"Cannot read {path}: {error.strerror}"
        raise DataError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: not a history of nstar gate (the file is not text)."
        raise DataError(msg) from error
    try:
        history = History.parse(text)
    except DataError as error:
        raise error.within(str(path)) from error
    if history.fresh != fresh:
        choice = "with" if history.fresh else "without"
        fresh_items = arg("fresh_items")
        msg = (
            f"{path}: this history was started {choice} {fresh_items}, which cannot change. Start "
            "a new folder."
        )
        raise DataError(msg)
    return history


def write_history(folder: Path, history: History) -> None:
    """Write the complete history, or leave the file unchanged."""
    try:
        files.write_whole(str(folder / _FILE), history.text().encode())
    except DataError as error:
        reason = str(error).removeprefix(f"Cannot write {folder}: ")
        msg = f"Cannot write the history {folder / _FILE}: {reason}"
        raise DataError(msg) from error
