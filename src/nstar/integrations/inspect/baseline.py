"""Finished log of the baseline that a running evaluation is compared with."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nstar._api.inputs.model_source import path_exists
from nstar.errors import DataError, ReadError

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample

    from nstar._data.table import Source, Table

__all__ = ["Baseline", "read_baseline", "refuse_missing"]


_MAX_ABSENT = 0.05
"""Largest share of samples that the baseline log may lack. A larger share is an error."""
_COLUMNS = ("model", "task", "metric", "item", "score", "content")


@dataclass(frozen=True, slots=True)
class Baseline:
    """Scores of the baseline, averaged over its epochs."""

    path: str
    model: str
    metric: str
    scores: Mapping[str, float]
    contents: Mapping[str, int]
    """Hashes of the questions that are stored completely in the log."""
    unscored: frozenset[str] = frozenset()
    """Samples in the log that have no score."""

    @property
    def binary(self) -> bool:
        """Return whether all scores are 0 or 1."""
        return set(self.scores.values()) <= {0.0, 1.0}

    @property
    def bounded(self) -> bool:
        """Return whether all scores are in [0, 1]."""
        return all(0 <= score <= 1 for score in self.scores.values())

    def common(self, samples: "Sequence[Sample]") -> int:
        """Return samples with a baseline score. Raise an error for too few, or other questions."""
        for sample in samples:
            self._refuse_stranger(sample)
        n_common = sum(str(sample.id) in self.scores for sample in samples)
        absent = sum(
            str(s.id) not in self.scores and str(s.id) not in self.unscored for s in samples
        )
        if n_common > 1 and absent > _MAX_ABSENT * len(samples):
            msg = (
                f"{self.path} covers only {len(samples) - absent:,} of the {len(samples):,} "
                "samples of this run, so a decision would ignore the other samples. Run the "
                "baseline on all samples, or limit this run to the same samples (limit, "
                "sample_id)."
            )
            raise DataError(msg)
        if n_common < 2:
            msg = (
                f"{self.path} has scores for only {n_common} of the {len(samples)} samples of "
                "this run. Samples are matched by id. Pass the log of a run on the same samples."
            )
            raise DataError(msg)
        return n_common

    def _refuse_stranger(self, sample: "Sample") -> None:
        """Raise an error if a sample has the id of another question."""
        from nstar.readers._base import content_key

        known, question, target = self.contents.get(str(sample.id)), sample.input, sample.target
        if known is None or not isinstance(question, str) or not isinstance(target, str):
            return
        if content_key(f"{question}\n{target}".encode("utf-8", "surrogatepass")) != known:
            msg = (
                f"Sample {sample.id!r} has a different question or target in "
                f"{self.path}. Pass the log of a run on the same samples."
            )
            raise DataError(msg)


def refuse_missing(path: str) -> None:
    """Raise an error if a local path does not exist.

    Inspect creates tasks in the folder of the task file, and reads the baseline relative to the
    folder in which it was started. At that time, only the shell's variable contains the second
    folder.
    """
    called_in = os.environ.get("PWD")
    if "://" in path or path_exists(path):
        return
    if not Path(path).is_absolute() and (called_in is None or path_exists(f"{called_in}/{path}")):
        return
    msg = f"Baseline {path}: no such file or folder. Pass the log of a finished run."
    raise ReadError(msg)


def read_baseline(path: str, task: str, metric: str | None) -> Baseline:
    """Read the baseline scores of a task, by default the only one in the log."""
    from nstar.readers import read

    table = read(path)
    for source in table.sources:
        _refuse_part(source)
    rows = _rows(path, table)
    models = {row[0] for row in rows}
    if len(models) != 1:
        msg = (
            f"{path} contains {len(models)} models: {', '.join(sorted(models))}. Pass the "
            "log of one model."
        )
        raise DataError(msg)
    rows = _of_task(path, rows, task)
    chosen = rows[0][2] if metric is None else metric
    runs: dict[str, list[float]] = {}
    for row in rows:
        if row[2] == chosen and row[4] is not None:
            runs.setdefault(row[3], []).append(row[4])
    if not runs:
        scores_text = ", ".join(dict.fromkeys(row[2] for row in rows))
        msg = f"{path} has no scores of {chosen!r}. Available: {scores_text}."
        raise DataError(msg)
    means = {item: math.fsum(scores) / len(scores) for item, scores in runs.items()}
    contents = {row[3]: row[5] for row in rows if row[5] is not None}
    unscored = frozenset(row[3] for row in rows) - means.keys()
    return Baseline(path, models.pop(), chosen, means, contents, unscored)


def _refuse_part(source: "Source") -> None:
    """Raise an error for a run whose items were selected by its own results."""
    if source.status != "success":
        msg = (
            f"{source.path} did not finish (status {source.status!r}). Pass the log of a "
            "finished run."
        )
        raise DataError(msg)
    if source.stopped is not None:
        msg = (
            f"{source.path} was stopped early ({source.stopped}), so its scores are biased. Pass "
            "the log of a complete run."
        )
        raise DataError(msg)


def _rows(path: str, table: "Table") -> list[tuple[Any, ...]]:
    """Yield model, task, metric, item, score, and content of every row."""
    missing = [c for c in _COLUMNS if c not in table.data.column_names]
    if missing:
        msg = f"{path} does not record {', '.join(missing)}. Pass a log written by Inspect."
        raise DataError(msg)
    return list(zip(*(table.data[c].to_pylist() for c in _COLUMNS), strict=True))


def _of_task(path: str, rows: list[tuple[Any, ...]], task: str) -> list[tuple[Any, ...]]:
    tasks = list(dict.fromkeys(row[1] for row in rows))
    short = task.rpartition("/")[2]
    matching = [t for t in tasks if t.rpartition("/")[2] == short]
    if not matching:
        tasks_text = ", ".join(tasks)
        msg = f"{path} is a log of the task {tasks_text}, not of {task}. Pass a log of {task}."
        raise DataError(msg)
    return [row for row in rows if row[1] == matching[0]]
