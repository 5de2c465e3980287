"""Sampling design of the items, with the data that it requires of a block."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._data.matrix import Grouping, ScoreMatrix
from nstar._engine.gram import NO_LABEL, ItemLayout, ScoreBlock, StoredBlock, layout, scores_of
from nstar.errors import DataError, arg
from nstar.stats._weights import effective, inflation, weight_freedom

DesignKind: TypeAlias = Literal["independent", "strata", "cluster", "average"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemDesign:
    """Sampling design of the items of a benchmark."""

    kind: DesignKind
    """``independent`` for independent items, ``strata`` for groups that define the benchmark,
    ``cluster`` for groups that are a random sample, or ``average`` for several tasks.
    """
    column: str | None = None
    """Group column. None for independent items."""
    layout: ItemLayout
    """Positions of the items, group by group."""
    complete: bool
    """Whether every model has every item, so that all pairs share sizes and degrees of freedom."""
    df: float = math.inf
    """Degrees of freedom, which all pairs share if the data are complete."""
    labels: int | None = None
    """Number of labels that determine the errors of a judge's scores. None for uncorrected
    scores.
    """
    effective: float | None = None
    """Effective number of items with unequal weights. None for equal weights."""
    most_df: float = math.inf
    """Upper limit of the degrees of freedom. For labels, it is the number of labels minus 2 or
    less, and at most the degrees of freedom of their clusters. For weights, it follows from the
    effective number of items.
    """
    unseen: float = 0.0
    """Additional variance for unobserved disagreements between judge and labels, if a judge gave
    the scores.
    """

    @property
    def rests_on(self) -> float | None:
        """Return the units that determine errors if not the items: labels or effective items."""
        return self.labels if self.labels is not None else self.effective

    @property
    def name(self) -> str:
        """Return ``items``, ``strata:COLUMN`` or ``cluster:COLUMN``."""
        return self.kind if self.column is None else f"{self.kind}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """Models under a sampling design. Each tile receives rows of a panel."""

    design: ItemDesign
    block: ScoreBlock | StoredBlock
    """Scores, in memory or on disk."""
    vectors: Any = None
    """Rows whose squared distances enter the variance of a gap, for complete groups."""
    center: Any = None
    """Offset of the sums in each group, for complete groups, (G,)."""

    def __len__(self) -> int:
        """Return the number of models."""
        return len(self.block)

    @property
    def n(self) -> int:
        """Return the number of items."""
        return self.block.n

    @property
    def complete(self) -> bool:
        """Return whether every model has every item."""
        return self.block.complete

    @property
    def data(self) -> ScoreBlock:
        """Return the scores in memory."""
        return self.block.load()

    @property
    def clustered(self) -> bool:
        """Return whether groups are a random sample."""
        return self.design.kind == "cluster"

    @property
    def binary(self) -> bool:
        """Return whether scores are bits."""
        return self.block.binary

    @property
    def stored(self) -> bool:
        """Return whether the scores are on disk."""
        return isinstance(self.block, StoredBlock)

    @property
    def nbytes(self) -> int:
        """Return the size of the scores in bytes."""
        return self.block.nbytes + (0 if self.vectors is None else self.vectors.nbytes)

    def light(self) -> "Panel":
        """Return the panel without the positions of items, which tiles do not use."""
        return replace(self, design=replace(self.design, layout=self.design.layout.light()))

    def load(self) -> "Panel":
        """Return the panel with its scores in memory."""
        if isinstance(self.block, ScoreBlock):
            return self
        data = self.block.load()
        return replace(self, block=data, vectors=_vectors(data, self.design, self.center))

    def count(self) -> None:
        """Compute, once, the values that every slice needs."""
        self.block.sums  # noqa: B018

    def __getitem__(self, rows: slice) -> "Panel":
        """Return some of the models."""
        vectors = None if self.vectors is None else self.vectors[rows]
        return replace(self, block=self.block[rows], vectors=vectors)


def _pooled(grouping: Grouping, items: IntArray) -> Grouping:
    """Merge strata with one item, as :func:`nstar.stats.strata_variance` does."""
    codes = grouping.codes.copy()
    labels = [*grouping.labels, NO_LABEL, "(single items)"]
    codes[codes < 0] = len(labels) - 2
    sizes = np.bincount(codes[items], minlength=len(labels))
    single = np.flatnonzero(sizes == 1)
    target = len(labels) - 1
    if single.size == 1:
        larger = sorted(np.flatnonzero(sizes > 1).tolist(), key=lambda k: (sizes[k], labels[k]))
        target = larger[0] if larger else target
    codes[np.isin(codes, single)] = target
    return Grouping(codes=codes, labels=tuple(labels))


def _group_sums(data: ScoreBlock, where: ItemLayout) -> Array:
    """Return the sums of each model's scores in each group, (M, G). Graded scores are centered."""
    sums = np.empty((len(data), len(where.ends)))
    start = 0
    for g, (end, size) in enumerate(zip(where.ends, where.sizes.tolist(), strict=True)):
        part = data.segment(start, end, size)
        sums[:, g] = part.sums if part.centered is None else part.centered.sum(axis=1)
        start = end
    return sums


def _center(data: ScoreBlock | StoredBlock, where: ItemLayout) -> Array:
    """Return the mean of the group sums over models, (G,)."""
    total = np.zeros(len(where.ends))
    for part in data.strips():
        total += _group_sums(part, where).sum(axis=0)
    return total / len(data)


def _cluster_vectors(data: ScoreBlock, where: ItemLayout, center: Array) -> Array:
    """Return residual sums, scaled so that squared distances are CR2 variances of gaps."""
    sums, m, n = _group_sums(data, where) - center, where.sizes, data.n
    residual = sums - np.outer(sums.sum(axis=1) / n, m)
    return np.asarray(residual * (np.sqrt(n / (n - m)) / n))


def _strata_vectors(data: ScoreBlock, where: ItemLayout, center: Array) -> Array:
    """Return group sums, or graded scores minus their group mean, scaled by the group size."""
    m, n = where.sizes.astype(np.float64), data.n
    if data.centered is None:
        return np.asarray((_group_sums(data, where) - center) / (np.sqrt(m - 1) * n))
    out = data.centered.copy()
    start = 0
    for end, size in zip(where.ends, m.tolist(), strict=True):
        part = out[:, start : start + int(size)]
        part -= part.mean(axis=1, keepdims=True)
        part *= math.sqrt(size / (size - 1)) / n
        start = end
    return out


def _vectors(data: ScoreBlock, design: ItemDesign, center: Array | None) -> Array | None:
    """Return the rows that enter the variance of a gap, for complete groups."""
    if center is None:
        return None
    find = _strata_vectors if design.kind == "strata" else _cluster_vectors
    return find(data, design.layout, center)


def _refuse(matrix: ScoreMatrix, kind: DesignKind, column: str, items: IntArray) -> Grouping:
    grouping = matrix.groups.get(column)
    if grouping is None:
        available = ", ".join(matrix.groups) or "none"
        msg = (
            f"No group column {column} for {arg(kind)}. Available: {available}. To keep a log "
            f"field, add {arg('groups', column)}."
        )
        raise DataError(msg)
    if len(items) < 2:
        msg = f"{kind} need at least 2 items; found {len(items)}."
        raise DataError(msg)
    groups = np.unique(grouping.codes[items]).size
    if groups < 2 and kind == "cluster":
        msg = (
            f"All {len(items)} items are in one {column}; clusters need at least two. Drop "
            f"{arg('cluster')} or use a finer column."
        )
        raise DataError(msg)
    return grouping


def _panel(
    matrix: ScoreMatrix,
    models: Sequence[int],
    items: IntArray,
    kind: DesignKind,
    column: str | None,
) -> Panel:
    if kind == "independent" or column is None:
        where = layout(items)
        data = scores_of(matrix, models, where)
        df = math.inf if data.binary else float(data.n - 1)
        design = ItemDesign(kind="independent", layout=where, complete=data.complete, df=df)
        return Panel(design=design, block=data)
    grouping = _refuse(matrix, kind, column, items)
    full = matrix.binary and matrix.mask is None
    complete = full or all(matrix.present(i)[items].all() for i in models)
    if complete and kind == "strata":
        where = layout(items, _pooled(grouping, items), by_size=True)
    else:
        where = layout(items, grouping)
    data = scores_of(matrix, models, where)
    if not complete:
        design = ItemDesign(kind=kind, column=column, layout=where, complete=False)
        return Panel(design=design, block=data)
    if kind == "strata":
        df = float(data.n - len(where.sizes))
    else:
        df = float(stats.bell_mccaffrey_df(where.sizes))
    design = ItemDesign(kind=kind, column=column, layout=where, complete=True, df=df)
    center = _center(data, where)
    vectors = _vectors(data, design, center) if isinstance(data, ScoreBlock) else None
    return Panel(design=design, block=data, vectors=vectors, center=center)


def panel(
    matrix: ScoreMatrix,
    models: Sequence[int],
    items: IntArray,
    kind: DesignKind = "independent",
    column: str | None = None,
) -> Panel:
    """Prepare some models on some items of a matrix for tiles, under a sampling design."""
    correction = matrix.correction
    if correction is None or correction.statistic is not None:
        return _panel(matrix, models, items, kind, column)
    if correction.weights is not None:
        return _weighted_panel(matrix, correction.weights, models, items, kind, column)
    base_panel = _panel(matrix, models, items, kind, column)
    freedom = correction.df
    if kind == "cluster" and column is not None:
        known = items[correction.known[items]]
        sizes = np.unique(matrix.groups[column].codes[known], return_counts=True)[1]
        freedom = min(freedom, float(stats.bell_mccaffrey_df(sizes)) if sizes.size > 1 else 1.0)
    design = replace(
        base_panel.design, labels=correction.labels, most_df=freedom, unseen=correction.unseen
    )
    return replace(base_panel, design=replace(design, df=min(design.df, freedom)))


def _weighted_panel(
    matrix: ScoreMatrix,
    weights: Array,
    models: Sequence[int],
    items: IntArray,
    kind: DesignKind,
    column: str | None,
) -> Panel:
    """Prepare weighted scores, with increased variance and fewer degrees of freedom."""
    codes = None if kind != "cluster" or column is None else _refuse(matrix, kind, column, items)
    short = inflation(weights, None if codes is None else codes.codes)
    means = matrix.dense()
    center = means.mean(axis=1, keepdims=True)
    spread = replace(matrix, means=center + math.sqrt(short) * (means - center), bits=None)
    base_panel = _panel(spread, models, items, kind, column)
    freedom = weight_freedom(weights, None if codes is None else codes.codes)
    design = replace(base_panel.design, effective=effective(weights), most_df=freedom)
    return replace(base_panel, design=replace(design, df=min(design.df, freedom)))
