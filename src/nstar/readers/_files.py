"""Place: a local or remote file. Readers open files only through this class."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO, cast

from nstar._data.confined import descriptor, entries_of, inside
from nstar.errors import ReadError, arg
from nstar.readers._read_errors import printable, reading

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_UNREADABLE = (
    (stat.S_ISDIR, "a folder. Choose a file."),
    (stat.S_ISFIFO, "a named pipe. Save its output to a file first."),
    (stat.S_ISSOCK, "a socket. Choose a file."),
    (stat.S_ISCHR, "a device. Choose a file."),
    (stat.S_ISBLK, "a device. Choose a file."),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A file or directory, local or remote.

    Examples
    --------
    >>> place = Place("runs/a/results.json")
    >>> place.name, place.parent, str(place.sibling("sub/x.json"))
    ('results.json', 'runs/a', 'runs/a/sub/x.json')
    """

    path: str
    """Path as the user wrote it, or a path under it."""
    fs: Any = None
    """File system of fsspec; ``None`` for a local file."""
    within: str | None = field(default=None, compare=False, repr=False)
    """Resolved folder that symbolic links may not leave; None if the user named the file."""

    def __str__(self) -> str:
        """Return the path for display, with characters that a terminal cannot show escaped."""
        return printable(self.path)

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        path = self.path if self.fs is None else self.path.partition("?")[0]
        if os.sep != "/" and self.fs is None:
            path = path.replace(os.sep, "/")
        return path.rstrip("/").rpartition("/")[2]

    @property
    def parent(self) -> str:
        """Return the path of the directory as text."""
        return self._split()[0] or "."

    @property
    def folder(self) -> "Place":
        """Return the directory."""
        return Place(self.parent, self.fs, self._home(self.parent))

    def _home(self, folder: str) -> str | None:
        """Return the folder that links may not leave: that of the search, or its own."""
        if self.fs is not None:
            return None
        resolved = os.path.realpath(folder or ".")
        searched = self.within is not None and inside(resolved, self.within)
        return self.within if searched else resolved

    @property
    def _root(self) -> str | None:
        """Return the folder from which to open the file, or None if any location is allowed."""
        return None if self.within == os.sep else self.within

    def _refuse_stray(self) -> None:
        """Raise an error if the file is a symbolic link that leads out of its folder."""
        if self.within is None or self.fs is not None:
            return
        target = os.path.realpath(self.path)
        if not inside(target, self.within):
            msg = (
                f"{self}: this link points outside its folder. To follow such links, set "
                f"{arg('follow_links')}."
            )
            raise ReadError(msg)

    def _split(self) -> tuple[str, str]:
        if self.fs is None:
            return os.path.split(self.path.rstrip("/") or self.path)
        head, _, tail = self.path.partition("?")[0].rstrip("/").rpartition("/")
        return head, tail

    def sibling(self, relative: str) -> "Place":
        """Return a file in the same directory, or in a directory below it."""
        parts = PurePosixPath(relative).parts
        strange = not parts or ".." in parts or "\0" in relative or "\\" in relative
        if strange or relative.startswith("/") or PureWindowsPath(relative).drive:
            msg = (
                f"{self}: refers to {printable(relative)!r}, which is outside its folder. Move "
                "that file into the folder."
            )
            raise ReadError(msg)
        head = self._split()[0]
        path = "/".join([head.rstrip("/"), *parts]) if head else "/".join(parts)
        return Place(path, self.fs, self._home(head))

    def exists(self) -> bool:
        """Return whether the file or directory exists; ``False`` also without permission."""
        try:
            self._refuse_stray()
            return bool(Path(self.path).exists() if self.fs is None else self.fs.exists(self.path))
        except Exception:
            return False

    def is_dir(self) -> bool:
        """Return whether the path is a directory."""
        try:
            return bool(Path(self.path).is_dir() if self.fs is None else self.fs.isdir(self.path))
        except Exception:
            return False

    def open(self) -> BinaryIO:
        """Open the file for reading. It must be a regular file; the result is seekable."""
        with reading(self):
            if self.fs is not None:
                return cast("BinaryIO", self.fs.open(self.path, "rb"))
            self._refuse_stray()
            _refuse_special(self, Path(self.path).stat().st_mode)
            opened = descriptor(self.path, _FLAGS, within=self._root)
            try:  # the file may have been replaced since the check
                _refuse_special(self, os.fstat(opened).st_mode)
                return os.fdopen(opened, "rb")
            except BaseException:
                os.close(opened)
                raise

    def size(self) -> int | None:
        """Return the size in bytes, if known."""
        try:
            if self.fs is None:
                return Path(self.path).stat().st_size
            size = self.fs.size(self.path)
        except Exception:
            return None
        return size if isinstance(size, int) else None

    def head(self, n: int = 65536) -> bytes:
        """Return the first n bytes, or all if there are fewer."""
        with reading(self):
            if self.fs is None:
                with self.open() as file:
                    return file.read(n)
            with self.fs.open(self.path, "rb", block_size=n) as file:
                return bytes(file.read(n))

    def list(self) -> "list[Place]":
        """Return the files and directories in this directory, sorted, without hidden ones."""
        with reading(self):
            if self.fs is None:
                self._refuse_stray()
                with entries_of(self.path, self._root) as entries:
                    names = sorted(e.name for e in entries if not _hidden(e.name))
                return [Place(_join(self.path, name), None, self.within) for name in names]
            listing = sorted(self.fs.ls(self.path, detail=False))
            places = [Place(self.fs.unstrip_protocol(p.rstrip("/")), self.fs) for p in listing]
            return [p for p in places if not _hidden(p.name)]


def _refuse_special(place: Place, mode: int) -> None:
    """Raise an error unless the mode is that of a regular file."""
    if stat.S_ISREG(mode):
        return
    kinds = (kind for test, kind in _UNREADABLE if test(mode))
    msg = f"{place}: this is {next(kinds, 'not a regular file. Choose a file.')}"
    raise ReadError(msg)


def _hidden(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__"


def _join(directory: str, name: str) -> str:
    return directory + name if directory.endswith("/") else f"{directory}/{name}"


def walk(
    paths: Sequence[str | Path],
    *,
    cap: int = 1_000_000,
    links: bool = False,
    outside: Callable[[str], None] = lambda _: None,
) -> Iterator[Place]:
    """Yield the files under the paths once each, in an order that depends only on names.

    Hidden files and directories, ``__pycache__``, and special files are left out unless the user
    named them. Links within the folder are followed, and ``links`` allows others; ``outside``
    receives each link that is not followed. Directories are visited once.
    """
    visited: set[str] = set()
    search = _FileSearch(links, outside)
    for path_text in map(str, paths):
        for place in _below(path_text, search):
            key = place.path if place.fs is not None else os.path.abspath(place.path)  # noqa: PTH100
            if key in visited:
                continue
            if len(visited) >= cap:
                msg = (
                    f"{path_text}: contains more than {cap} files. Pass the folder that contains "
                    "the logs."
                )
                raise ReadError(msg)
            visited.add(key)
            yield place


@dataclass(slots=True)
class _FileSearch:
    """State of a search under some folders."""

    links: bool
    """Whether symbolic links may lead anywhere."""
    outside: Callable[[str], None]
    """Callback for a symbolic link that is not followed."""
    visited: set[tuple[int, int]] = field(default_factory=set)
    """Directories that have been visited."""

    def may_follow(self, entry: "os.DirEntry[str]", path: str, root: str) -> bool:
        """Return whether an entry is not a link, or stays below the resolved root."""
        if self.links or not _is_link(entry):
            return True
        target = os.path.realpath(path)
        if inside(target, root):
            return True
        self.outside(f"{printable(path)} -> {printable(target)}")
        return False


def _is_link(entry: "os.DirEntry[str]") -> bool:
    """Return whether a path is a symbolic link, or a junction on Windows."""
    junction: Callable[[], bool] = getattr(entry, "is_junction", bool)
    return entry.is_symlink() or junction()


def _below(path_text: str, search: _FileSearch) -> Iterator[Place]:
    if path_text in {"", "-"}:
        msg = f"{path_text!r}: not a file. Save standard input to a file first."
        raise ReadError(msg)
    path_text = path_text.removeprefix("file://")
    if _URL.match(path_text):
        yield from _remote(path_text)
        return
    place = Place(path_text)
    if "*" in path_text and not place.exists():
        for match in _expand(place):
            yield from _local(match, search)
        return
    yield from _local(place, search)


def _expand(pattern: Place) -> Iterator[Place]:
    """Yield the matches of a pattern, sorted; ``**`` does not follow links."""
    path = Path(pattern.path)
    anchor = Path(path.anchor)
    with reading(pattern):
        candidates = sorted(anchor.glob(str(path.relative_to(anchor))))
    matches = [p for p in candidates if not _hidden(p.name) or _hidden(path.name)]
    if not matches:
        msg = f"{pattern}: no file matches this pattern. Check the pattern."
        raise ReadError(msg)
    yield from (Place(str(p)) for p in matches)


def _local(place: Place, search: _FileSearch) -> Iterator[Place]:
    with reading(place):
        mode = Path(place.path).stat().st_mode
    if not stat.S_ISDIR(mode):
        _refuse_special(place, mode)
        yield Place(place.path, None, os.sep if search.links else None)
        return
    root = os.sep if search.links else os.path.realpath(place.path)
    waiting = [(place.path, True)]
    while waiting:
        path, is_dir = waiting.pop()
        if is_dir:
            waiting.extend(reversed(_entries(path, root, search)))
        else:
            yield Place(path, None, root)


def _entries(path: str, root: str, search: _FileSearch) -> list[tuple[str, bool]]:
    """Return (path, is_directory) for the entries of a directory that has not been visited."""
    visited = search.visited
    with reading(Place(path)):
        info = Path(path).stat()
        if (info.st_dev, info.st_ino) in visited:
            return []
        visited.add((info.st_dev, info.st_ino))
        with entries_of(path, None if root == os.sep else root) as entries:
            visible = [entry for entry in entries if not _hidden(entry.name)]
            visible.sort(key=lambda entry: entry.name)
            located = [(entry, _join(path, entry.name)) for entry in visible]
            located = [(entry, at) for entry, at in located if search.may_follow(entry, at, root)]
            kinds = [(at, _is_dir(entry)) for entry, at in located]
    return [(name, is_dir) for name, is_dir in kinds if is_dir is not None]


def _is_dir(entry: "os.DirEntry[str]") -> bool | None:
    """Return whether an entry is a directory; ``None`` for a broken link or a special file."""
    try:
        return True if entry.is_dir() else False if entry.is_file() else None
    except OSError:
        return None


def _remote(url: str) -> Iterator[Place]:
    fs, path = _filesystem(url)
    place = Place(url, fs)
    web = url.startswith(("http://", "https://"))
    if web and not url.endswith("/"):
        yield place
        return
    with reading(place):
        names_on_server = _found(fs, url, listed=web)
        root = fs.unstrip_protocol(path)
        names = sorted(
            name if _URL.match(name) else fs.unstrip_protocol(name) for name in names_on_server
        )
    if not names:
        msg = f"{place}: no file at this address. Check the address."
        raise ReadError(msg)
    for name in names:
        below = name.removeprefix(root) if name.startswith(root) else PurePosixPath(name).name
        if name == root or not any(map(_hidden, below.split("/"))):
            yield Place(name, fs)


def _found(fs: Any, url: str, *, listed: bool) -> Sequence[str]:
    """Return the names of files on a remote file system."""
    if "*" in url:
        return [name for name in fs.glob(url) if not fs.isdir(name)]
    return [url] if not listed and fs.isfile(url) else fs.find(url)


def _filesystem(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path on it."""
    address = printable(url)
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 - optional, and slow to import

        return url_to_fs(url)
    except ImportError as error:
        msg = f'{address}: this address needs more packages: pip install "nstar[hub]" ({error})'
        raise ReadError(msg) from error
    except Exception as error:
        msg = f"Cannot reach {address}: {printable(str(error))[:300]}"
        raise ReadError(msg) from error
