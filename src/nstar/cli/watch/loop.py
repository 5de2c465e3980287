"""Look repeatedly until there is a decision or the user stops."""

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
    """Time between looks, and the name of the state file."""

    once: bool = False
    every: float = 1.0
    """Seconds between looks."""
    state: str | None = None
    """File that stores the state."""


class Outcome(NamedTuple):
    """Outcome of a command that looks repeatedly."""

    result: "Result | None"
    """Last result; None if there is none."""
    status: int
    """Exit status: 0, or that of an interruption."""
    error: "NstarError | None"
    """Error after the last result."""
    notes: Sequence[str] = ()
    """Sentences about scores that were not counted."""


@group
class LoopOutput(FigureOptions, PrintOptions):
    """Options for looking repeatedly, and for printing the last result."""

    once: bool = option(
        "--once", under=Heading.LOOKS, is_flag=True, help="Look once, print the result, and exit."
    )
    every: float = option(
        "--every",
        under=Heading.LOOKS,
        type=click.FloatRange(min=0.05),
        default=1.0,
        show_default=True,
        metavar="SECONDS",
        help="Number of seconds between looks at the logs.",
    )

    def loop(self) -> Loop:
        """Return the time between looks."""
        return Loop(self.once, self.every)

    def call(
        self, function: Callable[..., Any], data: Sequence[Any], values: Mapping[str, Any]
    ) -> Any:
        """Look repeatedly, according to the options."""
        return function(*data, **values, loop=self.loop())

    def deliver(self, result: Outcome) -> None:
        """Print the last result, if there is one, and then the error."""
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
    """A growing source of scores."""

    @property
    def pause(self) -> float:
        """Return the seconds until the next look."""

    def look(self) -> bool:
        """Process new data, and return whether to continue."""

    def close(self) -> None:
        """Save the state."""


F = TypeVar("F", bound=GrowingSource)


class _TerminatedError(KeyboardInterrupt):
    """Signal SIGTERM, after which the last result is printed as after Ctrl-C."""


def _terminate(*_: object) -> None:
    raise _TerminatedError


def follow(
    begin: "Callable[[LiveScreen], F]", title: str, *, once: bool
) -> "tuple[F, int, NstarError | None]":
    """Look until there is a decision; return the source, the exit status, and the error."""
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
