"""Monitor incoming votes: rate all models, or compare two, until there is a decision."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.output import error_for_cli, printable
from nstar.cli.watch.loop import Loop
from nstar.cli.watch.session import DRAW

if TYPE_CHECKING:
    from nstar._data.vote_counts import PairVoteCounts
    from nstar._data.votes import Votes
    from nstar._verbs.battles import Battles, BattlesQuestion
    from nstar._verbs.watch import WatchQuestion
    from nstar._verbs.watch.pair_votes import PairVotes
    from nstar.errors import NstarError
    from nstar.readers import ReaderOptions
    from nstar.report.formats.live import LiveScreen

_PATIENCE = 5.0
"""Seconds for which a table may be unreadable, because it may be incomplete."""
_BEGUN_AGAIN = ". Was the vote restarted? To watch the new vote, start nstar watch votes again."
_SHARE = 10
"""Shortest time between looks, as a multiple of the last look. Large tables take long."""

_WORTH_TELLING = 5.0
"""Shortest waiting time in seconds that is shown on the screen."""


class GrowingVotes:
    """Growing table of votes, read completely whenever it has changed."""

    def __init__(
        self,
        path: str,
        options: "ReaderOptions",
        loop: Loop,
        screen: "LiveScreen",
        *,
        only: Any = (),
        groups: tuple[str, ...] = (),
    ) -> None:
        self.path, self._loop, self._screen = path, loop, screen
        self._options = replace(options, progress=self._report, growing=True)
        self._only, self._groups = only, groups
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._tally: PairVoteCounts | None = None
        self._failing: float | None = None
        """Time since which the table cannot be read."""
        self._drawn = 0.0
        self._told = False
        self.count = 0
        """Number of votes so far."""

    def poll(self) -> "Votes | None":
        """Return all votes, or None if the table has not changed since the last look."""
        from nstar.errors import ReadError
        from nstar.readers.follow import stamp

        now = stamp(self.path)
        if now == self._seen and self._failing is None:
            return None
        try:
            votes = self._read(now)
        except ReadError as error:
            self._wait_or_raise(error)
            return None
        self._seen, self._failing = now, None
        return votes

    def _read(self, now: tuple[tuple[str, int, int], ...]) -> "Votes | None":
        """Return the votes, or None if there are none yet."""
        from nstar._api.inputs.reading import ReadSettings
        from nstar._api.inputs.votes import load_votes
        from nstar.errors import DataError, ReadError
        from nstar.readers.follow import begun

        if not any(begun(path) for path, _, _ in now):
            self._nothing(f"{self.path}: {'the file is empty' if now else 'no such file'}")
            return None
        try:
            settings = ReadSettings(options=self._options)
            votes = load_votes(self.path, settings, only=self._only, groups=self._groups)
        except ReadError:
            raise
        except DataError as error:  # no votes, or none between two models
            self._nothing(error_for_cli(error))
            return None
        self._refuse_another(votes)
        return votes

    def _nothing(self, reason: str) -> None:
        """Wait for the first votes. Raise an error if votes were counted before."""
        from nstar.errors import ReadError

        if self._tally is None:
            self.wait(reason)
            return
        msg = f"{reason}, although {self.count:,} votes were counted earlier{_BEGUN_AGAIN}"
        raise ReadError(msg)

    def _refuse_another(self, votes: "Votes") -> None:
        """Raise an error if counted votes are missing, because the table is a different one."""
        from nstar._data.vote_counts import PairVoteCounts
        from nstar.errors import ReadError

        now = PairVoteCounts.of(votes)
        gone = 0 if self._tally is None else now.lacks(self._tally)
        if gone:
            msg = f"{self.path}: {gone:,} of {self.count:,} counted votes are gone{_BEGUN_AGAIN}"
            raise ReadError(msg)
        self._tally, self.count = now, len(votes)

    def _wait_or_raise(self, error: "NstarError") -> None:
        """Wait for a writer to complete the table. Raise the error after a while."""
        now = time.monotonic()
        self._failing = now if self._failing is None else self._failing
        if self._loop.once or now - self._failing > _PATIENCE:
            raise error
        self.wait(error_for_cli(error))

    def wait(self, reason: str) -> None:
        """Report a reason for waiting on the screen, or once as a line if there is no screen."""
        from nstar.errors import DataError

        if self._loop.once:
            raise DataError(reason)
        self._screen.wait(reason)
        if not self._screen.live and not self._told:
            self._told = True
            click.echo(f"nstar: waiting: {printable(reason)}", err=True)

    def _report(self, path: str, bytes_read: int, total: int | None) -> None:
        if time.monotonic() - self._drawn > DRAW and self._tally is None:
            self._drawn = time.monotonic()
            share = f"{100 * bytes_read / total:.0f}%" if total else f"{bytes_read / 1e6:,.0f} MB"
            self._screen.wait(f"reading {path[-60:]}  {share}")


class _PollInterval:
    """Time between looks, so that a large table leaves the machine time for other work."""

    def __init__(self, seconds: float) -> None:
        self._every = self.pause = seconds
        self._first = True

    def after(self, took: float) -> str:
        """Record the duration of a look. Return a message if the next look is delayed."""
        if self._first:  # the first look also loaded the program
            self._first = False
            return ""
        self.pause = max(self._every, _SHARE * took)
        if self.pause <= max(self._every, _WORTH_TELLING):
            return ""
        return f"Next look in {self.pause:.0f} s; one takes {took:.1f} s."


class BoardSession:
    """Session that rates all models whenever there are new votes."""

    def __init__(
        self, votes: GrowingVotes, question: "BattlesQuestion", loop: Loop, screen: "LiveScreen"
    ) -> None:
        self.result: Battles | None = None
        self._votes, self._question, self._loop, self._screen = votes, question, loop, screen
        self._pace = _PollInterval(loop.every)

    @property
    def pause(self) -> float:
        """Return the seconds until the next look."""
        return self._pace.pause

    def look(self) -> bool:
        """Rate the models, and return whether to continue."""
        from nstar._engine.work import Execution
        from nstar._verbs.battles import rate
        from nstar.errors import DataError, InfeasibleError, QuestionError, arg

        began, planned = time.monotonic(), self._question.planned or 0
        votes = self._votes.poll()
        if votes is None:
            return True
        if self.result is None and len(votes) > planned:
            msg = (
                f"{arg('planned', f'{planned}')}: found {len(votes):,} votes, more than planned. "
                "Set the planned total before the first look, and do not change it."
            )
            raise QuestionError(msg)
        try:
            self.result = rate(votes, self._question, Execution())
        except (DataError, InfeasibleError) as error:
            if self._loop.once or len(votes) >= planned:
                raise
            self._votes.wait(f"{len(votes):,} of {planned:,} votes so far: {error_for_cli(error)}")
            return True
        self._screen.show_board(self.result, self._pace.after(time.monotonic() - began))
        is_open = bool(self.result.n_inconclusive or self.result.unrated)
        return is_open and self.result.n_votes < planned

    def close(self) -> None:
        """Do nothing, because the table contains every vote."""


class PairSession:
    """Session that compares two models by the votes between them."""

    def __init__(
        self,
        votes: GrowingVotes,
        question: "WatchQuestion",
        loop: Loop,
        screen: "LiveScreen",
        *,
        price: float | None,
    ) -> None:
        from nstar._verbs.watch import Watch

        self._names = question.models
        self.watch: Watch = Watch.asking(question)
        self.between: PairVotes | None = None
        """Votes between the two models so far."""
        self._votes, self._price, self._screen = votes, price, screen
        self._pace = _PollInterval(loop.every)

    @property
    def pause(self) -> float:
        """Return the seconds until the next look."""
        return self._pace.pause

    def look(self) -> bool:
        """Count new votes, and return whether to continue."""
        from nstar._verbs.watch.pair_votes import PairVotes

        began = time.monotonic()
        votes = self._votes.poll()
        if votes is None:
            return True
        now = PairVotes.of(votes, *self._names)
        self._count(now)
        if self.watch.n_items:
            self._screen.show(self.watch)
        else:
            self._wait(votes)
        self._pace.after(time.monotonic() - began)
        return self.watch.verdict == "open"

    def _count(self, now: "PairVotes") -> None:
        """Count the votes that are new since the last look."""
        from nstar.errors import DataError

        try:
            self.watch.extend(now.new_since(self.between, cost=self._price))
        except DataError as error:
            raise error.within(self._votes.path) from error
        self.between = now

    def _wait(self, votes: "Votes") -> None:
        """Report the model that has no vote yet."""
        unknown = [n for n in self._names if n not in votes.models]
        names_text = " and ".join(unknown) or f"{self._names[0]} and {self._names[1]}"
        verb = "includes" if unknown else "is between"
        available = ", ".join(votes.models[:8]) + (" …" if len(votes.models) > 8 else "")
        problem = (
            f"none of the {len(votes):,} votes {verb} {names_text}. Available models: {available}"
        )
        self._votes.wait(f"{self._votes.path}: {problem}")

    def close(self) -> None:
        """Do nothing, because the table contains every vote."""

    def asides(self) -> list[str]:
        """Return sentences about effects that the result does not account for."""
        pair_votes, first = self.between, self._names[0]
        if pair_votes is None:
            return []
        sentences = []
        if pair_votes.unbalanced:
            share = f"{100 * (pair_votes.shown_first or 0) / len(pair_votes):.0f}%"
            sentences.append(
                f"{first} was shown first in {share} of these votes, but the position effect is "
                "not adjusted for. To adjust for it, remove --a and --b."
            )
        if pair_votes.weighted:
            sentences.append("vote weights are not used: each vote counts once")
        return sentences
