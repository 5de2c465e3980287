"""Read MTEB results: ``results/<model>/<revision>/<Task>.json``, one main score per task.

MTEB does not store scores of single items, so tasks are the items here. A comparison tests whether
the difference would hold on other tasks, and the sample size is the number of tasks.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import above, begins
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._values import ScoreCheck, brief, entry, listing, text, unfit

__all__ = ["READER"]

_TASK = "MTEB"
_METRIC = "main_score"
_LEVEL = (
    "MTEB keeps one score per task, so tasks are the items here: a comparison "
    "generalizes to other tasks, and N is the number of tasks"
)
_PREDICTIONS = b'{"mteb_model_meta":'
"""First bytes of a file of predictions, which does not contain the correct answers."""


class _Result(msgspec.Struct):
    dataset_revision: Any = None
    task_name: Any = None
    mteb_version: Any = None
    scores: dict[str, list[Any]] = {}


class _Reader:
    name = "mteb"

    def sniff(self, place: Place, head: bytes) -> Role:
        about_model = place.name == "model_meta.json" and b'"revision"' in head
        if about_model or begins(head, _PREDICTIONS) or place.name == "run_settings.jsonl":
            return "companion"
        return "log" if begins(head, b"{", "dataset_revision", "mteb_version", "scores") else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        folders: dict[str, list[Place]] = {}
        for place in places:
            folders.setdefault(place.parent, []).append(place)
        models = [(*_model(files[0]), files) for files in folders.values()]
        revisions: dict[str, set[str]] = {}
        for model, revision, _ in models:
            revisions.setdefault(model, set()).add(revision)
        for model, files_by_revision in revisions.items():
            if len(files_by_revision) > 1:
                revisions_text = ", ".join(sorted(files_by_revision))
                journal.notes.append(
                    f"{model}: each revision counts as a separate model: {revisions_text}"
                )
        for model, revision, files in models:
            label = model if len(revisions[model]) == 1 else f"{model}@{revision}"
            yield Unit(place=files[0], model=label, task=_TASK, context=files)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        source = journal.source(unit.place.parent, self.name, model=unit.model, task=_TASK)
        source.settings["level"] = "task"
        source.notes.append(_LEVEL)
        rows = Rows("item", "score", "content", "dataset", "language")
        versions: set[str] = set()
        for place in unit.context:
            result = json_document(place, _Result)
            versions.add(text(result.mteb_version) or "unknown")
            _add(rows, place, result, source, journal)
        source.harness = "mteb " + ", ".join(sorted(versions))
        yield rows.batch(model=unit.model, task=_TASK, metric=_METRIC, run=unit.run)


def _model(place: Place) -> tuple[str, str]:
    """Return the name and revision of the model, from model_meta.json or the folders."""
    meta_file = place.sibling("model_meta.json")
    meta = json_document(meta_file, Any) if meta_file.exists() else None
    revision, folder = ([p.name for p in islice(above(place), 2)] + 2 * ["unknown"])[:2]
    name = text(entry(meta, "name")) or folder.replace("__", "/", 1)
    return name, text(entry(meta, "revision")) or revision


def _add(rows: Rows, place: Place, result: _Result, source: SourceDraft, journal: Journal) -> None:
    check = ScoreCheck(place, journal, source.drop)
    task = text(result.task_name) or place.name.removesuffix(".json")
    revision = brief(result.dataset_revision)
    for split, subsets in result.scores.items():
        for number, scores in enumerate(subsets, 1):
            if not isinstance(scores, dict) or _METRIC not in scores:
                fix = f"no {_METRIC} in the file; run mteb again"
                problem = unfit(f"split {split}, subset {number}", scores, fix)
                journal.bad_row(place, None, problem)
                continue
            subset = text(scores.get("hf_subset")) or "default"
            item = f"{task}/{split}/{subset}"
            if isinstance(scores.get("scores_per_experiment"), list):
                source.drop("scores_per_experiment: resampled training sets, not items")
            for score in check(_METRIC, scores[_METRIC], None):
                key = content_key(f"{item}@{revision}")
                languages = brief(", ".join(filter(text, listing(scores.get("languages")))))
                rows.add(item, score, key, task, languages or None)


READER = _Reader()
