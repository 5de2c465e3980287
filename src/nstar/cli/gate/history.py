"""The history of a gate on disk: ``gate.jsonl`` in a folder, replaced whole at each evaluation.

From reading it to writing it one process has it to itself, or nights of others would be lost.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nstar._verbs.gate import History

_NAME = "gate.jsonl"
_BUSY = "another nstar gate has been at work on this history for a minute; try again"
_PATIENCE = 60.0
"""Seconds to wait for another gate to be done with the history."""


@contextmanager
def held_history(folder: Path) -> Iterator[None]:
    """Keep other gates from the history meanwhile; the folder is made if need be."""
    from nstar.cli.kit.lock import Hold
    from nstar.errors import DataError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"cannot make the folder {folder}: {error.strerror}"
        raise DataError(msg) from error
    hold = Hold(str(folder / _NAME), "history", _BUSY, _PATIENCE)
    try:
        yield
    finally:
        hold.release()


def read_history(folder: Path, *, fresh: bool) -> "History":
    """What was gathered there; an empty history if there is none."""
    from nstar._verbs.gate import History
    from nstar.errors import DataError

    path = folder / _NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return History(fresh=fresh)
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise DataError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: is no text, and so no history of nstar gate"
        raise DataError(msg) from error
    try:
        history = History.parse(text)
    except DataError as error:
        raise error.within(str(path)) from error
    if history.fresh != fresh:
        which = "with" if history.fresh else "without"
        msg = f"{path}: was begun {which} --fresh-items, which cannot change later"
        raise DataError(msg)
    return history


def keep_history(folder: Path, history: "History") -> None:
    """Write it, whole or not at all."""
    from nstar.cli.kit.output import write_whole

    write_whole(str(folder / _NAME), history.text().encode("utf-8"), "history")
