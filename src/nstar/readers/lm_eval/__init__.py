"""Read logs of lm-evaluation-harness, 0.4.0 and later, and of Open LLM Leaderboard v2.

``--log_samples`` writes one samples file per task and one results file per run. Only the results
file contains the names of the model and the task. Both have the same time in their names.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, SourceDraft, Unit
from nstar.readers._common import TIME, folder_name, listed, mixed
from nstar.readers._files import Place
from nstar.readers.lm_eval._layout import RowLayout, layout
from nstar.readers.lm_eval._results import (
    NO_RESULTS,
    PLACEHOLDER,
    ResultsHeader,
    benchmarks,
    header,
    load,
    old_task,
    unweighted_groups,
)
from nstar.readers.lm_eval._rows import Scorer

__all__ = ["READER"]

_TIME = f"(?P<time>{TIME})"
_PACKED = r"(?:\.gz|\.zst)?"
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_{_TIME}\.jsonl?{_PACKED}", re.DOTALL)
_RESULTS = re.compile(rf".+_{_TIME}\.json", re.DOTALL)
_ENDING = re.compile(rf"\.jsonl?{_PACKED}$")
_FIRST_ID = re.compile(rb'\{\s*"doc_id"\s*:')
_FIRST_RESULTS = re.compile(rb'\s*\{\s*"results"\s*:\s*\{')
_MARKS = (b'"alias"', b'"configs"')


class _SampleName(NamedTuple):
    """Information in the name of a samples file."""

    task: str
    """Name of the task, or the file's stem if the name is not lm-eval's."""
    time: str = ""
    """End of the run, as in the name of its results file; empty if the name has no time."""


def _sample_name(name: str) -> _SampleName:
    """Return the information in the name of a samples file.

    >>> _sample_name("samples_mmlu_pro_2026-11-14T23-08-44.417847.jsonl").task
    'mmlu_pro'
    """
    match = _SAMPLES.fullmatch(name)
    if match:
        return _SampleName(match["task"], match["time"])
    return _SampleName(_ENDING.sub("", name))


def _holds_rows(name: str, head: bytes) -> bool:
    """Return whether a file that starts with these bytes is a samples file, whatever its name.

    >>> _holds_rows("x.jsonl", b'{"doc_id": 0, "doc": {"question": "1+1?"}, "acc": 1.0}')
    True
    """
    if not head.strip():
        return _SAMPLES.fullmatch(name) is not None
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        text = text[1:].lstrip()
    first = _first_object(text)
    if first is None:  # the row is longer than the head
        return _FIRST_ID.match(text) is not None
    return "doc_id" in first and ("doc" in first or "resps" in first)


def _first_object(text: bytes) -> dict[str, Any] | None:
    if not text.startswith(b"{"):
        return {}
    try:
        value = json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))[0]
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def _holds_results(name: str, head: bytes) -> bool:
    """Return whether a file that starts with these bytes contains lm-eval's aggregates."""
    if not name.endswith(".json") or not _FIRST_RESULTS.match(head):
        return False
    return any(mark in head for mark in _MARKS)


@dataclass(slots=True)
class _Folders:
    """Results files next to samples files. Every folder is listed once."""

    _listed: dict[str, list[Place]] = field(default_factory=dict)
    _timeless: dict[str, list[Place]] = field(default_factory=dict)

    def results(self, place: Place) -> list[Place]:
        """Return the results files that may belong to a samples file.

        This is the file with the same time. If the name contains no time (lm-eval before 0.4.3),
        these are the files in the folder without a time.
        """
        folder = place.parent
        if folder not in self._listed:
            self._listed[folder] = [p for p in listed(place.folder) if p.name.endswith(".json")]
        time = _sample_name(place.name).time
        if time:
            return _of_time(place, time, self._listed[folder])
        if folder not in self._timeless:
            others = [p for p in self._listed[folder] if not _RESULTS.fullmatch(p.name)]
            self._timeless[folder] = [p for p in others if _begins_as_results(p)]
        return self._timeless[folder]


def _of_time(place: Place, time: str, files: list[Place]) -> list[Place]:
    """Return results files with a time: ``results_<time>.json`` or ``<any name>_<time>.json``."""
    usual = place.sibling(f"results_{time}.json")
    if usual.name in {p.name for p in files} or (not files and usual.exists()):
        return [usual]
    matches = ((p, _RESULTS.fullmatch(p.name)) for p in files)
    same = [p for p, m in matches if m and m["time"] == time]
    return [p for p in same if _begins_as_results(p)][:1]


def _begins_as_results(place: Place) -> bool:
    try:
        return _holds_results(place.name, place.head())
    except ReadError:
        return False


class _Reader:
    name = "lm_eval"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for a samples file, and ``companion`` for a results file."""
        if _holds_rows(place.name, head):
            return "log"
        return "companion" if _holds_results(place.name, head) else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        return [
            _unit(place, header) for place, header in zip(places, _headers(places), strict=True)
        ]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Yield the scores of one task, with a row per document, metric, and filter."""
        header = (
            unit.context if isinstance(unit.context, ResultsHeader) else _headers([unit.place])[0]
        )
        shape = layout(unit.place, header, journal.options)
        source = journal.source(unit.place, self.name, **_known(header, shape))
        constants = {"model": header.model, "task": header.task, "run": unit.run}
        scorer = Scorer(
            place=unit.place,
            header=header,
            layout=shape,
            source=source,
            journal=journal,
            constants=constants | {"subject": header.leaf if header.group else None},
        )
        labels: set[str] = set()
        for batch in scorer.run():
            labels.update(batch.column("metric").dictionary.to_pylist())
            yield batch
        _conclude(source, scorer, labels)


def _unit(place: Place, header: ResultsHeader) -> Unit:
    return Unit(
        place=place,
        model=header.model,
        lent=header.lent,
        task=header.unit,
        started=""
        if header.metrics == (PLACEHOLDER,)
        else header.started,  # no scores: sorted last
        complete=header.complete,
        context=header,
    )


def _headers(places: Sequence[Place]) -> list[ResultsHeader]:
    """Return the header of each samples file. Each results file is read only once."""
    by_place: dict[Place, ResultsHeader] = {}
    groups: dict[str, set[str]] = {}
    unweighted: set[str] = set()
    for companion, samples in _by_results(places).items():
        results = load(companion)
        group_of = benchmarks(results)
        unweighted |= unweighted_groups(results)
        for leaf, group in group_of.items():
            groups.setdefault(leaf, set()).add(group)
        for place in samples:
            name = _sample_name(place.name)
            task = name.task if name.time else old_task(results, name.task)
            if task is not None:
                task_header = header(results, task, time=name.time, folder=folder_name(place))
                by_place[place] = replace(task_header, group=group_of.get(task))
    headers = [
        _in_group(by_place.get(p) or _without_results(p), groups, unweighted) for p in places
    ]
    headers = _with_random_names(headers)
    mixed_tasks = mixed((h.task, (h.model, h.leaf), h.shots) for h in headers if h.shots)
    return [replace(h, has_shots_in_task=h.task in mixed_tasks) for h in headers]


def _by_results(places: Sequence[Place]) -> dict[Place, list[Place]]:
    """Return the samples files of each results file that may describe them."""
    folders = _Folders()
    by_results: dict[Place, list[Place]] = {}
    for place in places:
        for companion in folders.results(place):
            by_results.setdefault(companion, []).append(place)
    return by_results


def _without_results(place: Place) -> ResultsHeader:
    name = _sample_name(place.name)
    notes = [NO_RESULTS]
    if not name.time:
        notes.append(
            "the file is not named samples_<task>_<time>.jsonl, so the task is named after "
            "the file"
        )
    folder = folder_name(place)
    header = ResultsHeader(leaf=name.task, model=folder, lent=True, started=name.time)
    return replace(header, notes=tuple(notes))


def _with_random_names(headers: list[ResultsHeader]) -> list[ResultsHeader]:
    """Return the headers. Unnamed models of one kind get lm-eval's random names."""
    random_names: dict[str, set[str]] = {}
    for h in headers:
        random_names.setdefault(h.model, set()).add(h.random_name)
    return [
        replace(h, model=f"{h.model}/{h.random_name}")
        if h.random_name and len(random_names[h.model]) > 1
        else h
        for h in headers
    ]


def _in_group(
    header: ResultsHeader, groups: dict[str, set[str]], unweighted: set[str]
) -> ResultsHeader:
    """Return the header, with the group that its task has in other logs.

    The tasks of an unweighted group are tasks of the table: their macro average is its score.
    """
    if header.group in unweighted:
        return replace(header, group=None)
    known = groups.get(header.leaf, set()) - unweighted
    if header.group is not None or len(known) != 1:
        return header
    (group,) = known
    note = f"{header.leaf} was run on its own; by other logs, it is part of {group}"
    return replace(header, group=group, notes=(*header.notes, note))


def _known(header: ResultsHeader, shape: RowLayout) -> dict[str, object]:
    """Return the fields of the source that the results file determines."""
    version = header.version or shape.era
    return {
        "harness": f"lm-eval {version}".rstrip(),
        "model": header.model,
        "task": header.task,
        "declared_items": header.items,
        "limited": header.limited,
        "settings": dict(header.settings),
        "aggregates": dict(header.means),
        "notes": list(header.notes),
    }


def _conclude(source: SourceDraft, scorer: Scorer, labels: set[str]) -> None:
    """Complete the record after the last row; ``labels`` are the metrics that have scores."""
    lower = scorer.header.lower_is_better
    source.lower_is_better = tuple(sorted(s for s in labels if s.partition(",")[0] in lower))
    higher = scorer.header.higher_is_better
    source.higher_is_better = tuple(sorted(s for s in labels if s.partition(",")[0] in higher))
    source.aggregates = {k: v for k, v in source.aggregates.items() if k in labels}
    if not scorer.count:
        source.notes.append("the file has no rows")
    if any(PLACEHOLDER in reason for reason in source.dropped):
        source.notes.append(
            "the log was made with --predict_only: it contains responses but no scores"
        )


READER = _Reader()
