"""Two sides of a comparison: ``[NAME=]PATH[::MODEL]``, read together and aligned by item."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from glob import iglob
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.choice import (
    choose_metrics,
    find_model,
    other_metrics,
    some_models,
    unnamed_model,
)
from nstar.cli.kit.output import in_flags
from nstar.cli.kit.progress import ReadingProgress
from nstar.cli.kit.reading import ReadingOptions, Wanted, refuse_packs

if TYPE_CHECKING:
    import pyarrow as pa

    from nstar._data.findings import Finding
    from nstar._data.matrix import ScoreMatrix
    from nstar._data.table import Source
    from nstar._verbs.coverage import Coverage
    from nstar.readers import Scan


def _left_out(
    found: "list[ScoreMatrix]", chosen: "list[ScoreMatrix]", sources: "Sequence[Source]"
) -> "Iterator[Finding]":
    """Tasks that are not compared, though nobody asked to leave them out."""
    from nstar._data.findings import few, find

    there = {m.task for m in chosen}
    gone = [t or "(no task)" for t in dict.fromkeys(m.task for m in found) if t not in there]
    if gone:
        text = "without scores of both models in one metric"
        yield find("task-left-out", f"{_are_left_out(gone, text)}: {few(gone, 5)}")
    unscored = _unscored(found, sources)
    if unscored:
        text = _are_left_out(list(unscored), "without any score that can be compared")
        reasons = [f"{task} ({few(why, 3)})" for task, why in unscored.items()]
        yield find("task-left-out", f"{text}: {few(reasons, 5)}")


def _lone_metrics(
    found: "list[ScoreMatrix]", both: "list[ScoreMatrix]", chosen: "list[ScoreMatrix]"
) -> "Iterator[Finding]":
    """Metrics of the tasks compared that only one of the two models has."""
    from nstar._data.findings import few, find

    tasks, known = {m.task for m in chosen}, {(m.task, m.metric) for m in both}
    alone = [m for m in found if m.task in tasks and (m.task, m.metric) not in known]
    if alone:
        names = [f"{m.task or '(no task)'} [{m.metric}]" for m in alone]
        yield find("dropped", f"metrics that one model only has are left out: {few(names, 5)}")


def _are_left_out(tasks: list[str], why: str) -> str:
    one = len(tasks) == 1
    return f"{len(tasks)} {'task' if one else 'tasks'} {why} {'is' if one else 'are'} left out"


def _unscored(found: "list[ScoreMatrix]", sources: "Sequence[Source]") -> dict[str, list[str]]:
    """Tasks of which no score at all could be read, and why."""
    there = {m.task for m in found}
    out: dict[str, list[str]] = {}
    for source in sources:
        if source.task is None or source.task in there or source.rows:
            continue
        why = out.setdefault(source.task, [])
        why += [reason for reason in source.dropped if reason not in why]
    return {task: why or ["no scores"] for task, why in out.items()}


def _refuse_unscored(
    tasks: Sequence[str], found: "list[ScoreMatrix]", sources: "Sequence[Source]"
) -> None:
    """A task that was asked for and ran, but cannot be judged: say why."""
    from nstar._data.findings import few
    from nstar.errors import DataError

    unscored = _unscored(found, sources)
    for task in tasks:
        if task in unscored:
            msg = f"the task {task!r} has no score that can be compared: {few(unscored[task], 3)}"
            raise DataError(msg)


def _refuse_strangers(
    found: "list[ScoreMatrix]", both: "list[ScoreMatrix]", names: tuple[str, str]
) -> None:
    """DataError if the two models have nothing in common."""
    from nstar.errors import DataError

    if both:
        return
    parts = []
    for name in names:
        tasks = sorted(f"{m.task or '(no task)'} [{m.metric}]" for m in found if name in m.models)
        parts.append(f"{name} has {', '.join(tasks[:8]) or 'no scores'}")
    msg = f"no task [metric] is common to both models: {'; '.join(parts)}"
    raise DataError(msg)


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
"""What is hardly a path: no dot, slash, sign or pattern in it."""
_ORDER = "the first model is that of the first readable row; --a and --b fix the order"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One model to compare, as the user named it."""

    path: str
    """File, folder, pattern or URL."""
    model: str | None = None
    """Which model in it; None when it holds one only."""
    label: str | None = None
    """Name to show instead of the model's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSides:
    """Two models, aligned."""

    names: tuple[str, str]
    """Names to show, first and second."""
    matrices: "list[ScoreMatrix]"
    """One per task, with these two models in it."""
    coverage: "Coverage"
    """What to beware of."""


def one_side(text: str) -> Side:
    """``NAME=PATH::MODEL``; a path that exists as written is taken as it stands."""
    if _there(text):
        return Side(path=text)
    label, sign, rest = text.partition("=")
    if sign and label and "/" not in label and "::" not in label and not _exists(text):
        inner = one_side(rest)
        return Side(path=inner.path, model=inner.model, label=label)
    path, sign, model = text.rpartition("::")
    return Side(path=path, model=model) if sign and path and model else Side(path=text)


def _exists(text: str) -> bool:
    path, sign, _ = text.rpartition("::")
    return bool(sign) and _there(path)


def _there(path: str) -> bool:
    """Whether something has this path, or matches it: ``lr=0.1/*.json`` is no label."""
    return Path(path).exists() or any(True for _ in iglob(path))  # noqa: PTH207 absolute too


def parse_sides(paths: Sequence[str], a: str | None, b: str | None) -> tuple[Side, Side]:
    """From the arguments of ``nstar compare`` to two sides."""
    if (a is None) != (b is None):
        msg = "--a and --b name the two models of one path; give both"
        raise click.UsageError(msg)
    if a is not None and b is not None:
        if len(paths) != 1:
            msg = "--a and --b go with one path; with two paths write PATH::MODEL"
            raise click.UsageError(msg)
        return Side(path=paths[0], model=a), Side(path=paths[0], model=b)
    if len(paths) == 2:
        return one_side(paths[0]), one_side(paths[1])
    if len(paths) == 1:
        return Side(path=paths[0]), Side(path=paths[0])
    msg = f"give two logs, or one with --a MODEL --b MODEL; got {len(paths)} paths"
    raise click.UsageError(msg)


def refuse_models(paths: Sequence[str]) -> None:
    """Models named without --a and --b: ``board.csv wren heron``, or ``wren heron`` alone."""
    names = [p for p in paths if _NAME.fullmatch(p) and not _there(p)]
    if not names or len(paths) < 2 or list(paths[-len(names) :]) != names:
        return
    if len(paths) - len(names) > 1:
        return
    table = paths[0] if len(names) < len(paths) else "TABLE"
    a, b = (*names, "OTHER")[:2]
    are = "are no files" if len(names) > 1 else "is no file"
    msg = (
        f"{' and '.join(names[:2])} {are}; for models of one table write "
        f"nstar compare {table} --a {a} --b {b}"
    )
    raise click.UsageError(msg)


@dataclass(slots=True)
class ModelStream:
    """Batches of one path in which chosen models get their labels and others are left out."""

    scan: "Scan"
    labels: dict[str, str]

    def batches(self) -> "Iterator[pa.RecordBatch]":
        """The rows of chosen models, a batch at a time."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for batch in self.scan.batches():
            models = batch.column("model").dictionary.to_pylist()
            for model, label in self.labels.items():
                if model not in models:
                    continue
                rows = batch.filter(pc.equal(batch.column("model").cast(pa.string()), model))
                yield _relabelled(rows, label)


def _relabelled(rows: "pa.RecordBatch", label: str) -> "pa.RecordBatch":
    from nstar._data.table import constant

    index = rows.schema.get_field_index("model")
    return rows.set_column(index, "model", constant(label, rows.num_rows))


def models_of(scan: "Scan") -> list[str]:
    """Models of a scan: from the headers of its logs, else by reading it once."""
    known = [None if unit.several else unit.model for _, unit in scan.units]
    if known and None not in known:
        return list(dict.fromkeys(m for m in known if m is not None))
    names: dict[str, None] = {}
    for batch in scan.batches():
        names |= dict.fromkeys(batch.column("model").unique().to_pylist())
    return list(names)


def _choose(side: Side, models: list[str], *, flag: str) -> str:
    from nstar.errors import DataError

    if side.model is not None:
        return find_model(side.model, models, side.path)
    if len(models) == 1:
        return models[0]
    if not models:
        msg = f"{side.path} holds no score of any model"
        raise DataError(msg)
    there = some_models(models)
    msg = f"{side.path} holds {there}. Choose one with {side.path}::MODEL{flag}"
    raise DataError(msg)


def _names(sides: tuple[Side, Side], models: tuple[str, str]) -> tuple[str, str]:
    """Labels as given, else model names, with their paths when those are the same."""
    first, second = (s.label or m for s, m in zip(sides, models, strict=True))
    if first != second:
        return first, second
    a, b = (f"{n} ({s.path})" for n, s in zip((first, second), sides, strict=True))
    return (a, b) if a != b else (f"{first} (first)", f"{second} (second)")


def _same_path(
    sides: tuple[Side, Side], scan: "Scan", *, named: bool
) -> tuple[tuple[str, str], list[ModelStream]]:
    from nstar.errors import DataError

    models = models_of(scan)
    unnamed = sides[0].model is None and sides[1].model is None
    if unnamed and len(models) == 2 and not named:
        chosen = (models[0], models[1])
    else:
        flag = "" if named else ", or --a MODEL --b MODEL"
        chosen = (_choose(sides[0], models, flag=flag), _choose(sides[1], models, flag=flag))
    if chosen[0] == chosen[1]:
        msg = f"both sides are {chosen[0]} in {sides[0].path}"
        only = unnamed_model(scan.journal.sources) or "its only model; give another log"
        msg += f", {only}" if len(models) == 1 else "; name two models"
        raise DataError(msg)
    if unnamed and not named and scan.journal.bad:
        scan.journal.notes.append(_ORDER)
    names = _names(sides, chosen)
    return names, [ModelStream(scan, dict(zip(chosen, names, strict=True)))]


def _same_file(sides: tuple[Side, Side]) -> bool:
    first, second = (Path(s.path) for s in sides)
    if sides[0].path == sides[1].path:
        return True
    return first.exists() and second.exists() and first.samefile(second)


def load_sides(
    sides: tuple[Side, Side], reading: ReadingOptions, wanted: Wanted, *, named: bool = False
) -> ComparedSides:
    """Read both sides and bring them together by item.

    With ``named`` it matters which is which: two models of one path must both be named,
    ``PATH::MODEL``.
    """
    from nstar.readers import scan

    refuse_packs([side.path for side in sides])
    progress = ReadingProgress()
    options = reading.options(progress)
    try:
        if _same_file(sides):
            names, streams = _same_path(sides, scan(sides[0].path, options), named=named)
        else:
            scans = [scan(side.path, options) for side in sides]
            models = tuple(
                _choose(side, models_of(found), flag="")
                for side, found in zip(sides, scans, strict=True)
            )
            names = _names(sides, (models[0], models[1]))
            streams = [
                ModelStream(found, {model: name})
                for found, model, name in zip(scans, models, names, strict=True)
            ]
        return _aligned(streams, names, reading, wanted)
    finally:
        progress.clear()


def _aligned(
    streams: list[ModelStream], names: tuple[str, str], reading: ReadingOptions, wanted: Wanted
) -> ComparedSides:
    from nstar._data.align import directed, matrices
    from nstar._verbs.coverage import coverage

    def batches() -> "Iterator[pa.RecordBatch]":
        for stream in streams:
            yield from stream.batches()

    found = matrices(
        batches, duplicates=reading.settled, errors=reading.coded, limits=reading.limits()
    )
    every = tuple(s for stream in streams for s in _concerned(stream))
    both = directed([m for m in found if set(names) <= set(m.models)], every)
    _refuse_unscored(wanted.tasks, found, every)
    _refuse_strangers(found, both, names)
    there, both = both, choose_metrics(both, wanted.tasks, wanted.metric)
    tasks = {None, *(m.task for m in both)}
    sources = tuple(s for s in every if s.task in tasks)
    report = coverage(
        both,
        sources,
        notes=[
            *(in_flags(n) for stream in streams for n in stream.scan.journal.notes),
            *other_metrics(there, both),
        ],
        bad=[n for stream in streams for n in stream.scan.journal.bad],
        allowed=reading.allow,
    )
    more = [*_lone_metrics(found, there, both)]
    if not wanted.tasks:
        more += _left_out(found, both, every)
    report = replace(report, findings=(*report.findings, *more))
    return ComparedSides(names=names, matrices=both, coverage=report)


def _concerned(stream: ModelStream) -> "Iterator[Source]":
    """The logs that hold a chosen model, under its label."""
    for source in stream.scan.journal.sources:
        if source.model is None:
            yield source
        elif source.model in stream.labels:
            yield replace(source, model=stream.labels[source.model])
