"""Read LiveBench logs: ``model_judgment/ground_truth_judgment.jsonl``, a line per answer.

One file contains all models. A score of −1 means no score, and LiveBench leaves it out of its
means. A failed judgment (``eval_status`` ``eval_error``) scores 0 in LiveBench. A judge that runs
again adds lines, of which the last one counts. Names of models are in lower case.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, Unit
from nstar.readers._common import begins, group_label
from nstar.readers._files import Place
from nstar.readers._json import json_lines
from nstar.readers._values import ScoreCheck, item_name, text, unfit

__all__ = ["READER"]

_FILE = "ground_truth_judgment.jsonl"
_NONE = -1.0
"""Value that stands for no score."""


class _Judgment(msgspec.Struct):
    question_id: Any = None
    task: Any = None
    model: Any = None
    score: Any = None
    category: Any = None
    subtask: Any = None
    turn: Any = None
    eval_status: Any = None


_Key = tuple[str, str, str]
"""Model, task, and question."""


class _Reader:
    name = "livebench"

    def sniff(self, place: Place, head: bytes) -> Role:
        keys = ("question_id", "task", "model", "score", "category")
        known = begins(head, b"{", *keys, "tstamp")
        return "log" if known and place.name.startswith(_FILE) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        """Yield one unit for all files, because each task has a file with all models."""
        yield Unit(place=places[0], several=True, context=places)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        models: dict[str, dict[_Key, tuple[Place, int, _Judgment]]] = {}
        repeats: Counter[str] = Counter()
        for place in unit.context:
            for line, row in json_lines(place, _Judgment, journal):
                key = _key(row)
                if isinstance(key, str):
                    journal.bad_row(place, line, key)
                    continue
                judged = models.setdefault(key[0], {})
                repeats[key[0]] += judged.pop(key, None) is not None
                judged[key] = (place, line, row)
        for model, judged in models.items():
            source = journal.source(unit.place, self.name, harness="LiveBench", model=model)
            if repeats[model]:
                sentence = f"{repeats[model]} of its lines have a later line for the same question"
                source.notes.append(f"{sentence}, which counts")
            rows = Rows("task", "item", "score", "category", "subtask")
            for (_, task, item), (place, line, row) in judged.items():
                check = ScoreCheck(place, journal, source.drop)
                for score in _scores(row, check, line, journal):
                    rows.add(task, item, score, group_label(row.category), text(row.subtask))
            yield rows.batch(model=model, metric="score")


def _key(row: _Judgment) -> _Key | str:
    """Return the model, task, and question of a judgment, or a description of what is wrong."""
    model, task, item = text(row.model), text(row.task), item_name(row.question_id)
    if model is None:
        return unfit("model", row.model, "expected a model name")
    if task is None:
        return unfit("task", row.task, "expected a task name")
    if item is None:
        return unfit("question_id", row.question_id, "expected a number or text")
    return model.lower(), task, item


def _scores(
    row: _Judgment, check: ScoreCheck, line: int, journal: Journal
) -> tuple[float | None, ...]:
    if row.score == _NONE:
        return (journal.error_score("missing"),)
    if row.eval_status == "eval_error":
        return (journal.error_score("zero"),)
    return check("score", row.score, line)


READER = _Reader()
