"""The aggregate of an EEE evaluation: whose, by what, and the means it claims."""

from collections import Counter
from typing import Any

import msgspec

from nstar.readers._base import SourceDraft
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._values import brief, entry, finite, text, whole

__all__ = ["Aggregate", "metric_of", "read_aggregate", "samples_of", "task_of"]

_FAVOURED = ("accuracy", "mean")
"""Which aggregate of an inspect scorer speaks of all samples."""


class Aggregate(msgspec.Struct):
    """The document ``<uuid>.json``."""

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
        """Whether nstar wrote it, which keeps runs and groups."""
        return (text(self._detail("converter")) or "").startswith("nstar")

    @property
    def groups(self) -> tuple[str, ...]:
        """Fields of metadata that nstar wrote as groups."""
        names = text(self._detail("groups")) if self.by_nstar else None
        return tuple(names.split("\n")) if names else ()

    @property
    def model(self) -> str | None:
        """The model."""
        return text(entry(self.model_info, "id"))

    @property
    def started(self) -> str:
        """When the evaluation ran, or else was stored."""
        return text(self.evaluation_timestamp) or text(self.retrieved_timestamp) or ""

    @property
    def tasks(self) -> set[str]:
        """Tasks of all results."""
        return {task_of(text(entry(r, "evaluation_name")), metric_of(r)) for r in self.kept}

    @property
    def kept(self) -> list[Any]:
        """Results to be read: of an inspect scorer one only, for its rows are all the same."""
        if not self.library.startswith("inspect") or self.by_nstar:
            return self.evaluation_results
        best: dict[str, Any] = {}
        for result in self.evaluation_results:
            scorer = metric_of(result).rpartition(":")[0]
            if scorer not in best or _rank(result) < _rank(best[scorer]):
                best[scorer] = result
        return list(best.values())

    def _detail(self, key: str) -> Any:
        return entry(self.source_metadata, "additional_details", key)

    def describe(self, source: SourceDraft) -> None:
        """What the aggregate says of the log."""
        version = text(entry(self.eval_library, "version"))
        source.harness = f"{self.library} {version}" if version else self.library
        named = Counter(metric_of(r) for r in self.kept)
        single = [r for r in self.kept if named[metric_of(r)] == 1]
        means = {metric_of(r): finite(entry(r, "score_details", "score")) for r in single}
        source.aggregates = {k: v for k, v in means.items() if v is not None}
        source.lower_is_better = tuple(
            metric_of(r) for r in single if entry(r, "metric_config", "lower_is_better") is True
        )
        counts = {samples_of(r) for r in single}
        source.declared_items = counts.pop() if len(counts) == 1 else None
        for result in single[:1]:
            generation = entry(result, "generation_config")
            if generation is not None:
                source.settings["generation"] = brief(generation)


def read_aggregate(samples: Place) -> Aggregate:
    """The aggregate beside a file of samples; an empty one if there is none."""
    stem = samples.name.partition(".jsonl")[0].removesuffix("_samples")
    place = samples.sibling(f"{stem or 'no name'}.json")
    return json_document(place, Aggregate) if place.exists() else Aggregate()


def metric_of(result: Any) -> str:
    """Name of a result as a metric: the id that samples refer to, or else the metric's name."""
    config = entry(result, "metric_config")
    named = text(entry(result, "evaluation_result_id")) or text(entry(config, "metric_name"))
    return named or text(entry(config, "metric_id")) or "score"


def task_of(evaluation: str | None, metric: str) -> str:
    """The evaluation without the filter that lm-eval's converter adds to its name.

    Examples
    --------
    >>> task_of("gsm8k/maj@4", "exact_match:maj@4"), task_of("mmlu/law", "acc")
    ('gsm8k', 'mmlu/law')
    """
    _, colon, filtered = metric.partition(":")
    name = evaluation or ""
    return name.removesuffix(f"/{filtered}") if colon else name


def samples_of(result: Any) -> int | None:
    """Samples that a result says it is over."""
    return whole(entry(result, "score_details", "uncertainty", "num_samples"))


def _rank(result: Any) -> int:
    aggregate = metric_of(result).rpartition(":")[2]
    return _FAVOURED.index(aggregate) if aggregate in _FAVOURED else len(_FAVOURED)
