"""Turn columns of data into scores of a metric that is not an average, one per item."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from nstar._api.inputs.model_source import ModelSource
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import ModelFilter
from nstar._base.types import BoolArray, IntArray
from nstar._data.findings import Finding, find, list_tasks
from nstar._data.matrix import Correction, Grouping, ScoreMatrix
from nstar._verbs.metrics import Metric, MetricScores, is_rare, measured, metric_of
from nstar.errors import DataError, arg
from nstar.readers.columns import ColumnTable, read_columns

_NAMES = ("item", "model", "task")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricBoard:
    """Matrices of a metric, and findings about the data."""

    matrices: list[ScoreMatrix]
    findings: tuple[Finding, ...]


def metric_board(
    sources: Sequence[ModelSource],
    statistic: str | Callable[..., float],
    settings: ReadSettings,
    models: ModelFilter | Sequence[str],
    *,
    tasks: tuple[str, ...] = (),
    groups: Sequence[str] = (),
    n_models: int | None = None,
) -> MetricBoard:
    """Return one matrix of pseudo-values for each task.

    Several sources have one model each. Items that some of the models lack are excluded, because
    the metric of every model must be on the same items.
    """
    declared = dict(settings.options.columns)
    others = [part for part in declared if part not in _NAMES]
    metric, positive = metric_of(statistic, others)
    parts = [
        _joined(read_columns(source.data, metric.parts, settings.options, groups), metric, groups)
        for source in sources
    ]
    if len(sources) > 1:
        parts = [_one_model(rows, source) for rows, source in zip(parts, sources, strict=True)]
        models = _distinct(parts, sources)
    rows = _together(parts)
    available = list(dict.fromkeys(rows.task.tolist()))
    chosen_tasks = [task for task in available if not tasks or task in tasks]
    if not chosen_tasks:
        msg = f"No task {tasks[0]!r} found. Tasks: {list_tasks(available)}."
        raise DataError(msg)
    boards = [_matrix(rows.on(task), metric, positive, models, n_models) for task in chosen_tasks]
    return MetricBoard(
        matrices=[matrix for matrix, _ in boards],
        findings=tuple(finding for _, findings in boards for finding in findings),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """Rows of all tables."""

    task: npt.NDArray[np.str_]
    model: npt.NDArray[np.str_]
    item: npt.NDArray[np.str_]
    parts: Mapping[str, npt.NDArray[Any]]
    groups: Mapping[str, npt.NDArray[Any]]

    def on(self, task: str) -> "_Rows":
        """Return the rows of a task."""
        return self.where(self.task == task)

    def where(self, keep: BoolArray) -> "_Rows":
        """Return some of the rows."""
        return _Rows(
            task=self.task[keep],
            model=self.model[keep],
            item=self.item[keep],
            parts={part: values[keep] for part, values in self.parts.items()},
            groups={name: values[keep] for name, values in self.groups.items()},
        )


def _values(tables: Sequence[ColumnTable], part: str) -> npt.NDArray[Any]:
    """Return the values of a part over all tables; missing ones are None."""
    values = [table.parts[part].to_pylist() for table in tables]
    out = np.empty(sum(map(len, values)), dtype=object)
    out[:] = [value for column in values for value in column]
    return out


def _joined(tables: Sequence[ColumnTable], metric: Metric, groups: Sequence[str]) -> _Rows:
    models: list[Any] = []
    tasks: list[Any] = []
    for table in tables:
        n_rows = len(table.parts["item"])
        has_model, has_task = "model" in table.parts, "task" in table.parts
        models += table.parts["model"].to_pylist() if has_model else [table.model] * n_rows
        tasks += table.parts["task"].to_pylist() if has_task else [""] * n_rows
    return _Rows(
        task=np.array([str(t) for t in tasks]),
        model=np.array([str(m) for m in models]),
        item=np.array([str(i) for i in _values(tables, "item").tolist()]),
        parts={part: _values(tables, part) for part in metric.parts},
        groups={name: _values(tables, f"group:{name}") for name in groups},
    )


def _one_model(rows: _Rows, source: ModelSource) -> _Rows:
    """Return the rows of the model of one source."""
    names = list(dict.fromkeys(rows.model.tolist()))
    if source.model is not None:
        _kept(names, [source.model])
        return rows.where(rows.model == source.model)
    if len(names) > 1:
        models_text = ", ".join(names[:10])
        msg = f"{source.where} contains {len(names)} models ({models_text}). Use PATH::MODEL."
        raise DataError(msg)
    return rows


def _distinct(parts: list[_Rows], sources: Sequence[ModelSource]) -> list[str]:
    """Name the model of each part by its label, and by its source if names repeat."""
    names = [s.label or str(rows.model[0]) for rows, s in zip(parts, sources, strict=True)]
    if len(set(names)) < len(names):
        places = [f"{n} ({s.where})" for n, s in zip(names, sources, strict=True)]
        repeated = len(set(places)) < len(places)
        names = [f"{n} ({k})" for k, n in enumerate(names, 1)] if repeated else places
    for k, name in enumerate(names):
        parts[k] = replace(parts[k], model=np.full(parts[k].model.size, name))
    return names


def _together(parts: Sequence[_Rows]) -> _Rows:
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    return _Rows(
        task=np.concatenate([rows.task for rows in parts]),
        model=np.concatenate([rows.model for rows in parts]),
        item=np.concatenate([rows.item for rows in parts]),
        parts={p: np.concatenate([rows.parts[p] for rows in parts]) for p in first.parts},
        groups={g: np.concatenate([rows.groups[g] for rows in parts]) for g in first.groups},
    )


def _kept(names: Sequence[str], models: ModelFilter | Sequence[str]) -> list[str]:
    if isinstance(models, ModelFilter):
        matching = [name for name in names if models.keeps(name)]
        models.check()
        return matching
    absent = [name for name in models if name not in names]
    if absent:
        msg = f"No scores of {absent[0]} found. Models: {', '.join(sorted(names)[:10])}."
        raise DataError(msg)
    return list(models) or list(names)


def _matrix(
    rows: _Rows,
    metric: Metric,
    positive: str | None,
    models: ModelFilter | Sequence[str],
    n_models: int | None,
) -> tuple[ScoreMatrix, list[Finding]]:
    """Return the pseudo-values of one task, on the items of all models."""
    task = str(rows.task[0])
    where = f"{task}: " if task else ""
    names = _kept(list(dict.fromkeys(rows.model.tolist())), models)
    if n_models is not None and len(names) != n_models:
        models_text = ", ".join(names[:10])
        msg = f"{where}{len(names)} models found. Set {arg('a')} and {arg('b')}: {models_text}."
        raise DataError(msg)
    items, place = np.unique(rows.item, return_inverse=True)
    cells = _cells(rows, names, items, place, where)
    is_common = _common(rows, cells, items.size)
    if is_common.sum() < 2:
        msg = f"{where}the models share {int(is_common.sum())} items. At least 2 are needed."
        raise DataError(msg)
    places = {name: at[is_common] for name, at in cells.items()}
    _refuse_other_truth(rows, places, items[is_common], where)
    results = [_measured(rows, places[name], metric, positive, f"{where}{name}") for name in names]
    means = np.stack([result.scores for result in results])
    matrix = ScoreMatrix.from_means(
        means,
        models=names,
        items=items[is_common].tolist(),
        task=task,
        metric=metric.label,
        lower_is_better=metric.lower_is_better,
        groups={
            name: Grouping.from_labels(values[places[names[0]]].tolist())
            for name, values in rows.groups.items()
        },
        correction=Correction(
            known=np.ones(means.shape[1], dtype=np.bool_),
            limits=metric.limits or (float(means.min()), float(means.max())),
            statistic=metric.label,
        ),
    )
    n_excluded = int(items.size - is_common.sum())
    return matrix, list(_findings(where, results[0].n_rare, n_excluded))


def _findings(where: str, n_rare: int | None, n_excluded: int) -> Iterator[Finding]:
    if is_rare(n_rare):
        text = f"{where}only {n_rare} items belong to the rarest class; intervals need about 20"
        yield find("rare-class", text)
    if n_excluded:
        text = f"{where}{n_excluded:,} items that some of the models lack are excluded"
        yield find("missing-items", text)


def _measured(
    rows: _Rows, at: IntArray, metric: Metric, positive: str | None, where: str
) -> MetricScores:
    try:
        return measured(metric, {part: v[at] for part, v in rows.parts.items()}, positive)
    except DataError as error:
        raise error.within(where) from error


def _common(rows: _Rows, cells: Mapping[str, IntArray], n_items: int) -> BoolArray:
    """Return whether every model has every part of an item."""
    is_missing = [
        np.array([value is None for value in values.tolist()]) for values in rows.parts.values()
    ]
    is_common = np.ones(n_items, dtype=np.bool_)
    for at in cells.values():
        is_common &= at >= 0
        for missing in is_missing:
            is_common &= ~missing[np.maximum(at, 0)]
    return is_common


def _cells(
    rows: _Rows, names: Sequence[str], items: npt.NDArray[Any], place: IntArray, where: str
) -> dict[str, IntArray]:
    """Return the row of every item by model, or -1. Raise DataError for a repeated item."""
    out = {}
    for name in names:
        rows_of_model = np.flatnonzero(rows.model == name)
        counts = np.bincount(place[rows_of_model], minlength=items.size)
        if counts.max(initial=0) > 1:
            item = str(items[int(counts.argmax())])
            msg = (
                f"{where}{name} has {int(counts.max())} rows of item {item!r}. A statistic needs "
                "one row per model and item."
            )
            raise DataError(msg)
        at = np.full(items.size, -1, dtype=np.int64)
        at[place[rows_of_model]] = rows_of_model
        out[name] = at
    return out


def _refuse_other_truth(
    rows: _Rows, places: Mapping[str, IntArray], items: npt.NDArray[Any], where: str
) -> None:
    """Raise DataError if the truth of an item depends on the model."""
    if "truth" not in rows.parts:
        return
    first, *others = places
    truth = rows.parts["truth"][places[first]]
    for name in others:
        differs = np.flatnonzero(rows.parts["truth"][places[name]] != truth)
        if differs.size:
            item = str(items[int(differs[0])])
            msg = (
                f"{where}the truth of item {item!r} differs between {first} and {name}. Check "
                "that the rows are paired correctly."
            )
            raise DataError(msg)
