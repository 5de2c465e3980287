"""Convert rows of tables of votes to numbers, and combine them into :class:`Votes`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._base.types import Array, BoolArray
from nstar._data import arrow
from nstar._data import lazy_compute as pc
from nstar._data.findings import Finding, abbreviate, find
from nstar._data.table import LABEL, labels
from nstar._data.votes import Codes, VoteGrouping, Votes, settled
from nstar.errors import DataError, ReadError, arg
from nstar.readers._base import Journal, SourceDraft
from nstar.readers._files import Place
from nstar.readers._read_errors import printable
from nstar.readers._tables._frame import Chunk
from nstar.readers._tables._names import ContentHasher, TableNames
from nstar.readers._tables._scores import ScoreColumn
from nstar.readers._votes._layout import NAMED, SAMPLED, TEXTS, VoteLayout, VoteSelection
from nstar.readers._votes._winners import Winners

_MAX_VALUES_IN_MESSAGE = 8
"""Maximum number of values of a column in a message."""
_LEFT_OUT = {
    NAMED: ("names-shown", "by people who saw the model names"),
    SAMPLED: ("repeated-prompts", "on repeated prompts"),
}
"""Message about votes that the arena itself leaves out."""
_NO_WINNER = ("no-winner", "without a winner")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteChunk:
    """A block of votes. Models are coded as integers."""

    first: Codes
    second: Codes
    score: Array
    weight: Array | None
    probability: Array | None
    bad: BoolArray | None
    groups: Mapping[str, pa.Array]
    covariates: Mapping[str, Array]


@dataclass(slots=True)
class VoteCollector:
    """Collects the votes of all files, one block at a time."""

    wanted: VoteSelection
    journal: Journal
    code: dict[str, int] = field(default_factory=dict)
    """Code of each model, in order of appearance."""
    pieces: list[VoteChunk] = field(default_factory=list)
    ordered: bool = True
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of omitted votes, by code and text of the finding."""
    ids: dict[int, str] = field(default_factory=dict)
    """Short texts of prompts by their hash."""
    hashed: set[str] = field(default_factory=set)
    """Groups whose labels are hashes of texts."""
    values: dict[str, dict[str, None]] = field(default_factory=dict)
    """Values of the columns by which votes are selected."""

    def votes(self) -> Votes:
        """Return all votes."""
        if not self.pieces or not sum(p.first.size for p in self.pieces):
            raise DataError(self._nothing())
        order = sorted(self.code)
        place = np.empty(len(order), np.int32)
        place[[self.code[name] for name in order]] = np.arange(len(order), dtype=np.int32)
        first, second = (
            place[np.concatenate([getattr(p, end) for p in self.pieces])]
            for end in ("first", "second")
        )
        all_votes = Votes(
            models=tuple(order),
            first=first,
            second=second,
            score=np.concatenate([p.score for p in self.pieces]),
            weight=self._filled("weight", 1.0),
            probability=self._filled("probability", np.nan),
            bad=self._filled("bad", absent=False),
            ordered=self.ordered,
            groups=self._groups(),
            covariates={
                name: np.concatenate([p.covariates[name] for p in self.pieces])
                for name in self.wanted.covariates
            },
            findings=tuple(self._findings()),
            sources=tuple(self.journal.sources),
        )
        met = np.zeros(len(order), np.bool_)
        met[first] = met[second] = True
        return settled(all_votes if met.all() else all_votes.select(np.ones(first.size, np.bool_)))

    def _nothing(self) -> str:
        """Return a message that says why there are no votes."""
        where = self._where()
        for name, values in self.wanted.only.items():
            available = list(self.values.get(name, ()))
            if available and not set(available) & set(values):
                excerpt = printable(abbreviate(available, _MAX_VALUES_IN_MESSAGE))
                values_text = " or ".join(map(printable, values))
                problem = f"no votes match {printable(name)} = {values_text}"
                return f"{where}: {problem}. Available: {excerpt}."
        gone = ", ".join(f"{n:,} {reason}" for (_, reason), n in self.left_out.items())
        return f"{where}: no votes found" + (f" ({gone} excluded)" if gone else "")

    def _filled(self, name: str, absent: Any) -> Any:
        """Return a column that some blocks lack, or None if all lack it."""
        parts = [(getattr(p, name), p.first.size) for p in self.pieces]
        if all(part is None for part, _ in parts):
            return None
        return np.concatenate([np.full(n, absent) if p is None else p for p, n in parts])

    def _groups(self) -> dict[str, VoteGrouping]:
        groupings: dict[str, VoteGrouping] = {}
        same: dict[tuple[int, ...], VoteGrouping] = {}
        for name in dict.fromkeys(name for piece in self.pieces for name in piece.groups):
            parts = [piece.groups.get(name) for piece in self.pieces]
            key = tuple(map(id, parts))  # a column with two names is coded only once
            if key not in same:
                column = _one_type(parts, [p.first.size for p in self.pieces])
                grouping = VoteGrouping.of(column)
                same[key] = grouping.with_texts(self.ids) if name in self.hashed else grouping
            if same[key].count:
                groupings[name] = same[key]
            elif name in self.wanted.groups:
                msg = f"{self._where()}: {printable(name)} is empty in every vote."
                raise DataError(msg)
        return groupings

    def _where(self) -> str:
        return abbreviate([source.path for source in self.journal.sources], 3)

    def _findings(self) -> list[Finding]:
        journal, size = self.journal, sum(p.first.size for p in self.pieces)
        findings = [
            find(
                code,
                f"{n:,} vote{'s' * (n != 1)} {reason} {'was' if n == 1 else 'were'} excluded; "
                f"{size:,} vote{'s remain' if size != 1 else ' remains'}",
            )
            for (code, reason), n in self.left_out.items()
        ]
        if journal.bad:
            n = len(journal.bad)
            rows = "1 unreadable row was" if n == 1 else f"{n:,} unreadable rows were"
            findings.append(
                find("bad-rows", f"{rows} skipped: {abbreviate(journal.bad, 3, between='; ')}")
            )
        notes = [*journal.notes, *(note for s in journal.sources for note in s.notes)]
        return findings + [find("reader", note) for note in dict.fromkeys(notes)]


def _one_type(parts: Sequence[Any], sizes: Sequence[int]) -> pa.ChunkedArray:
    """Return the parts of a column with one type, with nulls for missing parts."""
    kinds = {part.type for part in parts if part is not None}
    kind = kinds.pop() if len(kinds) == 1 else LABEL
    full = [pa.nulls(n, kind) if p is None else p for p, n in zip(parts, sizes, strict=True)]
    return pa.chunked_array([p if p.type == kind else labels(p) for p in full], kind)


class TableVotes:
    """Converts chunks of one table of votes to blocks.

    All tables share ``gathered``.
    """

    def __init__(
        self, place: Place, layout: VoteLayout, gathered: VoteCollector, source: SourceDraft
    ) -> None:
        self._place = place
        self._layout = layout
        self._all = gathered
        self._journal = gathered.journal
        self._source = source
        self._names = (TableNames(), TableNames())
        self._winners = Winners()
        self._contents: dict[str, ContentHasher] = {}

    def piece(self, chunk: Chunk) -> VoteChunk:
        """Return the votes of some rows. Unreadable rows are reported to the journal."""
        batch, layout = chunk.batch, self._layout
        keep_mask = self._chosen(batch)
        first, second = (
            self._models(chunk, word, names, keep_mask)
            for word, names in zip(("first", "second"), self._names, strict=True)
        )
        score, weight, bad = self._outcome(chunk, (first, second), keep_mask)
        self._leave_out(_NO_WINNER, keep_mask, np.isnan(score))
        probability = self._probability(chunk, keep_mask)
        if layout.weight is not None:
            row_weight = self._weight(chunk, keep_mask)
            weight = row_weight if weight is None else weight * row_weight
        keeps_all = bool(keep_mask.all())
        mask = None if keeps_all else arrow.array(keep_mask)
        columns = {name: batch.column(name) for name in dict.fromkeys(layout.groups.values())}
        groups_by_column = {
            name: self._group(name, column, mask) for name, column in columns.items()
        }
        self._all.hashed.update(
            group for group, name in layout.groups.items() if name in self._contents
        )
        return VoteChunk(
            first=first if keeps_all else first[keep_mask],
            second=second if keeps_all else second[keep_mask],
            score=score if keeps_all else score[keep_mask],
            weight=weight if keeps_all or weight is None else weight[keep_mask],
            probability=probability
            if keeps_all or probability is None
            else probability[keep_mask],
            bad=bad if keeps_all or bad is None else bad[keep_mask],
            groups={group: groups_by_column[name] for group, name in layout.groups.items()},
            covariates={
                name: values if keeps_all else values[keep_mask]
                for name, values in self._pairs(batch)
            },
        )

    def finish(self) -> None:
        """Raise an error if a text is a word in some rows and a model's name in others."""
        ambiguous, side = self._winners.both, self._winners.side
        if ambiguous is not None and (side is not None or ambiguous.strip().lower() == "tie"):
            excerpt = printable(ambiguous)
            msg = (
                f"{self._place}: the winner {excerpt!r} could be a side or a model name. "
                "Use model_a, model_b and tie."
            )
            raise ReadError(msg)

    def _chosen(self, batch: pa.RecordBatch) -> BoolArray:
        """Return a mask of rows that are selected and count in the arena's own ratings."""
        keep_mask = np.ones(batch.num_rows, np.bool_)
        for name, column in self._layout.only.items():
            names = TableNames().convert(batch.column(column))
            texts = names.dictionary.to_pylist()
            known_values = self._all.values.setdefault(name, {})
            if len(known_values) <= _MAX_VALUES_IN_MESSAGE:
                known_values.update(dict.fromkeys(texts[: _MAX_VALUES_IN_MESSAGE + 1]))
            allowed = self._all.wanted.only[name]
            fits = np.array([*(text in allowed for text in texts), False])
            known_values.update(dict.fromkeys(text for text in texts if text in allowed))
            keep_mask &= fits[arrow.codes(names)]
        for flag in self._layout.flags:
            values = ScoreColumn().convert(batch.column(flag))[0]
            self._leave_out(_LEFT_OUT[flag], keep_mask, arrow.numbers(values) == 0)
        return keep_mask

    def _leave_out(
        self, reason: tuple[str, str], keep_mask: BoolArray, refused: BoolArray
    ) -> None:
        """Omit rows for a reason that a finding reports."""
        gone = int(np.count_nonzero(keep_mask & refused))
        if gone:
            self._all.left_out[reason] += gone
            self._source.drop(reason[1], gone)
            keep_mask &= ~refused

    def _refuse(self, chunk: Chunk, keep_mask: BoolArray, rows: Any, problem: Any) -> None:
        """Omit unreadable rows, up to the allowed number."""
        for row in np.flatnonzero(keep_mask[rows]).tolist():
            at = int(rows[row])
            self._journal.bad_row(self._place, chunk.line(at), problem(at))
        keep_mask[rows] = False

    def _models(self, chunk: Chunk, word: str, names: TableNames, keep_mask: BoolArray) -> Codes:
        """Return the code of a model in each row. Rows without a model are bad."""
        column = names.convert(chunk.batch.column(getattr(self._layout, word)))
        code = self._all.code
        texts = column.dictionary.to_pylist()
        code_list = [code.setdefault(t, len(code)) if t.strip() else -1 for t in texts]
        text = f"{self._place}: at least {len(code):,} model names"
        self._journal.options.limits.refuse("names", len(code), text, error=ReadError)
        codes: Codes = np.array([*code_list, -1], np.int32)[arrow.codes(column)]
        empty = np.flatnonzero(codes < 0)
        if empty.size:
            problem = f"{word} is empty; every vote needs two models"
            self._refuse(chunk, keep_mask, empty, lambda _: problem)
        return codes

    def _outcome(
        self, chunk: Chunk, ends: tuple[Codes, Codes], keep_mask: BoolArray
    ) -> tuple[Array, Array | None, BoolArray | None]:
        """Return the score of the first model, the weights, and a mask of bad ties."""
        scale, names = self._layout.scale, self._layout.outcome
        if scale == "first":
            return np.ones(ends[0].size), None, None
        columns = [chunk.batch.column(name) for name in names]
        if scale == "words":
            outcomes = self._winners.convert(columns[0], ends, self._all.code)
            self._refuse(chunk, keep_mask, outcomes.unknown, lambda row: _unknown(columns[0][row]))
            return outcomes.score, outcomes.weight, outcomes.bad
        if scale == "one-hot":
            score, wrong = _one_hot(columns)
            self._refuse(chunk, keep_mask, wrong, lambda row: _two_winners(columns, row))
            return score, None, None
        score, wrong = _graded(columns[0], scale)
        problem = f"{printable(names[0])} must be a number from "
        problem += "1 (first won) to 2" if scale == "alpaca" else "0 (second won) to 1"
        self._refuse(
            chunk, keep_mask, wrong, lambda row: f"{problem}; got {_cell_text(columns[0][row])}"
        )
        return score, None, None

    def _weight(self, chunk: Chunk, keep_mask: BoolArray) -> Array:
        """Return the weight of each row. Rows without a positive weight are bad."""
        column = chunk.batch.column(self._layout.weight)
        values = arrow.numbers(ScoreColumn().convert(column)[0].cast(pa.float64()))
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero(~((values > 0) & np.isfinite(values)))
        problem = "weight must be a positive number; got "
        self._refuse(chunk, keep_mask, wrong, lambda row: problem + _cell_text(column[row]))
        return values

    def _probability(self, chunk: Chunk, keep_mask: BoolArray) -> Array | None:
        """Return the probability of each pair, NaN for an empty cell. Other rows are bad."""
        if self._layout.probability is None:
            return None
        column = chunk.batch.column(self._layout.probability)
        converted, bad = ScoreColumn().convert(column)
        values = np.asarray(arrow.numbers(converted.cast(pa.float64())))
        with np.errstate(invalid="ignore"):
            wrong = np.union1d(bad, np.flatnonzero((values <= 0) | (values > 1)))
        problem = "the probability of a pair must be above 0 and at most 1, or empty; got "
        self._refuse(chunk, keep_mask, wrong, lambda row: problem + _cell_text(column[row]))
        return values

    def _group(self, name: str, column: pa.Array, mask: Any) -> pa.Array:
        """Return the labels of a group: numbers as they are, hashes for texts of prompts."""
        if name.lower() in TEXTS and not pa.types.is_integer(column.type):
            column = self._contents.setdefault(name, ContentHasher(self._all.ids)).convert(column)
        elif pa.types.is_dictionary(column.type) or not pa.types.is_integer(column.type):
            column = TableNames().convert(column)
        return column if mask is None else column.filter(mask)

    def _pairs(self, batch: pa.RecordBatch) -> list[tuple[str, Array]]:
        """Return the values of a covariate for both answers."""
        pairs = []
        for name, pair in self._layout.covariates.items():
            number = _letters if name in self._layout.lengths else self._number
            values = [number(column, batch.column(column)) for column in pair]
            pairs.append((name, np.stack(values, axis=1)))
        return pairs

    def _number(self, name: str, column: pa.Array) -> Array:
        values, bad = ScoreColumn().convert(column)
        if bad.size:
            value_text = _cell_text(column[int(bad[0])])
            msg = (
                f"{self._place}: column {printable(name)!r} must contain numbers; found "
                f"{value_text}"
            )
            raise ReadError(msg)
        return arrow.numbers(values).astype(np.float64, copy=False)


def _letters(name: str, column: pa.Array) -> Array:
    """Return the number of characters of each text; NaN for null."""
    del name
    texts = labels(column)
    lengths = arrow.numbers(pc.utf8_length(texts.dictionary))
    return np.append(lengths.astype(np.float64), np.nan)[arrow.codes(texts)]


def _cell_text(value: Any) -> str:
    """Return the text of a cell for a message."""
    return printable(repr(value.as_py())[:60])


def _unknown(value: Any) -> str:
    return (
        f"winner {_cell_text(value)} is not model_a, model_b, tie, both_bad, or one of the two "
        f"model names; for numbers from 0 to 1, set {arg('columns', 'score=NAME')}"
    )


def _two_winners(columns: Sequence[pa.Array], row: int) -> str:
    values_text = ", ".join(_cell_text(column[row]) for column in columns)
    return (
        f"winner {values_text} is not model_a, model_b or tie: one column must be 1, the others 0"
    )


def _one_hot(columns: Sequence[pa.Array]) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return the score by the position of the 1, and the rows without exactly one 1."""
    flags = np.stack([arrow.numbers(ScoreColumn().convert(c)[0]) for c in columns])
    flags = flags.astype(np.float64)
    single = np.isin(flags, (0, 1)).all(axis=0) & (np.nansum(flags, axis=0) == 1)
    score = np.array([1.0, 0.0, 0.5])[np.nan_to_num(flags).argmax(axis=0)]
    empty = np.isnan(flags).all(axis=0)
    return np.where(single, score, np.nan), np.flatnonzero(~single & ~empty)


def _graded(column: pa.Array, scale: str) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return the score of the first model, NaN for none, and the rows with other values."""
    converted, bad = ScoreColumn().convert(column)
    score = arrow.numbers(converted).astype(np.float64)
    if scale == "alpaca":
        score = np.where(score == 0, 0.5, 2.0 - score)  # older files use 0 for a tie
    with np.errstate(invalid="ignore"):
        off = np.flatnonzero((score < 0) | (score > 1))
    wrong = np.union1d(bad, off)
    score[wrong] = np.nan
    return score, wrong
