"""Read logs of OpenAI evals: a JSON Lines file of events per run, from ``--record_path``."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import begins, first_of
from nstar.readers._decode import BadJSON, Decoder
from nstar.readers._files import Place
from nstar.readers._json import json_lines
from nstar.readers._stream import stream
from nstar.readers._values import (
    ScoreCheck,
    brief,
    canonical,
    entry,
    listing,
    mapping,
    means_of,
    settings_of,
    text,
    unfit,
)

__all__ = ["READER"]

_REPORT = b'\n{"final_report"'
_REPORT_CAP = 1 << 20


class _Event(msgspec.Struct, gc=False):
    spec: Any = None
    sample_id: Any = None
    type: Any = None
    data: Any = None


class _Head(msgspec.Struct):
    """Description of a run in its log."""

    model: str
    task: str
    spec: dict[str, Any]
    report: Any
    """Final report; ``None`` if there is none."""

    @property
    def limited(self) -> str | None:
        limit = entry(self.spec, "run_config", "max_samples")
        return None if limit is None else f"max_samples={brief(limit)}"


class _Reader:
    name = "openai_evals"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        first = head.lstrip().partition(b"\n")[0]
        return "log" if begins(first, b'{"spec"', "completion_fns") else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        for place in places:
            head = _head(place)
            yield Unit(
                place=place,
                model=head.model,
                task=head.task,
                started=text(head.spec.get("created_at")) or "",
                complete=head.report is not None and head.limited is None,
                context=head,
            )

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        head: _Head = unit.context
        source = journal.source(unit.place, self.name, model=head.model, task=head.task)
        _describe(source, head)
        events = _Events(unit.place, journal, source)
        same = {"model": head.model, "task": head.task, "run": unit.run}
        for line, event in json_lines(unit.place, _Event, journal):
            events.take(line, event)
            if events.rows.full:
                yield events.rows.batch(**same)
        events.finish()
        yield events.rows.batch(**same)


def _head(place: Place) -> _Head:
    """Return the specification and the final report of a log."""
    spec = entry(first_of(json_lines(place, Any, Journal())), "spec")
    model = next(map(text, listing(entry(spec, "completion_fns"))), None)
    task = text(entry(spec, "eval_name")) or text(entry(spec, "base_eval"))
    if model is None or task is None:
        missing = "completion_fns" if model is None else "eval_name"
        msg = f"{place}: line 1 has no {missing}. Is this a complete log of oaieval?"
        raise ReadError(msg)
    return _Head(model, task, mapping(spec), _report(place))


def _report(place: Place) -> Any:
    """Return the last final report, which may be on any line. Other lines are not decoded."""
    tail = b"\n"
    with stream(place) as pieces:
        for piece in pieces:
            tail += piece
            at = tail.rfind(_REPORT)
            tail = tail[-len(_REPORT) :] if at < 0 else tail[at : at + _REPORT_CAP]
    if not tail.startswith(_REPORT):
        return None
    try:
        return entry(Decoder[Any](Any)(tail[1:].partition(b"\n")[0]), "final_report")
    except BadJSON:
        return None  # the error is reported when the file is read


def _describe(source: SourceDraft, head: _Head) -> None:
    source.harness = "openai-evals"
    source.limited = head.limited
    source.aggregates = means_of(mapping(head.report))
    if head.report is None:
        source.status = "no final report: the run did not finish"
    settings = {
        "eval": entry(head.spec, "run_config", "eval_spec", "cls"),
        "eval arguments": entry(head.spec, "run_config", "eval_spec", "args"),
        "split": head.spec.get("split"),
        "seed": entry(head.spec, "run_config", "seed"),
        "other completion functions": head.spec["completion_fns"][1:],
    }
    source.settings = settings_of(settings)


class _Events:
    """Converter of the events of one run to rows."""

    def __init__(self, place: Place, journal: Journal, source: SourceDraft) -> None:
        self.rows = Rows("item", "score", "metric", "content")
        self._place = place
        self._journal = journal
        self._source = source
        self._check = ScoreCheck(place, journal, source.drop)
        self._question: dict[str, int] = {}
        self._match: dict[str, float] = {}
        self._metrics: dict[str, None] = {}
        self._scored: set[str] = set()
        self._failed: dict[str, None] = {}
        self._take = {
            "sampling": self._sampling,
            "match": self._matched,
            "metrics": self._measured,
            "error": self._error,
        }

    def take(self, line: int, event: _Event) -> None:
        take = self._take.get(event.type) if isinstance(event.type, str) else None
        if take is None:
            if event.spec is not None and line > 1:
                msg = (
                    f"{self._place}:{line}: a second run starts on this line. Split the file, one "
                    "run per file."
                )
                raise ReadError(msg)
            return
        item = text(event.sample_id)
        if item is None or not isinstance(event.data, dict):
            fix = f"event {event.type} needs this field as text and an object in data"
            self._journal.bad_row(self._place, line, unfit("sample_id", event.sample_id, fix))
            return
        take(line, item, event.data)

    def _sampling(self, _: int, item: str, data: dict[str, Any]) -> None:
        prompt = data.get("prompt")
        if prompt and item not in self._question:  # later prompts contain answers of the model
            self._question[item] = _prompt_key(prompt)

    def _matched(self, line: int, item: str, data: dict[str, Any]) -> None:
        correct = data.get("correct")
        if not isinstance(correct, bool):
            problem = unfit("correct of a match event", correct, "expected true or false")
            self._journal.bad_row(self._place, line, problem)
            return
        score = self._match[item] = float(correct)
        self._add(item, score, "accuracy")

    def _measured(self, line: int, item: str, data: dict[str, Any]) -> None:
        for metric, value in data.items():
            for score in self._check(metric, value, line):
                if metric == "accuracy" and self._match.get(item) == score:
                    self._source.drop("accuracy in a metrics event repeats the match event")
                else:
                    self._add(item, score, metric)

    def _error(self, _: int, item: str, __: dict[str, Any]) -> None:
        self._failed[item] = None

    def _add(self, item: str, score: float | None, metric: str) -> None:
        self._metrics[metric] = None
        self._scored.add(item)
        self.rows.add(item, score, metric, self._question.get(item))

    def finish(self) -> None:
        """Add the samples that ended in an error, which evals leaves out of its means."""
        for item in self._failed:
            if item not in self._scored:
                score = self._journal.error_score("missing")
                for metric in self._metrics or ("accuracy",):
                    self.rows.add(item, score, metric, self._question.get(item))
        means = self._source.aggregates
        self._source.aggregates = {k: v for k, v in means.items() if k in self._metrics}


def _prompt_key(prompt: Any) -> int:
    """Return a hash of a prompt's text, without roles, which depend on the kind of model."""
    if isinstance(prompt, list):
        contents: list[Any] = [m.get("content") if isinstance(m, dict) else m for m in prompt]
        if all(isinstance(c, str) for c in contents):
            return content_key("\n".join(contents))
    return content_key(prompt if isinstance(prompt, str) else canonical(prompt))


READER = _Reader()
