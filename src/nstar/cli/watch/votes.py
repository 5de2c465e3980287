"""``nstar watch votes``: rate models, or compare two of them, while votes come in."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from nstar._api.reading_words import TableWords
from nstar._base.parameter_types import (
    ColumnNames,
    Cost,
    Gap,
    GroupNames,
    ModelName,
    PriorWeight,
    Proportion,
    VoteCount,
    VoteFilter,
    VoteTable,
)
from nstar._base.verb import is_given, needs, together, verb
from nstar.cli.kit.front import front
from nstar.cli.kit.output import error_for_cli
from nstar.cli.watch.logs import STDIN, holds, reader_options
from nstar.cli.watch.loop import Loop, LoopOutput, Outcome, Session, WatchScale, follow, title_of
from nstar.errors import QuestionError, arg

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


class VoteSession(Session):
    """Session with a growing table of votes, read completely whenever it has changed."""

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
        super().__init__(loop, screen)
        self.path = path
        self._options = replace(options, progress=self._report, growing=True)
        self._only, self._groups = only, groups
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._tally: PairVoteCounts | None = None
        self._failing: float | None = None
        """Time since which the table cannot be read."""
        self.count = 0
        """Number of votes so far."""
        self._pace = _PollInterval(loop.every)

    @property
    def pause(self) -> float:
        """Return the seconds until the next look."""
        return self._pace.pause

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
        """Report a reason for waiting. Raise DataError if there is only one look."""
        from nstar.errors import DataError

        if self._loop.once:
            raise DataError(reason)
        self._wait(reason)

    def _report(self, path: str, bytes_read: int, total: int | None) -> None:
        if self._tally is None:
            self._report_reading(path, bytes_read, total)


class BoardSession(VoteSession):
    """Session that rates all models whenever there are new votes."""

    def __init__(self, question: "BattlesQuestion", *table: Any, **selection: Any) -> None:
        super().__init__(*table, **selection)
        self.result: Battles | None = None
        self._question = question

    def look(self) -> bool:
        """Rate the models, and return whether to continue."""
        from nstar._engine.work import Execution
        from nstar._verbs.battles import rate
        from nstar.errors import DataError, InfeasibleError

        began, planned = time.monotonic(), self._question.planned or 0
        votes = self.poll()
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
            self.wait(f"{len(votes):,} of {planned:,} votes so far: {error_for_cli(error)}")
            return True
        self._screen.show_board(self.result, self._pace.after(time.monotonic() - began))
        is_open = bool(self.result.n_inconclusive or self.result.unrated)
        return is_open and self.result.n_votes < planned


class PairSession(VoteSession):
    """Session that compares two models by the votes between them."""

    def __init__(
        self, question: "WatchQuestion", price: float | None, *table: Any, **selection: Any
    ) -> None:
        from nstar._verbs.watch import Watch

        super().__init__(*table, **selection)
        self._names = question.models
        self.watch: Watch = Watch.asking(question)
        self.between: PairVotes | None = None
        """Votes between the two models so far."""
        self._price = price

    def look(self) -> bool:
        """Count new votes, and return whether to continue."""
        from nstar._verbs.watch.pair_votes import PairVotes

        began = time.monotonic()
        votes = self.poll()
        if votes is None:
            return True
        now = PairVotes.of(votes, *self._names)
        self._count(now)
        if self.watch.n_items:
            self._screen.show(self.watch)
        else:
            self._report_missing(votes)
        self._pace.after(time.monotonic() - began)
        return self.watch.verdict == "open"

    def _count(self, now: "PairVotes") -> None:
        """Count the votes that are new since the last look."""
        from nstar.errors import DataError

        try:
            self.watch.extend(now.new_since(self.between, cost=self._price))
        except DataError as error:
            raise error.within(self.path) from error
        self.between = now

    def _report_missing(self, votes: "Votes") -> None:
        """Report the model that has no vote yet."""
        unknown = [n for n in self._names if n not in votes.models]
        names_text = " and ".join(unknown) or f"{self._names[0]} and {self._names[1]}"
        verb = "includes" if unknown else "is between"
        available = ", ".join(votes.models[:8]) + (" …" if len(votes.models) > 8 else "")
        problem = (
            f"none of the {len(votes):,} votes {verb} {names_text}. Available models: {available}"
        )
        self.wait(f"{self.path}: {problem}")

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


@verb(together("a", "b"), needs("equivalence", "margin"))
def watch_votes(
    data: VoteTable,
    /,
    *,
    planned: VoteCount,
    a: ModelName | None = None,
    b: ModelName | None = None,
    only: VoteFilter = (),
    cluster: GroupNames | None = None,
    margin: Gap | None = None,
    equivalence: bool = False,
    prior: PriorWeight = 0.0,
    scale: WatchScale | None = None,
    psi: Proportion | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    price: Cost | None = None,
    groups: ColumnNames = (),
    loop: Loop,
    **reading: Unpack[TableWords],
) -> Outcome:
    """Monitor votes between models, and stop early.

    The models are rated again whenever the table contains more votes, and the rank ranges are
    valid at every look. With ``a`` and ``b``, only the votes between these two models are used.

    Parameters
    ----------
    data : str
        Table of votes, which can still be growing.
    planned : int
        Total number of votes planned, for a result that is valid at every look.
    a : str, optional
        Name of the first model, if the data contain several models.
    b : str, optional
        Name of the second model, if the data contain several models.
    only : VoteFilter, default ()
        Use only the votes with this value in a column, such as ``"source=crowd"``.
    cluster : GroupNames, optional
        Up to two columns of groups that are a random sample of a larger population, such as
        prompts.
    margin : float, optional
        Largest acceptable loss, such as 0.01 (1 pp).
        Also stop once A is shown to be non-inferior at this margin.
    equivalence : bool, default False
        Stop once the models are shown to be equivalent within the margin.

    Other Parameters
    ----------------
    prior : float, default 0.0
        Weight of a prior tie that is added to each observed pair of models.
    scale : {"binary", "graded"}, optional
        Type of scores: 0 or 1 (binary), or any number from 0 to 1 (graded).
    psi : float, optional
        Share of votes between the two models that are not ties.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    price : float, optional
        Cost of one additional item or vote.
    groups : ColumnNames, default ()
        Additional column that groups the votes, for the sensitivity analysis.
    **reading
        How the table is read.
    """
    of_two = {"margin": margin, "scale": scale, "psi": psi, "price": price}
    _check_kind(a, b, of_two, {"cluster": cluster, "prior": prior or None})
    _check_votes(data, has_columns="columns" in reading)
    options = reader_options("watch votes", reading)
    title = title_of("watch votes", data)

    columns = tuple(dict.fromkeys((*(cluster or ()), *groups)))
    of_table = {"only": only, "groups": columns}
    if a is None or b is None:
        from nstar._verbs.battles import BattlesQuestion
        from nstar._verbs.verdict import Criteria

        rating = BattlesQuestion(
            cluster=tuple(cluster or ()),
            prior=prior,
            planned=planned,
            criteria=Criteria(alpha=alpha, power=power),
        )
        board, status, error = follow(
            lambda screen: BoardSession(rating, data, options, loop, screen, **of_table),
            title,
            once=loop.once,
        )
        return Outcome(board.result, status, error)
    from nstar._api.inputs.gap_units import check_gap_on_scale
    from nstar._verbs.watch import WatchQuestion

    check_gap_on_scale("margin", margin, (0.0, 1.0))
    question = WatchQuestion(
        items=planned,
        alpha=alpha,
        margin=margin,
        equivalence=equivalence,
        scale=scale or "binary",
        psi=psi,
        power=power,
        models=(a, b),
        unit="votes",
    )
    pair, status, error = follow(
        lambda screen: PairSession(question, price, data, options, loop, screen, **of_table),
        title,
        once=loop.once,
    )
    result = pair.watch.result if pair.watch.n_items else None
    return Outcome(result, status, error, pair.asides())


def _check_kind(
    a: str | None, b: str | None, of_two: dict[str, Any], of_all: dict[str, Any]
) -> None:
    """Reject options that do not apply to two models, or to all models."""
    options_text = f"{arg('a')} and {arg('b')}"
    if a is not None and a == b:
        msg = f"{options_text} must be two different models; got {a} twice."
        raise QuestionError(msg)
    names = (name for name, value in (of_two if a is None else of_all).items() if is_given(value))
    for name in names:
        scope, fix = ("two", "Add") if a is None else ("all", "Remove")
        msg = f"{arg(name)} applies to votes on {scope} models. {fix} {options_text}."
        raise QuestionError(msg)


def _check_votes(path: str, *, has_columns: bool) -> None:
    """Reject a path that cannot be a growing table of votes."""
    from nstar._base.address import is_address, without_secrets

    if path == STDIN:
        msg = "Votes cannot be read from standard input. Pass a table."
        raise QuestionError(msg)
    if is_address(path):
        msg = (
            f"{without_secrets(path)} is not on this machine. Copy the table of votes to this "
            "machine first."
        )
        raise QuestionError(msg)
    if not has_columns and holds(path, "scores"):
        msg = f"{path} contains scores per item. Use nstar watch {path} --items N."
        raise QuestionError(msg)


watch_votes_command = front(
    watch_votes,
    examples=(
        "nstar watch votes votes.csv --planned 20000",
        "nstar watch votes votes.csv --a heron --b lark --planned 200",
    ),
    output=LoopOutput,
)
