"""``open_pack``: map a packed matrix into memory, so that only the rows in use are read."""

import os
from collections.abc import Sequence
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from nstar._data.confined import is_confined, open_binary
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._data.pack.manifest import (
    ARRAYS,
    Manifest,
    digest,
    manifest_digest,
    plain_size,
    read_manifest,
    says_pack,
    width_of,
)
from nstar._data.pack.names import read_items, read_models
from nstar.errors import DataError


class _MappedRows(np.memmap[Any, Any]):
    """Rows of a file that are read when they are used. Slices are ordinary arrays."""

    _pack: str | None = None
    """Digest of the pack's manifest, if this is the whole file."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the name and shape of the file and its pack, if this is the whole file."""
        if self._pack is not None:
            return _mapped_elsewhere, (str(self.filename), self.dtype.str, self.shape, self._pack)
        return np.asarray(self).__reduce_ex__(protocol)


def _mapped(path: str, dtype: str, shape: Sequence[int], pack: str) -> _MappedRows:
    """Map a file as a read-only array. ``pack`` is the digest of its manifest."""
    try:
        with open_binary(path) if is_confined() else nullcontext(path) as file:
            rows = _MappedRows(file, dtype=np.dtype(dtype), mode="r", shape=tuple(shape))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        msg = f"Cannot map {path}: {reason}"
        raise DataError(msg) from error
    rows._pack = pack  # noqa: SLF001 ours
    return rows


def _mapped_elsewhere(path: str, dtype: str, shape: Sequence[int], pack: str) -> _MappedRows:
    """Map the same file in another process, after checking that it belongs to the same pack."""
    try:
        _confirm(str(Path(path).parent), pack)
        return _mapped(path, dtype, shape, pack)
    except DataError as error:
        msg = (
            f"{str(error).rstrip('.')}. A packed matrix must be on storage that every worker sees "
            "under the same path, and must not change during the run."
        )
        raise DataError(msg) from error


@lru_cache(maxsize=256)
def _confirm(root: str, pack: str) -> None:
    """Check the pack, once per process."""
    if manifest_digest(Path(root)) != pack:
        msg = (
            f"{root}: this pack differs from the one that was opened first. Use the same path for "
            "all workers."
        )
        raise DataError(msg)


_CHUNK = 16 << 20
"""Number of bytes that are verified at a time, a multiple of the size of every type."""


def is_pack(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a packed matrix, or has all of its files except the manifest.

    A pack with a missing or invalid manifest must not be read as a folder of logs.
    """
    root = Path(path)
    if not root.is_dir():
        return False
    try:
        return says_pack(root)
    except DataError:
        names = ("models.parquet", "items.parquet")
        arrays = (root / f"{name}.bin" for name in ("bits", "means"))
        return all((root / name).exists() for name in names) and any(a.exists() for a in arrays)


def packed_findings(directory: str | os.PathLike[str]) -> tuple[Finding, ...]:
    """Return the findings about the logs that were stored with a pack."""
    return read_manifest(Path(directory)).findings


def open_pack(directory: str | os.PathLike[str], *, verify: bool = True) -> ScoreMatrix:
    """Open a matrix that :func:`nstar.pack` wrote, without reading it into memory.

    Parameters
    ----------
    directory : path
        Directory of the packed matrix. It must not change while the matrix is in use.
    verify : bool, default True
        Read all data once and compare the checksums. Otherwise, only sizes and names are checked.

    Raises
    ------
    DataError
        The directory is not a packed matrix, or its contents have changed.
    """
    root = Path(directory)
    manifest, pack_digest = read_manifest(root), manifest_digest(root)
    arrays = {name: _array(root, name, manifest, pack_digest) for name in manifest.arrays}
    models = read_models(root / "models.parquet", manifest.models, manifest.names["models"])
    items, groups, content = read_items(
        root / "items.parquet", manifest.items, manifest.names["items"]
    )
    if verify:
        for name, rows in arrays.items():
            _verify(root / f"{name}.bin", name, rows, manifest)
    return ScoreMatrix(
        task=manifest.task,
        metric=manifest.metric,
        lower_is_better=manifest.lower_is_better,
        models=models,
        items=items,
        groups=groups,
        content=content,
        **arrays,  # type: ignore[arg-type]
    )


def _array(root: Path, name: str, manifest: Manifest, pack_digest: str) -> _MappedRows:
    path, width = root / f"{name}.bin", width_of(name, manifest.items)
    expected_size = manifest.models * width * np.dtype(ARRAYS[name]).itemsize
    actual_size = plain_size(path)
    if actual_size != expected_size:
        sizes_text = f"{actual_size:,} bytes where {expected_size:,} are expected"
        msg = f"{path}: {sizes_text}. The file may be truncated; pack the data again."
        raise DataError(msg)
    return _mapped(str(path), ARRAYS[name], (manifest.models, width), pack_digest)


def _verify(path: Path, name: str, rows: Any, manifest: Manifest) -> None:
    """Compare every block with its checksum, and check for values that packing never writes."""
    row, odd = rows.shape[1] * rows.dtype.itemsize, False
    with open_binary(path) as file:
        for number, checksum in enumerate(manifest.arrays[name]):
            size = min(manifest.block, manifest.models - number * manifest.block)
            mine, n_read = digest(), 0
            while content := file.read(min(_CHUNK, size * row - n_read)):
                mine.update(content)
                odd = odd or _has_invalid_values(
                    np.frombuffer(content, dtype=rows.dtype), n_read, rows, manifest
                )
                n_read += len(content)
            if mine.hexdigest() != checksum:
                start = number * manifest.block
                msg = (
                    f"{path}: models {start + 1:,} to {start + size:,} differ from the "
                    "packed data (checksum mismatch). Pack the data again."
                )
                raise DataError(msg)
    if odd:
        msg = f"{path}: contains values that are not scores. Pack the data again."
        raise DataError(msg)


def _has_invalid_values(part: Any, start: int, rows: Any, manifest: Manifest) -> bool:
    """Return whether a block, from byte ``start`` on, has values that packing never writes."""
    if part.dtype.kind == "f":
        return bool(np.isinf(part).any())
    if part.dtype.kind != "u":
        return False
    last = part[(rows.shape[1] - 1 - start) % rows.shape[1] :: rows.shape[1]]
    return bool((last & _padding_mask(manifest.items)).any())


def _padding_mask(items: int) -> int:
    """Return a mask of the bits in a row's last byte that belong to no item."""
    return 0xFF & ~((1 << (items % 8)) - 1) if items % 8 else 0
