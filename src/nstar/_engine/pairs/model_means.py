"""MeanStats: the mean of each model with its standard error under a sampling design."""

from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._engine.gram import ItemLayout, ScoreBlock
from nstar._engine.gram.block import ones
from nstar._engine.pairs.average import AnyPanel, AveragedPanel, unseen_variance
from nstar._engine.pairs.design import Panel

_ROUNDING = 1e-14
"""Rounding error of the variance of equal scores, relative to their squares."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanStats:
    """Means of models over the items that each has, as arrays of one length."""

    mean: Array
    """Mean in score units."""
    variance: Array
    """Variance of the mean. It is 0 if all scores are equal, and NaN if it cannot be estimated."""
    df: Array
    """Degrees of freedom."""
    units: Array
    """Number of independent units: items, or clusters."""
    n: Array
    """Number of items."""

    @classmethod
    def concatenate(cls, parts: "list[MeanStats]") -> "MeanStats":
        """Concatenate the models of several strips."""
        names = ("mean", "variance", "df", "units", "n")
        return cls(**{k: np.concatenate([getattr(p, k) for p in parts]) for k in names})


def _sums(part: ScoreBlock) -> tuple[Array, Array, Array]:
    """Return the number of scores, their sum, and their sum of squares, minus the offset."""
    if part.bits is not None:
        n = np.full(len(part), part.n) if part.mask is None else ones(part.mask)
        right = ones(part.bits).astype(np.float64)
        return n.astype(np.float64), right, right
    n = np.full(len(part), part.n) if part.there is None else part.there.sum(axis=1)
    x = part.scores[:, : part.n] if part.there is None else part.scores
    return n.astype(np.float64), x.sum(axis=1), np.einsum("ij,ij->i", x, x)


def _by_item(part: ScoreBlock) -> MeanStats:
    """Return statistics for independent items, with divisor n - 1."""
    n, s, q = _sums(part)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = q - s * s / n
        squares = np.where(squares > _ROUNDING * q, squares, 0.0)
        variance = squares / (n * (n - 1))
    return MeanStats(mean=s / n + part.offset, variance=variance, df=n - 1, units=n, n=n)


def _grouped(part: ScoreBlock, where: ItemLayout, *, cluster: bool) -> MeanStats:
    """Return statistics for strata, or for clusters with robust errors, from group sums."""
    spans = zip((0, *where.ends), where.ends, where.sizes.tolist(), strict=False)
    groups = [_sums(part.segment(start, end, size)) for start, end, size in spans]
    m, s, q = (np.stack(column, axis=-1) for column in zip(*groups, strict=True))
    n, n_units = m.sum(axis=-1), np.count_nonzero(m, axis=-1)
    mean = s.sum(axis=-1) / n + part.offset
    is_sufficient = (n_units >= 2) if cluster else (n >= 2)
    variance, df = np.full((2, len(part)), np.nan)
    m, s, q = m[is_sufficient], s[is_sufficient], q[is_sufficient]
    if cluster:
        variance[is_sufficient] = stats.cluster_variance(s, m)
        df[is_sufficient] = stats.bell_mccaffrey_df(m)
        return MeanStats(mean=mean, variance=variance, df=df, units=n_units, n=n)
    strata_variances = stats.strata_variance(s, q, m)
    rounding = _ROUNDING * q.sum(axis=-1) / np.square(n[is_sufficient])
    variance[is_sufficient] = np.where(strata_variances > rounding, strata_variances, 0.0)
    many, single = np.count_nonzero(m > 1, axis=-1), np.count_nonzero(m == 1, axis=-1)
    df[is_sufficient] = n[is_sufficient] - many - ((single > 1) | (many == 0))
    return MeanStats(mean=mean, variance=variance, df=df, units=n, n=n)


def _on_task(panel: Panel) -> MeanStats:
    """Return the statistics of each model on one task, one strip of models at a time."""
    design = panel.design
    strips = panel.block.strips()
    if design.kind == "independent":
        item_stats = MeanStats.concatenate([_by_item(part) for part in strips])
    else:
        cluster = design.kind == "cluster"
        parts = (_grouped(part, design.layout, cluster=cluster) for part in strips)
        item_stats = MeanStats.concatenate(list(parts))
    if design.rests_on is None:
        return item_stats
    units, df = (
        np.minimum(item_stats.units, design.rests_on),
        np.minimum(item_stats.df, design.most_df),
    )
    return replace(item_stats, df=df, units=units, variance=item_stats.variance + design.unseen)


def _averaged(panels: AveragedPanel) -> MeanStats:
    """Return weighted means of tasks, with independent errors and Satterthwaite's df.

    If a model's scores vary in only some of the tasks, the other tasks have the error of
    :func:`unseen_variance`.
    """
    mean, variance, spread, n, flat, wide = np.zeros((6, len(panels)))
    lightest = np.full(len(panels), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for weight, panel in zip(panels.weights, panels.panels, strict=True):
            task = _on_task(panel)
            part = weight * weight * task.variance
            mean += weight * task.mean
            variance += part
            spread += np.square(part) / task.df
            unseen = unseen_variance(part, task.units, weight * panels.width)
            flat += unseen
            wide += np.square(unseen) / np.maximum(task.df, 1)
            n += task.n
            lightest = np.minimum(lightest, task.units / weight)
        has_variance = variance > 0
        variance, spread = variance + has_variance * flat, spread + has_variance * wide
        df = np.where(spread > 0, np.square(variance) / spread, np.inf)
    return MeanStats(mean=mean, variance=variance, df=df, units=np.minimum(n, lightest), n=n)


def mean_stats(models: AnyPanel) -> MeanStats:
    """Return the mean of each model, on one task or on the average of several.

    >>> from nstar._data.matrix import ScoreMatrix
    >>> from nstar._engine.pairs.design import panel
    >>> m = ScoreMatrix.from_arrays([[1, 1, 1, 0], [1, 0, 0, 0]], models=["a", "b"])
    >>> means = mean_stats(panel(m, [0, 1], np.arange(4)))
    >>> means.mean.tolist(), means.variance.tolist()
    ([0.75, 0.25], [0.0625, 0.0625])
    """
    return _on_task(models) if isinstance(models, Panel) else _averaged(models)
