"""Read data with several judges: their scores and the labels in one order of items."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.run_logs import LogGroup, RunSelection, collect_groups, only_models
from nstar._api.inputs.selection import find_model
from nstar._data import arrow
from nstar._data.findings import Finding, abbreviate, refuse_fatal
from nstar._data.matrix import LABEL_WEIGHT
from nstar._data.table import Table
from nstar._verbs.data_summary import coverage
from nstar._verbs.judges import JudgesSample, sampled
from nstar._verbs.runs import RunTable, run_tables
from nstar.errors import DataError, arg
from nstar.readers import place_of
from nstar.readers._tables._columns import JUDGED, RATER


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeColumns:
    """Columns that hold judges and labels."""

    judges: tuple[str, ...] = ()
    """Columns of judges' scores, or in logs their metrics."""
    rater: str | None = None
    """Column that names the judge of each row, as an alternative to ``judges``."""
    label: str | None = None
    """Column of labels, or in logs their metric."""

    @classmethod
    def of(cls, columns: Sequence[tuple[str, str]]) -> "JudgeColumns | None":
        """Build from the mapping ``columns``; None if it names neither judges nor labels."""
        parts = dict(columns)
        judges = tuple(name for part, name in columns if part == JUDGED[0])
        if not judges and RATER not in parts:
            return None
        return cls(judges=judges, rater=parts.get(RATER), label=parts.get(JUDGED[1]))


def _metric(codes: np.ndarray, names: list[str], part: str, metric: str) -> np.ndarray:
    """Rows of a metric: of a declared column, or by its full name or the part before a comma."""
    name = part if part in names else metric
    if name not in names:
        name = next((n for n in names if n.startswith(f"{name},")), name)
    if name not in names:
        msg = f"No metric {metric!r}. Available: {abbreviate(names, 10)}."
        raise DataError(msg)
    return np.asarray(codes == names.index(name))


def _split(
    data: pa.Table, columns: JudgeColumns
) -> tuple[list[tuple[str, pa.Table]], pa.Table | None]:
    """Return the rows of each judge, and those of the labels."""
    codes, names = arrow.coded(data["metric"], "score")
    single = len(columns.judges) <= 1
    label = None
    if columns.label is not None:
        rows = _metric(codes, names, JUDGED[1] if single else columns.label, columns.label)
        label = arrow.some_rows(data, rows)
    if columns.rater is None:
        part = JUDGED[0] if single else ""
        judges = [
            (name, arrow.some_rows(data, _metric(codes, names, part, name)))
            for name in columns.judges
        ]
        return judges, label
    data = arrow.some_rows(data, codes == names.index(JUDGED[0]))
    if data[RATER].null_count:
        rows = data[RATER].null_count
        msg = (
            f"{rows:,} rows have no judge in the column {columns.rater}. Add the name of the "
            "judge to each row."
        )
        raise DataError(msg)
    judge_codes, raters = arrow.coded(data[RATER])
    return [
        (name, arrow.some_rows(data, judge_codes == k)) for k, name in enumerate(raters)
    ], label


def _models(table: Table, where: str, selection: RunSelection) -> list[str]:
    models = list(table.models)
    chosen_names = [model for model in (selection.a, selection.b) if model is not None]
    return [find_model(model, models, where) for model in chosen_names] or models


def _task(data: pa.Table, selection: RunSelection) -> str:
    """Return the selected task, or the only one."""
    names = list(dict.fromkeys(arrow.coded(data["task"], "")[1]))
    if selection.task is not None:
        return selection.task
    if len(names) > 1:
        msg = (
            "Several tasks found, but judges are compared on one task. Choose it with "
            f"{arg('task')}: "
        )
        raise DataError(msg + abbreviate([n or "(no name)" for n in names], 10))
    return names[0] if names else ""


def judged_logs(
    groups: Sequence[LogGroup],
    reading: ReadSettings,
    selection: RunSelection,
    columns: JudgeColumns,
) -> tuple[JudgesSample, tuple[Finding, ...]]:
    """Read judgments of one task set. Raise DataError for any fatal finding."""
    everything, scans = collect_groups(groups, reading)
    if LABEL_WEIGHT in everything.data.column_names:
        msg = (
            "Comparing judges requires labels of a random subset, but these labels were drawn by "
            f"strata of one judge's scores ({LABEL_WEIGHT}). Remove that column and the labels "
            "that were drawn with it."
        )
        raise DataError(msg)
    models = _models(everything, abbreviate([place_of(g.data) for g in groups], 3), selection)
    table = only_models(everything, models)
    task = _task(table.data, selection)
    judges, label = _split(table.data, columns)
    plain = [name for name in table.data.column_names if name != RATER]

    def tables(rows: pa.Table) -> tuple[RunTable, ...]:
        """Return one table for each model in the rows."""
        judge_table = Table(data=rows.select(plain), sources=table.sources)
        present = [model for model in models if model in judge_table.models]
        return run_tables(
            judge_table,
            models=present,
            task=task,
            duplicates=reading.settled,
            errors=reading.coded,
        )

    checked = []
    for _, rows in judges:
        judge_table = Table(data=rows.select(plain), sources=table.sources)
        checked += reading.aligned(judge_table)
    report = coverage(
        checked[:1],
        tuple(s for s in table.sources if s.task in {None, task}),
        notes=[n for s in scans for n in s.journal.notes],
        bad=[b for s in scans for b in s.journal.bad],
        allowed=reading.allow,
    )
    refuse_fatal(report.findings)
    judge_tables = [(name, tables(rows)) for name, rows in judges]
    people = () if label is None else tables(label)
    return sampled(judge_tables, people), report.findings
