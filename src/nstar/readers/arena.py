"""Arena votes: which of two answers people preferred; a table of battles, not of scores.

Known by ``model_a``, ``model_b`` and either ``winner`` or three columns ``winner_model_a``,
``winner_model_b`` and ``winner_tie``, in Parquet, JSON or CSV: read from source, not run.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from nstar._data.table import LABEL, labels
from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Unit
from nstar.readers._common import parquet_schema
from nstar.readers._files import Place
from nstar.readers._tables import Frame, form_of, open_frame
from nstar.readers._tables._csv import header_of
from nstar.readers._tables._frame import Chunk, shown
from nstar.readers._tables._names import TableNames
from nstar.readers._tables._scores import ScoreColumn
from nstar.readers._trouble import printable

__all__ = ["READER", "read_battles"]

_WINNERS = {
    "model_a": ("a", False),
    "model_b": ("b", False),
    "tie": ("tie", False),
    "tie (inconsistent)": ("tie", False),
    "tie (bothbad)": ("tie", True),
    "both_bad": ("tie", True),
    "bothbad": ("tie", True),
}
"""Who won, and whether both answers were called bad."""
_ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")
_CLUSTERS = ("evaluation_session_id", "judge")
_ITEMS = ("question_id", "id")
_NAMED = "anony"
_SAMPLED = "dedup_tag.sampled"
_SCHEMA = pa.schema(
    {
        "model_a": LABEL,
        "model_b": LABEL,
        "winner": LABEL,
        "both_bad": pa.bool_(),
        "cluster": LABEL,
        "item": LABEL,
    }
)


class _Reader:
    name = "arena"

    def sniff(self, place: Place, head: bytes) -> Role:
        """A table with two models and a winner; of a Parquet file the footer is looked at."""
        names = set(_column_names(place, head))
        battle = {"model_a", "model_b"} <= names and ("winner" in names or set(_ONE_HOT) <= names)
        return "log" if battle else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        return [Unit(place=place) for place in places]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:  # noqa: ARG002
        """Raise: a vote is no score of an item."""
        msg = (
            f"{unit.place}: these are votes between pairs, not scores per item; nstar keeps them "
            "as a battles table (nstar.readers.arena.read_battles); comparing votes comes later"
        )
        raise ReadError(msg)


def read_battles(place: Place, journal: Journal) -> pa.Table:
    """Votes of one file.

    Parameters
    ----------
    place
        The file.
    journal
        Learns of rows that cannot be read, and of votes that are left out.

    Returns
    -------
    pyarrow.Table
        ``model_a``, ``model_b``; ``winner`` "a", "b" or "tie"; ``both_bad``, whether a tie was
        between bad answers; ``cluster``, the judge or session, null if unknown; ``item``, the
        question. Votes on models whose names were shown and repeated prompts that the arena
        itself sets aside are left out.
    """
    frame = open_frame(place, journal, [_SAMPLED])
    votes = _Votes(place, frame, journal)
    try:
        batches = [votes.convert(chunk) for chunk in frame.chunks(votes.wanted)]
    except (pa.ArrowException, UnicodeError) as error:
        reason = printable(str(error).split("\n", 1)[0])[:300]
        msg = f"{place}: a column does not hold what it should: {reason}"
        raise ReadError(msg) from error
    for reason, rows in votes.dropped.items():
        if rows:
            journal.notes.append(f"{place}: {rows} votes left out: {reason}")
    return pa.Table.from_batches(batches, _SCHEMA).unify_dictionaries()


class _Votes:
    """Rows of one table of votes to battles."""

    def __init__(self, place: Place, frame: Frame, journal: Journal) -> None:
        self._place = place
        self._journal = journal
        names = [c.name for c in frame.columns]
        flat = {c.name for c in frame.columns if c.kind != "nested"}
        self._cluster = next((n for n in _CLUSTERS if n in flat), None)
        self._item = next((n for n in _ITEMS if n in flat), None)
        self._won = ("winner",) if "winner" in flat else _ONE_HOT
        self._filters = {
            name: reason
            for name, reason in (
                (_NAMED, "the models' names were shown"),
                (_SAMPLED, "repeated prompts"),
            )
            if name in flat
        }
        self.dropped = dict.fromkeys(self._filters.values(), 0)
        needed = ["model_a", "model_b", *self._won]
        missing = [n for n in needed if n not in flat or names.count(n) > 1]
        if missing:
            msg = f"{place}: no single column {missing[0]}; columns found: {shown(names)}"
            raise ReadError(msg)
        others = (self._cluster, self._item, *self._filters)
        self.wanted = [*needed, *(n for n in others if n is not None)]

    def convert(self, chunk: Chunk) -> pa.RecordBatch:
        """The battles of some rows."""
        batch = chunk.batch
        outcome, bad = self._outcome(batch)
        kept = self._kept(batch)
        kept[bad] = False
        for row in bad.tolist():
            said = ", ".join(repr(batch.column(n)[row].as_py()) for n in self._won)
            problem = f"winner {printable(said[:60])} is none of model_a, model_b, tie, both_bad"
            self._journal.bad_row(self._place, chunk.line(row), problem)
        columns = {
            "model_a": TableNames().convert(batch.column("model_a")),
            "model_b": TableNames().convert(batch.column("model_b")),
            "winner": outcome[0],
            "both_bad": outcome[1],
            "cluster": self._optional(batch, self._cluster),
            "item": self._optional(batch, self._item),
        }
        battles = pa.RecordBatch.from_arrays([columns[n] for n in _SCHEMA.names], schema=_SCHEMA)
        return battles if kept.all() else battles.filter(pa.array(kept))

    def _outcome(self, batch: pa.RecordBatch) -> tuple[tuple[pa.Array, pa.Array], Any]:
        """Winner and whether both were bad, and the rows that tell neither."""
        if len(self._won) == 1:
            column = TableNames().convert(batch.column("winner"))
            known = [_WINNERS.get(w.strip().lower()) for w in column.dictionary.to_pylist()]
            codes = column.indices
        else:
            known = [("a", False), ("b", False), ("tie", False)]
            codes = pa.array(_one_hot([batch.column(n) for n in self._won]), from_pandas=True)
            codes = codes.cast(pa.int32())
        winner = pa.array([None if k is None else k[0] for k in known], pa.string()).take(codes)
        both_bad = pa.array([None if k is None else k[1] for k in known], pa.bool_()).take(codes)
        bad = np.flatnonzero(winner.is_null().to_numpy(zero_copy_only=False))
        return (labels(winner), both_bad), bad

    def _kept(self, batch: pa.RecordBatch) -> Any:
        kept = np.ones(batch.num_rows, np.bool_)
        for name, reason in self._filters.items():
            flags = ScoreColumn().convert(batch.column(name))[0].to_numpy(zero_copy_only=False)
            refused = kept & (flags == 0)
            self.dropped[reason] += int(refused.sum())
            kept &= ~refused
        return kept

    def _optional(self, batch: pa.RecordBatch, name: str | None) -> pa.Array:
        if name is None:
            return labels(pa.nulls(batch.num_rows, pa.string()))
        return TableNames().convert(batch.column(name))


def _one_hot(columns: Sequence[pa.Array]) -> Any:
    """Position of the one, NaN where there is not exactly one."""
    flags = np.stack([ScoreColumn().convert(c)[0].to_numpy(zero_copy_only=False) for c in columns])
    single = np.isin(flags, (0, 1)).all(axis=0) & (np.nansum(flags, axis=0) == 1)
    return np.where(single, np.nan_to_num(flags).argmax(axis=0), np.nan)


def _column_names(place: Place, head: bytes) -> Sequence[str]:
    """Columns of a table, as far as a look tells."""
    form = form_of(head)
    if form == "parquet":
        schema = parquet_schema(place)
        return () if schema is None else schema.names
    if form in {"array", "object"}:
        known = ("model_a", "model_b", "winner", *_ONE_HOT)
        return [name for name in known if f'"{name}"'.encode() in head]
    return header_of(head.decode("utf-8", "replace"))[1] if form == "text" else ()


READER = _Reader()
