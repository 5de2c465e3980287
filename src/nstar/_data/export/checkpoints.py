"""Checkpoints: how far a long piece of work is, as arrays in a directory that belongs to it."""

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from nstar._base.version import __version__
from nstar._data.export.files import NewFile, local_path
from nstar._data.export.folder import LocalStore, take_folder
from nstar.errors import DataError


class Checkpoints:
    """A directory with what was counted so far; each file is replaced as a whole.

    Parameters
    ----------
    directory
        Made if need be. Empty, or of the same work.
    about
        All that the work depends on, as JSON values.

    Raises
    ------
    DataError
        If the directory holds something else, or cannot be written.
    """

    def __init__(self, directory: str, about: Mapping[str, Any]) -> None:
        self._root = local_path(directory)
        wanted = {"schema": "nstar.work/1", "nstar": __version__, **about}
        take_folder(LocalStore(directory), wanted, what="audit")

    def save(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Replace what is known under a name."""
        content = BytesIO()
        np.savez_compressed(content, allow_pickle=False, **arrays)
        with NewFile(self._root) as file:
            file.write(content.getvalue())
            file.keep(f"{name}.npz")

    def path(self, name: str) -> str:
        """Where something is, for messages."""
        return str(self._root / f"{name}.npz")

    def load(self, name: str, wanted: Sequence[str] = ()) -> dict[str, Any] | None:
        """What was saved last, with the arrays that must be in it; None if nothing was."""
        path = self.path(name)
        try:
            with np.load(BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
                found = {key: file[key] for key in file.files}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
            msg = f"{path}: cannot be read: {error}; delete it, and that part is done again"
            raise DataError(msg) from error
        if missing := [key for key in wanted if key not in found]:
            msg = f"{path}: lacks {missing[0]}; delete it, and that part is done again"
            raise DataError(msg)
        return found
