"""Read MMLU-Pro's own outputs (TIGER-AI-Lab/MMLU-Pro, ``eval_results``).

The format was inferred from source code, not from test runs. There are three layouts, all arrays
of records with the question, the correct letter, and the letter found in the answer:
``model_outputs_<model>_5shots.json``, the same in a zip, and a folder per model with one
``<subject>_result.json`` or ``<subject>.json`` for each subject.

An answer without a letter scores 0. The project's own summaries use a random guess instead, so
they are compared only if there is no such answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import above, begins, folder_name, group_label
from nstar.readers._files import Place
from nstar.readers._json import elements, json_document, json_elements
from nstar.readers._read_errors import printable
from nstar.readers._values import entry, item_name, means_of, number, settings_of, text, unfit
from nstar.readers._zip import Archive

__all__ = ["READER"]

_FILE = re.compile(
    r"model_outputs_(?P<model>.+?)"
    r"(?:_(?P<shots>\d+)-?shots?(?:_\d\d_\d\d_\d\d)?)?(?:\.json)?\.(?:json|zip)",
    re.I,
)
"""Regular expression of published names, which may end in a time of day or in ``.json.zip``."""
_RESULT = "_result.json"
_SUMMARY = "_summary.json"
_METHOD = "CoT"
_ABSENT = "N/A"
"""Option that the dataset once used to fill up the list of options."""


class _Record(msgspec.Struct):
    question_id: Any = None
    question: Any = None
    options: Any = None
    answer: Any = None
    category: Any = None
    src: Any = None
    pred: Any = msgspec.UNSET


_ELEMENT: Any = _Record | str | int | float | bool | list[Any] | None


class _Run(NamedTuple):
    """Model of the outputs, and the number of examples in the prompt."""

    model: str
    shots: str | None
    places: tuple[Place, ...]
    lent: bool = False


class _Reader:
    name = "mmlu_pro"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for arrays of answers, also zipped, ``companion`` for a summary."""
        if head.startswith(b"PK\x03\x04"):
            return "log" if _FILE.fullmatch(place.name) else None
        if place.name.endswith(_SUMMARY) and b'"corr"' in head and b'"wrong"' in head:
            return "companion"
        fields = ("question_id", "answer", "category", "pred")
        return "log" if begins(head, b"[", *fields) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        """Yield a unit per file with a model in its name, and per folder of other files."""
        folders: dict[str, list[Place]] = {}
        for place in places:
            folder = place.path if _FILE.fullmatch(place.name) else place.parent
            folders.setdefault(folder, []).append(place)
        for files in folders.values():
            run = _run(files)
            yield Unit(place=files[0], model=run.model, lent=run.lent, task=self.name, context=run)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        run: _Run = unit.context
        source = journal.source(unit.place, self.name, harness="MMLU-Pro", model=run.model)
        source.task = self.name
        source.aggregates = _own_mean(run.places)
        source.settings = settings_of({"few-shot": run.shots})
        constants = {"model": run.model, "task": self.name, "metric": "acc", "run": unit.run}
        rows = Rows("item", "score", "subject", "source", "content")
        unparsed = 0
        for place in run.places:
            for line, record in _records(place, journal):
                if not isinstance(record, _Record):
                    source.drop("records that are not objects")
                    continue
                problem = _problem(record)
                if problem is not None:
                    journal.bad_row(place, line, problem)
                    continue
                unparsed += not record.pred
                rows.add(*_row(record))
                if rows.full:
                    yield rows.batch(**constants)
        yield rows.batch(**constants)
        if unparsed:
            source.aggregates.clear()
            hint = "contain no letter and score 0; the summaries of MMLU-Pro guess there"
            source.notes.append(f"{unparsed} answers {hint}")


def _run(places: Sequence[Place]) -> _Run:
    """Return the model, from the name of the file, or of the folder (above ``CoT``)."""
    place = places[0]
    match = _FILE.fullmatch(place.name)
    if match:
        return _Run(match["model"], match["shots"], tuple(places))
    names = [folder.name for folder in above(place)]
    deep = _METHOD in names[:-1]
    model = names[names.index(_METHOD) + 1] if deep else folder_name(place)
    return _Run(model, None, tuple(places), lent=not deep)


def _records(place: Place, journal: Journal) -> Iterator[tuple[int, Any]]:
    """Yield the records with their numbers. One published file has texts between its records."""
    if not place.name.lower().endswith(".zip"):
        yield from json_elements(place, None, _ELEMENT, journal)
        return
    with Archive(place, journal.options.limits) as archive:
        for name in archive.names():
            if name.endswith(".json") and not name.startswith("__MACOSX"):
                where = Place(f"{place}: member {printable(name)}")
                archive.refuse_doubled(name)
                yield from elements(where, archive.pieces(name), None, _ELEMENT, journal)


def _problem(record: _Record) -> str | None:
    if item_name(record.question_id) is None:
        return unfit("question_id", record.question_id, "expected a number or text")
    if text(record.answer) is None:
        return unfit("answer", record.answer, "expected a letter")
    if record.pred is msgspec.UNSET:
        return "has no 'pred'; run the project's compute_accuracy or evaluate script on it"
    if record.pred and not isinstance(record.pred, str):
        return unfit("pred", record.pred, "expected a letter or null")
    return None


def _row(record: _Record) -> tuple[Any, ...]:
    """Return the item, score, groups, and content."""
    return (
        str(record.question_id),
        float(bool(record.pred) and record.pred == record.answer),
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
    """Return the project's own mean, if each file has a summary next to it."""
    totals = [_total(place) for place in places]
    right, n_answers = (sum(t[k] or 0 for t in totals) for k in (0, 1))
    known = n_answers > 0 and all(t[1] for t in totals)
    return means_of({"acc": right / n_answers}) if known else {}


def _total(place: Place) -> tuple[float, float]:
    """Return the numbers of correct and of all answers in a summary; zeros without one."""
    summary: Any = None
    with suppress(ReadError):
        if place.name.endswith(_RESULT):
            summary = json_document(place.sibling(place.name.removesuffix(_RESULT) + _SUMMARY))
    right, wrong = (number(entry(summary, "total", key)) for key in ("corr", "wrong"))
    return (0, 0) if right is None or wrong is None else (right, right + wrong)


READER = _Reader()
