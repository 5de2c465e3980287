"""``nstar watch``: two models while they run, until the answer is known."""

import signal
import sys
import time
from typing import TYPE_CHECKING

import click

from nstar._api.inputs.side import Side
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, takes
from nstar.cli.kit.sides import parse_sides
from nstar.cli.watch.logs import STDIN, Feed
from nstar.cli.watch.options import WatchOptions
from nstar.cli.watch.session import DRAW, Session, question_of

if TYPE_CHECKING:
    from nstar._verbs.watch import Watch

__all__ = ["watch_command"]


def _sides(options: WatchOptions) -> tuple[Side, Side]:
    paths = options.paths
    if paths == (STDIN,):
        return Side(data=STDIN, model=options.a), Side(data=STDIN, model=options.b)
    if STDIN in paths:
        msg = "- is standard input with both models in it; give it alone"
        raise click.UsageError(msg)
    return parse_sides(paths, options.a, options.b)


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM: the last answer is printed as after Ctrl-C."""


def _terminate(*_: object) -> None:
    raise _TerminatedError


def _follow(feed: Feed, options: WatchOptions, title: str) -> "tuple[Watch | None, int]":
    """Look until there is an answer; the watch, and the exit status."""
    from nstar.report.formats.live import Screen

    status, before = 0, signal.signal(signal.SIGTERM, _terminate)
    try:
        with Screen(title) as screen:
            session = Session(feed, options, screen)
            try:
                while session.look() and (feed.piped or not options.once):
                    time.sleep(min(options.every, DRAW) if feed.piped else options.every)
            except KeyboardInterrupt as error:
                status = 143 if isinstance(error, _TerminatedError) else 130
            finally:
                session.close()
    finally:
        signal.signal(signal.SIGTERM, before)
    return session.watch, status


@click.command(
    "watch",
    cls=Command,
    short_help="Follow two models as they run; stop as soon as it is decided.",
    most_used=("a", "b", "items", "margin", "once"),
)
@takes(options=WatchOptions)
def watch_command(options: WatchOptions) -> None:
    """Watch two models while they run: A minus B, after every item both have answered.

    A and B are logs that grow; - is standard input: one JSON object per line, with item, a and b
    or with model, item and score. It stops once the answer is known or out of reach.

    \b
    nstar watch logs/candidate.eval logs/baseline.eval
    my-eval | nstar watch - --items 500 --margin 2pp
    """  # noqa: D301
    sides = _sides(options)
    with reported_errors():
        from nstar.errors import DataError

        question_of(options, ("first", "second"), options.items or 1000)
        feed = Feed(sides, options)
        title = "nstar watch " + " ".join(options.paths)
        watch, status = _follow(feed, options, title)
        if watch is None and status:
            click.echo("nstar: stopped", err=True)
            sys.exit(status)
        if watch is None or not (watch.n or watch.unscored or status):
            raise DataError(feed.apart or feed.trouble)
        result = watch.result
        emit(result, options)
        for aside in feed.asides:
            click.echo(f"nstar: {aside}", err=True)
        options.draw(result)
        if status:
            sys.exit(status)
