"""Average of several tasks: a weighted mean of the means of tasks with distinct items."""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from nstar._base.types import Array
from nstar._engine.gram import Gram
from nstar._engine.pairs.design import ItemDesign, Panel
from nstar._engine.pairs.pair_gaps import PairStats, pair_stats
from nstar.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AveragedPanel:
    """Panels of the same models on several tasks. Each tile receives rows of them."""

    design: ItemDesign
    panels: tuple[Panel, ...]
    """One panel for each task."""
    weights: tuple[float, ...]
    """Weight of each task. The weights add up to 1."""
    width: float = 1.0
    """Best possible score minus worst possible score."""

    def __len__(self) -> int:
        """Return the number of models."""
        return len(self.panels[0])

    def __getitem__(self, rows: slice) -> "AveragedPanel":
        """Return some of the models."""
        return replace(self, panels=tuple(p[rows] for p in self.panels))

    @property
    def n(self) -> int:
        """Return the number of items in all tasks."""
        return sum(p.n for p in self.panels)

    @property
    def complete(self) -> bool:
        """Return whether every model has every item of every task."""
        return all(p.complete for p in self.panels)

    @property
    def clustered(self) -> bool:
        """Return whether the groups of any task are a random sample."""
        return any(p.clustered for p in self.panels)

    @property
    def binary(self) -> bool:
        """Return whether scores are bits in every task."""
        return all(p.binary for p in self.panels)

    @property
    def stored(self) -> bool:
        """Return whether the scores of any task are on disk."""
        return any(p.stored for p in self.panels)

    @property
    def nbytes(self) -> int:
        """Return the size of the scores in bytes."""
        return sum(p.nbytes for p in self.panels)

    def light(self) -> "AveragedPanel":
        """Return the panel without the positions of items, which tiles do not use."""
        return replace(self, panels=tuple(p.light() for p in self.panels))

    def load(self) -> "AveragedPanel":
        """Return the panel with its scores in memory."""
        return replace(self, panels=tuple(p.load() for p in self.panels))

    def count(self) -> None:
        """Compute the values that every slice needs, once."""
        for panel in self.panels:
            panel.count()


def _marginal(total: Any, squares: Any, n: Any) -> Array:
    """Return the variance of one model's mean, with divisor n."""
    return np.asarray((squares - np.square(total, dtype=np.float64) / n) / (n * n))


def _sums(mean: Array, variance: Array, n: Array) -> tuple[Array, Array]:
    """Return the sum and the sum of squares of n items with this mean and variance of the mean."""
    return mean * n, variance * n * n + np.square(mean) * n


def _error(task: PairStats, weight: float, items: Array, *, by_item: bool) -> tuple[Array, Any]:
    """Return the variance that a task adds to the average, and its degrees of freedom."""
    part = np.square(weight * task.se)
    if task.gram.binary and by_item:  # divisor n - 1, because tasks may be small
        return part * items / (items - 1), items - 1
    return part, task.df


def unseen_variance(variance: Array, units: Array, max_gap: float) -> Array:
    """Return the additional variance for a task in which nothing varies.

    It is the variance caused by one additional unit that differs from all others by ``max_gap``.
    It is 0 if the observed variance of the task is positive.
    """
    return np.where(variance == 0, np.square(max_gap / (units + 1)), 0.0)


def _averaged(rows: AveragedPanel, columns: AveragedPanel) -> PairStats:
    """Return the gaps of averages. Errors of different tasks are independent.

    The Gram is that of one task with the same numbers of items, means, and variances. The degrees
    of freedom follow Satterthwaite's approximation. If gaps vary in only some of the tasks, the
    other tasks have the error of :func:`unseen_variance`.
    """
    tasks = [pair_stats(r, c) for r, c in zip(rows.panels, columns.panels, strict=True)]
    shape = tasks[0].delta.shape
    n, delta, variance, spread, a, b, va, vb, vd, flat, wide = np.zeros((11, *shape))
    lightest = np.full(shape, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for w, task, panel in zip(rows.weights, tasks, rows.panels, strict=True):
            g, items = task.gram, np.asarray(task.gram.n, dtype=np.float64)
            part, df = _error(task, w, items, by_item=panel.design.kind == "independent")
            n += items
            worth = items if task.lightest is None else task.lightest
            lightest = np.minimum(lightest, worth / w)
            delta += w * task.delta
            variance += part
            spread += np.square(part) / df
            unseen = unseen_variance(part, np.minimum(worth, task.units), w * rows.width)
            flat += unseen
            wide += np.square(unseen) / np.maximum(df, 1)
            a += w * (g.first / items + panel.block.offset)
            b += w * (g.second / items + panel.block.offset)
            va += w * w * _marginal(g.first, g.first2, items)
            vb += w * w * _marginal(g.second, g.second2, items)
            vd += w * w * _marginal(g.gap, g.gap2, items)
        has_variance = variance > 0
        variance, spread = variance + has_variance * flat, spread + has_variance * wide
        df = np.where(spread > 0, np.square(variance) / spread, np.inf)
        se = np.sqrt(variance)
        t = np.where(delta == 0, 0.0, delta / se)
        (first, first2), (second, second2) = _sums(a, va, n), _sums(b, vb, n)
        gap, gap2 = _sums(delta, vd, n)
    gram = Gram(
        n=n, first=first, second=second, first2=first2, second2=second2, gap=gap, gap2=gap2
    )
    return PairStats(
        gram=gram,
        delta=delta,
        se=se,
        t=t,
        df=df,
        units=n,
        kind="average",
        lightest=lightest,
        unseen=sum(w * w * task.unseen for w, task in zip(rows.weights, tasks, strict=True)),
    )


AnyPanel: TypeAlias = Panel | AveragedPanel
"""Models on one task, or on several."""


def gaps(rows: AnyPanel, columns: AnyPanel) -> PairStats:
    """Return the gap of every row and column, on one task or on the average of several."""
    first = rows.load()
    second = first if columns is rows else columns.load()
    if isinstance(first, Panel) and isinstance(second, Panel):
        return pair_stats(first, second)
    if isinstance(first, AveragedPanel) and isinstance(second, AveragedPanel):
        return _averaged(first, second)
    msg = "The rows and columns of a tile must belong to the same tasks."
    raise DataError(msg)
