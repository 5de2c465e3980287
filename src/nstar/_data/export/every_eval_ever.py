"""Every Eval Ever (EEE) 0.3.0: for each task and model, an aggregate and its samples.

The datastore expects ``data/<task>/<developer>/<model>/<uuid>.json`` and ``<uuid>_samples.jsonl``.
A table contains no questions and answers, so ``input`` and ``output`` are empty. The format does
not support rows without a score, so these are only counted.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nstar._base.types import Array, IntArray, Interval
from nstar._data.export.files import NewFile, path_part, subdirectory, sweep
from nstar._data.table import Table
from nstar.errors import DataError
from nstar.stats import t_interval, wilson_interval

_SCHEMA = "0.3.0"
_BLOCK = 1 << 16
_UNKNOWN = "unknown"


def write_eee(
    table: Table,
    directory: str | Path,
    *,
    version: str,
    retrieved: float | None = None,
) -> list[Path]:
    """Write the scores as EEE records, with two files for each task and model.

    Nothing is written outside ``directory``. File names do not depend on the time of the record,
    so the same scores have the same names.

    The score is the mean over items of the mean over runs. Its standard error is the standard
    deviation over items divided by √n. The interval is Wilson's for 0/1 scores of single runs, and
    Student's t otherwise.
    """
    when = str(time.time() if retrieved is None else float(retrieved))
    source = {
        "source_name": "nstar",
        "source_type": "evaluation_run",
        "source_organization_name": _UNKNOWN,
        "evaluator_relationship": "other",
        "additional_details": {"converter": f"nstar {version}", "groups": "\n".join(table.groups)},
    }
    written: list[Path] = []
    for part in _parts(table):
        written += _AggregateRecord(part, table, when, source).write(Path(directory))
    return written


@dataclass(frozen=True, slots=True, eq=False)
class _ModelTaskScores:
    """Scores of one model on one task."""

    task: str
    model: str
    data: pa.Table
    unscored: int


def _parts(table: Table) -> Iterator[_ModelTaskScores]:
    data = table.data.unify_dictionaries().combine_chunks()
    if not len(data):
        return
    task, model = _codes(data["task"]), _codes(data["model"])
    order = np.lexsort((model, task))
    change = np.diff(task[order]) | np.diff(model[order])
    for rows in np.split(order, np.flatnonzero(change) + 1):
        mine = data.take(pa.array(rows))
        scored = mine.filter(mine["score"].is_valid())
        if len(scored):
            task_name, model_name = (mine[c][0].as_py() or "" for c in ("task", "model"))
            yield _ModelTaskScores(task_name, model_name, scored, len(mine) - len(scored))


def _codes(column: pa.ChunkedArray) -> IntArray:
    """Return codes of the names in a column whose chunks share a dictionary."""
    parts = [c.indices.fill_null(-1).to_numpy() for c in column.chunks]
    return np.concatenate(parts).astype(np.int64)


def _names(data: pa.Table, column: str, absent: str) -> pa.Array:
    if column not in data.column_names:
        return pa.array([absent] * len(data), pa.string())
    values = data[column].cast(pa.string()).fill_null(absent)
    return values.combine_chunks()


class _AggregateRecord:
    """One aggregate record with its samples."""

    def __init__(
        self, part: _ModelTaskScores, table: Table, when: str, source: Mapping[str, Any]
    ) -> None:
        self._part = part
        self._table = table
        self._source = source
        self._when = when
        self._id = f"{part.task or 'unnamed'}/{part.model}/{when}"
        self._metric = _names(part.data, "metric", "score")
        self._score = part.data["score"].to_numpy()
        if not np.all(np.isfinite(self._score)):
            msg = (
                f"{part.model}, {part.task}: a score is not finite, but EEE requires "
                "finite numbers. Remove that score."
            )
            raise DataError(msg)

    def write(self, root: Path) -> list[Path]:
        developer, slash, model = self._part.model.partition("/")
        if not slash:
            developer, model = _UNKNOWN, developer
        parts = ("data", *map(path_part, (self._part.task, developer, model)))
        directory = subdirectory(root, *parts)
        sweep(directory)
        with NewFile(directory) as file:
            name, checksum = self._write_samples(file)
            samples = file.keep(f"{name}_samples.jsonl")
        with NewFile(directory) as file:
            path = "/".join([*parts, samples.name])
            file.write(msgspec.json.format(msgspec.json.encode(self._aggregate(path, checksum))))
            return [samples, file.keep(f"{name}.json")]

    def _write_samples(self, file: NewFile) -> tuple[UUID, str]:
        """Write the samples, and return the name of their file and its checksum."""
        content = blake2b(f"{self._part.task}\0{self._part.model}".encode(), digest_size=16)
        checksum = sha256()
        begin = msgspec.json.encode({"evaluation_id": self._id})[:-1] + b","
        for sample in self._samples():
            encoded = msgspec.json.encode(sample)
            content.update(encoded)
            line = begin + encoded[1:] + b"\n"
            checksum.update(line)
            file.write(line)
        return UUID(bytes=content.digest(), version=4), checksum.hexdigest()

    def _samples(self) -> Iterator[dict[str, Any]]:
        part = self._part
        for start in range(0, len(part.data), _BLOCK):
            block = part.data.slice(start, _BLOCK)
            metrics = self._metric.slice(start, _BLOCK).to_pylist()
            for metric, row in zip(metrics, block.to_pylist(), strict=True):
                yield {
                    "schema_version": _SCHEMA,
                    "model_id": part.model,
                    "evaluation_name": part.task,
                    "evaluation_result_id": metric,
                    "sample_id": row["item"] or "",
                    "sample_hash": _digest(row.get("content")),
                    "interaction_type": "single_turn",
                    "input": {"raw": "", "reference": []},
                    "output": {"raw": []},
                    "answer_attribution": [],
                    "evaluation": {"score": row["score"], "is_correct": row["score"] == 1},
                    "metadata": self._metadata(row),
                }

    def _metadata(self, row: dict[str, Any]) -> dict[str, str]:
        quantities = ("cost", "tokens", "input_tokens", "output_tokens")
        names = ("run", *quantities, *self._table.groups)
        return {name: str(row[name]) for name in names if row.get(name) is not None}

    def _aggregate(self, path: str, checksum: str) -> dict[str, Any]:
        part = self._part
        harnesses = {s.harness for s in self._mine() if s.harness}
        only = harnesses.pop() if len(harnesses) == 1 else ""
        harness, _, version = only.rpartition(" ")
        developer = {"developer": part.model.partition("/")[0]} if "/" in part.model else {}
        unknown = {"deployment_type": _UNKNOWN, "model_availability": _UNKNOWN}
        return {
            "schema_version": _SCHEMA,
            "evaluation_id": self._id,
            "retrieved_timestamp": self._when,
            "source_metadata": self._source,
            "eval_library": {
                "name": harness or version or _UNKNOWN,
                "version": version or _UNKNOWN,
            },
            "model_info": {"name": part.model, "id": part.model, **developer}
            | {"additional_details": unknown},
            "evaluation_results": [self._result(m) for m in self._metric.unique().to_pylist()],
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": path,
                "hash_algorithm": "sha256",
                "checksum": checksum,
                "total_rows": len(part.data),
            },
        }

    def _mine(self) -> list[Any]:
        part = self._part
        return [
            s
            for s in self._table.sources
            if s.model in {None, part.model} and s.task in {None, part.task}
        ]

    def _result(self, metric: str) -> dict[str, Any]:
        rows = pc.equal(self._metric, metric).to_numpy(zero_copy_only=False)
        score = self._score[rows]
        binary = bool(np.all((score == 0) | (score == 1)))
        item = _codes(self._part.data["item"])[rows]
        _, place, runs = np.unique(item, return_inverse=True, return_counts=True)
        means = np.bincount(place, score) / runs
        lower = any(metric in s.lower_is_better for s in self._mine())
        config: dict[str, Any] = {"metric_name": metric, "lower_is_better": lower}
        if binary:
            config |= {"score_type": "binary", "min_score": 0.0, "max_score": 1.0}
        return {
            "evaluation_result_id": metric,
            "evaluation_name": self._part.task,
            "source_data": {"dataset_name": self._part.task or "unnamed", "source_type": "other"},
            "metric_config": config,
            "score_details": {
                "score": float(means.mean()),
                "details": {
                    "runs": str(int(runs.max())),
                    "unscored_rows": str(self._part.unscored),
                },
                "uncertainty": _uncertainty(means, counted=binary and runs.max() == 1),
            },
        }


def _uncertainty(means: Array, *, counted: bool) -> dict[str, Any]:
    """Return the uncertainty of a mean: Wilson's interval for counts, else Student's t."""
    n = len(means)
    out: dict[str, Any] = {"num_samples": n}
    if n > 1:
        sd = float(means.std(ddof=1))
        out["standard_deviation"] = sd
        out["standard_error"] = {"value": sd / n**0.5, "method": "analytic"}
    if counted:
        out["confidence_interval"] = _interval(wilson_interval(means.sum(), n), "Wilson score")
    elif n > 1:
        out["confidence_interval"] = _interval(t_interval(means.mean(), sd, n), "Student t")
    return out


def _interval(limits: Interval, method: str) -> dict[str, Any]:
    lower, upper = map(float, limits)
    return {"lower": lower, "upper": upper, "confidence_level": 0.95, "method": method}


def _digest(content: int | None) -> str | None:
    """Return a 64-bit hash in the form of a 256-bit digest, which readers shorten again."""
    return None if content is None else f"{content:016x}" + 48 * "0"
