"""Process all pairs in passes that can be resumed, and identify an audit by a fingerprint."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from hashlib import blake2b
from operator import iadd
from typing import Any, Protocol, TypeVar

import numpy as np

from nstar._engine.work import Progress
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.selection import AuditedModels
from nstar._verbs.audit.tile_grid import TileGrid
from nstar.errors import DataError

_HASH_CHUNK_ROWS = 1024
"""Number of rows of a matrix that are read in one step."""


def _fingerprint(field: AuditedModels) -> dict[str, str]:
    """Return digests of the models, the scores, and the groups of items of an audit."""
    matrix = field.matrix
    names, scores, groups = (blake2b(digest_size=16) for _ in range(3))
    _add_texts(names, field.names)
    for part in (matrix.bits, matrix.mask, matrix.means, field.items, np.array(field.models)):
        _add_array(scores, part)
    for name, grouping in sorted(matrix.groups.items()):
        _add_texts(groups, (name, *grouping.labels))
        _add_array(groups, grouping.codes)
    return {
        "models": names.hexdigest(),
        "scores": scores.hexdigest(),
        "groups": groups.hexdigest(),
    }


def _add_texts(digest: Any, texts: Sequence[str]) -> None:
    """Add texts with their lengths to a digest, so that different lists have different digests."""
    digest.update(b"%d texts:" % len(texts))
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(content))
        digest.update(content)


def _add_array(digest: Any, rows: Any) -> None:
    """Add an array with its type and shape to a digest, or a mark if there is no array."""
    if rows is None:
        digest.update(b"none;")
        return
    digest.update(f"{rows.dtype.str}{rows.shape}:".encode())
    for start in range(0, len(rows), _HASH_CHUNK_ROWS):
        digest.update(np.ascontiguousarray(rows[start : start + _HASH_CHUNK_ROWS]).data)


def audit_fingerprint(
    field: AuditedModels, design: str, question: AuditQuestion
) -> dict[str, Any]:
    """Return everything that identifies an audit as JSON values.

    This includes scores, models, criteria, and the NumPy version, so that a checkpoint of a
    different audit is never resumed.
    """
    return {
        "task": field.matrix.task,
        "metric": field.matrix.metric,
        "lower_is_better": field.matrix.lower_is_better,
        "design": design,
        "item_set": question.items,
        "adjust": question.adjust,
        **asdict(question.criteria),
        "margin": question.margin,
        "draws": question.draws,
        "seed": question.seed,
        "numpy": np.__version__,
        **_fingerprint(field),
    }


_SECONDS_BETWEEN_CHECKPOINTS = 20.0
"""Approximate seconds of work per worker between two checkpoints."""


class CheckpointStore(Protocol):
    """Store of intermediate counts: see :class:`nstar._data.export.audit_folders.Checkpoints`."""

    def save(self, name: str, arrays: Any) -> None:
        """Replace the arrays stored under a name."""

    def load(self, name: str, required: Sequence[str] = ()) -> dict[str, Any] | None:
        """Return the arrays saved last if they include ``required``; None if there are none."""

    def path(self, name: str) -> str:
        """Return the location of a file, for messages."""


class _Summable(Protocol):
    """Protocol of a sum over tiles."""

    def arrays(self) -> dict[str, Any]: ...


S = TypeVar("S", bound=_Summable)


def _writable_copy(part: S, back: Callable[[Any], S]) -> S:
    """Return a copy in writable arrays."""
    # A part computed elsewhere may be in read-only memory (Ray's object store). The running
    # total is updated in place, so it starts from a copy.
    return back({key: np.array(value) for key, value in part.arrays().items()})


def _restored_sum(
    state: dict[str, Any], back: Callable[[Any], S], checkpoints: CheckpointStore, name: str
) -> S:
    """Return a sum that is rebuilt from its saved arrays."""
    try:
        return back(state)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        msg = (
            f"{checkpoints.path(name)}: the file has changed since it was saved. Delete it to "
            "compute that part again."
        )
        raise DataError(msg) from error


def _added(total: S, part: S) -> S:
    out: S = iadd(total, part)  # type: ignore[no-untyped-call]
    return out


def reduce_resumable(
    grid: TileGrid,
    work: Callable[[Any, Any], S],
    context: Any,
    *,
    name: str,
    back: Callable[[Any], S],
    checkpoints: CheckpointStore | None,
    progress: Progress | None,
    stamp: Sequence[float] = (),
) -> S:
    """Sum ``work`` over all tiles, resuming from a checkpoint if there is one.

    Tiles are processed row by row, and a file stores their number and their sum. Sums are exact,
    so the point of interruption does not change the result. ``back`` rebuilds a sum from its
    arrays. A saved sum with another ``stamp`` is ignored.
    """
    options: dict[str, Any] = {"bound": True, "counted": grid.counted, "progress": progress}
    if checkpoints is None:
        return grid.reduced(work, context, iadd, **options)
    total, n_done = None, 0
    # Counts of the second pass depend on the thresholds of the first, and tile numbers on the
    # tile size. If either differs, saved counts must not be added to.
    mine = np.array([grid.size, *stamp], dtype=np.float64)
    state = checkpoints.load(name, ("stamp", "done"))
    if state is not None and np.array_equal(state.pop("stamp"), mine):
        n_done = int(state.pop("done"))
        total = _restored_sum(state, back, checkpoints, name)
    for tiles in grid.stretches(n_done, _SECONDS_BETWEEN_CHECKPOINTS):
        part = grid.reduced(work, context, iadd, part=tiles, **options)
        total = _writable_copy(part, back) if total is None else _added(total, part)
        checkpoints.save(name, {**total.arrays(), "done": np.array(tiles.stop), "stamp": mine})
    if total is None:  # every strip of rows exists
        return grid.reduced(work, context, iadd, **options)
    return total
