"""Cells of one task and metric, which are filled while rows are read."""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from nstar._base.parameter_types import Coded
from nstar._base.types import IntArray
from nstar._data.align.batch import Batch, CodedNames, Codes, GridPositions, NameTables
from nstar._data.read_limits import CELLS_PER_ROW, Limits
from nstar._data.sentinels import SentinelScan, replace_sentinels
from nstar.errors import DataError

_LONG_RUN = 64
"""Number of consecutive rows of one model from which on they are written together."""


@dataclass(frozen=True, slots=True)
class UnsortedRows:
    """Rows of one grid that are kept for sorting, by position in the grid."""

    model: Codes
    item: Codes
    score: npt.NDArray[np.float64]
    run: Codes | None
    content: npt.NDArray[np.uint64] | None
    groups: dict[str, Codes]


@dataclass(slots=True)
class CellGrid:
    """Cells of one task and metric, which are filled while rows are read."""

    limits: Limits
    collect: bool = False
    codes: tuple[float, ...] = ()
    """Numbers that are treated as missing or as 0, according to ``coded``."""
    coded: Coded = "harness"
    seen: SentinelScan = field(default_factory=SentinelScan)
    models: GridPositions = field(default_factory=GridPositions)
    items: GridPositions = field(default_factory=GridPositions)
    cells: npt.NDArray[Any] = field(default_factory=lambda: np.full((1, 1024), -1, np.int8))
    rows: int = 0
    kept: int = 0
    scattered: int = 0
    unscored: dict[int, int] = field(default_factory=dict)
    content: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    differs: set[int] = field(default_factory=set)
    bare: set[int] = field(default_factory=set)
    groups: dict[str, Codes] = field(default_factory=dict)
    group_differs: dict[str, set[int]] = field(default_factory=dict)
    parts: list[UnsortedRows] = field(default_factory=list)

    def add(self, batch: Batch, known: NameTables) -> None:
        """Add the rows of one batch."""
        if self.codes:
            batch = replace(batch, score=replace_sentinels(batch.score, self.codes, self.coded))
        starts = _starts(batch.model)
        model = self.models.places(batch.model, len(known.model), starts)
        item = self.items.places(batch.item, len(known.item)).codes()
        self.rows += len(item)
        if batch.content is None:
            self.bare.update(model.take(starts).codes().tolist())
        else:
            self._note_content(batch.content, item, model)
        self._note_groups(batch.groups, item)
        if batch.score.dtype == np.float64:
            is_scored = np.isfinite(batch.score)
            if not is_scored.all():
                _refuse_infinite(batch.score)
                self._note_unscored(model.take(~is_scored).codes())
                model, item, batch = model.take(is_scored), item[is_scored], batch.take(is_scored)
                starts = _starts(model)
        if not self.codes:
            self._note_codes(model, batch.score)
        if self.collect or batch.run is not None:
            self.collect = True
            self.kept += len(item)
            text = f"at least {self.kept:,} rows must be sorted (runs, repeated rows)"
            self.limits.refuse("rows", self.kept, text)
            self.parts.append(_collected(batch, model.codes(), item))
        else:
            self.scattered += len(item)
            self._scatter(model, starts, item, batch.score)

    def _note_codes(self, model: CodedNames, score: npt.NDArray[Any]) -> None:
        if score.dtype == np.int8 and score.min(initial=0) >= 0 and score.max(initial=0) <= 1:
            scan = self.seen
            scan.low = min(scan.low, float(score.min(initial=1)))
            scan.high = max(scan.high, float(score.max(initial=0)))
        else:
            self.seen.add(score, model.codes())

    def coded_rows(self) -> dict[float, dict[int, int]]:
        """Return the numbers that look like codes for missing scores, with their rows by model."""
        codes = self.seen.codes(self._rows_by_model()) if self.seen.counts else ()
        return self.seen.by_model(codes)

    def _rows_by_model(self) -> dict[int, int]:
        """Return the number of scores of each model."""
        if self.collect:
            rows = np.zeros(len(self.models), np.int64)
            for part in self.parts:
                rows += np.bincount(part.model, minlength=rows.size)
            return dict(enumerate(rows.tolist()))
        cells = self.cells[: len(self.models), : len(self.items)]
        small = cells.dtype == np.int8
        masks = (row >= 0 if small else ~np.isnan(row) for row in cells)
        return {k: int(np.count_nonzero(mask)) for k, mask in enumerate(masks)}

    def _note_unscored(self, model: Codes) -> None:
        for code, n in zip(*np.unique(model, return_counts=True), strict=True):
            self.unscored[int(code)] = self.unscored.get(int(code), 0) + int(n)

    def _scatter(
        self, model: CodedNames, starts: IntArray, item: Codes, score: npt.NDArray[Any]
    ) -> None:
        self._grow(len(self.models), len(self.items))
        if self.cells.dtype == np.int8:
            small = _as_bits(score)
            if small is not None:
                score = small
            else:
                wide = self.cells.astype(np.float64)
                wide[self.cells < 0] = np.nan
                self.cells = wide
        if len(starts) * _LONG_RUN > len(model):
            flat = self.cells.reshape(-1)
            flat[model.codes().astype(np.int64) * self.cells.shape[1] + item] = score
            return
        for start, end in pairwise([*starts.tolist(), len(model)]):
            row = self.cells[model.table[model.index[start]]]
            row[_as_slice(item[start:end])] = score[start:end]

    def _grow(self, rows: int, columns: int) -> None:
        r, c = self.cells.shape
        if rows <= r and columns <= c:
            return
        text = f"{rows:,} models × {columns:,} items of one task, but only {self.rows:,} scores"
        vouched = CELLS_PER_ROW * self.rows
        self.limits.refuse(
            "cells", rows * columns, f"{text}: the matrix is too large", vouched=vouched
        )
        shape = (r if rows <= r else max(rows, 2 * r), c if columns <= c else max(columns, 2 * c))
        absent = -1 if self.cells.dtype == np.int8 else np.nan
        wider = np.empty(shape, self.cells.dtype)
        wider[:r, :c] = self.cells
        wider[r:] = absent
        wider[:r, c:] = absent
        self.cells = wider

    def _note_content(
        self, content: npt.NDArray[np.uint64], item: Codes, model: CodedNames
    ) -> None:
        if len(self.content) < len(self.items):
            wider = np.zeros(max(len(self.items), 2 * len(self.content)), np.uint64)
            wider[: len(self.content)] = self.content
            self.content = wider
        has_content = content != 0
        if not has_content.all():
            self.bare.update(np.unique(model.take(~has_content).codes()).tolist())
            item, content = item[has_content], content[has_content]
        fresh = self.content[item] == 0
        self.content[item[fresh]] = content[fresh]
        wrong = self.content[item] != content
        if wrong.any():
            self.differs.update(np.unique(item[wrong]).tolist())

    def _note_groups(self, groups: dict[str, CodedNames], item: Codes) -> None:
        for name, column in groups.items():
            codes = column.codes()
            item_codes = self.groups.get(name)
            if item_codes is None or len(item_codes) < len(self.items):
                size = max(len(self.items), 2 * (0 if item_codes is None else len(item_codes)))
                wider = np.full(size, -1, np.int32)
                if item_codes is not None:
                    wider[: len(item_codes)] = item_codes
                item_codes = self.groups[name] = wider
            now = item_codes[item]
            if np.array_equal(now, codes):
                continue
            fresh = np.flatnonzero((now < 0) & (codes >= 0))[::-1]  # so that the first row wins
            item_codes[item[fresh]] = codes[fresh]
            wrong = (item_codes[item] != codes) & (codes >= 0)
            if wrong.any():
                self.group_differs.setdefault(name, set()).update(np.unique(item[wrong]).tolist())

    @property
    def needs_rows(self) -> bool:
        """Return whether rows must be sorted: they have runs, collisions, or conflicting ids."""
        if not self.scattered:
            return False
        if self.collect or (self.differs and not self.bare):
            return True
        rows = self.cells[: len(self.models), : len(self.items)]
        small = rows.dtype == np.int8
        absent = sum(int(np.count_nonzero(row < 0 if small else np.isnan(row))) for row in rows)
        return rows.size - absent != self.scattered


def _starts(column: CodedNames) -> IntArray:
    """Return the rows at which the name changes, for a column of names."""
    index = column.index
    change = np.empty(len(index), np.bool_)
    change[:1] = True
    np.not_equal(index[1:], index[:-1], out=change[1:])
    return np.flatnonzero(change)


def _as_slice(places: Codes) -> Codes | slice:
    """Return consecutive positions as a slice, because copying is faster than scattering."""
    first, size = int(places[0]), len(places)
    if places[-1] == first + size - 1 and (np.diff(places) == 1).all():
        return slice(first, first + size)
    return places


def _as_bits(score: npt.NDArray[Any]) -> npt.NDArray[np.int8] | None:
    """Return the scores as 0 and 1, or None if there are other values."""
    if score.dtype == np.int8:
        fits = bool(score.min(initial=0) >= 0 and score.max(initial=0) <= 1)
        return score if fits else None
    right = score == 1
    return right.view(np.int8) if (right | (score == 0)).all() else None


def _refuse_infinite(score: npt.NDArray[Any]) -> None:
    if np.isinf(score).any():
        msg = "Scores contain infinity; use NaN for missing scores."
        raise DataError(msg)


def _collected(batch: Batch, model: Codes, item: Codes) -> UnsortedRows:
    return UnsortedRows(
        model,
        item,
        batch.score.astype(np.float64),
        None if batch.run is None else batch.run.codes(),
        batch.content,
        {name: column.codes() for name, column in batch.groups.items()},
    )
