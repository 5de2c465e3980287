"""PairStats: the gap of every pair of a tile, with its standard error."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._engine.gram import NEAR, Gram, ScoreBlock, gram, group_grams, spread, squared_distances
from nstar._engine.pairs.design import DesignKind, Panel
from nstar.stats._weights import effective

_STACK = 1 << 21
"""Number of values per array if every pair has its own sums in every group."""


_ROUNDING = 1e-14
"""Rounding error of the variance of equal differences, relative to their squares."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairStats:
    """Gaps of many pairs, first minus second, in score units. Arrays have one shape."""

    gram: Gram
    """Sums over the common items."""
    delta: Array
    """Gap. NaN without a common item."""
    se: Array
    """Standard error of the gap. It is 0 if all differences are equal, and NaN if it is
    unavailable.
    """
    t: Array
    """Gap divided by its standard error. It is infinite if only the error is 0, and 0 if both are
    0.
    """
    df: Any
    """Degrees of freedom: one number, or one per pair. Infinite for a normal distribution."""
    units: Any
    """Number of units, used if the error is 0: items, or clusters of the pair."""
    kind: DesignKind = "independent"
    """Sampling design of the items."""
    lightest: Any = None
    """Upper limit on the units in which a rare loss could be observed. For an average, it is the
    number of items if all had the largest weight. For a judge's scores, it is the number of
    labeled items. For unequal weights, it is the effective number of items. None for equal
    weights.
    """
    clusters: Any = None
    """Effective number of equal clusters, N²/Σm²: one number, or one per pair. None without
    clusters.
    """
    unseen: float = 0.0
    """Part of the error variance for unobserved disagreements between judge and labels, if a judge
    gave the scores.
    """

    def take(self, index: Any) -> "PairStats":
        """Return some of the pairs."""
        return PairStats(
            gram=self.gram.take(index),
            delta=self.delta[index],
            se=self.se[index],
            t=self.t[index],
            df=self.df[index] if np.ndim(self.df) else self.df,
            units=np.broadcast_to(self.units, self.delta.shape)[index],
            kind=self.kind,
            lightest=None if self.lightest is None else self.lightest[index],
            clusters=self.clusters[index] if np.ndim(self.clusters) else self.clusters,
            unseen=self.unseen,
        )

    @classmethod
    def concatenate(cls, parts: "Sequence[PairStats]") -> "PairStats":
        """Concatenate the pairs of several tiles along the first axis."""
        return cls(
            gram=Gram.concatenate([p.gram for p in parts]),
            delta=np.concatenate([p.delta for p in parts]),
            se=np.concatenate([p.se for p in parts]),
            t=np.concatenate([p.t for p in parts]),
            df=np.concatenate([np.broadcast_to(p.df, p.delta.shape) for p in parts]),
            units=np.concatenate([np.broadcast_to(p.units, p.delta.shape) for p in parts]),
            kind=parts[0].kind,
            lightest=(
                None if parts[0].lightest is None else np.concatenate([p.lightest for p in parts])
            ),
            clusters=(
                None
                if parts[0].clusters is None
                else np.concatenate([np.broadcast_to(p.clusters, p.delta.shape) for p in parts])
            ),
            unseen=parts[0].unseen,
        )

    @property
    def n(self) -> IntArray:
        """Return the number of common items."""
        return np.broadcast_to(np.asarray(self.gram.n, dtype=np.int64), self.delta.shape)

    @property
    def by_item(self) -> bool:
        """Return whether the pairs are graded scores of independent items."""
        return self.kind == "independent" and not self.gram.binary

    @property
    def lost(self) -> Any:
        """Return the number of lost degrees of freedom: 1 for a mean, one for each stratum."""
        return np.asarray(self.gram.n) - self.df if self.kind == "strata" else 1.0

    def exposed(self) -> Array:
        """Return the number of units on which a rare loss could have been observed.

        Clusters are the units, because a whole cluster may fail. For an average, the loss is
        assumed to affect items with the largest weight.
        """
        n = np.asarray(self.n, dtype=np.float64)
        if self.clusters is not None:
            worth = np.broadcast_to(np.asarray(self.clusters, dtype=np.float64), n.shape)
            return worth if self.lightest is None else np.minimum(worth, self.lightest)
        units = np.broadcast_to(np.asarray(self.units, dtype=np.float64), n.shape)
        if self.lightest is None and np.array_equal(units, n):
            return n
        g, max_units, alike = self.gram, n, units
        if self.lightest is not None:
            max_units, alike = self.lightest, np.minimum(units, self.lightest)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = g.gap2 - np.square(g.gap, dtype=np.float64) / n
            effect = (np.square(self.se) - self.unseen) * n * (n - 1) / spread
        has_error = (self.se > 0) & (spread > _ROUNDING * g.gap2)
        return np.where(
            has_error, max_units / np.maximum(np.where(has_error, effect, 1.0), 1.0), alike
        )

    def pairing(self) -> tuple[Array, Array]:
        """Return the result of :func:`pairing`."""
        return pairing(self.gram)


def pairing(g: Gram) -> tuple[Array, Array]:
    """Return the item correlation, and how many unpaired items one paired item replaces.

    The values are NaN, or infinite, if a model has the same score on all items.
    """
    n = np.asarray(g.n, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = g.first2 - np.square(g.first, dtype=np.float64) / n
        b = g.second2 - np.square(g.second, dtype=np.float64) / n
        d = np.square(g.gap, dtype=np.float64) / -n + g.gap2
        total_variance = a + b
        a, b = (np.where(x > _ROUNDING * y, x, np.nan) for x, y in ((a, g.first2), (b, g.second2)))
        rho = (total_variance - d) / (2 * np.sqrt(a) * np.sqrt(b))
        saving = total_variance / d
        if not g.binary:
            saving = np.where(d > _ROUNDING * (total_variance + g.gap2), saving, np.inf)
        return np.clip(rho, -1.0, 1.0), saving


def _build_stats(
    g: Gram,
    delta: Array,
    variance: Array,
    df: Any,
    units: Any,
    slack: float,
    kind: DesignKind = "independent",
) -> PairStats:
    """Compute the statistics. Errors that are only rounding errors become 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(variance)
        if slack:
            se[se <= slack] = 0.0
        t = delta / se
    if not np.isfinite(t).all():
        t = np.where(delta == 0, 0.0, t)
    return PairStats(gram=g, delta=delta, se=se, t=t, df=df, units=units, kind=kind)


def counted_stats(g: Gram) -> PairStats:
    """Return statistics of pairs of 0/1 scores of independent items from counts, with divisor N.

    >>> from nstar._data.matrix import ScoreMatrix
    >>> m = ScoreMatrix.from_arrays([[1, 1, 1, 0], [1, 0, 0, 0]], models=["a", "b"])
    >>> counted_stats(Gram.of(m)).t[0].tolist()
    [0.0, 2.0]
    """
    n = np.asarray(g.n, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / n
        delta = g.gap * inverse
        variance = g.gap2 * n  # n Σd² - (Σd)² is exact
        variance -= np.square(g.gap, dtype=np.float64)
        variance *= inverse * inverse * inverse
    return _build_stats(g, delta, variance, np.inf, g.n, 0.0)


def _independent(rows: ScoreBlock, columns: ScoreBlock) -> PairStats:
    """Return statistics for independent items. The divisor is N for binary scores, else N - 1."""
    g = gram(rows, columns)
    if g.binary:
        return counted_stats(g)
    n = np.asarray(g.n, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / n
        delta = g.gap * inverse
        variance = g.gap2 * n
        variance -= np.square(g.gap, dtype=np.float64)
        close = np.nonzero(variance < NEAR * n * g.gap2)
        variance[close] = np.broadcast_to(n, g.shape)[close] * spread(rows, columns, *close)
        variance *= inverse * inverse * (1.0 / (n - 1))
    return _build_stats(g, delta, variance, np.asarray(g.n) - 1, g.n, rows.slack)


def _strata(g: Gram, rows: Panel, columns: Panel) -> Array:
    distance = squared_distances(rows.vectors, columns.vectors)
    if not g.binary:
        return distance
    where = rows.design.layout
    total = np.zeros(g.shape)
    start = at = 0
    for size, count in zip(*np.unique(where.sizes, return_counts=True), strict=True):
        at += count
        end = where.ends[at - 1]
        part = (p.data.segment(start, end, int(size * count)) for p in (rows, columns))
        total += gram(*part).gap2 * (size / (size - 1))
        start = end
    n = float(rows.data.n)
    variance = total / (n * n) - distance
    variance[variance * (n * n) < 0.5] = 0.0  # at least 1 unless all differences are equal
    return np.asarray(variance)


def _complete(rows: Panel, columns: Panel) -> PairStats:
    design = rows.design
    g = gram(rows.data, columns.data)
    worth = None
    if design.kind == "strata":
        variance, units = _strata(g, rows, columns), g.n
    else:
        variance = squared_distances(rows.vectors, columns.vectors)
        units = len(design.layout.sizes)
        worth = effective(np.asarray(design.layout.sizes))
    pair_stats = _build_stats(
        g, g.gap / g.n, variance, design.df, units, rows.data.slack, design.kind
    )
    return replace(pair_stats, clusters=worth)


def _stacked(rows: Panel, columns: Panel) -> PairStats:
    """Return statistics for groups if the common items depend on the pair."""
    grams = list(group_grams(rows.data, columns.data, rows.design.layout))
    total = grams[0]
    for part in grams[1:]:
        total = total + part
    n = np.broadcast_to(np.asarray(total.n), total.shape)
    m, s, q = (
        np.stack([np.broadcast_to(getattr(g, k), total.shape) for g in grams], axis=-1)
        for k in ("n", "gap", "gap2")
    )
    cluster = rows.design.kind == "cluster"
    groups = np.count_nonzero(m, axis=-1)
    is_sufficient = (groups >= 2) if cluster else (n >= 2)
    variance, df = np.full(total.shape, np.nan), np.full(total.shape, np.nan)
    with np.errstate(invalid="ignore"):
        squares = np.square(m, dtype=np.float64).sum(axis=-1)
        worth = np.square(n, dtype=np.float64) / squares if cluster else None
    m, s, q = m[is_sufficient], s[is_sufficient], q[is_sufficient]
    if cluster:
        variance[is_sufficient] = stats.cluster_variance(s, m)
        df[is_sufficient] = stats.bell_mccaffrey_df(m)
    else:
        variance[is_sufficient] = stats.strata_variance(s, q, m)
        n_multiple, single = np.count_nonzero(m > 1, axis=-1), np.count_nonzero(m == 1, axis=-1)
        df[is_sufficient] = n[is_sufficient] - n_multiple - ((single > 1) | (n_multiple == 0))
        variance[variance * np.square(n, dtype=np.float64) <= _ROUNDING * total.gap2] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = total.gap / np.asarray(n, dtype=np.float64)
    units = groups if cluster else n
    pair_stats = _build_stats(total, delta, variance, df, units, rows.data.slack, rows.design.kind)
    return replace(pair_stats, clusters=worth)


def _by_rows(rows: Panel, columns: Panel) -> PairStats:
    """Process as many rows at a time as memory allows."""
    step = max(1, _STACK // max(1, len(columns) * len(rows.design.layout.sizes)))
    parts = [_stacked(rows[i : i + step], columns) for i in range(0, len(rows), step)]
    return PairStats.concatenate(parts)


def pair_stats(rows: Panel, columns: Panel) -> PairStats:
    """Return statistics of every row of one panel with every row of another.

    >>> from nstar._data.matrix import ScoreMatrix
    >>> from nstar._engine.pairs.design import panel
    >>> m = ScoreMatrix.from_arrays([[1, 1, 1, 0], [1, 0, 0, 0]], models=["a", "b"])
    >>> p = panel(m, [0, 1], np.arange(4))
    >>> pair_stats(p[:1], p[1:]).t.tolist()
    [[2.0]]
    """
    design = rows.design
    if design.kind == "independent":
        all_stats = _independent(rows.data, columns.data)
    else:
        all_stats = _complete(rows, columns) if design.complete else _by_rows(rows, columns)
    if design.rests_on is None:
        return all_stats
    lightest = np.full(all_stats.delta.shape, float(design.rests_on))
    all_stats = replace(all_stats, df=np.minimum(all_stats.df, design.most_df), lightest=lightest)
    if design.unseen:
        se = np.sqrt(np.square(all_stats.se) + design.unseen)
        all_stats = replace(all_stats, se=se, t=all_stats.delta / se, unseen=design.unseen)
    if design.effective is None:
        return all_stats
    return replace(all_stats, units=np.minimum(all_stats.units, design.effective))
