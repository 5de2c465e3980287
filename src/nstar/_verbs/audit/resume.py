"""A pass over all pairs that can be stopped: what is counted so far is kept as it goes."""

from collections.abc import Callable, Sequence
from operator import iadd
from typing import Any, Protocol, TypeVar

import numpy as np

from nstar._engine.work import Progress
from nstar._verbs.audit.mosaic import Mosaic
from nstar._verbs.audit.tiles import Tile
from nstar.errors import DataError

_EVERY = 20.0
"""Seconds of work of each worker between two savings, about."""


class Kept(Protocol):
    """What can be saved: see :class:`nstar._data.export.audit_folders.Checkpoints`."""

    def save(self, name: str, arrays: Any) -> None:
        """Replace what is known under a name."""

    def load(self, name: str, wanted: Sequence[str] = ()) -> dict[str, Any] | None:
        """What was saved last, with the arrays that must be in it; None if nothing was."""

    def path(self, name: str) -> str:
        """Where it is, for messages."""


class _Sum(Protocol):
    """A sum over tiles."""

    def arrays(self) -> dict[str, Any]: ...


S = TypeVar("S", bound=_Sum)


def _own(part: S, back: Callable[[Any], S]) -> S:
    """The same in arrays of our own: what comes from elsewhere may be read only."""
    return back({key: np.array(value) for key, value in part.arrays().items()})


def _made(found: dict[str, Any], back: Callable[[Any], S], kept: Kept, name: str) -> S:
    """A sum from what was saved of it."""
    try:
        return back(found)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        msg = f"{kept.path(name)}: is not what was saved; delete it, and that part is done again"
        raise DataError(msg) from error


def _added(total: S, part: S) -> S:
    out: S = iadd(total, part)  # type: ignore[no-untyped-call]
    return out


def resumed(
    mosaic: Mosaic,
    work: Callable[[Tile, Any], S],
    given: Any,
    *,
    name: str,
    back: Callable[[Any], S],
    kept: Kept | None,
    progress: Progress | None,
    stamp: Sequence[float] = (),
) -> S:
    """The sum of ``work`` on all tiles, from where an earlier run stopped.

    Tiles are done row by row; a file says how many, and what they add up to. Sums are
    exact, so that it does not matter who stopped where. ``back`` makes a sum from its arrays;
    what was summed under another ``stamp`` is not used.
    """
    if kept is None:
        return mosaic.reduced(work, given, iadd, bound=True, progress=progress)
    total, done = None, 0
    mine = np.array([mosaic.size, *stamp], dtype=np.float64)
    found = kept.load(name, ("stamp", "done"))
    if found is not None and np.array_equal(found.pop("stamp"), mine):
        done = int(found.pop("done"))
        total = _made(found, back, kept, name)
    for tiles in mosaic.stretches(done, _EVERY):
        part = mosaic.reduced(work, given, iadd, bound=True, progress=progress, part=tiles)
        total = _own(part, back) if total is None else _added(total, part)
        kept.save(name, {**total.arrays(), "done": np.array(tiles.stop), "stamp": mine})
    if total is None:  # no strip of rows can be absent
        return mosaic.reduced(work, given, iadd, bound=True, progress=progress)
    return total
