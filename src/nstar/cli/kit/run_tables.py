"""Logs with repeated runs → one RunTable per chosen model, and what was found in them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.choice import choose_metrics, find_model, other_metrics, some_models
from nstar.cli.kit.completion import complete_models
from nstar.cli.kit.output import in_flags
from nstar.cli.kit.params import option
from nstar.cli.kit.progress import ReadingProgress
from nstar.cli.kit.reading import ReadingOptions
from nstar.cli.kit.sides import one_side

if TYPE_CHECKING:
    from nstar._data.findings import Finding
    from nstar._data.table import Table
    from nstar._verbs.runs import RunTable
    from nstar.readers import Scan


@dataclass(frozen=True, kw_only=True)
class RunChoice:
    """Which models, task set and metric are meant."""

    a: str | None = option(
        "--a",
        metavar="MODEL",
        shell_complete=complete_models,
        help="The model, or the first of two.",
    )
    b: str | None = option(
        "--b",
        metavar="MODEL",
        shell_complete=complete_models,
        help="Second model: the gap is A minus B.",
    )
    task: str | None = option(
        "--task", metavar="TASK", help="Task set, when the logs hold several."
    )
    metric: str | None = option(
        "--metric", metavar="METRIC", help="Metric, instead of the first one of the log."
    )

    def refuse_second_only(self) -> None:
        """Usage error for --b without --a, or the same model twice."""
        if self.b is not None and self.a is None:
            msg = "--b names the second model; name the first with --a"
            raise click.UsageError(msg)
        if self.a is not None and self.a == self.b:
            msg = f"--a and --b are both {self.a}; name two models, or one with --a"
            raise click.UsageError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogGroup:
    """Logs that are read together."""

    paths: tuple[str, ...]
    """Files, folders, patterns or URLs; several logs of one model are its runs."""
    model: str | None = None
    """The only model of them that is meant."""
    label: str | None = None
    """Name of the model instead of its own; all groups of one label are its runs."""


def log_groups(texts: Sequence[str]) -> list[LogGroup]:
    """``[NAME=]PATH[::MODEL]`` each; what has no name of its own is read by model."""
    sides = [one_side(text) for text in texts]
    plain = [side for side in sides if side.label is None]
    groups = [
        LogGroup(
            paths=tuple(dict.fromkeys(side.path for side in plain if side.model == model)),
            model=model,
        )
        for model in dict.fromkeys(side.model for side in plain)
    ]
    return groups + [
        LogGroup(paths=(side.path,), model=side.model, label=side.label)
        for side in sides
        if side.label is not None
    ]


def _collect(groups: Sequence[LogGroup], reading: ReadingOptions) -> "tuple[Table, list[Scan]]":
    """All rows of each group's paths, or those of its model if it names one."""
    import pyarrow as pa

    from nstar._data.table import Table
    from nstar.readers import collect, scan

    progress = ReadingProgress()
    parts, scans = [], []
    try:
        for place, group in enumerate(groups):
            scanned = scan(list(group.paths), reading.options(progress))
            parts.append(_of_group(collect(scanned), group, place))
            scans.append(scanned)
    finally:
        progress.clear()
    rows = pa.concat_tables([p.data for p in parts], promote_options="default")
    sources = tuple(s for p in parts for s in p.sources)
    return Table(data=rows.unify_dictionaries(), sources=sources), scans


def _of_group(table: "Table", group: LogGroup, place: int) -> "Table":
    """The rows that the group means, under its name."""
    from nstar.errors import DataError

    where, models = _where(group.paths), list(table.models)
    if group.model is not None:
        models = [find_model(group.model, models, where)]
        table = _only(table, models)
    if group.label is None:
        return table
    if len(models) > 1:
        msg = f"{where} holds {some_models(models)}. Choose one with {where}::MODEL"
        raise DataError(msg)
    return _labelled(table, group.label, f"{place + 1}")


def _labelled(table: "Table", label: str, run: str) -> "Table":
    """The rows of one model under another name, their runs apart from those of other logs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from nstar._data.table import Table, constant, labels

    data = table.data
    runs: Any = constant(run, len(data))
    if "run" in data.column_names:
        own = pc.fill_null(data["run"].cast(pa.string()), "")
        runs = labels(pc.binary_join_element_wise(run, own, "."))
        data = data.drop_columns("run")
    place = data.schema.get_field_index("model")
    data = data.set_column(place, "model", constant(label, len(data)))
    sources = tuple(replace(s, model=s.model and label) for s in table.sources)
    return Table(data=data.append_column("run", runs), sources=sources)


def _where(paths: Sequence[str]) -> str:
    from nstar._data.findings import few

    return few(list(paths), 3)


def _chosen(table: "Table", where: str, wanted: RunChoice, choose: str) -> list[str]:
    """The models meant: those named, or all if there are one or two."""
    from nstar.errors import DataError

    models = list(table.models)
    named = [model for model in (wanted.a, wanted.b) if model is not None]
    if named:
        chosen = [find_model(model, models, where) for model in named]
        if len(set(chosen)) < len(chosen):
            msg = f"--a and --b both mean {chosen[0]}; name two models"
            raise DataError(msg)
        return chosen
    if len(models) > 2:
        msg = f"{where} holds {some_models(models)}. {choose}"
        raise DataError(msg)
    return models


def _only(table: "Table", models: Sequence[str]) -> "Table":
    """The rows and logs of these models."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from nstar._data.table import Table

    names = table.data["model"].cast(pa.string())
    rows = table.data.filter(pc.is_in(names, value_set=pa.array(models, pa.string())))
    sources = tuple(s for s in table.sources if s.model is None or s.model in models)
    return Table(data=rows, sources=sources)


def run_logs(
    groups: Sequence[LogGroup],
    reading: ReadingOptions,
    wanted: RunChoice,
    choose: str = "Choose one with --a MODEL, or two with --b",
) -> "tuple[tuple[RunTable, ...], tuple[Finding, ...]]":
    """Read logs of one task set; DataError for anything fatal in them.

    ``choose`` says how to choose a model, for a message.
    """
    from nstar._data.align import matrices
    from nstar._data.findings import few, refuse_fatal
    from nstar._verbs.coverage import coverage
    from nstar._verbs.runs import run_tables
    from nstar.errors import DataError

    everything, scans = _collect(groups, reading)
    models = _chosen(everything, _where([p for g in groups for p in g.paths]), wanted, choose)
    table = _only(everything, models)
    every = matrices(
        table, duplicates=reading.settled, errors=reading.coded, limits=reading.limits()
    )
    task = () if wanted.task is None else (wanted.task,)
    chosen = choose_metrics(every, task, wanted.metric)
    if len(chosen) > 1:
        names = few([m.task or "(no name)" for m in chosen], 10)
        msg = f"runs are of one task set; choose one of these {len(chosen)} with --task: {names}"
        raise DataError(msg)
    report = coverage(
        chosen,
        tuple(s for s in table.sources if s.task in {None, chosen[0].task}),
        notes=[
            *(in_flags(n) for s in scans for n in s.journal.notes),
            *other_metrics(every, chosen),
        ],
        bad=[b for s in scans for b in s.journal.bad],
        allowed=reading.allow,
    )
    refuse_fatal(report.findings)
    found = run_tables(
        table,
        models=models,
        task=chosen[0].task,
        metric=chosen[0].metric,
        duplicates=reading.settled,
        errors=reading.coded,
    )
    return found, report.findings
