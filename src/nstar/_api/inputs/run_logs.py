"""Read repeated runs: one RunTable for each selected model, with findings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import (
    choose_metrics,
    find_model,
    other_metrics,
    some_models,
    unnamed_model,
)
from nstar._data import arrow
from nstar._data.findings import Finding, abbreviate, refuse_fatal
from nstar._data.table import Table, constant
from nstar._verbs.data_summary import coverage
from nstar._verbs.runs import RunTable, run_tables
from nstar.errors import DataError, arg, by_interface, fill_parameters
from nstar.readers import LogScan, collect, place_of, scan


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSelection:
    """Selected models, task set, and metric."""

    a: str | None = None
    """The model, or the first of two."""
    b: str | None = None
    """The second model."""
    task: str | None = None
    """Task set, if the data hold several."""
    metric: str | None = None
    """Metric, instead of the first one."""
    many: bool = False
    """Whether any number of models is allowed."""
    choice: str = "Choose one model with {a=MODEL}, or two models with {a=MODEL} and {b=MODEL}."
    """Template of the message that tells the user how to choose a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogGroup:
    """Logs that are read together."""

    data: Any
    """Files, folders, patterns or URLs, or data in memory; several logs of one model are its
    runs."""
    model: str | None = None
    """Name of the only selected model in them."""
    usual: str | None = None
    """Default name of a model that the data do not name."""
    label: str | None = None
    """Name to show instead of the model's own. All groups with one label are its runs."""


def collect_groups(
    groups: Sequence[LogGroup], reading: ReadSettings
) -> tuple[Table, list[LogScan]]:
    """Return all rows of each group's data, or those of its model if it names one."""
    parts, scans = [], []
    for place, group in enumerate(groups):
        scanned = scan(group.data, reading.options)
        parts.append(_of_group(collect(scanned), group, place))
        scans.append(scanned)
    rows = pa.concat_tables([p.data for p in parts], promote_options="default")
    sources = tuple(s for p in parts for s in p.sources)
    return Table(data=rows.unify_dictionaries(), sources=sources), scans


def _of_group(table: Table, group: LogGroup, place: int) -> Table:
    """Return the rows that the group selects, under its name."""
    where, models = place_of(group.data), list(table.models)
    if group.model is not None and not unnamed_model(table.sources):
        models = [find_model(group.model, models, where)]
        table = only_models(table, models)
    label = group.label
    if label is None and unnamed_model(table.sources):
        label = group.model or group.usual
    if label is None:
        return table
    if len(models) > 1:
        msg = f"{where} contains {some_models(models)}. Choose one with {where}::MODEL."
        raise DataError(msg)
    return _labeled(table, label, f"{place + 1}")


def _labeled(table: Table, label: str, run: str) -> Table:
    """Rows of one model under another name, with runs distinct from those of other logs."""
    data = table.data
    runs: Any = constant(run, len(data))
    if "run" in data.column_names:
        codes, names = arrow.coded(data["run"], "")
        longer = arrow.array([f"{run}.{name}" for name in names], pa.string())
        runs = pa.DictionaryArray.from_arrays(arrow.array(codes), longer)
        data = data.drop_columns("run")
    place = data.schema.get_field_index("model")
    data = data.set_column(place, "model", constant(label, len(data)))
    sources = tuple(replace(s, model=s.model and label) for s in table.sources)
    return Table(data=data.append_column("run", runs), sources=sources)


def _chosen(table: Table, where: str, selection: RunSelection) -> list[str]:
    """Return the selected models: those named, or all if there are one or two."""
    models = list(table.models)
    chosen_names = [model for model in (selection.a, selection.b) if model is not None]
    if chosen_names and len(models) == len(chosen_names) == 1 and unnamed_model(table.sources):
        return models
    if chosen_names:
        chosen = [find_model(model, models, where) for model in chosen_names]
        if len(set(chosen)) < len(chosen):
            msg = f"{arg('a')} and {arg('b')} are both {chosen[0]}. Choose two different models."
            raise DataError(msg)
        return chosen
    if len(models) > 2 and not selection.many:
        msg = f"{where} contains {some_models(models)}. {fill_parameters(selection.choice)}"
        raise DataError(msg)
    return models


def only_models(table: Table, models: Sequence[str]) -> Table:
    """Return the rows and logs of these models."""
    codes, names = arrow.coded(table.data["model"])
    keep_mask = np.isin(codes, [k for k, name in enumerate(names) if name in models])
    rows = arrow.some_rows(table.data, keep_mask)
    sources = tuple(s for s in table.sources if s.model is None or s.model in models)
    return Table(data=rows, sources=sources)


_RATERS = {"judge", "judge_model", "judge_name", "rater", "grader", "annotator", "evaluator"}
"""Names of columns that usually identify the judge."""


def _refuse_raters(findings: Sequence[Finding], table: Table) -> None:
    """Raise DataError for rows that differ by judge, and name the option for judges."""
    if not any(f.code == "conflicting-rows" and f.level == "fatal" for f in findings):
        return
    notes = [n for s in table.sources for n in s.notes if n.startswith("ignored columns: ")]
    unused = [c for n in notes for c in n.removeprefix("ignored columns: ").split(", ")]
    for column in unused:
        if column.lower() in _RATERS:
            judges = by_interface(
                python=f'nstar.judges(…, rater="{column}")',
                command=f"nstar judges --rater {column}",
            )
            msg = (
                f"Rows for the same model, item, and run conflict, and the column {column!r} is "
                f"unused. If it contains the names of judges, use {judges}."
            )
            raise DataError(msg)


def run_logs(
    groups: Sequence[LogGroup], reading: ReadSettings, selection: RunSelection
) -> tuple[tuple[RunTable, ...], tuple[Finding, ...]]:
    """Read data of one task set. Raise DataError for any fatal finding."""
    reading = reading.measuring(selection.metric)
    everything, scans = collect_groups(groups, reading)
    models = _chosen(everything, abbreviate([place_of(g.data) for g in groups], 3), selection)
    table = only_models(everything, models)
    matrices = reading.aligned(table)
    chosen = choose_metrics(
        matrices, () if selection.task is None else (selection.task,), selection.metric
    )
    if len(chosen) > 1:
        names = abbreviate([repr(m.task) if m.task else "(no name)" for m in chosen], 10)
        msg = (
            f"Found {len(chosen)} task sets, but runs are analyzed on one. Set "
            f"{arg('task')} to one of them: {names}."
        )
        raise DataError(msg)
    notes = [
        *(n for s in scans for n in s.journal.notes),
        *other_metrics(matrices, chosen, selection.metric),
    ]
    report = coverage(
        chosen,
        tuple(s for s in table.sources if s.task in {None, chosen[0].task}),
        notes=notes,
        bad=[b for s in scans for b in s.journal.bad],
        allowed=reading.allow,
    )
    _refuse_raters(report.findings, table)
    refuse_fatal(report.findings)
    tables = run_tables(
        table,
        models=models,
        task=chosen[0].task,
        metric=chosen[0].metric,
        duplicates=reading.settled,
        errors=reading.coded,
    )
    return tables, report.findings
