"""A gate for machines: exit status, a folder of reports, and what GitHub shows by itself."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from nstar.cli.kit.config import located
from nstar.cli.kit.output import make_folder, printable
from nstar.cli.kit.params import Command

if TYPE_CHECKING:
    from nstar._verbs.gate import Gate

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
        told_where = located(error)
        _annotate(printable(told_where.format_message()))
        raise told_where from error.__cause__
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


class GateCommand(Command):
    """A command whose exit status 1 is an answer."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read options and settings."""
        with _never_1():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Answer."""
        with _never_1():
            return super().invoke(ctx)


def prepare(folder: Path | None) -> None:
    """Make the folder of reports before anything is judged; DataError if it takes none."""
    from nstar.errors import DataError

    if folder is None:
        return
    make_folder(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        msg = f"cannot write reports to the folder {folder}"
        raise DataError(msg)


def write_reports(gate: "Gate", folder: Path | None, key: str) -> None:
    """Every report for machines, each whole or not at all."""
    from nstar.cli.kit.output import write_whole
    from nstar.report import render
    from nstar.report.formats.github import comment, summary
    from nstar.report.formats.junit import junit

    if folder is None:
        return
    files = {
        "gate.json": render(gate, "json"),
        "junit.xml": junit(gate),
        "summary.md": summary(gate),
        "comment.md": comment(gate, key=key),
    }
    for name, text in files.items():
        write_whole(str(folder / name), text.encode("utf-8"), "report")


def _append(variable: str, text: Callable[[int], str]) -> None:
    """Add to a file that GitHub named, given its size; the answer stands without it."""
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text(file.tell()))
    except OSError as error:
        click.echo(f"nstar: cannot write ${variable}: {error.strerror}", err=True)


def tell_github(gate: "Gate") -> None:
    """In a job of GitHub: its summary, the output ``answer`` of the step, and one annotation.

    The annotation goes to standard error, which the runner reads as well, so that a report on
    standard output stays whole.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from nstar.report.formats.github import SUMMARY_LIMIT, annotation, summary

    def room(taken: int) -> str:
        text = summary(gate, limit=max(0, SUMMARY_LIMIT - taken))
        return text if taken + len(text.encode()) <= SUMMARY_LIMIT else ""

    _append("GITHUB_STEP_SUMMARY", room)
    _append("GITHUB_OUTPUT", lambda _: f"answer={gate.answer}\n")
    click.echo(annotation(gate), nl=False, err=True)
