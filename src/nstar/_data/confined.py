"""Files opened below certain folders only, whatever becomes of a path after it was checked.

A path that was checked and is opened later may have become another file: whoever can write in
the folder replaces a file or a folder by a link. So a file is opened from its folder on, one
component at a time, and no component may be a link.
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
"""Folders with their links resolved; None: any file may be opened."""
_BY_PARTS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def only_below(folders: Iterable[str]) -> Iterator[None]:
    """Open nothing outside these folders, whose links are resolved, inside the block."""
    token = _ROOTS.set(tuple(folders))
    try:
        yield
    finally:
        _ROOTS.reset(token)


def is_confined() -> bool:
    """Whether only files below certain folders may be opened."""
    return _ROOTS.get() is not None


def inside(path: str, folder: str) -> bool:
    """Whether a path is a folder or below it, both with links resolved.

    Examples
    --------
    >>> inside("/runs/a", "/runs"), inside("/runs2/a", "/runs")
    (True, False)
    """
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) or folder == os.sep


def descriptor(path: str, flags: int = _FILE, *, within: str | None = None) -> int:
    """Open a file or folder; DataError if it lies outside the folders that are allowed.

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
    held = os.open(root, _FOLDER | _NO_LINK)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER | _NO_LINK, dir_fd=held)
            os.close(held)
            held = below
        return os.open(parts[-1], flags | _NO_LINK, dir_fd=held)
    finally:
        os.close(held)


def _checked(path: str, target: str, flags: int) -> int:
    """Windows opens by whole paths only: is it still the file that was checked?"""
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
    """The bytes of a file, confined like :func:`descriptor`."""
    return os.fdopen(descriptor(os.fspath(path)), "rb")


@contextmanager
def entries_of(path: str, within: str | None = None) -> "Iterator[Iterator[os.DirEntry[str]]]":
    """The entries of a folder, confined like :func:`descriptor`.

    Their names and kinds are right; their paths begin at the folder or not at all.
    """
    if not _BY_PARTS or (within is None and not is_confined()):
        with os.scandir(path) as entries:
            yield entries
        return
    held = descriptor(path, _FOLDER, within=within)
    try:
        with os.scandir(held) as entries:
            yield entries
    finally:
        os.close(held)
