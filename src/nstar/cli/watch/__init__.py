"""``nstar watch``: two models while they run, until the answer is known."""

import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.completion import complete_files, complete_models
from nstar.cli.kit.figure import draw_figure, figure_option
from nstar.cli.kit.options import ACCURACY, ITEMS, format_option, level_options
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.reading import log_options
from nstar.cli.kit.score_gap import SCORE_GAP
from nstar.cli.kit.sides import Side, parse_sides
from nstar.cli.watch.logs import STDIN, Feed
from nstar.cli.watch.session import DRAW, Session, question_of

if TYPE_CHECKING:
    from nstar._verbs.watch import Watch

__all__ = ["watch_command"]


def _sides(paths: tuple[str, ...], options: dict[str, Any]) -> tuple[Side, Side]:
    if paths == (STDIN,):
        return Side(path=STDIN, model=options["a"]), Side(path=STDIN, model=options["b"])
    if STDIN in paths:
        msg = "- is standard input with both models in it; give it alone"
        raise click.UsageError(msg)
    return parse_sides(paths, options["a"], options["b"])


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM: the last answer is printed as after Ctrl-C."""


def _terminate(*_: object) -> None:
    raise _TerminatedError


def _follow(feed: Feed, options: dict[str, Any], title: str) -> "tuple[Watch | None, int]":
    """Look until there is an answer; the watch, and the exit status."""
    from nstar.report.formats.live import Screen

    status, before = 0, signal.signal(signal.SIGTERM, _terminate)
    try:
        with Screen(title) as screen:
            session = Session(feed, options, screen)
            try:
                while session.look() and (feed.piped or not options["once"]):
                    time.sleep(min(options["every"], DRAW) if feed.piped else options["every"])
            except KeyboardInterrupt as error:
                status = 143 if isinstance(error, _TerminatedError) else 130
            finally:
                session.close()
    finally:
        signal.signal(signal.SIGTERM, before)
    return session.watch, status


@click.command("watch", short_help="Look after every item, and stop once it is decided.")
@click.argument("paths", nargs=-1, required=True, metavar="A [B]", shell_complete=complete_files)
@click.option(
    "--a",
    metavar="MODEL",
    shell_complete=complete_models,
    help="First model, when one path holds several.",
)
@click.option("--b", metavar="MODEL", shell_complete=complete_models, help="Second model.")
@click.option("--task", metavar="TASK", help="Task, when the logs hold several.")
@click.option("--metric", metavar="METRIC", help="Metric, instead of the first one of the log.")
@click.option("--items", type=ITEMS, help="Items of the benchmark, if the logs do not tell.")
@click.option("--margin", type=SCORE_GAP, help="Stop too once A is not worse by this: 2pp.")
@click.option("--equivalence", is_flag=True, help="With --margin: not better by it either.")
@click.option(
    "--scale",
    type=click.Choice(["binary", "graded"]),
    help="Scores of 0 and 1 (binary, unless --asymptotic), or others from 0 to 1.",
)
@click.option("--psi", type=ACCURACY, help="Expected share of items that exactly one gets right.")
@click.option("--asymptotic", is_flag=True, help="Graded scores without limits: less safe.")
@click.option("--price", type=click.FloatRange(min=0), help="Money that one more item costs.")
@click.option("--state", type=click.Path(dir_okay=False), help="File to go on from when killed.")
@click.option("--once", is_flag=True, help="Look once, print and exit.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.05),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between two looks at the logs.",
)
@log_options
@level_options
@figure_option("watch")
@format_option
def watch_command(paths: tuple[str, ...], **options: Any) -> None:
    """Watch two models while they run: A minus B, after every item both have answered.

    A and B are logs that grow; - is standard input, one JSON object a line with item, a and b,
    or with model, item and score. It ends when it is decided, or can hardly be any more.

    \b
    nstar watch logs/candidate.eval logs/baseline.eval
    my-eval | nstar watch - --items 500 --margin 2pp
    """  # noqa: D301
    sides = _sides(paths, options)
    with reported_errors():
        from nstar.errors import DataError

        question_of(options, ("first", "second"), options["items"] or 1000)
        feed = Feed(sides, options)
        title = "nstar watch " + " ".join(paths)
        watch, status = _follow(feed, options, title)
        if watch is None and status:
            click.echo("nstar: stopped", err=True)
            sys.exit(status)
        if watch is None or not (watch.n or watch.unscored or status):
            raise DataError(feed.apart or feed.trouble)
        result = watch.result
        emit(result, options["format_"])
        for aside in feed.asides:
            click.echo(f"nstar: {aside}", err=True)
        draw_figure(result, options)
        if status:
            sys.exit(status)
