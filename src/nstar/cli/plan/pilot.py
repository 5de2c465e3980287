"""``--pilot``: an evaluation at hand, as differences of items or as runs of tasks."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.gap_options import refuse_points_of
from nstar.cli.kit.params import defaults
from nstar.cli.kit.reading import ReadingOptions, TaskOptions
from nstar.cli.kit.spelling import FlagSpeller

if TYPE_CHECKING:
    from nstar._api.inputs.model_source import ModelSource
    from nstar._api.plan.parameters import PlanParameters
    from nstar._verbs.runs import RunTable

_LARGEST = 1 << 26
"""Bytes of a file that may be a column of numbers."""
_COMMA = re.compile(r"[+-]?\d+,\d+")
_CLAUSE = re.compile(r"(?<=[;.]) ")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _column(path: Path) -> tuple[float, ...] | None:
    """Numbers, a line each, below a heading if there is one; None if it is another file."""
    if not path.is_file() or path.stat().st_size > _LARGEST:
        return None
    try:
        lines = [line.strip() for line in path.read_text("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        return None
    lines = [line for line in lines if line]
    heading = bool(lines) and _number(lines[0]) is None
    found = [_number(line) for line in lines[heading:]]
    numbers = tuple(x for x in found if x is not None)
    others = [line for line, x in zip(lines[heading:], found, strict=True) if x is None]
    if others and all(map(_COMMA.fullmatch, others)):
        from nstar.errors import DataError

        msg = f"{path}: {others[0][:40]!r} has a decimal comma; write points in numbers (0.5)"
        raise DataError(msg)
    return numbers if numbers and len(numbers) == len(found) else None


def _sides(paths: Sequence[str]) -> "tuple[ModelSource, ModelSource]":
    """Two models of a pilot; an error about the choice of models names --pilot."""
    from nstar.cli.kit.sides import parse_sides

    first, second = (
        replace(side, choice=f"--pilot {side.data}::MODEL, once for each of two models")
        for side in parse_sides(paths, None, None)
    )
    return first, second


def _of_logs(paths: Sequence[str]) -> tuple[float, ...]:
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.compare.sample import from_matrix
    from nstar.cli.kit.sides import load_sides
    from nstar.errors import DataError

    ready = load_sides(_sides(paths), defaults(ReadingOptions), defaults(TaskOptions))
    refuse_fatal(ready.coverage.findings)
    if len(ready.matrices) != 1:
        tasks = ", ".join(m.task or "(no task)" for m in ready.matrices)
        msg = f"a pilot has one task; these logs have {len(ready.matrices)}: {tasks}"
        raise DataError(msg)
    shared = from_matrix(ready.matrices[0], ready.names).shared()
    return tuple((shared.a - shared.b).tolist())


def pilot_differences(paths: Sequence[str]) -> tuple[float, ...]:
    """First model minus second on every item that both have.

    Parameters
    ----------
    paths
        A file with one number per line; or what ``nstar compare`` takes: one path with two
        models, or two paths.

    Raises
    ------
    DataError
        If it is neither, or the logs cannot be read.
    """
    found = _column(Path(paths[0])) if len(paths) == 1 else None
    if found is not None:
        return found
    with _own_advice("or give a file with one difference per line"):
        return _of_logs(paths)


@contextmanager
def _own_advice(instead: str, *without: str) -> Iterator[None]:
    """Errors of reading, without advice that names options which are not for such a pilot.

    Those are the options that this command does not have, and those named by ``without``.
    """
    from nstar.errors import DataError, spelling

    try:
        with spelling(_OptionSpeller()):
            yield
    except DataError as error:
        text = str(error)
        kept = _kept(text, without)
        if kept == text:
            raise
        way = "Convert the log first (nstar read FILE --out pilot.parquet, with options)"
        msg = f"{kept.rstrip('.')}. {way}, {instead}"
        raise type(error)(msg) from error


class _OptionSpeller(FlagSpeller):
    """Also spells parameters that the running command lacks as options, so they can be found."""

    def spell(self, name: str, value: str | None) -> str:
        """Spell an option, with its value if there is one."""
        text = super().spell(name, value)
        return text if self.parameter(name) else f"--{text.replace('_', '-')}"


def _kept(text: str, without: Sequence[str]) -> str:
    """The clauses that are no such advice; one whose sentence ended with it ends the sentence."""
    kept: list[str] = []
    for clause in _CLAUSE.split(text):
        if not _foreign(clause, without):
            kept.append(clause)
        elif kept and clause.endswith("."):
            kept[-1] = f"{kept[-1].rstrip(';.')}."
    return " ".join(kept).rstrip("; ")


def _foreign(clause: str, without: Sequence[str]) -> bool:
    """Whether a part of a message names an option that the command at work does not take."""
    command = click.get_current_context().command
    taken = [parameter for parameter in command.params if parameter.name not in without]
    flags = {option for parameter in taken for option in parameter.opts}
    return not set(_OPTION.findall(clause)) <= flags


def _warn_of_units(limits: tuple[float, float], words: "PlanParameters") -> None:
    """Say so if scores are not in [0, 1], where gaps are a matter of units; refuse points."""
    from nstar._api.plan.values import gaps

    for name, gap in gaps(words):
        refuse_points_of(name, gap, limits)
    if limits != (0.0, 1.0):
        low, high = limits
        msg = f"scores run from {low:g} to {high:g}; a gap of 0.01 is one of 0.01 in these units"
        click.echo(f"nstar: pilot: {msg}", err=True)


def pilot_runs(paths: Sequence[str], words: "PlanParameters") -> "tuple[RunTable, ...]":
    """Runs of models on the same tasks; all logs of a model are its runs.

    Parameters
    ----------
    paths
        Files, folders or patterns, each with ``::MODEL`` if only one of its models is meant, or
        ``NAME=`` before it to call its only model so.
    words
        Task, metric and gaps.

    Raises
    ------
    DataError
        If the logs cannot be read, or hold more than one task.
    """
    from nstar._api.inputs.run_logs import RunSelection, run_logs
    from nstar._api.inputs.run_tables import log_groups
    from nstar._api.plan.pilot import score_limits
    from nstar.cli.kit.progress import reading_shown

    groups = log_groups(paths)
    wanted = RunSelection(task=words.task, metric=words.metric, many=True)
    with _own_advice("or correct the log", "columns"), reading_shown() as progress:
        reading = defaults(ReadingOptions, runs="all").reading(progress)
        tables, findings = run_logs(groups, reading, wanted)
    _warn_of_units(score_limits(tables), words)
    for finding in findings:
        costly = finding.code == "dropped" and "cost" in finding.text
        if costly or (finding.level == "warning" and finding.code != "unequal-runs"):
            click.echo(f"nstar: pilot: {_kept(finding.text, ('columns',))}", err=True)
    return tables
