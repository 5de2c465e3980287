"""A gate for machines: a folder of reports, and what GitHub Actions shows by itself."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from nstar._verbs.gate import Gate


def prepare(folder: Path | None) -> None:
    """Make the folder of reports before anything is judged; DataError if it takes none."""
    from nstar.errors import DataError

    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"cannot make the folder {folder}: {error.strerror}"
        raise DataError(msg) from error
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
