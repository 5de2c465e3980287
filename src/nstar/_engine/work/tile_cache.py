"""TileCache: values kept between two passes over all tiles, within a memory budget."""

import threading
from pathlib import Path
from typing import Any, Protocol

_MAX_CACHE_BYTES = 1 << 30
"""Default upper limit of the cache in bytes."""

_FREE_MEMORY_DIVISOR = 4
"""Divisor of the free memory that yields the default budget."""

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current")
"""Files with the memory limit and the memory usage of a container."""


def _in_container() -> int | None:
    """Return the number of free bytes in a container. None without a limit or container."""
    try:
        limit, used = (int(Path(path).read_text(encoding="ascii")) for path in _LIMITS)
    except (OSError, ValueError):
        return None
    return max(limit - used, 0)


def _of_machine() -> int | None:
    """Return the number of bytes that programs can allocate without swapping. None if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        entry = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(entry.split()[1]) * 1024
    except (OSError, ValueError, StopIteration):
        return None


def free_memory() -> int:
    """Return the number of free bytes in this container or machine. 1 GB if unknown."""
    known = [n_bytes for n_bytes in (_of_machine(), _in_container()) if n_bytes is not None]
    return min(known, default=_MAX_CACHE_BYTES)


def memory_budget(memory: int | None = None) -> int:
    """Return the number of bytes to keep between passes, by default a quarter of free memory.

    >>> memory_budget(1000)
    1000
    >>> memory_budget() <= 1 << 30
    True
    """
    return (
        min(_MAX_CACHE_BYTES, free_memory() // _FREE_MEMORY_DIVISOR) if memory is None else memory
    )


class HasNbytes(Protocol):
    """Object that knows its size in memory."""

    @property
    def nbytes(self) -> int: ...


class TileCache:
    """Thread-safe cache with a fixed budget in bytes.

    A value that does not fit is not stored, and nothing is ever evicted.

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
        """Store a value if it fits."""
        with self._lock:
            if key not in self._known and value.nbytes <= self._left:
                self._left -= value.nbytes
                self._known[key] = value

    def find(self, key: Any) -> Any:
        """Return the stored value, or None."""
        return self._known.get(key)
