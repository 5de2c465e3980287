"""Open files only below certain folders, even if a path changes after it was checked.

A path that is checked and opened later may have become another file, because anybody with write
access to the folder can replace a file or a folder by a link. A file is therefore opened from its
folder on, one component at a time, and no component may be a link.
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
"""Allowed folders with their links resolved; None allows any file."""
_BY_PARTS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def only_below(folders: Iterable[str]) -> Iterator[None]:
    """Allow only files below these folders, whose links are resolved, inside the block."""
    token = _ROOTS.set(tuple(folders))
    try:
        yield
    finally:
        _ROOTS.reset(token)


def is_confined() -> bool:
    """Return whether only files below certain folders may be opened."""
    return _ROOTS.get() is not None


def inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder or below it, both with links resolved.

    Examples
    --------
    >>> inside("/runs/a", "/runs"), inside("/runs2/a", "/runs")
    (True, False)
    """
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) or folder == os.sep


def descriptor(path: str, flags: int = _FILE, *, within: str | None = None) -> int:
    """Open a file or folder. Raise DataError if it lies outside the allowed folders.

    Parameters
    ----------
    path : str
        What to open. Links that stay below the folder are followed.
    flags : int, default 524288
        As for :func:`os.open`.
    within : str, optional
        The folder to stay in, links resolved, if :func:`only_below` names none.
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
    """Check on Windows, which opens whole paths only, that the open file is the checked one."""
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
    """Open a file for reading bytes, confined like :func:`descriptor`."""
    return os.fdopen(descriptor(os.fspath(path)), "rb")


@contextmanager
def entries_of(path: str, within: str | None = None) -> "Iterator[Iterator[os.DirEntry[str]]]":
    """Yield the entries of a folder, confined like :func:`descriptor`.

    Their names and kinds are correct. Their paths begin at the folder or are missing.
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
