"""What a killed run left: files that never got their name, and that nobody writes any more."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

_locks: Any
try:
    import fcntl as _locks
except ImportError:  # where files in use cannot be deleted anyway
    _locks = None

LEFT_OVER = ".nstar-"
"""How names of files begin until they are whole."""

OLD = 3600.0
"""Seconds after which a file is nobody's where locks cannot tell."""


def hold(file: BinaryIO) -> None:
    """Say that a file is being written, until it is closed or its process ends."""
    if _locks is not None:
        with suppress(OSError):
            _locks.flock(file, _locks.LOCK_EX | _locks.LOCK_NB)


def _abandoned(path: Path) -> bool:
    if _locks is None:
        return True
    try:
        with path.open("rb") as file:
            _locks.flock(file, _locks.LOCK_EX | _locks.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return time.time() - path.stat().st_mtime > OLD
    return True


def sweep(directory: Path) -> None:
    """Delete what nobody writes any more; what cannot be deleted stays."""
    with suppress(OSError):
        for path in directory.glob(f"{LEFT_OVER}*"):
            with suppress(OSError):
                if path.is_file() and not path.is_symlink() and _abandoned(path):
                    path.unlink()
