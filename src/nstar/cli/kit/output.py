"""Print a result to standard output, and an error as one line to standard error."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from nstar.cli.kit.options import FormatOptions
    from nstar.errors import NstarError
    from nstar.report import Format, Result


def _on_terminal() -> bool:
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and "utf" in (sys.stdout.encoding or "").lower()
    )


_PLAIN = {ord(k): v for k, v in zip("−–→┤╎┄─└", "-->|:.-+", strict=True)} | {
    ord("≥"): ">=",
    ord("≤"): "<=",
    ord("α"): "alpha",
    ord("∞"): "inf",
    ord("±"): "+/-",
    ord("²"): "^2",
    ord("…"): "...",
    ord("“"): '"',
    ord("”"): '"',
    **dict.fromkeys(range(0x2801, 0x2900), "*"),
}


def _encodable(text: str) -> str:
    """Replace the characters of a text that the output encoding lacks."""
    encoding = (sys.stdout and sys.stdout.encoding) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


def _write(text: str | bytes, failed: int) -> None:
    """Write to standard output. Exit with status ``failed`` if this is not possible."""
    if sys.stdout is None:
        click.echo("nstar: cannot write the result: standard output is closed", err=True)
        sys.exit(failed)
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        click.echo(f"nstar: cannot write the result: {error.strerror}", err=True)
        os._exit(failed)  # otherwise the interpreter would flush again and print an error


def emit(
    result: "Result", options: "FormatOptions", *, where: str | None = None, failed: int = 3
) -> None:
    """Print a result in the requested format, with styles if the output is a terminal."""
    from nstar import report

    level, paragraph = options.level, options.with_paragraph
    if options.as_checklist:
        result, where = report.checklist(result), None
    if options.format_ == "text" and _on_terminal():
        from nstar.report.formats.terminal import print_terminal

        doc = report.document(result, level=level, paragraph=paragraph, where=where)
        print_terminal(doc)
    else:
        as_ = cast("Format", options.format_)
        text = report.render(result, as_, level=level, paragraph=paragraph, where=where)
        _write(text.encode("utf-8", "replace") if as_ == "csv" else _encodable(text), failed)


def write_text(text: str, *, failed: int = 3) -> None:
    """Print finished text. ``failed`` is the exit status if it cannot be written."""
    _write(_encodable(text), failed)


def check_target(
    ctx: click.Context, param: click.Parameter, value: str, suffixes: tuple[str, ...]
) -> str:
    """Return the path of a file if it can probably be written. Called before the work begins."""
    path = Path(value)
    if path.suffix.lower() not in suffixes:
        msg = f"{value!r}: the extension must be {' or '.join(suffixes)}."
        raise click.BadParameter(msg, ctx, param)
    if path.is_dir():
        msg = f"{value!r} is a folder. Choose a file."
        raise click.BadParameter(msg, ctx, param)
    if not path.parent.is_dir():
        msg = f"Folder {str(path.parent)!r} does not exist. Create it first."
        raise click.BadParameter(msg, ctx, param)
    return value


def check_list(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the path of a list of items, if it can probably be written."""
    return None if value is None else check_target(ctx, param, value, (".csv", ".jsonl"))


def make_folder(folder: Path) -> None:
    """Create an output folder. Raise DataError if this is not possible."""
    from nstar.errors import DataError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"Cannot create the folder {folder}: {error.strerror}"
        raise DataError(msg) from error


def write_whole(path: str, content: bytes, subject: str) -> None:
    """Write an output file completely or not at all."""
    from nstar._data.export import files
    from nstar.errors import DataError

    try:
        files.write_whole(path, content)
    except DataError as error:
        reason = str(error).removeprefix(
            f"Cannot write to the folder {str(Path(path).parent)!r}: "
        )
        msg = f"Cannot write the {subject} {path}: {reason}"
        raise DataError(msg) from error


def printable(text: str) -> str:
    """Return a message without escapes, commands, and passwords from logs or addresses."""
    from nstar._base.address import text_without_secrets
    from nstar._base.visible import with_visible
    from nstar.report.formats.text import unheard

    visible = with_visible(text, lambda c: c if c == "\n" else "?")
    return unheard(text_without_secrets(visible))


def error_for_cli(error: "NstarError") -> str:
    """Return the message of an error, safe to print on a terminal."""
    return printable(str(error))


@contextmanager
def reported_errors() -> Iterator[None]:
    """Turn an impossible number into a message and exit status 3, without a traceback.

    An invalid question is wrong usage and has exit status 2.

    Words that make no question are wrong usage: exit status 2.
    """
    from nstar.errors import NstarError, QuestionError

    try:
        yield
    except QuestionError as error:
        raise click.UsageError(error_for_cli(error)) from error
    except NstarError as error:
        click.echo(f"nstar: {error_for_cli(error)}", err=True)
        sys.exit(3)


@contextmanager
def parameter_errors() -> Iterator[None]:
    """Report a wrong parameter as wrong usage, except for numbers that contradict each other."""
    from nstar.errors import InfeasibleError, ParameterError

    try:
        yield
    except InfeasibleError:
        raise
    except ParameterError as error:
        raise click.UsageError(error_for_cli(error)) from error
