"""Mapped: an array that lies in a file. Sent to another process it is a path, not its numbers."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from nstar._data.pack.manifest import manifest_digest
from nstar.errors import DataError


class Mapped(np.memmap[Any, Any]):
    """Rows of a file, read when they are used; parts of it are as any array is."""

    _pack: str | None = None
    """What the pack's manifest adds up to, if this is all of a file."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        """The file's name and shape and which pack it is of, if this is all of it."""
        if self._pack is not None:
            return _mapped_elsewhere, (str(self.filename), self.dtype.str, self.shape, self._pack)
        return np.asarray(self).__reduce_ex__(protocol)


def mapped(path: str, dtype: str, shape: Sequence[int], pack: str) -> Mapped:
    """A file as an array that cannot be written.

    Parameters
    ----------
    path, dtype, shape
        The file, and what it holds.
    pack
        What the manifest of its pack adds up to.

    Raises
    ------
    DataError
        If the file is not there, or too short.
    """
    try:
        found = Mapped(path, dtype=np.dtype(dtype), mode="r", shape=tuple(shape))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        msg = f"{path}: cannot be mapped: {why}"
        raise DataError(msg) from error
    found._pack = pack  # noqa: SLF001 ours
    return found


def _mapped_elsewhere(path: str, dtype: str, shape: Sequence[int], pack: str) -> Mapped:
    """The same file in another process, perhaps on another machine: is it of the same pack?"""
    try:
        _confirm(str(Path(path).parent), pack)
        return mapped(path, dtype, shape, pack)
    except DataError as error:
        msg = (
            f"{error}; a packed matrix must lie on storage that every worker sees under one path, "
            "and must not change meanwhile"
        )
        raise DataError(msg) from error


@lru_cache(maxsize=256)
def _confirm(root: str, pack: str) -> None:
    """Once in a process."""
    if manifest_digest(Path(root)) != pack:
        msg = f"{root}: is another pack here than the one that was opened"
        raise DataError(msg)
