"""From a result to standard output, and from an error to one line on standard error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from nstar.report import Format, Result

__all__ = ["emit", "reported_errors"]


def _on_terminal() -> bool:
    return sys.stdout.isatty() and "utf" in (sys.stdout.encoding or "").lower()


def emit(result: "Result", format_: str) -> None:
    """Print a result: drawn on a terminal, plain text elsewhere, or as asked."""
    from nstar import report

    if format_ == "text" and _on_terminal():
        from nstar.report.terminal import print_terminal

        print_terminal(report.document(result))
    else:
        click.echo(report.render(result, cast("Format", format_)), nl=False)


@contextmanager
def reported_errors() -> Iterator[None]:
    """Turn an impossible number into a message and exit status 3, without a traceback."""
    from nstar.errors import NstarError

    try:
        yield
    except NstarError as error:
        click.echo(f"nstar: {error}", err=True)
        sys.exit(3)
