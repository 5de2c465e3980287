"""Look again and again, until there is an answer or somebody has seen enough."""

import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from nstar.errors import NstarError
    from nstar.report.formats.live import LiveScreen


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
