"""Turn columns of data into scores of a metric that is not an average, one per item."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._api.inputs.model_source import ModelSource
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import ModelFilter
from nstar._base.types import Array, BoolArray, IntArray
from nstar._base.units import join_words
from nstar._data import lazy_compute as pc
from nstar._data.findings import Finding, find, list_tasks
from nstar._data.matrix import Correction, Grouping, ScoreMatrix
from nstar._verbs.metrics import Metric, MetricScores, is_rare, measured, metric_of
from nstar.errors import DataError, QuestionError, arg
from nstar.readers._columns import ColumnTable, read_columns

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
    for part in others:
        if part not in metric.parts:
            parts_text = join_words(metric.parts)
            msg = f"{metric.label} uses the columns {parts_text}, not {part!r}."
            raise QuestionError(msg)
    tables = [
        read_columns(source.data, metric.parts, settings.options, groups) for source in sources
    ]
    if len(sources) > 1:
        sides = [
            _one_model(side_tables, source)
            for side_tables, source in zip(tables, sources, strict=True)
        ]
        models = _distinct(sides, sources)
        pairs = zip(sides, models, strict=True)
        rows = _joined([(table, name) for side, name in pairs for table in side], metric, groups)
    else:
        rows = _joined([(table, None) for table in tables[0]], metric, groups)
    available = rows.task.present()
    chosen_tasks = [task for task in available if not tasks or task in tasks]
    if not chosen_tasks:
        msg = f"No task {tasks[0]!r} found. Tasks: {list_tasks(available)}."
        raise DataError(msg)
    boards = [
        _matrix(rows.where(rows.task.equals(task)), task, metric, positive, models, n_models)
        for task in chosen_tasks
    ]
    return MetricBoard(
        matrices=[matrix for matrix, _ in boards],
        findings=tuple(finding for _, findings in boards for finding in findings),
    )


class _Names(NamedTuple):
    """A name for each row."""

    codes: IntArray
    labels: tuple[str, ...]

    @classmethod
    def of(cls, columns: Sequence[pa.ChunkedArray]) -> "_Names":
        """Return the values of a column over all tables, as text."""
        chunks = [
            chunk.dictionary_encode()
            for column in columns
            for chunk in pc.fill_null(column.cast(pa.string()), "").chunks
        ]
        encoded = pa.chunked_array(chunks).unify_dictionaries()
        codes = [chunk.indices.to_numpy() for chunk in encoded.chunks]
        labels = encoded.chunk(0).dictionary.to_pylist()
        return cls(np.concatenate(codes).astype(np.int64), tuple(labels))

    def where(self, keep: BoolArray) -> "_Names":
        """Return the names of some rows."""
        return _Names(self.codes[keep], self.labels)

    def present(self) -> list[str]:
        """Return the different names, in the order of the data."""
        codes, first = np.unique(self.codes, return_index=True)
        return [self.labels[k] for k in codes[np.argsort(first)].tolist()]

    def equals(self, name: str) -> BoolArray:
        """Return whether each row has this name."""
        return np.asarray(self.codes == self.labels.index(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """Rows of all tables."""

    task: _Names
    model: _Names
    item: _Names
    parts: Mapping[str, npt.NDArray[Any]]
    groups: Mapping[str, npt.NDArray[Any]]

    def where(self, keep: BoolArray) -> "_Rows":
        """Return some of the rows."""
        return _Rows(
            task=self.task.where(keep),
            model=self.model.where(keep),
            item=self.item.where(keep),
            parts={part: values[keep] for part, values in self.parts.items()},
            groups={name: values[keep] for name, values in self.groups.items()},
        )


def _values(tables: Sequence[ColumnTable], part: str, *, is_text: bool = True) -> npt.NDArray[Any]:
    """Return the values of a part over all tables; text and missing values are objects."""
    columns = [table.parts[part] for table in tables]
    types = {column.type for column in columns}
    is_plain = all(
        pa.types.is_primitive(kind) and not pa.types.is_temporal(kind) for kind in types
    )
    if (
        not is_text
        and len(types) == 1
        and is_plain
        and not any(column.null_count for column in columns)
    ):
        return np.concatenate([column.to_numpy() for column in columns])
    values = [_cell(value) for column in columns for value in column.to_pylist()]
    if not is_text and (numbers := _as_numbers(values)) is not None:
        return numbers
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _cell(value: Any) -> Any:
    """Return a value, or None for a missing one: an empty text, or NaN."""
    if isinstance(value, str):
        return value if value.strip() else None
    return None if isinstance(value, float) and math.isnan(value) else value


def _as_numbers(values: Sequence[Any]) -> Array | None:
    """Return the values as numbers with NaN for missing ones; None if one is not a number.

    The values of a CSV file are text, and a frame turns whole numbers with gaps into fractions.
    """
    try:
        return np.array([math.nan if v is None else float(v) for v in values])
    except (TypeError, ValueError):
        return None


def _repeated(text: str, table: ColumnTable) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array([text] * len(table.parts["item"]), pa.string())])


def _joined(
    tables: Sequence[tuple[ColumnTable, str | None]], metric: Metric, groups: Sequence[str]
) -> _Rows:
    """Return the rows of all tables; a name replaces that of the model in a table."""
    columns = [table for table, _ in tables]
    models = [
        table.parts["model"]
        if name is None and "model" in table.parts
        else _repeated(name or table.model, table)
        for table, name in tables
    ]
    tasks = [table.parts.get("task", _repeated("", table)) for table in columns]
    return _Rows(
        task=_Names.of(tasks),
        model=_Names.of(models),
        item=_Names.of([table.parts["item"] for table in columns]),
        parts={p: _values(columns, p, is_text=metric.is_text) for p in metric.parts},
        groups={name: _values(columns, f"group:{name}") for name in groups},
    )


def _one_model(tables: Sequence[ColumnTable], source: ModelSource) -> tuple[ColumnTable, ...]:
    """Return the rows of the model of one source."""
    columns = [table.parts.get("model", _repeated(table.model, table)) for table in tables]
    names = _Names.of(columns).present()
    if source.model is not None:
        _kept(names, [source.model])
        return tuple(
            table._replace(
                parts={
                    part: values.filter(pc.equal(column.cast(pa.string()), source.model))
                    for part, values in (*table.parts.items(), ("model", column))
                }
            )
            for table, column in zip(tables, columns, strict=True)
        )
    if len(names) > 1:
        models_text = ", ".join(names[:10])
        msg = f"{source.where} contains {len(names)} models ({models_text}). Use PATH::MODEL."
        raise DataError(msg)
    return tuple(tables)


def _distinct(
    tables: Sequence[tuple[ColumnTable, ...]], sources: Sequence[ModelSource]
) -> list[str]:
    """Name the model of each source by its label, and by the source itself if names repeat."""
    names = [
        source.label
        or (
            str(side_tables[0].parts["model"][0])
            if "model" in side_tables[0].parts
            else side_tables[0].model
        )
        for side_tables, source in zip(tables, sources, strict=True)
    ]
    if len(set(names)) == len(names):
        return names
    places = [f"{n} ({s.where})" for n, s in zip(names, sources, strict=True)]
    if len(set(places)) == len(places):
        return places
    return [f"{n} ({k})" for k, n in enumerate(names, 1)]


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
    task: str,
    metric: Metric,
    positive: str | None,
    models: ModelFilter | Sequence[str],
    n_models: int | None,
) -> tuple[ScoreMatrix, list[Finding]]:
    """Return the pseudo-values of one task, on the items of all models."""
    where = f"{task}: " if task else ""
    names = _kept(rows.model.present(), models)
    if n_models is not None and len(names) != n_models:
        models_text = ", ".join(names[:10])
        msg = f"{where}{len(names)} models found. Set {arg('a')} and {arg('b')}: {models_text}."
        if len(names) == 1:
            msg = f"{where}only one model ({names[0]}) found. Add the rows of a second model."
        raise DataError(msg)
    codes, place = np.unique(rows.item.codes, return_inverse=True)
    items = np.array([rows.item.labels[k] for k in codes.tolist()])
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
    return matrix, list(_findings(where, results, n_excluded))


def _findings(where: str, results: Sequence[MetricScores], n_excluded: int) -> Iterator[Finding]:
    n_rare = results[0].n_rare
    if n_cutoffs := sum(result.is_one_cutoff for result in results):
        whose = "" if n_cutoffs == len(results) else f" of {n_cutoffs} of {len(results)} models"
        text = (
            f"{where}the predictions{whose} take two values, so this AUROC is that of one cutoff. "
            f"Use a column of scores, such as {arg('columns', 'prediction=probability')}"
        )
        yield find("one-cutoff", text)
    if is_rare(n_rare):
        text = (
            f"{where}the metric rests on about {n_rare} items of one class or sum; intervals are "
            "reliable from about 20"
        )
        yield find("rare-class", text)
    if n_excluded:
        text = f"{where}{n_excluded:,} items are excluded because some of the models lack them"
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
    is_missing = [_missing(values) for values in rows.parts.values()]
    is_common = np.ones(n_items, dtype=np.bool_)
    for at in cells.values():
        is_common &= at >= 0
        for missing in is_missing:
            is_common &= ~missing[np.maximum(at, 0)]
    return is_common


def _missing(values: npt.NDArray[Any]) -> BoolArray:
    if values.dtype == object:
        return np.array([value is None or value != value for value in values.tolist()])  # noqa: PLR0124 NaN
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.size, np.bool_)


def _cells(
    rows: _Rows, names: Sequence[str], items: npt.NDArray[Any], place: IntArray, where: str
) -> dict[str, IntArray]:
    """Return the row of every item by model, or -1. Raise DataError for a repeated item."""
    out = {}
    for name in names:
        rows_of_model = np.flatnonzero(rows.model.equals(name))
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
