"""Read Every Eval Ever (EEE) logs: ``<uuid>_samples.jsonl`` with ``<uuid>.json``.

The format's own converters change logs in these ways, which this reader corrects:

* inspect logs: every sample occurs once for each aggregate of its scorer, including group means.
  One of them is kept. Every epoch has the mean over epochs, which is kept once.
* lm-eval logs: samples without a scalar metric get an artificial score of 0 and no result id. They
  are left out. A group may contain the samples of only one of its tasks, which the number of
  samples shows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import msgspec
import pyarrow as pa

from nstar._data.table import KNOWN
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import GROUP_FIELDS, begins, first_of, group_label, run_label
from nstar.readers._files import Place
from nstar.readers._json import json_document, json_lines
from nstar.readers._values import (
    ScoreCheck,
    entry,
    mapping,
    means_of,
    settings_of,
    text,
    unfit,
    whole_number,
)

__all__ = ["READER"]

_FAVORED = ("accuracy", "mean")
"""Order of preference among aggregates of an inspect scorer, to find one over all samples."""
_ONE_MEAN = "every epoch repeats the mean over epochs, so runs cannot be separated"
_NATIVE = "if available, use the native logs, which contain more"


class _Evaluation(msgspec.Struct, gc=False):
    score: Any = None


class _Sample(msgspec.Struct, gc=False):
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


class _Aggregate(msgspec.Struct):
    """Document ``<uuid>.json``: the model, the evaluation, and the means that it reports."""

    evaluation_timestamp: Any = None
    retrieved_timestamp: Any = None
    source_metadata: Any = None
    eval_library: Any = None
    model_info: Any = None
    evaluation_results: list[Any] = []

    @property
    def library(self) -> str:
        """Program that ran the evaluation."""
        return text(entry(self.eval_library, "name")) or ""

    @property
    def by_nstar(self) -> bool:
        """Whether nstar wrote the document. If so, it contains runs and groups."""
        return (text(self._detail("converter")) or "").startswith("nstar")

    @property
    def groups(self) -> list[str]:
        """Fields of metadata that nstar wrote as groups."""
        names = text(self._detail("groups")) if self.by_nstar else None
        return names.split("\n") if names else []

    def _detail(self, key: str) -> Any:
        return entry(self.source_metadata, "additional_details", key)

    @property
    def kept(self) -> list[Any]:
        """Results to read. Only one per inspect scorer, because their rows are the same."""
        if not self.library.startswith("inspect") or self.by_nstar:
            return self.evaluation_results
        best: dict[str, Any] = {}
        for result in sorted(self.evaluation_results, key=_rank):
            best.setdefault(_metric_of(result).rpartition(":")[0], result)
        return list(best.values())

    def unit(self, place: Place, first: _Sample) -> Unit:
        tasks: set[str | None] = {
            _task_of(text(entry(r, "evaluation_name")) or "", _metric_of(r)) for r in self.kept
        }
        tasks = tasks or {text(first.evaluation_name)}
        model = text(entry(self.model_info, "id"))
        return Unit(
            place=place,
            model=model or text(first.model_id),
            several=model is None,
            task=tasks.pop() if len(tasks) == 1 else None,
            started=text(self.evaluation_timestamp) or text(self.retrieved_timestamp) or "",
            context=(self, mapping(first.metadata)),
        )

    def describe(self, source: SourceDraft) -> None:
        version = text(entry(self.eval_library, "version")) or ""
        source.harness = f"{self.library} {version}".strip()
        metric_counts = Counter(_metric_of(r) for r in self.kept)
        ones = {_metric_of(r): r for r in self.kept if metric_counts[_metric_of(r)] == 1}
        means = {metric: entry(r, "score_details", "score") for metric, r in ones.items()}
        source.aggregates = means_of(means)
        lower = {m: entry(r, "metric_config", "lower_is_better") for m, r in ones.items()}
        source.lower_is_better = tuple(m for m, less in lower.items() if less is True)
        source.higher_is_better = tuple(m for m, less in lower.items() if less is False)
        counts = {_samples_of(r) for r in ones.values()}
        source.declared_items = counts.pop() if len(counts) == 1 else None
        first = next(iter(ones.values()), None)
        source.settings = settings_of({"generation": entry(first, "generation_config")})


@dataclass(frozen=True, slots=True)
class _ResultDestination:
    """Destination of the rows of a result: task, metric, and first score of each item."""

    task: str
    metric: str
    first: dict[str | tuple[str, str], float | None] = field(default_factory=dict)


class _Reader:
    name = "every_eval_ever"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        if begins(head, b"{", "schema_version", "evaluation_id", "retrieved_timestamp"):
            return "companion"
        keys = ("schema_version", "evaluation_id", "model_id", "sample_id")
        return "log" if begins(head.lstrip().partition(b"\n")[0], b"{", *keys) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        for place in places:
            stem = place.name.partition(".jsonl")[0].removesuffix("_samples")
            file = place.sibling(f"{stem or 'no name'}.json")
            aggregate = json_document(file, _Aggregate) if file.exists() else _Aggregate()
            first = first_of(json_lines(place, _Sample, Journal(options=journal.options)))
            yield aggregate.unit(place, first or _Sample())

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        aggregate, metadata = unit.context
        source = journal.source(unit.place, self.name, model=unit.model, task=unit.task)
        aggregate.describe(source)
        customary = [name for name in GROUP_FIELDS if name in metadata]
        groups = dict.fromkeys((*journal.options.groups, *aggregate.groups, *customary))
        samples = _Samples(unit, journal, source, [g for g in groups if g not in KNOWN])
        for line, sample in json_lines(unit.place, _Sample, journal):
            samples.take(line, sample)
            if samples.rows.full:
                yield samples.rows.batch()
        yield from samples.finish()


class _Samples:
    """Rows of one file. Epochs that only repeat their mean are held back."""

    def __init__(
        self, unit: Unit, journal: Journal, source: SourceDraft, groups: list[str]
    ) -> None:
        columns = ("model", "task", "item", "score", "metric", "run", "content", "tokens", *groups)
        self.rows = Rows(*columns)
        self._held = Rows(*columns)
        self._held_batches: list[pa.RecordBatch] = []
        self._unit = unit
        self._journal = journal
        self._source = source
        self._groups = groups
        self._about: _Aggregate = unit.context[0]
        self._kept = self._about.kept
        results = self._about.evaluation_results
        self._left_out = {*map(_metric_of, results)} - {*map(_metric_of, self._kept)}
        self._by_nstar = self._epochs_differ = self._about.by_nstar
        self._ways: dict[tuple[str, str | None], _ResultDestination | None] = {}
        self._check = ScoreCheck(unit.place, journal, source.drop)

    def take(self, line: int, sample: _Sample) -> None:
        model, item = text(sample.model_id), text(sample.sample_id)
        name, result = text(sample.evaluation_name), text(sample.evaluation_result_id)
        if model is None or item is None or name is None:
            fields = ("model_id", "sample_id", "evaluation_name")
            bad = next(n for n in fields if text(getattr(sample, n)) is None)
            problem = unfit(bad, getattr(sample, bad), "expected text")
            self._journal.bad_row(self._unit.place, line, problem)
            return
        destination = self._metric_of_row(name, result)
        if destination is not None:
            for score in self._score(line, destination.metric, sample):
                self._add(model, item, destination, score, sample)

    def _metric_of_row(self, name: str, result: str | None) -> _ResultDestination | None:
        """Return the task and metric of a row, or ``None`` if the row is left out."""
        if (name, result) not in self._ways:
            metric = self._metric(name, result)
            destination = (
                None if metric is None else _ResultDestination(_task_of(name, metric), metric)
            )
            self._ways[name, result] = destination
        destination = self._ways[name, result]
        if destination is None:
            repeats = "repeats a score under another metric name"
            self._source.drop("has no result of its own" if result is None else repeats)
        return destination

    def _metric(self, name: str, result: str | None) -> str | None:
        if result is not None:
            return None if result in self._left_out else result
        if not self._about.evaluation_results:
            return "score"
        metrics = [_metric_of(r) for r in self._kept if entry(r, "evaluation_name") == name]
        return metrics[0] if len(metrics) == 1 and self._about.library != "lm_eval" else None

    def _score(self, line: int, metric: str, sample: _Sample) -> tuple[float | None, ...]:
        if text(sample.error) is not None:
            return (self._journal.error_score("missing"),)
        value = sample.evaluation.score if sample.evaluation is not None else None
        if value.__class__ is float and isfinite(value):
            return (value,)
        return self._check(metric, value, line)

    def _add(
        self,
        model: str,
        item: str,
        destination: _ResultDestination,
        score: float | None,
        sample: _Sample,
    ) -> None:
        """Add a row, unless it may be another copy of a mean over epochs."""
        metadata = mapping(sample.metadata)
        epoch = text(metadata.get("run" if self._by_nstar else "epoch"))
        cell = item if model == self._source.model else (model, item)
        first = cell not in destination.first
        if first:
            destination.first[cell] = score
        elif epoch is not None and score != destination.first[cell]:
            self._epochs_differ = True
        run = epoch if self._by_nstar or not first else None
        run = self._unit.run if run is None else run_label(self._unit.run, run)
        digest, usage = text(sample.sample_hash), sample.token_usage
        content = None if digest is None else content_key(digest)
        tokens = None if usage is None else whole_number(entry(usage, "total_tokens"))
        groups = [group_label(metadata.get(g)) for g in self._groups]
        rows = self.rows if first or epoch is None or self._epochs_differ else self._held
        rows.add(
            model, destination.task, item, score, destination.metric, run, content, tokens, *groups
        )
        if self._held.full:
            self._held_batches.append(self._held.batch())

    def finish(self) -> Iterator[pa.RecordBatch]:
        """Yield the remaining rows, and add notes on information that the converter lost."""
        yield self.rows.batch()
        batches = [*self._held_batches, self._held.batch()]
        if self._epochs_differ:
            yield from batches
        elif rows := sum(len(b) for b in batches):
            self._source.drop("epoch that repeats the mean over epochs", rows)
            self._source.notes.append(f"{_ONE_MEAN}; {_NATIVE}")
        scores_by_metric: dict[str, list[float | None]] = {}
        for destination in filter(None, self._ways.values()):
            scores_by_metric.setdefault(destination.metric, []).extend(destination.first.values())
        for result in self._kept:
            metric, claimed = _metric_of(result), _samples_of(result)
            scores = scores_by_metric.get(metric, [])
            scored = sum(s is not None for s in scores)
            if scores and claimed not in {None, len(scores), scored}:
                text = f"{metric}: the aggregate is over {claimed} samples, {scored} are here"
                group = "as when one task represents its group"
                self._source.notes.append(f"{text}, {group}; {_NATIVE}")


def _metric_of(result: Any) -> str:
    """Return the metric of a result: the id that samples refer to, or else the metric's name."""
    config = entry(result, "metric_config")
    metric_name = text(entry(result, "evaluation_result_id")) or text(entry(config, "metric_name"))
    return metric_name or text(entry(config, "metric_id")) or "score"


def _task_of(evaluation: str, metric: str) -> str:
    """Return the evaluation without the filter that lm-eval's converter adds: ``gsm8k/maj@4``."""
    _, colon, filtered = metric.partition(":")
    return evaluation.removesuffix(f"/{filtered}") if colon else evaluation


def _samples_of(result: Any) -> int | None:
    """Return the number of samples that a result reports."""
    return whole_number(entry(result, "score_details", "uncertainty", "num_samples"))


def _rank(result: Any) -> int:
    aggregate = _metric_of(result).rpartition(":")[2]
    return (*_FAVORED, aggregate).index(aggregate)


READER = _Reader()
