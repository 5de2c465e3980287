"""Output folder, local or in an object store, with a manifest that identifies its contents."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

from nstar._base.address import is_address, without_secrets
from nstar._data.export.files import LEFT_OVER, OLD, NewFile, local_path, subdirectory, sweep
from nstar.errors import DataError

_FLAT = ("s3", "gcs")
"""Object stores that have no directories."""

_CHUNK = 16 << 20
"""Number of bytes that are read at a time."""


class OtherWorkError(DataError):
    """A folder that contains the results of other work."""

    where = ""
    """Location of the folder, without secrets."""


class OutputFolder(ABC):
    """Folder with files of nstar. It is cheap to send to a worker."""

    where: str
    """Location as the user wrote it, without secrets."""

    @abstractmethod
    def names(self, below: str = "") -> list[str]:
        """Return the names of the files, without leftovers of killed runs.

        The list is empty if the folder does not exist.
        """

    @abstractmethod
    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes, or None if it does not exist."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if it does not exist."""

    @abstractmethod
    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of an existing file in chunks."""

    @abstractmethod
    def new(self, name: str) -> Any:
        """Open a stream for a new file, which gets its name when the context ends."""

    def write(self, name: str, content: bytes) -> None:
        """Write a small file."""
        with self.new(name) as file:
            file.write(content)

    @abstractmethod
    def claim(self, name: str, content: bytes) -> None:
        """Write a small file unless a file of that name exists."""

    @abstractmethod
    def tidy(self, below: str = "") -> None:
        """Delete leftovers of killed runs."""


def folder(where: str) -> OutputFolder:
    """Return the folder at a path, or at a pyarrow address such as ``s3://bucket/path``."""
    return _RemoteStore(where) if is_address(where) else _LocalStore(where)


class _LocalStore(OutputFolder):
    """Folder on this machine."""

    def __init__(self, where: str) -> None:
        self.where = str(local_path(where))

    def _path(self, name: str) -> Path:
        return Path(self.where) / name

    def names(self, below: str = "") -> list[str]:
        root = self._path(below)
        try:
            file_names = [p.name for p in root.iterdir()] if root.exists() else []
        except OSError as error:
            msg = f"Cannot create or read {root}: {error.strerror or error}"
            raise DataError(msg) from error
        return [name for name in file_names if not name.startswith(LEFT_OVER)]

    @contextmanager
    def _one_line_errors(self, name: str) -> Iterator[None]:
        """Convert errors to one-line messages, except for a missing file."""
        try:
            yield
        except (FileNotFoundError, NotADirectoryError):
            raise
        except OSError as error:
            msg = f"Cannot read {self._path(name)}: {error.strerror or error}"
            raise DataError(msg) from error

    def size(self, name: str) -> int | None:
        try:
            with self._one_line_errors(name):
                return self._path(name).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, name: str) -> bytes | None:
        try:
            with self._one_line_errors(name):
                return self._path(name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def chunks(self, name: str) -> Iterator[bytes]:
        with self._one_line_errors(name), self._path(name).open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk

    def claim(self, name: str, content: bytes) -> None:
        with NewFile(subdirectory(Path(self.where))) as file:
            file.write(content)
            file.claim(name)

    def tidy(self, below: str = "") -> None:
        """Delete files that no process is writing."""
        sweep(self._path(below), f"{LEFT_OVER}*")  # the folder belongs to nstar

    @contextmanager
    def new(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file that has a temporary name until it is complete."""
        *parts, last = name.split("/")
        inside = subdirectory(Path(self.where), *parts)
        with NewFile(inside) as file:
            try:
                yield file.stream
            except OSError as error:
                msg = f"Cannot write to the folder {str(inside)!r}: {error.strerror or error}"
                raise DataError(msg) from error
            file.keep(last)


class _RemoteStore(OutputFolder):
    """Folder behind an address, through pyarrow's file systems."""

    def __init__(self, address: str) -> None:
        self.where = without_secrets(address)
        self._address = address
        self._open: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return only the address, so that a worker opens its own connection."""
        return {"where": self.where, "_address": self._address, "_open": None}

    def _locate(self, name: str) -> tuple[Any, str]:
        """Return the file system and the path of a file on it."""
        if self._open is None:
            from pyarrow.fs import FileSystem  # noqa: PLC0415 slow to load

            with self._one_line_errors():
                self._open = FileSystem.from_uri(self._address)
        system, root = self._open
        return system, f"{root.rstrip('/')}/{name}" if name else root

    @contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, NotImplementedError) as error:
            if isinstance(error, DataError):
                raise
            reason = without_secrets(self._address, str(error).partition("\n")[0])[:300]
            msg = f"Cannot reach or write {self.where}: {reason}"
            raise DataError(msg) from None

    def names(self, below: str = "") -> list[str]:
        file_names = (f.base_name for f in self._listed(below))
        return [name for name in file_names if not name.startswith(LEFT_OVER)]

    def _listed(self, below: str) -> list[Any]:
        from pyarrow.fs import FileSelector  # noqa: PLC0415

        system, root = self._locate(below)
        with self._one_line_errors():
            return list(system.get_file_info(FileSelector(root, allow_not_found=True)))

    def size(self, name: str) -> int | None:
        system, path = self._locate(name)
        with self._one_line_errors():
            info = system.get_file_info(path)
        return int(info.size) if info.is_file else None

    def read(self, name: str) -> bytes | None:
        return None if self.size(name) is None else b"".join(self.chunks(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        system, path = self._locate(name)
        with self._one_line_errors(), system.open_input_stream(path) as file:
            while chunk := file.read(_CHUNK):
                yield bytes(chunk)

    def claim(self, name: str, content: bytes) -> None:
        """Write a small file unless it exists. Stores cannot exclude a concurrent writer."""
        if self.size(name) is None:
            self.write(name, content)

    def tidy(self, below: str = "") -> None:
        """Delete old unfinished files, because their writers cannot be identified."""
        system, _ = self._locate("")
        old = datetime.now(UTC) - timedelta(seconds=OLD)
        for info in self._listed(below):
            if info.is_file and info.base_name.startswith(LEFT_OVER) and info.mtime < old:
                self._drop(system, info.path)

    @contextmanager
    def new(self, name: str) -> Iterator[Any]:
        """Open a file with a temporary name, because a failed write may leave a partial file."""
        system, path = self._locate(name)
        above, _, _ = path.rpartition("/")
        part = f"{above}/{LEFT_OVER}{token_hex(8)}"
        with self._one_line_errors():
            if system.type_name not in _FLAT:
                system.create_dir(above, recursive=True)
            file = system.open_output_stream(part)
            try:
                with file:
                    yield file
                system.move(part, path)
            except BaseException:
                self._drop(system, part)
                raise

    @staticmethod
    def _drop(system: Any, part: str) -> None:
        with suppress(OSError):
            system.delete_file(part)


_MANIFEST = "manifest.json"
_VALUE_SHOWN = 60
"""Number of characters of a value that a message quotes."""
_DIGEST_LENGTH = 32
_HEX_DIGITS = frozenset("0123456789abcdef")


def take_folder(
    place: OutputFolder, header: Mapping[str, Any], *, kind: str, below: Sequence[str] = ()
) -> None:
    """Create a folder, or check that its contents belong to this work, and delete leftovers.

    The folder must be empty or have the manifest of the same work. ``header`` has everything that
    the work depends on, as JSON values.
    """
    expected = json.loads(json.dumps(header, allow_nan=False))
    actual = _read(place, kind)
    if actual is None:
        _refuse_strangers(place, below)
        place.claim(_MANIFEST, (json.dumps(expected, indent=2) + "\n").encode())
        actual = _read(place, kind)
    if actual is None:
        msg = (
            f"{place.where}/{_MANIFEST}: the file was just written but is missing. Check the "
            "storage."
        )
        raise DataError(msg)
    if actual != expected:
        msg = (
            f"{place.where} contains another {kind} (differences: "
            f"{_differences(actual, expected)}). Choose another folder, or delete this "
            "one."
        )
        error = OtherWorkError(msg)
        error.where = place.where
        raise error
    for part in ("", *below):
        place.tidy(part)


def _read(place: OutputFolder, kind: str) -> dict[str, Any] | None:
    content = place.read(_MANIFEST)
    if content is None:
        return None
    path, article = f"{place.where}/{_MANIFEST}", "an" if kind[0] in "aeiou" else "a"
    try:
        manifest = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        msg = f"{path}: not a valid manifest of {article} {kind}: {error}"
        raise DataError(msg) from error
    if not isinstance(manifest, dict):
        msg = f"{path}: not a valid manifest of {article} {kind}: not a JSON object"
        raise DataError(msg)
    return manifest


def _short(value: Any) -> str:
    try:
        text = json.dumps(value)
    except RecursionError:
        return "a value nested too deeply"
    return text if len(text) <= _VALUE_SHOWN else f"{text[:_VALUE_SHOWN]}…"


def is_digest(value: Any) -> bool:
    """Return whether a value is a checksum like those in manifests."""
    return (
        isinstance(value, str) and len(value) == _DIGEST_LENGTH and _HEX_DIGITS.issuperset(value)
    )


def _differences(actual: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return the keys that differ, with both values, but without the values of checksums."""

    def describe(key: str) -> str:
        actual_value, expected_value = actual.get(key), expected.get(key)
        if is_digest(actual_value) or is_digest(expected_value):
            return key
        return f"{key}: {_short(actual_value)} there, {_short(expected_value)} here"

    return "; ".join(
        describe(k) for k in {**expected, **actual} if actual.get(k) != expected.get(k)
    )


def _refuse_strangers(place: OutputFolder, below: Sequence[str]) -> None:
    """Raise an error unless the folder is empty, or contains only an interrupted first file."""
    names = place.names()
    inside = (f"{part}/{name}" for part in below if part in names for name in place.names(part))
    others = [*(name for name in names if name not in {_MANIFEST, *below}), *inside]
    if others:
        msg = f"{place.where} is not empty (it contains {others[0]}). Choose a new folder."
        raise DataError(msg)
