"""A file that only one process at a time may write: held by a lock beside it."""

import errno
import os
import sys
import time
from pathlib import Path
from typing import BinaryIO

from nstar.errors import DataError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE = 0.05
"""Seconds between two tries."""


def _lock(file: BinaryIO) -> None:
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """The lock ``path.lock`` on a file, until it is let go or the process ends.

    ``what`` the file is, and what to say when another process is ``busy`` with it, are for
    messages; ``patience`` is in seconds.
    """

    def __init__(self, path: str, what: str, busy: str, patience: float = 0.0) -> None:
        self._path, self._held = path, Path(f"{path}.lock")
        self._what, self._busy, self._until = what, busy, time.monotonic() + patience
        self._file = self._taken()

    def _taken(self) -> BinaryIO:
        """The lock file, held: not one that another process has just removed."""
        while True:
            try:
                file = self._held.open("ab")
            except OSError as error:
                msg = f"Cannot write the {self._what} {self._path}: {error.strerror or error}"
                raise DataError(msg) from error
            try:
                _lock(file)
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
                    return file  # a file system without locks
                file.close()
                if time.monotonic() < self._until:
                    time.sleep(_PAUSE)
                    continue
                msg = f"{self._path}: {self._busy}"
                raise DataError(msg) from error
            if self._still_there(file):
                return file
            file.close()

    def _still_there(self, file: BinaryIO) -> bool:
        try:
            return os.path.samestat(os.fstat(file.fileno()), self._held.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let go."""
        if sys.platform == "win32":
            self._file.close()
        self._held.unlink(missing_ok=True)
        self._file.close()
