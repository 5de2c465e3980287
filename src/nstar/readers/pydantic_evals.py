"""Read pydantic-evals reports that ``EvaluationReportAdapter.dump_json`` wrote.

Scores and assertions are metrics. Labels are words and not scores. A case whose task raised an
exception is in ``failures`` and has no score. If an evaluator raised an exception, its score is
missing. Repeats of a case are runs.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from nstar._data.table import KNOWN
from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import begins, group_label, inspection_journal, run_label
from nstar.readers._fallback_names import by_file
from nstar.readers._files import Place
from nstar.readers._json import json_elements, json_skeleton
from nstar.readers._values import (
    ScoreCheck,
    canonical,
    entry,
    item_name,
    mapping,
    seconds,
    text,
    unfit,
)

__all__ = ["READER"]

_TASK = "pydantic_evals"
_REPEAT = re.compile(r"(?P<name>.*) \[(?P<run>\d+)/\d+\]", re.S)


class _Case(msgspec.Struct):
    name: Any = None
    source_case_name: Any = None
    inputs: Any = None
    metadata: Any = None
    scores: Any = None
    assertions: Any = None
    evaluator_failures: Any = None
    task_duration: Any = None
    raised: bool = False
    """Whether the task or an evaluator raised an exception; set after reading."""

    @property
    def item(self) -> str | None:
        """Return the case that this one repeats."""
        repeat = _REPEAT.fullmatch(self.name) if isinstance(self.name, str) else None
        return text(self.source_case_name) or (repeat["name"] if repeat else item_name(self.name))

    @property
    def run(self) -> str:
        """Return the number of the repeat."""
        repeat = _REPEAT.fullmatch(self.name) if isinstance(self.name, str) else None
        return repeat["run"] if repeat else "1"

    @property
    def content(self) -> int | None:
        """Return a hash of the inputs."""
        return None if self.inputs is None else content_key(canonical(self.inputs))


class _Reader:
    name = "pydantic_evals"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        keys = ("name", "cases", "assertions", "task_duration")
        return "log" if begins(head, b"{", *keys) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        names = [text(entry(json_skeleton(p, "cases", Any), "name")) for p in places]
        times = Counter(names)
        lent = by_file(places, [place.name.removesuffix(".json") for place in places])
        for place, own_name, other in zip(places, names, lent, strict=True):
            if own_name is not None and times[own_name] == 1:
                yield Unit(place=place, model=own_name, task=_TASK)
                continue
            if own_name is not None:
                sentence = (
                    f"{place}: another report has the same name {own_name}; {other} is named "
                    "after its file"
                )
                journal.notes.append(sentence)
            yield Unit(place=place, model=other, lent=True, task=_TASK)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        source = journal.source(unit.place, self.name, harness="pydantic-evals", model=unit.model)
        source.task = _TASK
        groups = _groups(json_elements(unit.place, "cases", _Case, inspection_journal(journal)))
        check = ScoreCheck(unit.place, journal, source.drop)
        rows = Rows("item", "run", "content", "latency_s", *groups, "metric", "score")
        metrics: dict[str, None] = {}
        lacking: list[tuple[list[Any], set[str]]] = []
        for line, case in _cases(unit.place, journal):
            attributes: list[Any] = [case.item, run_label(unit.run, case.run), case.content]
            attributes.append(None if case.raised else seconds(case.task_duration))
            attributes += [group_label(mapping(case.metadata).get(name)) for name in groups]
            values = mapping(case.scores) | mapping(case.assertions)
            for metric, judged in values.items():
                for score in check(metric, entry(judged, "value"), line):
                    metrics[metric] = None
                    rows.add(*attributes, metric, score)
            if case.raised:
                lacking.append((attributes, set(values)))
        for attributes, metrics_present in lacking:
            for metric in [m for m in metrics if m not in metrics_present]:
                rows.add(*attributes, metric, journal.error_score("missing"))
        yield rows.batch(model=unit.model, task=_TASK)


def _cases(place: Place, journal: Journal) -> Iterator[tuple[int, _Case]]:
    """Yield the completed cases, then those whose task raised an exception."""
    for key in ("cases", "failures"):
        for line, case in json_elements(place, key, _Case, journal):
            if case.item is not None:
                case.raised = key == "failures" or bool(case.evaluator_failures)
                yield line, case
                continue
            problem = unfit("name", case.name, "expected a case name")
            journal.bad_row(place, line, f"{key}: {problem}")


def _groups(cases: Iterator[tuple[int, _Case]]) -> list[str]:
    """Return the metadata fields whose values are words or integers, in order of appearance."""
    fields: dict[str, None] = {}
    for _, case in cases:
        for name, value in mapping(case.metadata).items():
            if group_label(value) is not None and name not in (*KNOWN, ""):
                fields[name] = None
    return list(fields)


READER = _Reader()
