"""Open files only in certain folders, even if a path changes after it was checked.

A path that was checked may lead to a different file when it is opened, because any user with write
access to the folder can replace a file or a folder by a link. Starting at its folder, a path is
therefore opened one component at a time, and no component may be a link.
"""

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from nstar.errors import DataError

_ROOTS: ContextVar[tuple[str, ...] | None] = ContextVar("_ROOTS", default=None)
"""Allowed folders with resolved links. None allows all files."""
_BY_PARTS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def only_below(folders: Iterable[str]) -> Iterator[None]:
    """Allow only files below these folders, with resolved links, inside the block."""
    token = _ROOTS.set(tuple(folders))
    try:
        yield
    finally:
        _ROOTS.reset(token)


def is_confined() -> bool:
    """Return whether access is restricted to files below certain folders."""
    return _ROOTS.get() is not None


def inside(path: str, folder: str) -> bool:
    """Return whether a path, with resolved links, is a folder or below it.

    >>> inside("/runs/a", "/runs"), inside("/runs2/a", "/runs")
    (True, False)
    """
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) or folder == os.sep


def descriptor(path: str, flags: int = _FILE, *, within: str | None = None) -> int:
    """Open a file or folder. Raise DataError if it lies outside the allowed folders.

    Links that stay below the folder are followed. ``within`` is the allowed folder, with resolved
    links, if :func:`only_below` sets none.
    """
    roots = _ROOTS.get() or (() if within is None else (within,))
    if not roots:
        return os.open(path, flags)
    target = os.path.realpath(path)
    root = next((root for root in roots if inside(target, root)), None)
    if root is None:
        msg = f"{path} is outside the allowed folders. Use a path inside them."
        raise DataError(msg)
    if not _BY_PARTS:
        return _checked(path, target, flags)
    try:
        return _by_parts(root, Path(target).relative_to(root).parts or (".",), flags)
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}:
            raise
        raise _replaced(path) from error


def _replaced(path: str) -> DataError:
    return DataError(f"{path}: the file was replaced while nstar opened it, so nothing was read.")


def _by_parts(root: str, parts: Sequence[str], flags: int) -> int:
    handle = os.open(root, _FOLDER | _NO_LINK)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER | _NO_LINK, dir_fd=handle)
            os.close(handle)
            handle = below
        return os.open(parts[-1], flags | _NO_LINK, dir_fd=handle)
    finally:
        os.close(handle)


def _checked(path: str, target: str, flags: int) -> int:
    """Check that the open file is the checked one, on Windows, which can open only whole paths."""
    opened = os.open(target, flags)
    try:
        same = os.path.samestat(os.fstat(opened), os.lstat(target))
        same = same and os.path.realpath(path) == target
    except BaseException:
        os.close(opened)
        raise
    if not same:
        os.close(opened)
        raise _replaced(path)
    return opened


def open_binary(path: str | Path) -> BinaryIO:
    """Open a file for reading bytes, with the restrictions of :func:`descriptor`."""
    return os.fdopen(descriptor(os.fspath(path)), "rb")


@contextmanager
def entries_of(path: str, within: str | None = None) -> "Iterator[Iterator[os.DirEntry[str]]]":
    """Yield the entries of a folder, with the restrictions of :func:`descriptor`.

    Entries have the correct names and kinds. Their paths are relative to the folder, or missing.
    """
    if not _BY_PARTS or (within is None and not is_confined()):
        with os.scandir(path) as entries:
            yield entries
        return
    handle = descriptor(path, _FOLDER, within=within)
    try:
        with os.scandir(handle) as entries:
            yield entries
    finally:
        os.close(handle)
