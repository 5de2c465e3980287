"""Look repeatedly until there is a decision or the user stops."""

import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import click

from nstar.cli.kit.figure import FigureOptions
from nstar.cli.kit.front import PrintOptions
from nstar.cli.kit.output import printable
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar.errors import NstarError
    from nstar.report import Result
    from nstar.report.formats.live import LiveScreen


WatchScale: TypeAlias = Literal["binary", "graded"]
"""Scale: scores of 0 and 1, or any from 0 to 1."""


def title_of(name: str, *paths: str | None) -> str:
    """Return the command as the user typed it, for the screen."""
    return " ".join(("nstar", name, *(path for path in paths if path is not None)))


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


DRAW = 0.25
"""Seconds between two updates of the screen while many items arrive together."""


class Session:
    """What is looked at repeatedly: its time between looks, and its messages on the screen."""

    def __init__(self, loop: Loop, screen: "LiveScreen") -> None:
        self._loop, self._screen = loop, screen
        self._drawn = 0.0
        """Time of the last update of the screen."""
        self._has_waited = False
        """Whether a reason for waiting was printed."""

    @property
    def pause(self) -> float:
        """Return the seconds until the next look."""
        return self._loop.every

    def look(self) -> bool:
        """Process new data, and return whether to continue."""
        raise NotImplementedError

    def close(self) -> None:
        """Save the state, if anything is not in the data."""

    @property
    def _is_drawing_due(self) -> bool:
        return time.monotonic() - self._drawn > DRAW

    def _wait(self, reason: str, *, ended: bool = False) -> None:
        """Report a reason for waiting on the screen, or once as a line if there is no screen."""
        self._screen.wait(reason)
        if not (self._screen.live or ended or self._loop.once or self._has_waited):
            self._has_waited = True
            click.echo(f"nstar: waiting: {printable(reason)}", err=True)

    def _report_reading(self, path: str, bytes_read: int, total: int | None) -> None:
        """Report on the screen how much of a log was read."""
        if self._is_drawing_due:
            self._drawn = time.monotonic()
            share = f"{100 * bytes_read / total:.0f}%" if total else f"{bytes_read / 1e6:,.0f} MB"
            self._screen.wait(f"reading {path[-60:]}  {share}")


S = TypeVar("S", bound=Session)


class _TerminatedError(KeyboardInterrupt):
    """Signal SIGTERM, after which the last result is printed as after Ctrl-C."""


def _terminate(*_: object) -> None:
    raise _TerminatedError


def follow(
    begin: "Callable[[LiveScreen], S]", title: str, *, once: bool
) -> "tuple[S, int, NstarError | None]":
    """Look until there is a decision; return the session, the exit status, and the error."""
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
