"""Folders that a server for agents may read."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from nstar._data.confined import only_below
from nstar.errors import DataError


class AllowedFolders:
    """Folders that results may be read from.

    Examples
    --------
    >>> AllowedFolders(["."]).find("../../secret.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nstar.errors.DataError: ../../secret.csv is not in a folder that this server may read: ...
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._roots = [Path(folder).resolve() for folder in folders]

    def confined(self) -> AbstractContextManager[None]:
        """Open no file outside the folders inside the block, even if a path changes."""
        return only_below(map(str, self._roots))

    def find(self, path: str) -> Path:
        """Return the file or folder if it lies in an allowed folder. Links are followed first."""
        if "\0" in path:
            msg = "A path cannot contain a null byte."
            raise DataError(msg)
        try:
            tried = [(root / path).resolve() for root in self._roots]
            inside = [p for p in tried if any(p.is_relative_to(root) for root in self._roots)]
            existing = [p for p in inside if p.exists()]
        except (OSError, RuntimeError, ValueError) as error:  # too long, a link loop, or not text
            msg = f"{path[:200]!a}: not a usable path ({len(path):,} characters): "
            msg += f"{getattr(error, 'strerror', None) or type(error).__name__}. Use a valid path."
            raise DataError(msg) from error
        if existing:
            return existing[0]
        folders = ", ".join(map(str, self._roots))
        if inside:
            msg = f"{path[:200]}: no such file or folder in {folders}."
        else:
            msg = (
                f"{path[:200]} is not in a folder that this server may read: {folders}. "
                "To allow others, start the server with nstar mcp FOLDER."
            )
        raise DataError(msg)
