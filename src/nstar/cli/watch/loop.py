"""Look again and again, until there is an answer or somebody has seen enough."""

import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import click

from nstar.cli.kit.figure import FigureOptions
from nstar.cli.kit.front import PrintOptions
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar.errors import NstarError
    from nstar.report import Result
    from nstar.report.formats.live import LiveScreen


class Loop(NamedTuple):
    """When to look, and where to keep what was counted."""

    once: bool = False
    every: float = 1.0
    """Seconds between looks."""
    state: str | None = None
    """File that keeps what was counted."""


class Outcome(NamedTuple):
    """How a command that looks again and again ended."""

    result: "Result | None"
    """The last answer; None if there is none."""
    status: int
    """Exit status: 0, or that of an interruption."""
    error: "NstarError | None"
    """What went wrong after the last answer."""
    notes: Sequence[str] = ()
    """What was not counted, a sentence each."""


@group
class LoopOutput(FigureOptions, PrintOptions):
    """When to look, and how the last answer is printed."""

    once: bool = option(
        "--once", under=Heading.WORK, is_flag=True, help="Look once, print, and exit."
    )
    every: float = option(
        "--every",
        under=Heading.WORK,
        type=click.FloatRange(min=0.05),
        default=1.0,
        show_default=True,
        metavar="SECONDS",
        help="Time between looks at the logs.",
    )

    def loop(self) -> Loop:
        """Return when to look."""
        return Loop(self.once, self.every)

    def call(
        self, function: Callable[..., Any], data: Sequence[Any], values: Mapping[str, Any]
    ) -> Any:
        """Look again and again, as the options say."""
        return function(*data, **values, loop=self.loop())

    def deliver(self, result: Outcome) -> None:
        """Print the last answer, if there is one, and then what went wrong."""
        if result.result is None and result.error is not None:
            raise result.error
        if result.result is None:
            click.echo("nstar: stopped", err=True)
            sys.exit(result.status)
        super().deliver(result.result)
        for note in result.notes:
            click.echo(f"nstar: {note}", err=True)
        self.draw(result.result)
        if result.error is not None:
            raise result.error
        if result.status:
            sys.exit(result.status)


class GrowingSource(Protocol):
    """Something that grows and is looked at."""

    @property
    def pause(self) -> float:
        """Seconds until the next look."""

    def look(self) -> bool:
        """Take what has arrived; whether to go on."""

    def close(self) -> None:
        """Keep what must not be lost."""


F = TypeVar("F", bound=GrowingSource)


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM: the last answer is printed as after Ctrl-C."""


def _terminate(*_: object) -> None:
    raise _TerminatedError


def follow(
    begin: "Callable[[LiveScreen], F]", title: str, *, once: bool
) -> "tuple[F, int, NstarError | None]":
    """Look until there is an answer; what was looked at, the exit status, and what went wrong."""
    from nstar.errors import NstarError
    from nstar.report.formats.live import LiveScreen

    failed: NstarError | None = None
    status, before = 0, signal.signal(signal.SIGTERM, _terminate)
    try:
        with LiveScreen(title, lines=not once) as screen:
            followed = begin(screen)
            try:
                while followed.look() and not once:
                    time.sleep(followed.pause)
            except KeyboardInterrupt as error:
                status = 143 if isinstance(error, _TerminatedError) else 130
            except NstarError as error:
                failed = error
            finally:
                followed.close()
    finally:
        signal.signal(signal.SIGTERM, before)
    return followed, status, failed
