"""Read deepeval logs: ``test_run_*.json``, test cases with the scores of their metrics.

Every metric gives two metrics: the score under its own name, and ``<name>.success``, which says
whether the score reached the threshold.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec
import pyarrow as pa

from nstar._data.findings import LABELED
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import begins, run_label
from nstar.readers._files import Place
from nstar.readers._json import json_elements, json_skeleton
from nstar.readers._values import (
    ItemNames,
    ScoreCheck,
    brief,
    canonical,
    entry,
    finite,
    listing,
    settings_of,
    text,
    unfit,
    whole_number,
)

__all__ = ["READER"]

_CASES = ("testCases", "conversationalTestCases")
_BY_POSITION = re.compile(r"(conversational_)?test_case_\d+")
"""Names that deepeval gives to unnamed cases."""
_TIME = re.compile(r"test_run_(\d{8}_\d{6})")


class _Metric(msgspec.Struct, rename="camel"):
    name: Any = None
    score: Any = None
    success: Any = None
    error: Any = None
    threshold: Any = None
    evaluation_model: Any = None
    strict_mode: Any = None


class _Case(msgspec.Struct, rename="camel"):
    name: Any = None
    input: Any = None
    expected_output: Any = None
    scenario: Any = None
    expected_outcome: Any = None
    tags: Any = None
    metrics_data: list[_Metric] | None = None
    token_cost: Any = None
    input_token_count: Any = None
    output_token_count: Any = None


class _Header(msgspec.Struct, rename="camel"):
    metrics_scores: Any = None
    identifier: Any = None
    hyperparameters: Any = None
    dataset_alias: Any = None
    test_file: Any = None

    @property
    def task(self) -> str | None:
        return text(self.dataset_alias) or text(self.test_file)


class _Reader:
    name = "deepeval"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        early = b'"testCases"' in head[:4096]
        return "log" if early and begins(head, b"{", "metricsData") else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        for place in places:
            header = json_skeleton(place, _CASES[0], _Header)
            written = _TIME.match(place.name)
            yield Unit(
                place=place,
                model=_model(header, place)[0],
                lent=_named(header) is None,
                task=header.task or _test_set(place, journal),
                started=written[1] if written else "",
                context=header,
            )

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        header: _Header = unit.context
        source = journal.source(unit.place, self.name, harness="deepeval", task=header.task)
        source.model, note = _model(header, unit.place)
        source.notes += note
        source.aggregates, counts = _means(header.metrics_scores)
        cases = _Cases(unit, journal, source)
        same = {"model": source.model, "task": header.task or ""}
        for line, case in _elements(unit.place, journal):
            cases.take(line, case)
            if cases.rows.full:
                yield cases.rows.batch(**same)
        source.aggregates = {
            k: v for k, v in source.aggregates.items() if cases.scored[k] == counts[k]
        }
        yield cases.rows.batch(**same)


def _elements(place: Place, journal: Journal) -> Iterator[tuple[int, _Case]]:
    return chain.from_iterable(json_elements(place, key, _Case, journal) for key in _CASES)


def _question(case: _Case) -> int:
    parts = [case.input, case.expected_output, case.scenario, case.expected_outcome]
    return content_key(canonical(parts))


def _test_set(place: Place, journal: Journal) -> str:
    """Return a name for an unnamed set of test cases. Runs of equal sets are rival runs."""
    questions = [_question(c) for _, c in _elements(place, Journal(options=journal.options))]
    return f"{len(questions)} test cases ({sum(questions) % (1 << 64):016x})"


def _named(header: _Header) -> str | None:
    """Return the log's name for the model or the run."""
    return text(entry(header.hyperparameters, "model")) or text(header.identifier)


def _model(header: _Header, place: Place) -> tuple[str, list[str]]:
    """Return the model that the user named, or a substitute with a note."""
    model_name = text(entry(header.hyperparameters, "model"))
    if model_name is not None:
        return model_name, []
    called = _named(header) or place.name.removesuffix(".json")
    hint = 'set it with evaluate(..., hyperparameters={"model": NAME})'
    return called, [f"{LABELED}the log does not name the model, so its label is {called}; {hint}"]


def _means(metrics: Any) -> tuple[dict[str, float], Counter[str]]:
    """Return the means over the test cases in the log, with the number of cases for each."""
    means: dict[str, float] = {}
    counts: Counter[str] = Counter()
    for metric in listing(metrics):
        name = text(entry(metric, "metric"))
        values = [finite(s) for s in listing(entry(metric, "scores"))]
        known = [v for v in values if v is not None]
        passes, fails = whole_number(entry(metric, "passes")), whole_number(entry(metric, "fails"))
        if name is None or not known or passes is None or fails is None:
            continue
        means |= {name: sum(known) / len(known), f"{name}.success": passes / (passes + fails or 1)}
        counts.update({name: len(values), f"{name}.success": passes + fails})
    return means, counts


class _Cases:
    """Converter of the test cases of one run to rows."""

    def __init__(self, unit: Unit, journal: Journal, source: SourceDraft) -> None:
        tokens = ("tokens", "input_tokens", "output_tokens")
        self.rows = Rows("item", "score", "metric", "run", "content", "cost", *tokens, "tags")
        self.scored: Counter[str] = Counter()
        self._unit = unit
        self._journal = journal
        self._source = source
        self._check = ScoreCheck(unit.place, journal, source.drop)
        self._names = ItemNames()
        self._seen: Counter[str] = Counter()

    def take(self, line: int, case: _Case) -> None:
        content = _question(case)
        name = text(case.name)
        if name is not None and _BY_POSITION.fullmatch(name):
            name = None
        item = self._names(name, content)
        self._seen[item] += 1
        is_repeat = self._seen[item] > 1
        run = run_label(self._unit.run, str(self._seen[item])) if is_repeat else self._unit.run
        rest = (run, content, finite(case.token_cost), *_tokens(case), _tags(case.tags))
        for metric in case.metrics_data or []:
            self._measure(line, item, metric, rest)

    def _measure(self, line: int, item: str, metric: _Metric, rest: tuple[Any, ...]) -> None:
        name = text(metric.name)
        if name is None:
            problem = unfit("metric name", metric.name, "expected text")
            self._journal.bad_row(self._unit.place, line, problem)
            return
        self._source.settings = _settings(name, metric) | self._source.settings
        if metric.error is not None:  # deepeval counts this case as neither passed nor failed
            score = self._journal.error_score("missing")
            for part in (name, f"{name}.success"):
                self.rows.add(item, score, part, *rest)
            return
        for part, value in ((name, metric.score), (f"{name}.success", metric.success)):
            for score in self._check(part, value, line):
                self.scored[part] += score is not None
                self.rows.add(item, score, part, *rest)


def _settings(name: str, metric: _Metric) -> dict[str, str]:
    return settings_of(
        {
            f"threshold of {name}": metric.threshold,
            f"judge of {name}": metric.evaluation_model,
            f"strict mode of {name}": metric.strict_mode or None,
        }
    )


def _tokens(case: _Case) -> tuple[int | None, int | None, int | None]:
    """Return the total, input, and output tokens."""
    read, written = whole_number(case.input_token_count), whole_number(case.output_token_count)
    n_total = None if read is None or written is None else whole_number(read + written)
    return n_total, read, written


def _tags(tags: Any) -> str | None:
    tag_names = [t for t in listing(tags) if text(t)]
    return brief(", ".join(sorted(tag_names))) if tag_names else None


READER = _Reader()
