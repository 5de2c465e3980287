"""Files of a pack, opened only if they are plain files: no links, no pipes, nothing that waits."""

import os
import stat
from pathlib import Path

from nstar.errors import DataError


def plain_size(path: Path) -> int:
    """Bytes of a plain file.

    Raises
    ------
    DataError
        If it is not there, or something else.
    """
    try:
        found = os.lstat(path)
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise DataError(msg) from error
    if not stat.S_ISREG(found.st_mode):
        what = "is a link" if stat.S_ISLNK(found.st_mode) else "is no plain file"
        msg = f"{path}: {what}; pack it again"
        raise DataError(msg)
    return found.st_size


def plain_bytes(path: Path, most: int) -> bytes:
    """All of a plain file that has at most so many bytes.

    Raises
    ------
    DataError
        If it cannot be read, is something else, or is larger.
    """
    size = plain_size(path)
    if size > most:
        msg = f"{path}: has {size:,} bytes, more than any pack needs; pack it again"
        raise DataError(msg)
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise DataError(msg) from error
