"""Progress of long work: a line on standard error that is rewritten in place."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


class ProgressLine:
    """Progress line on standard error, rewritten in place.

    Nothing is shown in the first second, or if standard error is not a terminal.
    """

    def __init__(self) -> None:
        self._last = 0.0
        self._began = time.monotonic()
        self._shown = False

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._began < 1 or now - self._last < 0.1 or not sys.stderr.isatty():
            return False
        self._last = now
        return True

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        """Erase the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class ReadingProgress(ProgressLine):
    """Progress of reading files."""

    def __call__(self, path: str, bytes_read: int, total: int | None) -> None:
        """Update the line. Readers call this every few megabytes."""
        if not self._due():
            return
        share = f"{100 * bytes_read / total:3.0f}%" if total else f"{bytes_read / 1e6:,.0f} MB"
        from nstar._base.address import text_without_secrets
        from nstar.readers._read_errors import printable  # already loaded by the reader

        self._write(f"reading {printable(text_without_secrets(path))[-60:]}  {share}")


@contextmanager
def reading_shown() -> Iterator[ReadingProgress]:
    """Show the progress of reading, and erase it at the end."""
    progress = ReadingProgress()
    try:
        yield progress
    finally:
        progress.clear()


class TimedProgress(ProgressLine):
    """Number of finished units, with the estimated time left."""

    things = "things"
    """Plural name of the units."""

    def __init__(self) -> None:
        super().__init__()
        self._total = -1
        self._start = (0.0, 0)

    def __call__(self, n_done: int, total: int) -> None:
        """Update the line. A new total starts a new estimate."""
        now = time.monotonic()
        if total != self._total:
            self._total, self._start = total, (now, n_done)
        if not self._due():
            return
        began, before = self._start
        pace = (now - began) / (n_done - before) if n_done > before else 0.0
        left = pace * (total - n_done)
        time_text = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
        self._write(f"{n_done:,} of {total:,} {self.things}, about {time_text} left")


class PairProgress(TimedProgress):
    """Number of finished pairs."""

    things = "pairs"


class BatchProgress(TimedProgress):
    """Number of finished replications."""

    things = "replications"
