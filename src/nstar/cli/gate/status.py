"""The exit status of ``nstar gate``, also when no answer can be given or none can be printed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click

from nstar.cli.kit.output import printable

STATUS = {"PASS": 0, "REGRESSION": 1, "INCONCLUSIVE": 3, "INVALID DATA": 4}
"""Exit status of each answer; 2 is wrong usage."""
UNSAID = 4
"""Exit status of an answer that could not be printed, and of what nobody expected."""


def _annotate(said: str) -> None:
    """Tell a job of GitHub why there is no answer."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from nstar.report.formats.github import failure

    click.echo(failure(said), nl=False, err=True)


@contextmanager
def _never_1() -> Iterator[None]:
    """Whatever goes wrong: a traceback would end with status 1, which is REGRESSION."""
    try:
        yield
    except (click.exceptions.Exit, click.Abort):
        raise
    except click.ClickException as error:
        _annotate(printable(error.format_message()))
        raise
    except Exception as error:
        said = printable(" ".join(str(error).split()))
        told = f"unexpected {type(error).__name__}: {said}"
        click.echo(f"nstar: {told}", err=True)
        _annotate(told)
        sys.exit(UNSAID)


@contextmanager
def unread(stream: TextIO) -> Iterator[None]:
    """A reader that has gone away changes no answer."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class GateCommand(click.Command):
    """A command whose exit status 1 is an answer."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read options and settings."""
        with _never_1():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Answer."""
        with _never_1():
            return super().invoke(ctx)
