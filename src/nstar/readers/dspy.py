"""Read DSPy logs: the list that ``Evaluate(save_as_json=…)`` writes.

A row contains the fields of the example, those of the prediction, and a last column named after
the metric. If both have a field ``answer``, the columns are ``example_answer`` and
``pred_answer``. Fields of the example come first, so all fields up to the last ``example_…``
belong to it and identify the item. An example whose program or metric raised an exception has no
fields of a prediction. DSPy counts it as ``failure_score``, which is 0 by default.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from nstar.errors import ReadError, arg
from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import begins, inspection_journal
from nstar.readers._fallback_names import by_file
from nstar.readers._files import Place
from nstar.readers._json import json_elements
from nstar.readers._values import ScoreCheck, canonical, item_name, unfit

__all__ = ["READER"]

_TASK = "dspy"
_OURS = re.compile(rb'"example_([^"\\]{1,80})"\s*:')
_THEIRS = re.compile(rb'"pred_([^"\\]{1,80})"\s*:')

_Row = dict[str, Any]


class _Layout(NamedTuple):
    """Roles of the fields."""

    metric: str
    example: tuple[str, ...]
    """Names of the example's own fields, without ``example_``."""
    item: str | None
    """Field that the user named as the item."""


class _Reader:
    name = "dspy"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        shared_fields = set(_OURS.findall(head)) & set(_THEIRS.findall(head))
        return "log" if shared_fields and begins(head, b"[") else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        names = by_file(places, [place.name.removesuffix(".json") for place in places])
        for place, name in zip(places, names, strict=True):
            yield Unit(place=place, model=name, lent=True, task=_TASK)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        source = journal.source(unit.place, self.name, harness="DSPy", model=unit.model)
        source.task = _TASK
        layout = _layout(unit.place, journal)
        check = ScoreCheck(unit.place, journal, source.drop)
        rows = Rows("item", "score", "content")
        item_counts: Counter[str] = Counter()
        for line, row in json_elements(unit.place, None, _Row, journal):
            example = {name: _field(row, name) for name in layout.example}
            content = content_key(canonical(example))
            item = f"{content:016x}" if layout.item is None else item_name(row.get(layout.item))
            if item is None or layout.metric not in row:
                journal.bad_row(unit.place, line, _problem_of(row, layout))
                continue
            item_counts[item] += 1
            item = item if item_counts[item] == 1 else f"{item}#{item_counts[item]}"
            metric_value = row[layout.metric]
            if not any(name.startswith("pred_") for name in row):
                counted = journal.error_score("zero")
                metric_value = metric_value if journal.options.errors == "harness" else counted
            for score in (
                (None,) if metric_value is None else check(layout.metric, metric_value, line)
            ):
                rows.add(item, score, content)
        if n_repeats := sum(n - 1 for n in item_counts.values()):
            fields = layout.item or ", ".join(layout.example)
            text = (
                f"{n_repeats} examples repeat the {fields} of another one and are "
                "distinguished by order"
            )
            source.notes.append(f"{text}; if a field is an id, set it as the item column")
        yield rows.batch(model=unit.model, task=_TASK, metric=layout.metric, run=unit.run)


def _layout(place: Place, journal: Journal) -> _Layout:
    """Return the layout, from the first row that has a prediction."""
    for _, row in json_elements(place, None, _Row, inspection_journal(journal)):
        names = list(row)
        last = max((k for k, n in enumerate(names) if n.startswith("example_")), default=-1)
        if last < 0:
            continue
        item, score = journal.options.column("item"), journal.options.column("score")
        for part, name in (("item", item), ("score", score)):
            if name is not None and name not in row:
                available = f"available: {', '.join(names)}"
                msg = (
                    f"{place}: no field {name!r} for {arg('columns', f'{part}={name}')}; "
                    f"{available}."
                )
                raise ReadError(msg)
        example = tuple(name.removeprefix("example_") for name in names[: last + 1])
        return _Layout(score or names[-1], example, item)
    msg = f"{place}: no row has example_… and pred_… fields, so items cannot be identified."
    raise ReadError(msg)


def _field(row: _Row, name: str) -> Any:
    """Return a field of the example, under either of its possible names."""
    return row.get(f"example_{name}", row.get(name))


def _problem_of(row: _Row, layout: _Layout) -> str:
    if layout.metric not in row:
        last_field = list(row)[-1:]
        return unfit("last field", last_field, f"the metric {layout.metric} is missing")
    return unfit(str(layout.item), row.get(str(layout.item)), "expected a number or text")


READER = _Reader()
