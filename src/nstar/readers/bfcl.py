"""BFCL: ``score/MODEL/GROUP/BFCL_v4_CATEGORY_score.json``, JSON Lines.

The first line contains counts, and the other lines contain only the failures. The ids in
``result/MODEL/GROUP/BFCL_v4_CATEGORY_result.json`` show which items passed. Without that file, the
log raises an error.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, Unit
from nstar.readers._common import above, begins, first_of, folder_name, inspection_journal
from nstar.readers._files import Place
from nstar.readers._json import json_lines
from nstar.readers._values import item_name, means_of, total, unfit, whole_number

__all__ = ["READER"]

_SCORE = re.compile(r"(?P<head>BFCL_v\d+_(?P<category>\w+))_score\.json")
_RESULT = re.compile(r"BFCL_v\d+_\w+_result\.json")
_HIGHEST = 6
"""Number of folders above a score file that are searched for the folder of all scores."""


class _Line(msgspec.Struct):
    accuracy: Any = None
    correct_count: Any = None
    total_count: Any = None
    id: Any = None
    input_token_count: Any = None
    output_token_count: Any = None


class _Reader:
    name = "bfcl"

    def sniff(self, place: Place, head: bytes) -> Role:
        if _RESULT.fullmatch(place.name) and begins(head, b"{", "id", "result"):
            return "companion"
        counted = begins(head, b"{", "accuracy", "correct_count", "total_count")
        return "log" if counted and _SCORE.fullmatch(place.name) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        for place in places:
            match = _SCORE.fullmatch(place.name)
            result, model = _result(place, f"{match['head'] if match else ''}_result.json")
            yield Unit(
                place=place,
                model=model,
                task=match["category"] if match else place.name,
                context=result,
            )

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        place: Place = unit.place
        source = journal.source(place, self.name, harness="BFCL", model=unit.model, task=unit.task)
        header = first_of(json_lines(place, _Line, inspection_journal(journal))) or _Line()
        failed = {item for line, item, _ in _ids(place, journal) if line > 1}
        runs_by_item = {item: used for _, item, used in _ids(unit.context, journal)}
        _check_agreement(place, unit.context, header, runs_by_item.keys(), failed)
        source.declared_items = whole_number(header.total_count)
        source.aggregates = means_of({"accuracy": header.accuracy})
        rows = Rows("item", "score", "tokens", "input_tokens", "output_tokens")
        for item, used in runs_by_item.items():
            rows.add(item, float(item not in failed), *used)
        yield rows.batch(model=unit.model, task=unit.task, metric="accuracy", run=unit.run)


_Used = tuple[int | None, int | None, int | None]
"""Token counts: total, input, and output."""


def _ids(place: Place, journal: Journal) -> Iterator[tuple[int, str, _Used]]:
    """Yield the line, id, and tokens. A header has no id."""
    for line, row in json_lines(place, _Line, journal):
        item = item_name(row.id)
        if item is not None:
            read, written = (
                whole_number(row.input_token_count),
                whole_number(row.output_token_count),
            )
            yield line, item, (total(read, written), read, written)
        elif line > 1 or row.total_count is None:
            journal.bad_row(place, line, unfit("id", row.id, "expected a number or text"))


def _result(place: Place, name: str) -> tuple[Place, str]:
    """Return the result file that belongs to a score file, and the name of the model.

    The folder of all scores may have any name. The folder of all results is next to it.
    """
    below = [name]
    for folder in islice(above(place), _HIGHEST):
        model = below[0] if len(below) > 1 else folder.name
        for inner in ("/".join(["result", *below]), "/".join(below)):
            result_file = folder.sibling(inner) if inner != name else place.sibling(name)
            if result_file.exists():
                return result_file, model if inner != name else folder_name(place)
        below.insert(0, folder.name)
    msg = (
        f"{place}: this file lists only failures. The items that passed are in {name}, which is "
        "missing from the folder result/ beside the scores. Copy it there."
    )
    raise ReadError(msg)


def _check_agreement(
    place: Place, result: Place, header: _Line, item_names: Iterable[str], failed: set[str]
) -> None:
    """Raise an error if scores do not match the results next to them."""
    ids = set(item_names)
    if strange := failed - ids:
        msg = f"{place}: {len(strange)} failed ids, such as {min(strange)}, are not in {result}"
    elif header.total_count != len(ids):
        msg = (
            f"{place}:1: total_count is {header.total_count}, but {result} contains {len(ids)} ids"
        )
    elif header.correct_count != len(ids) - len(failed):
        right = len(ids) - len(failed)
        msg = f"{place}:1: correct_count is {header.correct_count}, but {right} ids did not fail"
    else:
        return
    msg += ". Use both files of one run, or evaluate the results again."
    raise ReadError(msg)


READER = _Reader()
