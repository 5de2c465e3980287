"""Lock that allows only one process at a time to write a file."""

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
"""Seconds between two attempts to take the lock."""


def _lock(file: BinaryIO) -> None:
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """Lock file ``path.lock``, held until it is released or the process ends.

    ``what`` names the file in messages, and ``busy`` is the message if another process holds it.
    ``patience`` is the number of seconds to wait.
    """

    def __init__(self, path: str, subject: str, busy: str, patience: float = 0.0) -> None:
        self._path, self._held = path, Path(f"{path}.lock")
        self._what, self._busy, self._until = subject, busy, time.monotonic() + patience
        self._file = self._taken()

    def _taken(self) -> BinaryIO:
        """Return the locked file after checking that no other process removed it."""
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
        """Release the lock."""
        if sys.platform == "win32":
            self._file.close()
        self._held.unlink(missing_ok=True)
        self._file.close()
