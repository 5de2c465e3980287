"""One watch on the command line: its logs, state file, and screen."""

import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nstar._base.units import Points
from nstar._data.export.lock import FileLock
from nstar.cli.kit.output import write_whole
from nstar.cli.watch.logs import check_scores
from nstar.cli.watch.loop import DRAW, Loop, Session
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from nstar._verbs.watch import Watch, WatchQuestion
    from nstar._verbs.watch.ledger import ItemPair
    from nstar.cli.watch.logs import PairedLogFeed
    from nstar.report.formats.live import LiveScreen

_BUSY = "Another nstar watch process is using this state file. Choose a different file."
_EVERY = 1.0
"""Shortest time in seconds between two writes of the state."""
_SHARE = 10
"""Shortest time between two writes, as a multiple of the last write. Long runs have large
states.
"""


class _StateFile:
    """File that stores a watch. Without a path, nothing is stored."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._hold = None if path is None else FileLock(path, "state", _BUSY)
        self._done, self._next = -1, 0.0

    def load(self) -> "Watch | None":
        """Return the stored watch, or None."""
        import json

        from nstar._verbs.watch import Watch
        from nstar.errors import ParameterError, ReadError

        if self._path is None or not Path(self._path).exists():
            return None
        try:
            saved = json.loads(Path(self._path).read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            msg = f"Cannot read the state {self._path}: {error}"
            raise ReadError(msg) from error
        if not isinstance(saved, dict):
            msg = f"{self._path}: not a state file of nstar watch. Choose a different file."
            raise ReadError(msg)
        try:
            return Watch.from_dict(saved)
        except ParameterError as error:
            msg = f"{self._path}: {error}"
            raise ReadError(msg) from error

    def save(self, watch: "Watch", *, now: bool = False) -> None:
        """Store the watch if it has changed and the last write is long enough ago."""
        import json

        n_done, began = watch.n_items + watch.n_items_unscored, time.monotonic()
        if self._path is None or n_done == self._done:
            return
        if now or began >= self._next:
            content = json.dumps(watch.to_dict(), allow_nan=False).encode()
            write_whole(self._path, content + b"\n", "state")
            ended = time.monotonic()
            self._done, self._next = n_done, ended + max(_EVERY, _SHARE * (ended - began))

    def close(self) -> None:
        """Release the file."""
        if self._hold is not None:
            self._hold.release()


_ITEMS_PER_REDRAW = 4096
"""Number of items between two checks whether to update the screen."""


def no_items() -> str:
    """Raise an error if the planned number of items is unknown."""
    return f"Set {arg('items', 'N')} (planned total): the logs do not record it."


class WatchSession(Session):
    """Session that reads the logs and updates the watch."""

    def __init__(
        self,
        feed: "PairedLogFeed",
        make_question: "Callable[..., WatchQuestion]",
        loop: Loop,
        screen: "LiveScreen",
        *,
        n_items: int | None,
        margin: float | None,
        price: float | None,
    ) -> None:
        super().__init__(loop, screen)
        self.watch: Watch | None = None
        self._feed, self._ask = feed, make_question
        self._n_items, self._margin, self._price = n_items, margin, price
        self._state = _StateFile(loop.state)
        self._early: list[ItemPair] = []
        self._resumed = False
        feed.progress = self._reading

    @property
    def pause(self) -> float:
        """Return the seconds until the next look."""
        return min(super().pause, DRAW) if self._feed.piped else super().pause

    def look(self) -> bool:
        """Process new data, and return whether to continue."""
        pairs = [*self._early, *self._feed.poll()]
        if self.watch is None and not self._begin():
            self._early = pairs
            check_scores(self._feed.first_path)
            self._screen.wait(self._feed.trouble)
            return not self._feed.ended
        self._early = []
        self._count(pairs)
        return self.watch is not None and self.watch.verdict == "open" and not self._feed.ended

    def _begin(self) -> bool:
        """Start the watch once the models and the number of items are known."""
        from nstar._verbs.watch import Watch

        names, saved = self._feed.names, self._state.load()
        if names is None:
            return False
        n_items = self._n_items or (saved and saved.question.items) or self._feed.horizon
        if n_items is None:
            raise QuestionError(no_items())
        lower = self._feed.lower_is_better
        question = self._ask(items=n_items, models=names, lower_is_better=lower)
        if saved is not None:
            question.refuse_other(saved.question)
        self.watch, self._resumed = saved or Watch.asking(question), saved is not None
        return True

    def _count(self, pairs: "list[ItemPair]") -> None:
        from nstar._api.inputs.gap_units import check_gap_on_scale

        watch = self.watch
        if watch is None:
            return
        if self._resumed and not self._feed.piped:
            self._refuse_other_items(watch, pairs)
        self._resumed = False
        fresh = self._new_pairs(watch, pairs)
        while batch := list(islice(fresh, _ITEMS_PER_REDRAW)):
            watch.extend(batch)
            if isinstance(self._margin, Points):
                check_gap_on_scale("margin", self._margin, watch.score_range)
            if self._is_drawing_due:
                self.draw()
        self.draw()
        self._state.save(watch)

    def _new_pairs(self, watch: "Watch", pairs: "Iterable[ItemPair]") -> "Iterator[ItemPair]":
        """Return new items. Raise an error if the score of a counted item has changed."""
        price = self._price
        for pair in pairs:
            if pair.item is not None and pair.item in watch:
                watch.check_again(pair.item, pair.a, pair.b)
            else:
                yield pair if price is None else replace(pair, cost=price)

    def _refuse_other_items(self, watch: "Watch", pairs: "list[ItemPair]") -> None:
        """Raise an error if logs lack items that were counted before, as after a restart."""
        from nstar.errors import DataError

        items = {pair.item for pair in pairs}
        gone = [item for item in watch.items if item not in items]
        if gone:
            msg = (
                f"{len(gone):,} counted items are gone from the logs ({gone[0][:80]!r}, …): a "
                f"different run? Use a new {arg('state')} file."
            )
            raise DataError(msg)

    def draw(self) -> None:
        """Draw the watch, or a message about missing data."""
        if self.watch is None:
            return
        self._drawn = time.monotonic()
        if self.watch.n_items or self._feed.apart is None:
            self._screen.show(self.watch)
        else:
            self._wait(self._feed.apart, ended=self._feed.ended)

    def _reading(self, path: str, bytes_read: int, total: int | None) -> None:
        if self.watch is None:
            self._report_reading(path, bytes_read, total)

    def close(self) -> None:
        """Store the state."""
        try:
            if self.watch is not None:
                self._state.save(self.watch, now=True)
        finally:
            self._state.close()
