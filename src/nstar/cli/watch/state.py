"""The file that a watch goes on from: replaced whole, about once a second, by one process."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from nstar.cli.kit.lock import Hold
from nstar.cli.kit.output import write_whole

if TYPE_CHECKING:
    from nstar._verbs.watch import Watch

_BUSY = "another nstar watch keeps its state there; give it its own"
_EVERY = 1.0
"""Seconds between two writings."""
_SHARE = 10
"""Times that a writing took, before the next one: long runs have large states."""


class StateFile:
    """Where a watch is kept; nowhere if no path is given.

    Parameters
    ----------
    path
        The file, or None.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._hold = None if path is None else Hold(path, "state", _BUSY)
        self._done, self._next = -1, 0.0

    def load(self) -> "Watch | None":
        """The watch that was kept, if any."""
        import json

        from nstar._verbs.watch import Watch
        from nstar.errors import ParameterError, ReadError

        if self._path is None or not Path(self._path).exists():
            return None
        try:
            saved = json.loads(Path(self._path).read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            msg = f"{self._path}: the state cannot be read: {error}"
            raise ReadError(msg) from error
        if not isinstance(saved, dict):
            msg = f"{self._path}: is no state of nstar watch"
            raise ReadError(msg)
        try:
            return Watch.from_dict(saved)
        except ParameterError as error:
            msg = f"{self._path}: {error}"
            raise ReadError(msg) from error

    def save(self, watch: "Watch", *, now: bool = False) -> None:
        """Keep the watch if it has changed and the last time is long enough ago."""
        import json

        done, began = watch.n + watch.unscored, time.monotonic()
        if self._path is None or done == self._done:
            return
        if now or began >= self._next:
            content = json.dumps(watch.to_dict(), allow_nan=False).encode()
            write_whole(self._path, content + b"\n", "state")
            ended = time.monotonic()
            self._done, self._next = done, ended + max(_EVERY, _SHARE * (ended - began))

    def close(self) -> None:
        """Let others have the file."""
        if self._hold is not None:
            self._hold.release()
