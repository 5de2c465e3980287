"""Common parts of gate commands: exit status, machine-readable reports, and GitHub output."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from click.core import ParameterSource

from nstar._verbs.verdict import EXIT_STATUS
from nstar.cli.kit.config import config_option, located, settings_file
from nstar.cli.kit.figure import PageOptions
from nstar.cli.kit.front import PrintOptions
from nstar.cli.kit.options import ChecklistOptions, LocalFolder
from nstar.cli.kit.output import emit, error_for_cli, make_folder, printable, write_text
from nstar.cli.kit.params import Command, Heading, group, option

if TYPE_CHECKING:
    from nstar._verbs.gate import Gate

_FAILED = EXIT_STATUS["invalid_data"]
"""Exit status after an unexpected error, or if the verdict cannot be printed."""
_FORMATS = ("text", "json", "markdown", "latex")


def _annotate(message: str) -> None:
    """Annotate a GitHub job with the reason for a missing verdict."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from nstar.report.formats.github import failure

    click.echo(failure(message), nl=False, err=True)


@contextmanager
def _never_1() -> Iterator[None]:
    """Exit with a status other than 1 after an unexpected error, because 1 means REGRESSION."""
    try:
        yield
    except (click.exceptions.Exit, click.Abort):
        raise
    except click.ClickException as error:
        with_file = located(error)
        _annotate(printable(with_file.format_message()))
        raise with_file from error.__cause__
    except Exception as error:
        message = printable(" ".join(str(error).split()))
        message = f"unexpected {type(error).__name__}: {message}"
        click.echo(f"nstar: {message}", err=True)
        _annotate(message)
        sys.exit(_FAILED)


@contextmanager
def gate_errors() -> Iterator[None]:
    """Report unusable data with the exit status of INVALID DATA."""
    from nstar.errors import NstarError, QuestionError

    try:
        yield
    except QuestionError as error:
        raise click.UsageError(error_for_cli(error)) from error
    except NstarError as error:
        click.echo(f"nstar: INVALID DATA: {error_for_cli(error)}", err=True)
        sys.exit(_FAILED)


@contextmanager
def _ignore_closed_pipe(stream: TextIO) -> Iterator[None]:
    """Keep the exit status if the reader of the stream has closed it."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class GateCommand(Command):
    """Command whose exit status 1 is a verdict."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read options and settings."""
        with _never_1():
            return super().make_context(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with a helpful error for ``nstar gate new.csv old.csv``."""
        takes_paths = any(isinstance(p, click.Argument) for p in self.params)
        if not takes_paths and not ctx.resilient_parsing:
            _, paths, _ = self.make_parser(ctx).parse_args(list(args))
            if paths:
                logs = "--baseline OLD --candidate NEW --margin 1pp"
                msg = f"No logs given. Add the paths of the logs: nstar {self.name} {logs}."
                raise click.UsageError(msg, ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the gate."""
        with _never_1():
            _drop_guardrails(ctx)
            return super().invoke(ctx)


def _drop_guardrails(ctx: click.Context) -> None:
    """Drop guardrails in the settings file for tasks that ``--task`` excludes."""
    tasks, guardrails = ctx.params.get("tasks"), ctx.params.get("guardrails")
    sources = [ctx.get_parameter_source(name) for name in ("tasks", "guardrails")]
    expected_sources = [ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP]
    if not tasks or not guardrails or sources != expected_sources:
        return
    dropped = [task for task, _ in guardrails if task not in tasks]
    ctx.params["guardrails"] = tuple(rail for rail in guardrails if rail[0] in tasks)
    if dropped:
        names = printable(", ".join(dropped))
        file = ctx.params["config"]
        click.echo(f"nstar: --task excludes guardrails of {file}: {names}", err=True)


def _format(*extra_formats: str) -> Any:
    return option(
        "--format",
        under=Heading.OUTPUT,
        type=click.Choice([*_FORMATS, *extra_formats]),
        default="text",
        show_default=True,
        help="Output format.",
    )


@group
class GatePlanOptions(PrintOptions, PageOptions):
    """Options for printing a gate plan or an A/A test."""

    format_: str = _format()
    config: Path | None = config_option()

    def deliver(self, result: Any) -> None:
        """Print the result. Exit with the status of INCONCLUSIVE if a pass is unlikely."""
        result = replace(result, settings_file=settings_file())
        with _ignore_closed_pipe(sys.stdout):
            emit(result, self, failed=_FAILED)
        self.write(result)
        if not getattr(result, "is_sufficient", True):
            sys.exit(EXIT_STATUS["inconclusive"])


def _check_key(ctx: click.Context, param: click.Parameter, value: str) -> str:
    from nstar.errors import ParameterError
    from nstar.report.formats.github import marker

    try:
        marker(value)
    except ParameterError as error:
        raise click.BadParameter(str(error), ctx, param) from error
    return value


@group
class GateOutput(ChecklistOptions, PrintOptions, PageOptions):
    """Options for printing a verdict and writing reports."""

    format_: str = _format("junit")
    config: Path | None = config_option()
    out: Path | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=LocalFolder(file_okay=False, path_type=Path),
        help="Write gate.json, junit.xml, summary.md, comment.md, and badge.svg to this folder.",
    )
    comment_key: str = option(
        "--comment-key",
        under=Heading.OUTPUT,
        metavar="KEY",
        default="gate",
        show_default=True,
        callback=_check_key,
        help="Key that distinguishes the pull-request comments of several gates.",
    )

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise UsageError for a checklist in JUnit format."""
        super().check(values)
        if self.checklist and self.format_ == "junit":
            msg = "Use either --checklist or --format junit."
            raise click.UsageError(msg)

    def deliver(self, result: "Gate") -> None:
        """Write the reports, print the verdict, and exit with its status."""
        reason = None if result.invalid_reason is None else printable(result.invalid_reason)
        result = self._reported(
            replace(result, invalid_reason=reason, settings_file=settings_file())
        )
        with _ignore_closed_pipe(sys.stderr):
            _show_github(result)
        with _ignore_closed_pipe(sys.stdout):
            if self.format_ == "junit":
                from nstar.report.formats.junit import junit

                write_text(junit(result), failed=_FAILED)
            else:
                emit(result, self, failed=_FAILED)
        sys.exit(EXIT_STATUS[result.verdict])

    def _reported(self, result: "Gate") -> "Gate":
        """Write the machine-readable reports. The gate cannot pass if they cannot be written."""
        from nstar.errors import DataError

        try:
            if self.out is not None:
                _make_report_folder(self.out)
                _write_reports(result, self.out, self.comment_key)
            self.write(result)
        except DataError as error:
            if result.passed:
                return _invalid(result, error_for_cli(error))
            click.echo(f"nstar: {error_for_cli(error)}", err=True)
        return result


def _invalid(result: "Gate", reason: str) -> "Gate":
    """Return a result with the verdict INVALID DATA."""
    return replace(
        result,
        verdict="invalid_data",
        invalid_reason=reason,
        tasks=(),
        pooled_evidence=None,
        judge_correction=None,
    )


def _make_report_folder(folder: Path) -> None:
    from nstar.errors import DataError

    make_folder(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        msg = (
            f"Cannot write to the folder {str(folder)!r}. Change its permissions or choose "
            "another folder."
        )
        raise DataError(msg)


def _write_reports(gate: "Gate", folder: Path, key: str) -> None:
    """Write every machine-readable report, each completely or not at all."""
    from nstar.cli.kit.output import write_whole
    from nstar.report import render
    from nstar.report.formats.github import comment, summary, verdict_badge
    from nstar.report.formats.junit import junit

    reports = {
        "gate.json": render(gate, "json").encode(),
        "junit.xml": junit(gate).encode(),
        "summary.md": summary(gate).encode(),
        "comment.md": comment(gate, key=key).encode(),
        "badge.svg": verdict_badge(gate),
    }
    for name, content in reports.items():
        write_whole(str(folder / name), content, "report")


def _append(variable: str, text: Callable[[int], str]) -> None:
    """Append text to the file that a GitHub variable names. Errors do not change the verdict."""
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text(file.tell()))
    except OSError as error:
        click.echo(f"nstar: cannot write ${variable}: {error.strerror}", err=True)


def _show_github(gate: "Gate") -> None:
    """Write the job summary, the step output, and one annotation in a GitHub job.

    The annotation goes to standard error, which the runner also reads, so that the report on
    standard output is not interrupted.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from nstar.report.formats.github import SUMMARY_LIMIT, annotation, summary

    def within_limit(size: int) -> str:
        text = summary(gate, limit=max(0, SUMMARY_LIMIT - size))
        return text if size + len(text.encode()) <= SUMMARY_LIMIT else ""

    _append("GITHUB_STEP_SUMMARY", within_limit)
    _append("GITHUB_OUTPUT", lambda _: f"verdict={gate.verdict}\n")
    click.echo(annotation(gate), nl=False, err=True)
