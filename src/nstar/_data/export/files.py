"""Write files for other programs with safe names, completely or not at all."""

import os
import re
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, Self

from nstar._base.address import is_address, without_secrets
from nstar.errors import DataError

_locks: Any
try:
    import fcntl as _locks
except ImportError:  # the platforms on which files in use cannot be deleted
    _locks = None

LEFT_OVER = ".nstar-"
"""Prefix of the names of unfinished files."""

OLD = 3600.0
"""Age in seconds from which an unfinished file is abandoned, if locks cannot show it."""


UNFINISHED = f"{LEFT_OVER}{'[0-9a-f]' * 16}"
"""Pattern of the names of unfinished files."""


def _hold(path: Path, file: BinaryIO) -> bool:
    """Lock a new file so that other processes do not delete it. Return whether it still exists."""
    if _locks is None:
        return True
    try:
        _locks.flock(file, _locks.LOCK_EX | _locks.LOCK_NB)
    except BlockingIOError:  # another process is about to delete it
        return False
    except OSError:  # a file system without locks
        return True
    return path.exists()


def _delete_abandoned(path: Path) -> None:
    """Delete a file unless another process is writing it."""
    if _locks is None:
        path.unlink()
        return
    with path.open("rb") as file:
        try:
            _locks.flock(file, _locks.LOCK_EX | _locks.LOCK_NB)
        except BlockingIOError:
            return
        except OSError:
            if time.time() - os.fstat(file.fileno()).st_mtime <= OLD:
                return
        path.unlink()


def sweep(directory: Path, pattern: str = UNFINISHED) -> None:
    """Delete temporary files left by runs that were killed.

    Files that cannot be deleted, or may still be in use, are kept.
    """
    with suppress(OSError):
        for path in directory.glob(pattern):
            with suppress(OSError):
                if path.is_file() and not path.is_symlink():
                    _delete_abandoned(path)


_MAX_NAME_BYTES = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]|^\.|\.(?=\.|$)")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|data", re.IGNORECASE)
"""Names that are reserved by Windows or by the datastore."""


def path_part(name: str) -> str:
    """Return a safe path component for any name, with a hash if the name was changed.

    Slashes and colons, which are common in model names, become underscores without a hash.

    >>> path_part("llama-3:8b"), path_part("../nul")
    ('llama-3_8b', '_._nul-5d3a531a')
    """
    plain = name.replace("/", "_").replace(":", "_")
    safe = _UNSAFE.sub("_", plain) or "unnamed"
    reserved = _RESERVED.fullmatch(safe) is not None
    if safe == plain and len(safe) <= _MAX_NAME_BYTES and not reserved:
        return safe
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{'_' * reserved}{safe[: _MAX_NAME_BYTES - 10]}-{digest}"


def local_path(where: str | os.PathLike[str]) -> Path:
    """Return a path on this machine.

    An address is rejected, because it would create a folder ``s3:``.
    """
    text = os.fspath(where)
    if is_address(text):
        msg = (
            f"{without_secrets(text)} is an address, but this output needs a local "
            "folder. Only the pairs of an audit can be written to an address."
        )
        raise DataError(msg)
    return Path(text)


def subdirectory(root: Path, *parts: str) -> Path:
    """Return the directory below ``root``, created if necessary.

    Links out of ``root`` are not followed.
    """
    directory = root
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for part in parts:
            directory /= part
            if directory.is_symlink():
                msg = (
                    f"{directory} is a link; nstar does not write through links. Choose a "
                    "folder or file that is not a link."
                )
                raise DataError(msg)
            directory.mkdir(exist_ok=True)
    except OSError as error:
        msg = f"Cannot create {directory}: {error.strerror or error}"
        raise DataError(msg) from error
    return directory


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a local file completely or not at all, and delete leftovers of killed runs."""
    target = local_path(path)
    sweep(target.parent)
    with NewFile(target.parent) as file:
        file.write(content)
        file.keep(target.name)


class NewFile:
    """File that gets its name only when it is complete."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._path = directory
        self._file: BinaryIO

    def __enter__(self) -> Self:
        """Create the file under a temporary name."""
        try:
            self._begin()
            while not _hold(self._path, self._file):
                self._file.close()
                self._begin()
        except OSError as error:
            raise self._failed(error) from error
        return self

    def _begin(self) -> None:
        self._path = self._directory / f"{LEFT_OVER}{token_hex(8)}"
        self._file = self._path.open("xb")

    def write(self, data: bytes) -> None:
        """Append to the file."""
        try:
            self._file.write(data)
        except OSError as error:
            raise self._failed(error) from error

    @property
    def stream(self) -> BinaryIO:
        """Return the open file, for libraries that write to a stream."""
        return self._file

    def keep(self, name: str) -> Path:
        """Give the file its name. It replaces an existing file."""
        target = self._directory / name
        try:
            self._seal()
            self._path.replace(target)
            self._file.close()
        except OSError as error:
            raise self._failed(error) from error
        return target

    def claim(self, name: str) -> bool:
        """Give the file its name unless another file has it. Return whether this succeeded."""
        target = self._directory / name
        try:
            self._seal()
            try:
                os.link(self._path, target)
            except FileExistsError:
                return False
            except OSError:  # a file system without links
                with target.open("xb") as file:
                    file.write(self._path.read_bytes())
        except FileExistsError:
            return False
        except OSError as error:
            raise self._failed(error) from error
        return True

    def _seal(self) -> None:
        """Flush the file to disk. It stays locked until it has its name, where possible."""
        self._file.flush()
        os.fsync(self._file.fileno())
        if os.name == "nt":
            self._file.close()

    def __exit__(self, *_: object) -> None:
        """Remove the file unless it was kept. A full disk was reported earlier."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _failed(self, error: OSError) -> DataError:
        return DataError(
            f"Cannot write to the folder {str(self._directory)!r}: {error.strerror or error}"
        )
