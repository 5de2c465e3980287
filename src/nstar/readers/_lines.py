"""Plain rows of scores in JSON Lines, one line at a time, as a running program writes them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from nstar.readers._base import Journal, Options
from nstar.readers._common import GROUP_FIELDS

BROKEN = (msgspec.DecodeError, ValueError, OverflowError, RecursionError)
"""What a line that is no row may raise."""


_PARTS = ("model", "task", "metric", "item", "run", "score", "cost", "a", "b")
_ABSENT = object()


class Row(NamedTuple):
    """One model's score of one item."""

    model: str
    task: str
    metric: str
    item: str
    run: str | None
    score: float | None
    group: str | None
    cost: float | None
    lower_is_better: bool = False


@dataclass(slots=True)
class Sheet:
    """Lines into rows: ``item`` with ``score`` and ``model``, or with ``a`` and ``b``."""

    where: str
    options: Options
    journal: Journal = field(init=False)
    count: int = 0
    _fields: dict[str, str] = field(init=False)
    """Field by part."""
    _groups: tuple[str, ...] = field(init=False)
    """Fields that may be a group, the first one first."""

    def __post_init__(self) -> None:
        self.journal = Journal(options=self.options)
        self._fields = {part: self.options.column(part) or part for part in _PARTS}
        own = self.options.groups
        self._groups = tuple(dict.fromkeys((*own, "group", *GROUP_FIELDS)))

    def rows(self, line: bytes) -> Iterator[Row]:
        """Rows of one line; a bad one is skipped if the options allow."""
        self.count += 1
        if not line.strip():
            return
        try:
            yield from self._parsed(line)
        except (KeyError, *BROKEN) as error:
            self.journal.bad_row(self.where, self.count, _problem(error))

    def _parsed(self, line: bytes) -> list[Row]:
        record = msgspec.json.decode(line)
        if not isinstance(record, dict):
            msg = 'must be an object such as {"item": "q1", "a": 1, "b": 0}'
            raise ValueError(msg)  # noqa: TRY004 told by its line
        fields = self._fields
        if fields["a"] in record and fields["b"] in record:
            return [self._row(record, n, record[fields[n]]) for n in ("a", "b")]
        model = _text(record[fields["model"]], "model")
        return [self._row(record, model, record[fields["score"]])]

    def _row(self, record: dict[str, Any], model: str, score: Any) -> Row:
        fields = self._fields

        def given(part: str) -> str | None:
            value = record.get(fields[part], _ABSENT)
            return None if value is _ABSENT else _text(value, part)

        return Row(
            model,
            given("task") or "",
            given("metric") or "score",
            _text(record[fields["item"]], "item"),
            given("run"),
            _number(score, "score"),
            self._group(record),
            _number(record.get(fields["cost"]), "cost"),
        )

    def _group(self, record: dict[str, Any]) -> str | None:
        if record.keys().isdisjoint(self._groups):
            return None
        named = (record.get(name) for name in self._groups)
        return next((str(value) for value in named if value is not None), None)


def _problem(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no field {error}; a line needs item, and a and b, or model and score"
    return str(error)


def _text(value: Any, part: str) -> str:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    msg = f"{part} must be text or a whole number; got {value!r:.80}"
    raise ValueError(msg)


def _number(value: Any, part: str) -> float | None:
    if value is None or isinstance(value, bool | int | float):
        return None if value is None or value != value else float(value)  # noqa: PLR0124 NaN
    msg = f"{part} must be a number, true, false or null; got {value!r:.80}"
    raise ValueError(msg)


def is_plain(line: bytes, options: Options) -> bool:
    """Whether a line is one of ours, or broken, and not a harness's sample."""
    try:
        record = msgspec.json.decode(line)
    except BROKEN:
        return True
    if not isinstance(record, dict):
        return True
    has = [(options.column(part) or part) in record for part in ("item", "score", "a", "b")]
    return has[0] and (has[1] or (has[2] and has[3]))


def is_whole(line: bytes) -> bool:
    """Whether a line without its end is an object all the same, to which nothing can be added."""
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except BROKEN:
        return False
