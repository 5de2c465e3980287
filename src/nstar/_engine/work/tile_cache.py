"""TileCache: what one pass over all tiles keeps for the next, as far as memory allows."""

import threading
from pathlib import Path
from typing import Any, Protocol

_MAX_CACHE_BYTES = 1 << 30
"""Bytes that are kept at most, unless somebody says otherwise."""

_FREE_MEMORY_DIVISOR = 4
"""One in so many bytes of free memory."""

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current")
"""What a container may use, and does."""


def _in_container() -> int | None:
    """Bytes that a container has left; None if it has no limit or this is none."""
    try:
        limit, used = (int(Path(path).read_text(encoding="ascii")) for path in _LIMITS)
    except (OSError, ValueError):
        return None
    return max(limit - used, 0)


def _of_machine() -> int | None:
    """Bytes that programs could have without others giving way; None if the system won't say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(found.split()[1]) * 1024
    except (OSError, ValueError, StopIteration):
        return None


def free_memory() -> int:
    """Bytes that are free, in this container if it is one; 1 GB where nobody says."""
    known = [found for found in (_of_machine(), _in_container()) if found is not None]
    return min(known, default=_MAX_CACHE_BYTES)


def memory_budget(asked: int | None = None) -> int:
    """Bytes to keep between two passes: as many as asked for, else a quarter of free memory.

    Examples
    --------
    >>> memory_budget(1000)
    1000
    >>> memory_budget() <= 1 << 30
    True
    """
    return min(_MAX_CACHE_BYTES, free_memory() // _FREE_MEMORY_DIVISOR) if asked is None else asked


class HasNbytes(Protocol):
    """What knows the memory that it takes."""

    @property
    def nbytes(self) -> int: ...


class TileCache:
    """Values by key, as many as fit. Threads of one process share it.

    Examples
    --------
    >>> import numpy as np
    >>> recall = TileCache(100)
    >>> recall.keep("a", np.zeros(10))
    >>> recall.keep("b", np.zeros(10))
    >>> recall.find("a") is None, recall.find("b") is None
    (False, True)
    """

    def __init__(self, budget: int) -> None:
        self._left = budget
        self._known: dict[Any, Any] = {}
        self._lock = threading.Lock()

    def keep(self, key: Any, value: HasNbytes) -> None:
        """Keep a value, if there is room for it."""
        with self._lock:
            if key not in self._known and value.nbytes <= self._left:
                self._left -= value.nbytes
                self._known[key] = value

    def find(self, key: Any) -> Any:
        """What was kept; None if nothing was."""
        return self._known.get(key)
