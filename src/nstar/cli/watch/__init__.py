"""``nstar watch``: models while they run, or votes while they come in, until it is known."""

import sys
from typing import TYPE_CHECKING

import click

from nstar._api.inputs.model_source import ModelSource
from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, takes
from nstar.cli.kit.sides import parse_sides
from nstar.cli.watch.input_kind import kind_of
from nstar.cli.watch.logs import STDIN, PairedLogFeed
from nstar.cli.watch.loop import follow
from nstar.cli.watch.options import WatchOptions
from nstar.cli.watch.session import WatchSession, question_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nstar.errors import NstarError
    from nstar.report import Result

__all__ = ["watch_command"]


def _sides(options: WatchOptions) -> tuple[ModelSource, ModelSource]:
    paths = options.paths
    if paths == (STDIN,):
        return ModelSource(data=STDIN, model=options.a), ModelSource(data=STDIN, model=options.b)
    if STDIN in paths:
        msg = "- is standard input with both models in it; give it alone"
        raise click.UsageError(msg)
    return parse_sides(paths, options.a, options.b)


def _told(
    result: "Result | None",
    ended: "tuple[int, NstarError | None]",
    options: WatchOptions,
    asides: "Iterable[str]" = (),
) -> None:
    """Print the last answer, if there is one, and then what went wrong."""
    status, failed = ended
    if result is None and failed is not None:
        raise failed
    if result is None:
        click.echo("nstar: stopped", err=True)
        sys.exit(status)
    emit(result, options)
    for aside in asides:
        click.echo(f"nstar: {aside}", err=True)
    options.draw(result)
    if failed is not None:
        raise failed
    if status:
        sys.exit(status)


def _watch_scores(options: WatchOptions, title: str) -> None:
    from nstar.errors import DataError

    sides = _sides(options)
    question_of(options, ("first", "second"), options.items or 1000)
    feed = PairedLogFeed(sides, options)
    session, status, failed = follow(
        lambda screen: WatchSession(feed, options, screen),
        title,
        once=options.once and not feed.piped,
    )
    watch = session.watch
    if not (status or failed) and (watch is None or not (watch.n or watch.unscored)):
        raise DataError(feed.apart or feed.trouble)
    counted = watch is not None and (status or watch.n or watch.unscored)
    result = watch.result if watch is not None and counted else None
    _told(result, (status, failed), options, feed.asides)


def _watch_race(options: WatchOptions, title: str) -> None:
    from nstar.cli.watch.racing import RaceFeed, RaceSession, race_question
    from nstar.errors import DataError

    if STDIN in options.paths and len(options.paths) > 1:
        msg = "- is standard input with all models in it; give it alone"
        raise click.UsageError(msg)
    race_question(options, ("first", "second", "third"), options.items or 1000)
    feed = RaceFeed(options)
    session, status, failed = follow(
        lambda screen: RaceSession(feed, options, screen),
        title,
        once=options.once and not feed.piped,
    )
    result = session.result
    if result is None and not (status or failed):
        raise DataError(feed.trouble)
    _told(result, (status, failed), options, session.asides())


def _watch_board(options: WatchOptions, title: str) -> None:
    from nstar.cli.watch.votes import BoardSession

    board, status, failed = follow(
        lambda screen: BoardSession(options, screen), title, once=options.once
    )
    _told(board.result, (status, failed), options)


def _watch_pair(options: WatchOptions, title: str) -> None:
    from nstar.cli.watch.votes import PairSession

    pair, status, failed = follow(
        lambda screen: PairSession(options, screen), title, once=options.once
    )
    result = pair.watch.result if pair.watch.n else None
    _told(result, (status, failed), options, pair.asides())


_WAYS = {"scores": _watch_scores, "race": _watch_race, "board": _watch_board, "pair": _watch_pair}


@click.command(
    "watch",
    cls=Command,
    short_help=SUMMARIES["watch"],
    most_used=("a", "b", "items", "planned", "once"),
)
@takes(options=WatchOptions)
def watch_command(options: WatchOptions) -> None:
    """Watch models while they run: A minus B, after every item both have answered.

    A and B are logs that grow; - is standard input: one JSON object per line, with item, a and b
    or with model, item and score. It stops once the answer is known or out of reach.

    Several models race, from one table or from a log each: one that another is shown to beat is
    dropped and need not go on, until one is left.

    With --planned, A is a table of votes between models, to which votes are added: the ratings of
    all models are watched, or with --a and --b the votes between two.

    \b
    nstar watch logs/candidate.eval logs/baseline.eval
    my-eval | nstar watch - --items 500 --margin 2pp
    nstar watch results.jsonl --models 6 --items 500
    nstar watch votes.csv --planned 20000
    """  # noqa: D301
    with reported_errors():
        _WAYS[kind_of(options)](options, "nstar watch " + " ".join(options.paths))
