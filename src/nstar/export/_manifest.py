"""A directory that belongs to one piece of work: its manifest says which, and refuses another."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nstar.errors import DataError
from nstar.export._files import NewFile, subdirectory

__all__ = ["take_directory"]

_NAME = "manifest.json"
_SHOWN = 60


def take_directory(root: Path, about: Mapping[str, Any], *, what: str) -> None:
    """Make a directory ours, or find that it is.

    Parameters
    ----------
    root
        Made if need be. Empty, or with the manifest of the same work.
    about
        All that the work depends on, as JSON values.
    what
        The work in a word, for messages: ``"simulation"``.

    Raises
    ------
    DataError
        If the directory holds something else, or cannot be read or written.
    """
    wanted = json.loads(json.dumps(about))
    found = _read(root / _NAME, what)
    if found is None:
        _refuse_strangers(root)
        subdirectory(root)
        with NewFile(root) as file:
            file.write((json.dumps(wanted, indent=2) + "\n").encode())
            file.keep(_NAME)
    elif found != wanted:
        msg = (
            f"{root} holds another {what}, which differs in {_differences(found, wanted)}; give "
            "another directory, or delete this one"
        )
        raise DataError(msg)


def _read(path: Path, what: str) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise DataError(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"{path}: is not the manifest of a {what}: {error}"
        raise DataError(msg) from error
    if not isinstance(found, dict):
        msg = f"{path}: is not the manifest of a {what}: no object"
        raise DataError(msg)
    return found


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _differences(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Names with both values."""
    keys = [k for k in {**wanted, **found} if found.get(k) != wanted.get(k)]
    return ", ".join(
        f"{k} ({_short(found.get(k))} there, {_short(wanted.get(k))} asked for)" for k in keys
    )


def _refuse_strangers(root: Path) -> None:
    """Only an empty directory, or what an interrupted run left of its first file, will do."""
    try:
        there = list(root.iterdir()) if root.exists() else []
    except OSError as error:
        msg = f"{root}: cannot be made or read: {error.strerror or error}"
        raise DataError(msg) from error
    others = [p.name for p in there if not p.name.startswith(".nstar-")]
    if others:
        msg = f"{root} is not empty ({others[0]} is there); give a new directory"
        raise DataError(msg)
