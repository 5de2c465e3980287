"""A folder that belongs to one piece of work: its manifest says which, and refuses another."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nstar._data.export.folder import Folder
from nstar.errors import DataError

_NAME = "manifest.json"
_SHOWN = 60
_DIGEST = 32
_HEX = frozenset("0123456789abcdef")


def take_folder(
    place: Folder, about: Mapping[str, Any], *, what: str, below: Sequence[str] = ()
) -> None:
    """Make a folder ours, or find that it is; what a killed run left of files is deleted.

    Parameters
    ----------
    place
        Made if need be. Empty, or with the manifest of the same work.
    about
        All that the work depends on, as JSON values.
    what
        The work in a word, for messages: ``"simulation"``.
    below
        Folders in it that the work makes.

    Raises
    ------
    DataError
        If the folder holds something else, or cannot be read or written.
    """
    wanted = json.loads(json.dumps(about, allow_nan=False))
    found = _read(place, what)
    if found is None:
        _refuse_strangers(place, below)
        place.claim(_NAME, (json.dumps(wanted, indent=2) + "\n").encode())
        found = _read(place, what)
    if found is None:
        msg = f"{place.where}/{_NAME}: was written but is not to be seen"
        raise DataError(msg)
    if found != wanted:
        msg = (
            f"{place.where} holds another {what}, which differs in {_differences(found, wanted)}; "
            "give another directory, or delete this one"
        )
        raise DataError(msg)
    for part in ("", *below):
        place.tidy(part)


def _read(place: Folder, what: str) -> dict[str, Any] | None:
    content = place.read(_NAME)
    if content is None:
        return None
    path, article = f"{place.where}/{_NAME}", "an" if what[0] in "aeiou" else "a"
    try:
        found = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        msg = f"{path}: is not the manifest of {article} {what}: {error}"
        raise DataError(msg) from error
    if not isinstance(found, dict):
        msg = f"{path}: is not the manifest of {article} {what}: no object"
        raise DataError(msg)
    return found


def _short(value: Any) -> str:
    try:
        text = json.dumps(value)
    except RecursionError:
        return "a value nested too deeply"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == _DIGEST and _HEX.issuperset(value)


def _differences(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Names with both values; of digests, which say nothing, the name."""

    def told(key: str) -> str:
        there, asked = found.get(key), wanted.get(key)
        if _is_digest(there) or _is_digest(asked):
            return key
        return f"{key} ({_short(there)} there, {_short(asked)} asked for)"

    return ", ".join(told(k) for k in {**wanted, **found} if found.get(k) != wanted.get(k))


def _refuse_strangers(place: Folder, below: Sequence[str]) -> None:
    """Only an empty folder, or what an interrupted run left of its first file, will do."""
    here = place.names()
    inside = (f"{part}/{name}" for part in below if part in here for name in place.names(part))
    others = [*(name for name in here if name not in {_NAME, *below}), *inside]
    if others:
        msg = f"{place.where} is not empty ({others[0]} is there); give a new directory"
        raise DataError(msg)
