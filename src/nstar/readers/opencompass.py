"""Read OpenCompass logs: ``WORK/TIME/results/MODEL/DATASET.json`` with ``details``.

Since 0.4, the details are a list with ``example_abbr`` and a list of ``correct`` per repetition.
Before, and for perplexity, they are an object with positions as keys. Details without ``correct``
are predictions without individual scores, which raise an error.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import above, begins, run_label
from nstar.readers._files import Place
from nstar.readers._json import json_document, json_elements, json_skeleton
from nstar.readers._stream import text_head
from nstar.readers._values import (
    ScoreCheck,
    entry,
    finite,
    item_name,
    listing,
    mapping,
    text,
    unfit,
)

__all__ = ["READER"]

_LARGEST = 512 << 20
_LIST = re.compile(rb'"details"\s*:\s*\[\s*\{')
_OBJECT = re.compile(rb'"details"\s*:\s*\{\s*"(?:type|0)"\s*:')
_CORRECT = ("correct", "is_correct", "cascade_correct")
"""Names under which OpenCompass looks for a verdict, in its order."""
_MEND = "each item needs a verdict in the field correct. Choose an evaluator that writes one"


class _Reader:
    name = "opencompass"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        if not begins(head, b"{", "details"):
            return None
        listed = _LIST.search(head) and b'"example_abbr"' in head
        keyed = _OBJECT.search(head) and b'"predictions"' in head
        return "log" if listed or keyed else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        for place in places:
            model, _, time = ([p.name for p in islice(above(place), 3)] + 3 * [""])[:3]
            task = place.name.removesuffix(".json")
            yield Unit(place=place, model=model or "unknown", task=task, started=time)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        place = unit.place
        source = journal.source(place, self.name, model=unit.model, task=unit.task)
        source.harness = "OpenCompass"
        if _LIST.search(text_head(place)):
            means = json_skeleton(place, "details", dict[str, Any])
            details = _listed(place, journal)
        else:
            means = json_document(place, dict[str, Any], cap=_LARGEST)
            details = _keyed(mapping(means.get("details")))
        accuracy = next((v for k, v in means.items() if k.startswith("accuracy")), None)
        known = finite(accuracy)
        source.aggregates = {} if known is None else {"correct": known / 100}
        check = ScoreCheck(place, journal, source.drop)
        rows = Rows("item", "score", "run", "content")
        for line, item, detail in details:
            verdicts = next((detail[k] for k in _CORRECT if detail.get(k) is not None), None)
            if item is None or verdicts is None:
                wrong = unfit("example_abbr", detail.get("example_abbr"), "expected text")
                journal.bad_row(place, line, wrong if item is None else f"{item}: {_MEND}")
                continue
            content = _content(detail)
            verdict_list = verdicts if isinstance(verdicts, list) else [verdicts]
            for number, verdict in enumerate(verdict_list, 1):
                for score in check("correct", verdict, line):
                    rows.add(item, score, run_label(unit.run, str(number)), content)
            if rows.full:
                yield rows.batch(model=unit.model, task=unit.task, metric="correct")
        yield rows.batch(model=unit.model, task=unit.task, metric="correct")


_Details = Iterator[tuple[int | None, str | None, dict[str, Any]]]
"""Element, item, and fields of a detail."""


def _listed(place: Place, journal: Journal) -> _Details:
    for line, detail in json_elements(place, "details", dict[str, Any], journal):
        yield line, item_name(detail.get("example_abbr")), detail


def _keyed(details: dict[str, Any]) -> _Details:
    for key, detail in details.items():
        if key != "type":
            yield None, text(key), mapping(detail)


def _content(detail: dict[str, Any]) -> int | None:
    """Return a hash of the prompt without the parts of chat templates."""
    prompt = detail.get("prompt")
    parts = [prompt] if isinstance(prompt, str) else [entry(p, "prompt") for p in listing(prompt)]
    compact_prompt = "".join("".join(filter(text, parts)).split())
    return content_key(compact_prompt) if compact_prompt else None


READER = _Reader()
