"""OpenAI evals: one JSON Lines file of events per run, as ``--record_path`` writes it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._decode import BadJSON, Decoder
from nstar.readers._files import Place
from nstar.readers._json import json_lines
from nstar.readers._stream import stream
from nstar.readers._values import ScoreCheck, brief, canonical, entry, finite, text

__all__ = ["READER"]

_REPORT = b'\n{"final_report"'
_REPORT_CAP = 1 << 20


class _Event(msgspec.Struct, gc=False):
    spec: Any = None
    final_report: Any = None
    sample_id: Any = None
    type: Any = None
    data: Any = None


class _Head(msgspec.Struct):
    """What a log says of its run."""

    model: str
    task: str
    spec: dict[str, Any]
    report: dict[str, Any] | None

    @property
    def limited(self) -> str | None:
        limit = entry(self.spec, "run_config", "max_samples")
        return None if limit is None else f"max_samples={brief(limit)}"


class _Reader:
    name = "openai_evals"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        first = head.lstrip(b"\xef\xbb\xbf \r\n\t").partition(b"\n")[0]
        found = first.startswith(b'{"spec"') and b'"completion_fns"' in first
        return "log" if found else None

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
        head = unit.context if isinstance(unit.context, _Head) else _head(unit.place)
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
    first, report = _first_and_report(place)
    spec = entry(first, "spec")
    fns = entry(spec, "completion_fns")
    model = text(fns[0]) if isinstance(fns, list) and fns else None
    task = text(entry(spec, "eval_name")) or text(entry(spec, "base_eval"))
    if model is None or task is None:
        missing = "completion_fns" if model is None else "eval_name"
        msg = f"{place}: the first line has no {missing}; is this a log of oaieval?"
        raise ReadError(msg)
    values = entry(report, "final_report")
    return _Head(model, task, spec, values if isinstance(values, dict) else None)


def _first_and_report(place: Place) -> tuple[Any, Any]:
    """The line of the specification, and that of the final report, which may stand anywhere."""
    with stream(place) as pieces:
        lines = _lines_of_interest(iter(pieces))
        first = _decoded(place, next(lines, b""), "1")
        last = b""
        for line in lines:
            last = line
        return first, _decoded(place, last, "final_report") if last else None


def _lines_of_interest(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The first line and those of final reports, found without decoding the others."""
    held = b""
    begin = 0  # of the line looked for; -1: not found yet
    for piece in pieces:
        held += piece
        while True:
            if begin < 0 and _REPORT in held:
                begin = held.index(_REPORT) + 1
            end = held.find(b"\n", begin) if begin >= 0 else -1
            if end < 0:
                break
            yield held[begin:end]
            held, begin = held[end:], -1
        if begin < 0:
            held = held[-len(_REPORT) :]
        elif len(held) - begin > _REPORT_CAP:
            held, begin = held[-len(_REPORT) :], -1
    if begin >= 0:
        yield held[begin:]


def _decoded(place: Place, line: bytes, what: str) -> Any:
    try:
        return Decoder[Any](Any)(line.lstrip(b"\xef\xbb\xbf"))
    except BadJSON as bad:
        msg = f"{place}: line {what} {bad}"
        raise ReadError(msg) from bad


def _describe(source: SourceDraft, head: _Head) -> None:
    source.harness = "openai-evals"
    source.limited = head.limited
    if head.report is None:
        source.status = "no final report: the run did not finish"
    else:
        values = {k: finite(v) for k, v in head.report.items()}
        source.aggregates = {k: v for k, v in values.items() if v is not None}
    settings = {
        "eval": entry(head.spec, "run_config", "eval_spec", "cls"),
        "eval arguments": entry(head.spec, "run_config", "eval_spec", "args"),
        "split": head.spec.get("split"),
        "seed": entry(head.spec, "run_config", "seed"),
        "other completion functions": head.spec["completion_fns"][1:] or None,
    }
    source.settings = {k: brief(v) for k, v in settings.items() if v is not None}


class _Events:
    """Events of one run on their way to rows."""

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
                msg = f"{self._place}:{line}: a second run begins; split the file here"
                raise ReadError(msg)
            return
        item = text(event.sample_id)
        if item is None or not isinstance(event.data, dict):
            what = f"event {event.type} has sample_id {brief(event.sample_id)}"
            problem = f"{what}; it needs a sample_id and an object as data"
            self._journal.bad_row(self._place, line, problem)
            return
        take(line, item, event.data)

    def _sampling(self, _: int, item: str, data: dict[str, Any]) -> None:
        prompt = data.get("prompt")
        if prompt and item not in self._question:  # later prompts hold answers of the model
            self._question[item] = _prompt_key(prompt)

    def _matched(self, line: int, item: str, data: dict[str, Any]) -> None:
        correct = data.get("correct")
        if not isinstance(correct, bool):
            problem = f"match event has correct = {brief(correct)}; it must be true or false"
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
        """Samples that ended in an error; evals leaves them out of its means."""
        for item in self._failed:
            if item not in self._scored:
                score = self._journal.error_score("missing")
                for metric in self._metrics or ("accuracy",):
                    self.rows.add(item, score, metric, self._question.get(item))
        means = self._source.aggregates
        self._source.aggregates = {k: v for k, v in means.items() if k in self._metrics}


def _prompt_key(prompt: Any) -> int:
    """Hash of the text of a prompt; roles are left out, for they depend on the kind of model."""
    if isinstance(prompt, list):
        contents: list[Any] = [m.get("content") if isinstance(m, dict) else m for m in prompt]
        if all(isinstance(c, str) for c in contents):
            return content_key("\n".join(contents))
    return content_key(prompt if isinstance(prompt, str) else canonical(prompt))


READER = _Reader()
