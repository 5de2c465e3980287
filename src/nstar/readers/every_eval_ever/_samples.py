"""Samples of an EEE evaluation on their way to rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import msgspec
import pyarrow as pa

from nstar.readers._base import Journal, Rows, SourceDraft, content_key
from nstar.readers._common import group_label
from nstar.readers._files import Place
from nstar.readers._values import ScoreCheck, brief, entry, text, whole
from nstar.readers.every_eval_ever._aggregate import Aggregate, metric_of, samples_of, task_of

__all__ = ["Sample", "Samples"]

_NATIVE = "the native logs hold more and are to be preferred"


class _Evaluation(msgspec.Struct, gc=False):
    score: Any = None


class Sample(msgspec.Struct, gc=False):
    """One line: the score of one sample in one result."""

    model_id: Any = None
    evaluation_name: Any = None
    evaluation_result_id: Any = None
    sample_id: Any = None
    sample_hash: Any = None
    evaluation: _Evaluation | None = None
    token_usage: Any = None
    error: Any = None
    metadata: Any = None


@dataclass(frozen=True, slots=True)
class _Way:
    """Where rows of one result go: task, metric, and the first score of each item."""

    task: str
    metric: str
    first: dict[str | tuple[str, str], float | None] = field(default_factory=dict)


class Samples:
    """Rows of one file; epochs that only repeat their mean are held back."""

    def __init__(
        self,
        place: Place,
        journal: Journal,
        source: SourceDraft,
        about: Aggregate,
        groups: tuple[str, ...],
    ) -> None:
        columns = ("model", "task", "item", "score", "metric", "run", "content", "tokens")
        self.rows = Rows(*columns, *groups)
        self.run: str | None = None
        self._held = Rows(*columns, *groups)
        self._held_batches: list[pa.RecordBatch] = []
        self._by_nstar = self._epochs_differ = about.by_nstar
        self._kept = about.kept
        kept = {metric_of(r) for r in self._kept}
        self._left_out = {metric_of(r) for r in about.evaluation_results} - kept
        self._ways: dict[tuple[str, str | None], _Way | None] = {}
        self._place = place
        self._journal = journal
        self._source = source
        self._about = about
        self._groups = groups
        self._check = ScoreCheck(place, journal, source.drop)

    def take(self, line: int, sample: Sample) -> None:
        """One line of the file."""
        model, item = text(sample.model_id), text(sample.sample_id)
        name, result = text(sample.evaluation_name), text(sample.evaluation_result_id)
        if model is None or item is None or name is None:
            found = {"model_id": sample.model_id, "sample_id": sample.sample_id}
            problem = f"sample has {brief(found)}; both must be text, and evaluation_name too"
            self._journal.bad_row(self._place, line, problem)
            return
        way = self._way(name, result)
        if way is not None:
            for score in self._score(line, way.metric, sample):
                self._add(model, item, way, score, sample)

    def _way(self, name: str, result: str | None) -> _Way | None:
        """Task and metric of a row; ``None`` if it is to be left out."""
        if (name, result) not in self._ways:
            metric = self._metric(name, result)
            way = None if metric is None else _Way(task_of(name, metric), metric)
            self._ways[name, result] = way
        way = self._ways[name, result]
        if way is None:
            repeats = "repeats a score under the name of another aggregate"
            self._source.drop("has no result of its own" if result is None else repeats)
        return way

    def _metric(self, name: str, result: str | None) -> str | None:
        if result is not None:
            return None if result in self._left_out else result
        if not self._about.evaluation_results:
            return "score"
        named = [metric_of(r) for r in self._kept if entry(r, "evaluation_name") == name]
        return named[0] if len(named) == 1 and self._about.library != "lm_eval" else None

    def _score(self, line: int, metric: str, sample: Sample) -> tuple[float | None, ...]:
        if sample.error is not None and text(sample.error) is not None:
            return (self._journal.error_score("missing"),)
        value = sample.evaluation.score if sample.evaluation is not None else None
        if value.__class__ is float and isfinite(value):
            return (value,)
        return self._check(metric, value, line)

    def _add(self, model: str, item: str, way: _Way, score: float | None, sample: Sample) -> None:
        """Add a row, unless it may be but another copy of a mean over epochs."""
        metadata = sample.metadata if isinstance(sample.metadata, dict) else {}
        epoch = text(metadata.get("run" if self._by_nstar else "epoch"))
        cell = item if model == self._source.model else (model, item)
        first = cell not in way.first
        if first:
            way.first[cell] = score
        elif epoch is not None and score != way.first[cell]:
            self._epochs_differ = True
        run = epoch if self._by_nstar or not first else None
        if self.run is not None:
            run = self.run if run is None else f"{self.run}/{run}"
        digest, usage = text(sample.sample_hash), sample.token_usage
        content = None if digest is None else content_key(digest)
        tokens = None if usage is None else whole(entry(usage, "total_tokens"))
        groups = [group_label(metadata.get(g)) for g in self._groups]
        rows = self.rows if first or epoch is None or self._epochs_differ else self._held
        rows.add(model, way.task, item, score, way.metric, run, content, tokens, *groups)
        if self._held.full:
            self._held_batches.append(self._held.batch())

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The rows that are left, and notes on what the converter lost."""
        yield self.rows.batch()
        held = [*self._held_batches, self._held.batch()]
        if self._epochs_differ:
            yield from held
        elif rows := sum(len(b) for b in held):
            self._source.drop("epoch that repeats the mean over epochs", rows)
            lost = "the mean over epochs stands on every epoch, so nothing tells runs apart"
            self._source.notes.append(f"{lost}; {_NATIVE}")
        self._compare_counts()

    def _compare_counts(self) -> None:
        there: dict[str, list[float | None]] = {}
        for way in self._ways.values():
            if way is not None:
                there.setdefault(way.metric, []).extend(way.first.values())
        for result in self._kept:
            metric, claimed = metric_of(result), samples_of(result)
            scores = there.get(metric)
            if claimed is None or not scores:
                continue
            scored = sum(s is not None for s in scores)
            if claimed not in {len(scores), scored}:
                found = f"{metric}: the aggregate is over {claimed} samples, {scored} are here"
                group = "as when one task stands for its group"
                self._source.notes.append(f"{found}, {group}; {_NATIVE}")
