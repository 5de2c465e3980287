"""Options ``--workers`` and ``--ray``, and messages about events on a cluster."""

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._engine.work import Execution

_ADDRESS = re.compile(r"auto|local|(ray://)?(\[[0-9A-Fa-f:]+\]|[^/:\s]+):\d{1,5}")
"""Pattern of the addresses that Ray accepts."""


def _executor(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    """Return the executor at an address. Raise UsageError if Ray is not installed."""
    if value is None:
        return "local"
    if value and not _ADDRESS.fullmatch(value):
        msg = (
            f"{value!r} is not a cluster address, such as auto, local, HOST:6379 or "
            "ray://HOST:10001. To use --ray without an address, put it last."
        )
        raise click.BadParameter(msg, ctx, param)
    from nstar._engine.work import check_executor
    from nstar.cli.kit.output import reported_errors

    name = value if value.startswith("ray://") else f"ray:{value}".rstrip(":")
    with reported_errors():
        check_executor(name)
    return name


@group
class WorkOptions:
    """Options for the workers."""

    workers: int = option(
        "--workers",
        under=Heading.WORK,
        type=click.IntRange(min=0),
        default=0,
        help="Number of threads, or of parallel jobs with --ray.  [default: one per processor]",
    )
    executor: str = option(
        "--ray",
        under=Heading.WORK,
        is_flag=False,
        flag_value="",
        metavar="[ADDRESS]",
        callback=_executor,
        help="Use the Ray cluster at ADDRESS, the one that runs on this machine, or a new one.",
    )

    @contextmanager
    def execution(self) -> "Iterator[Execution]":
        """Yield the execution settings. Events on a cluster go to standard error meanwhile."""
        from nstar._engine.work import Execution

        with log_ray_events():
            yield Execution(workers=self.workers, executor=self.executor)


class _StderrHandler(logging.Handler):
    """Logging handler that writes each message as a line on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message on a line of its own, below any progress line."""
        if sys.stderr is not None and sys.stderr.isatty():
            click.echo("\r\033[K", nl=False, err=True)
        click.echo(f"nstar: {record.getMessage()}", err=True)


@contextmanager
def log_ray_events() -> Iterator[None]:
    """Log events on a cluster to standard error."""
    from nstar._engine.work.retry import LOGGER

    logger, handler = logging.getLogger(LOGGER), _StderrHandler()
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
