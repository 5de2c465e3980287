"""``nstar demo``: a synthetic leaderboard, three claims about it, and what its items support."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.options import LOCAL_FOLDER
from nstar.cli.kit.output import reported_errors, write_text
from nstar.cli.kit.params import Command, Heading, group, option, takes

if TYPE_CHECKING:
    from nstar._verbs.demo import DemoStory
    from nstar.report.demo import StoryLine


@group
class _DemoOptions:
    """Options of ``nstar demo``."""

    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="Write the logs, tables, and page of the tour to a new folder.",
    )


_BEGUN = ".nstar-begun"
"""Temporary folder that holds the files until all of them are complete."""


def _refuse_filled(folder: Path) -> None:
    """Raise DataError if the folder is not empty or cannot be read."""
    from nstar.errors import DataError

    msg = ""
    try:
        if any(entry.name != _BEGUN for entry in folder.iterdir()):
            msg = f"{folder} is not empty. Choose a new or empty folder."
    except FileNotFoundError:
        return
    except NotADirectoryError:
        msg = f"{folder} is a file. Choose a new or empty folder."
    except OSError as error:
        msg = f"Cannot read {folder}: {error.strerror or error}"
    if msg:
        raise DataError(msg)


def fill(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write the files, whose names are relative to the folder and use ``/``."""
    from nstar.errors import DataError

    _refuse_filled(folder)
    try:
        with _temporary_folder(folder) as begun:
            for name, content in files:
                path = begun.joinpath(*name.split("/"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            _move_files(begun, folder)
    except OSError as error:
        msg = f"Cannot write to the folder {str(folder)!r}: {error.strerror or error}"
        raise DataError(msg) from error


@contextmanager
def _temporary_folder(folder: Path) -> Iterator[Path]:
    """Create a temporary folder inside the folder, and remove it at the end."""
    import shutil

    begun = folder / _BEGUN
    is_present = folder.exists()
    shutil.rmtree(begun, ignore_errors=True)
    begun.mkdir(parents=True)
    try:
        yield begun
    finally:
        shutil.rmtree(begun, ignore_errors=True)
        if not is_present:
            with suppress(OSError):
                folder.rmdir()


def _move_files(begun: Path, folder: Path) -> None:
    """Move all files to the folder, and undo the moves if they are interrupted."""
    names = sorted(entry.name for entry in begun.iterdir())
    try:
        for name in names:
            (begun / name).rename(folder / name)
    except BaseException:
        import shutil

        for name in names:
            path = folder / name
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):
                path.unlink()
        raise


_FOLDER = "nstar-demo"
_STYLES: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "command": {"fg": "cyan"},
    "said": {"italic": True},
}


def _watched() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _styles() -> dict[str, dict[str, Any]]:
    """Return the styles of lines for a terminal, without colors if the user disabled them."""
    if not _watched():
        return {}
    if os.environ.get("NO_COLOR"):
        return {kind: style for kind, style in _STYLES.items() if "fg" not in style}
    return _STYLES


def _width() -> int | None:
    """Return the number of columns of the terminal. None if the output is not a terminal."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if _watched() else None


def _write(story: "DemoStory", folder: str) -> None:
    from nstar._verbs.demo import files
    from nstar.report.page import page

    command = "nstar audit board.csv --html report.html"
    report = ("report.html", page(story.whole, command=command).encode("utf-8"))
    fill(Path(folder), [*files(), report])


def _print(lines: "list[StoryLine]") -> None:
    styles = _styles()
    texts = (
        click.style(line.text, **styles[line.kind]) if line.kind in styles else line.text
        for line in lines
    )
    write_text("".join(f"{text}\n" for text in texts))


@click.command("demo", cls=Command, short_help=SUMMARIES["demo"])
@takes(options=_DemoOptions)
def demo_command(options: _DemoOptions) -> None:
    """Take a tour of a synthetic leaderboard with a tie, a reversal, and a real gap.

    The tour needs no files and no network.

    \b
    nstar demo
    nstar demo --out nstar-demo
    """  # noqa: D301
    out = options.out
    with reported_errors():
        if out is not None:
            _refuse_filled(Path(out))
        from nstar._verbs.demo import story
        from nstar.report.demo import walk

        demo_story = story()
        if out is not None:
            _write(demo_story, out)
        _print(walk(demo_story, out or _FOLDER, written=out is not None, width=_width()))
