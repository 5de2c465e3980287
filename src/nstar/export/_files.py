"""Files written for others: inside one directory, under safe names, whole or not at all."""

import os
import re
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Self

from nstar.errors import DataError

__all__ = ["NewFile", "path_part", "subdirectory"]

_LONGEST = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]|^\.|\.(?=\.|$)")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|data", re.IGNORECASE)
"""Names that Windows or the datastore keep for themselves."""


def path_part(name: str) -> str:
    """One part of a path for any name; a hash is added to a name that had to be altered.

    Slashes and colons, which names of models have, become underscores without a hash.

    Examples
    --------
    >>> path_part("llama-3:8b"), path_part("../nul")
    ('llama-3_8b', '_._nul-5d3a531a')
    """
    plain = name.replace("/", "_").replace(":", "_")
    safe = _UNSAFE.sub("_", plain) or "unnamed"
    reserved = _RESERVED.fullmatch(safe) is not None
    if safe == plain and len(safe) <= _LONGEST and not reserved:
        return safe
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{'_' * reserved}{safe[: _LONGEST - 10]}-{digest}"


def subdirectory(root: Path, *parts: str) -> Path:
    """The directory below ``root``, made if need be; links out of ``root`` are not followed."""
    here = root
    try:
        here.mkdir(parents=True, exist_ok=True)
        for part in parts:
            here /= part
            if here.is_symlink():
                msg = f"{here}: is a link; nothing is written through links"
                raise DataError(msg)
            here.mkdir(exist_ok=True)
    except OSError as error:
        msg = f"{here}: cannot be made: {error.strerror or error}"
        raise DataError(msg) from error
    return here


class NewFile:
    """A file that appears under its name only when all of it is written.

    Parameters
    ----------
    directory
        Where.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._path = directory / f".nstar-{token_hex(8)}"
        self._file: BinaryIO

    def __enter__(self) -> Self:
        """Begin the file under another name."""
        try:
            self._file = self._path.open("xb")
        except OSError as error:
            raise self._failed(error) from error
        return self

    def write(self, data: bytes) -> None:
        """Add to the file."""
        try:
            self._file.write(data)
        except OSError as error:
            raise self._failed(error) from error

    @property
    def stream(self) -> BinaryIO:
        """The open file, for libraries that write by themselves."""
        return self._file

    def keep(self, name: str) -> Path:
        """Give the file its name; one that had it before is replaced."""
        target = self._directory / name
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._path.replace(target)
        except OSError as error:
            raise self._failed(error) from error
        return target

    def __exit__(self, *_: object) -> None:
        """Remove the file unless it was kept."""
        try:
            self._file.close()
        finally:
            self._path.unlink(missing_ok=True)

    def _failed(self, error: OSError) -> DataError:
        return DataError(f"{self._directory}: cannot be written: {error.strerror or error}")
