"""Manifest of a packed matrix: the contents of its files, with a checksum for each block."""

import json
import os
import stat
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nstar._base.version import __version__
from nstar._data.confined import open_binary
from nstar._data.export.folder import is_digest
from nstar._data.findings import KINDS, Finding
from nstar.errors import DataError


def plain_size(path: Path) -> int:
    """Return the size of a regular file in bytes. Raise DataError for any other path."""
    try:
        info = os.lstat(path)
    except OSError as error:
        msg = f"Cannot read {path}: {error.strerror or error}"
        raise DataError(msg) from error
    if not stat.S_ISREG(info.st_mode):
        problem = "is a link" if stat.S_ISLNK(info.st_mode) else "is not a regular file"
        msg = f"{path}: {problem}. Pack the data again."
        raise DataError(msg)
    return info.st_size


def plain_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the content of a regular file of at most ``max_bytes``. Raise DataError otherwise."""
    size = plain_size(path)
    if size > max_bytes:
        msg = f"{path}: {size:,} bytes is too large for a pack. Pack the data again."
        raise DataError(msg)
    try:
        with open_binary(path) as file:
            return file.read()
    except OSError as error:
        msg = f"Cannot read {path}: {error.strerror or error}"
        raise DataError(msg) from error


MANIFEST = "manifest.json"
_SCHEMA = "nstar.matrix/1"

ARRAYS = {"bits": "|u1", "mask": "|u1", "means": "<f8", "counts": "<i4", "variances": "<f8"}
"""Fields of a ScoreMatrix that are stored as files ``NAME.bin``, with their types."""

_KINDS = (
    {"bits"},
    {"bits", "mask"},
    {"means"},
    {"means", "counts", "variances"},
)
"""Valid combinations of these files."""

_MOST_BYTES = 64 << 20
_MOST_MODELS = 1 << 30
_MOST_ITEMS = (1 << 30) - 1
_MOST_FINDINGS = 10_000


def digest(content: bytes = b"") -> Any:
    """Return the checksum of a block, or of names."""
    return blake2b(content, digest_size=16)


def width_of(name: str, items: int) -> int:
    """Return the number of values in a row of an array."""
    return -(-items // 8) if ARRAYS[name] == "|u1" else items


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Description of a packed matrix."""

    task: str
    metric: str
    lower_is_better: bool
    models: int
    """Number of rows."""
    items: int
    """Number of columns."""
    block: int
    """Number of rows in a block."""
    arrays: dict[str, list[str]]
    """Checksums of the blocks of each array."""
    names: dict[str, str]
    """Checksums of the files with the names of models and of items."""
    findings: tuple[Finding, ...] = ()
    """Findings about the logs that were stored with the pack."""

    def text(self) -> str:
        """Return the manifest as JSON."""
        header = {"schema": _SCHEMA, "nstar": __version__, **asdict(self)}
        return json.dumps(header, indent=1, allow_nan=False) + "\n"


def read_manifest(root: Path) -> Manifest:
    """Read and check the manifest of a directory, which must have exactly the known keys."""
    content = _json(root)
    if not isinstance(content, dict) or content.get("schema") != _SCHEMA:
        kind = content.get("schema") if isinstance(content, dict) else None
        raise _bad(root, f"the manifest has schema {str(kind)[:40]!r}; expected {_SCHEMA!r}")
    return _checked(root, content)


def says_pack(root: Path) -> bool:
    """Return whether the manifest of a directory declares a pack of any version.

    Raise DataError if the manifest is missing or unreadable.
    """
    content = _json(root)
    kind = content.get("schema") if isinstance(content, dict) else None
    return isinstance(kind, str) and kind.startswith(_SCHEMA.partition("/")[0] + "/")


def manifest_digest(root: Path) -> str:
    """Return the digest of a pack's manifest, which contains the checksums of all other files."""
    return str(digest(plain_bytes(root / MANIFEST, _MOST_BYTES)).hexdigest())


def _json(root: Path) -> Any:
    content = plain_bytes(root / MANIFEST, _MOST_BYTES)
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _bad(root, f"the manifest is not valid JSON: {error}") from error


def _bad(root: Path, reason: str) -> DataError:
    return DataError(f"{root}: not a usable pack: {reason}. Pack the data again.")


def _checked(root: Path, content: dict[str, Any]) -> Manifest:
    def whole_number(name: str, max_value: int) -> int:
        value = content.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= max_value:
            raise _bad(root, f"{name} is {str(value)[:40]}, not a number from 1 to {max_value:,}")
        return value

    models, items = whole_number("models", _MOST_MODELS), whole_number("items", _MOST_ITEMS)
    block = whole_number("block", _MOST_MODELS)
    for name, kind in (("task", str), ("metric", str), ("lower_is_better", bool)):
        if not isinstance(content.get(name), kind):
            raise _bad(root, f"{name} is missing")
    arrays, names = _checksums(root, content, -(-models // block))
    return Manifest(
        task=content["task"],
        metric=content["metric"],
        lower_is_better=content["lower_is_better"],
        models=models,
        items=items,
        block=block,
        arrays=arrays,
        names=names,
        findings=_findings(root, content.get("findings")),
    )


def _checksums(
    root: Path, content: dict[str, Any], blocks: int
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Check and return the checksums of all blocks and of the two files with names."""
    arrays, names = content.get("arrays"), content.get("names")
    if not isinstance(arrays, dict) or set(arrays) not in _KINDS:
        raise _bad(root, "its arrays have different sizes")
    for name, sums in arrays.items():
        if not isinstance(sums, list) or len(sums) != blocks:
            raise _bad(root, f"{name} does not have one checksum per block")
    if not isinstance(names, dict) or set(names) != {"models", "items"}:
        raise _bad(root, "checksums of names are missing")
    if not all(map(is_digest, (*names.values(), *(s for sums in arrays.values() for s in sums)))):
        raise _bad(root, "a checksum is invalid")
    return arrays, names


def _findings(root: Path, entries: Any) -> tuple[Finding, ...]:
    if not isinstance(entries, list) or len(entries) > _MOST_FINDINGS:
        raise _bad(root, "findings are missing, or there are too many")
    out = []
    for one in entries:
        known = isinstance(one, dict) and set(one) == {"level", "code", "text"}
        if not known or not all(isinstance(v, str) for v in one.values()):
            raise _bad(root, "a finding is invalid")
        if one["code"] not in KINDS or one["level"] not in ("fatal", "warning", "note"):
            raise _bad(root, f"unknown finding {one['code'][:40]!r}")
        out.append(Finding(**one))
    return tuple(out)
