"""MMLU-Pro's own outputs (TIGER-AI-Lab/MMLU-Pro, ``eval_results``): read from source, not run.

Three ways in which they come, all arrays of records with the question, the right letter and the
letter found in the answer: ``model_outputs_<model>_5shots.json``, the same in a zip, and a folder
per model with one ``<subject>_result.json`` or ``<subject>.json`` for each subject.

An answer in which no letter was found scores 0. The project's own summaries count a random guess
for it instead, so they are compared only where there is no such answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import above, group_label
from nstar.readers._files import Place, printable
from nstar.readers._json import json_document, json_elements
from nstar.readers._values import entry, number
from nstar.readers._zip import Archive

__all__ = ["READER"]

_FIELDS = (b'"question_id"', b'"answer"', b'"category"', b'"pred"')
_FILE = re.compile(r"model_outputs_(?P<model>.+?)(?:_(?P<shots>\d+)shots?)?\.(?:json|zip)", re.I)
_RESULT = "_result.json"
_SUMMARY = "_summary.json"
_METHOD = "CoT"
_ABSENT = "N/A"
"""What the dataset once filled up options with."""


class _Record(msgspec.Struct):
    question_id: Any = None
    question: Any = None
    options: Any = None
    answer: Any = None
    category: Any = None
    src: Any = None
    pred: Any = msgspec.UNSET


class _Run(NamedTuple):
    """Whose outputs they are, and how many examples the prompt held."""

    model: str
    shots: str | None
    places: tuple[Place, ...]


class _Reader:
    name = "mmlu_pro"

    def sniff(self, place: Place, head: bytes) -> Role:
        """An array of answered questions, such arrays in a zip, or a summary of one."""
        if head.startswith(b"PK\x03\x04"):
            return "log" if _FILE.fullmatch(place.name) else None
        if place.name.endswith(_SUMMARY) and b'"corr"' in head and b'"wrong"' in head:
            return "companion"
        is_array = head.lstrip()[:1] == b"["
        return "log" if is_array and all(field in head for field in _FIELDS) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        """One unit per file that names its model, and one per folder of the others."""
        del journal
        folders: dict[str, list[Place]] = {}
        for place in places:
            own = place.path if _FILE.fullmatch(place.name) else place.parent
            folders.setdefault(own, []).append(place)
        for several in folders.values():
            run = _run(several)
            yield Unit(place=several[0], model=run.model, task=self.name, context=run)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """The scores."""
        run: _Run = unit.context or _run([unit.place])
        source = journal.source(unit.place, self.name, harness="MMLU-Pro")
        source.model, source.task = run.model, self.name
        source.aggregates |= _own_mean(run.places)
        if run.shots is not None:
            source.settings["few-shot"] = run.shots
        constants = {"model": run.model, "task": self.name, "metric": "acc", "run": unit.run}
        rows = Rows("item", "score", "subject", "source", "content")
        unparsed = 0
        for place in run.places:
            for line, record in _records(place, journal):
                score = _score(place, line, record, journal)
                if score is None:
                    continue
                unparsed += not record.pred
                rows.add(*score)
                if rows.full:
                    yield rows.batch(**constants)
        yield rows.batch(**constants)
        _remark(source, unparsed)


def _run(places: Sequence[Place]) -> _Run:
    """The model by the name of the file; else by the folder above ``CoT`` or that of the file."""
    place = places[0]
    match = _FILE.fullmatch(place.name)
    if match:
        return _Run(match["model"], match["shots"], tuple(places))
    names = [folder.name for folder in above(place)]
    if _METHOD in names[:-1]:
        return _Run(names[names.index(_METHOD) + 1], None, tuple(places))
    folder = names[0] if names else place.name.removesuffix(_RESULT)
    return _Run(folder, None, tuple(places))


def _records(place: Place, journal: Journal) -> Iterator[tuple[int, _Record]]:
    if not place.name.lower().endswith(".zip"):
        yield from json_elements(place, None, _Record, journal)
        return
    with Archive(place) as archive:
        for name in archive.names():
            if name.endswith(".json") and not name.startswith("__MACOSX"):
                yield from enumerate(archive.json(name, list[_Record]), 1)


def _score(place: Place, line: int, record: _Record, journal: Journal) -> tuple[Any, ...] | None:
    """Item, score, groups and content of a record; None if it is told to the journal as bad."""
    item, answer, pred = record.question_id, record.answer, record.pred
    problem = None
    if isinstance(item, bool) or not isinstance(item, int | str) or item == "":
        problem = f"question_id {printable(repr(item)[:60])} is neither a number nor a text"
    elif not isinstance(answer, str) or not answer:
        problem = f"answer {printable(repr(answer)[:60])} is no letter"
    elif pred is msgspec.UNSET:
        problem = "has no 'pred'; run the project's compute_accuracy or evaluate script on it"
    elif pred and not isinstance(pred, str):
        problem = f"pred {printable(repr(pred)[:60])} is no letter"
    if problem is not None:
        journal.bad_row(place, line, problem)
        return None
    return (
        str(item),
        float(bool(pred) and pred == answer),
        group_label(record.category),
        group_label(record.src),
        _content(record.question, record.options),
    )


def _content(question: Any, options: Any) -> int | None:
    if not isinstance(question, str) or not isinstance(options, list):
        return None
    texts = [option for option in options if isinstance(option, str) and option != _ABSENT]
    return content_key("\n".join([question, *texts]))


def _own_mean(places: Sequence[Place]) -> dict[str, float]:
    """The project's own mean, if there is a summary beside each file."""
    totals = [_total(place) for place in places]
    right = sum(t[0] for t in totals if t is not None)
    asked = sum(sum(t) for t in totals if t is not None)
    return {"acc": right / asked} if None not in totals and asked > 0 else {}


def _remark(source: SourceDraft, unparsed: int) -> None:
    """The note on answers without a letter; summaries say something else about them."""
    if unparsed:
        source.aggregates.clear()
        source.notes.append(
            f"{unparsed} answers hold no letter and score 0; MMLU-Pro's own summaries guess there"
        )


def _total(place: Place) -> tuple[float, float] | None:
    """Right and wrong answers according to the summary beside a file."""
    if not place.name.endswith(_RESULT):
        return None
    summary = place.sibling(place.name.removesuffix(_RESULT) + _SUMMARY)
    if not summary.exists():
        return None
    try:
        document: Any = json_document(summary)
    except ReadError:
        return None
    right, wrong = (number(entry(document, "total", key)) for key in ("corr", "wrong"))
    if right is None or wrong is None or not 0 <= right < 1e9 or not 0 <= wrong < 1e9:
        return None
    return right, wrong


READER = _Reader()
