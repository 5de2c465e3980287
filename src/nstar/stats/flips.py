"""Tasks as a sample: joint sign flips of tasks, and the share of models that a model beats.

If two models are equal on tasks such as these, the difference on a task is as likely to favor one
as the other. The null distribution of all pairs jointly follows from multiplying all scores of a
task by the same random sign. It has the correlations of the pairs, without a covariance matrix,
whose rank would be at most T - 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray, RNGLike
from nstar.stats._contrasts import standard_errors
from nstar.stats._step_down import NullExceedances, StepFamily
from nstar.stats.maxt import MaxT, checked_pairs

__all__ = ["flip_max_t", "win_rates"]

MOST_EXACT = 12
"""Largest number of tasks for which all sign flips are enumerated."""
DRAWS = 9_999
"""Number of random flips for more tasks."""
TIE = 1e-9
"""Difference of two flipped sums, in null standard deviations, that counts as rounding."""
_BATCH = 1024


class _FlipStart(NamedTuple):
    """One batch of sign flips. Every batch can be drawn without the others."""

    first: int
    """Number of the first flip of the batch, counted from 1."""
    draws: int
    """Number of flips."""
    seed: int | None
    """Seed of random flips; None to enumerate the flips."""

    def draw(self, scores: Array) -> Array:
        """Return the sums of flipped scores, (M, draws), from scores of shape (T, M)."""
        tasks = len(scores)
        if self.seed is None:
            numbers = np.arange(self.first, self.first + self.draws)
            bits = numbers[:, None] >> np.arange(tasks) & 1
        else:
            rng = np.random.default_rng([self.seed, self.first])
            bits = rng.integers(0, 2, (self.draws, tasks), dtype=np.int8)
        return np.ascontiguousarray(((1.0 - 2.0 * bits) @ scores).T)


@dataclass(frozen=True, slots=True, eq=False)
class FlipNull:
    """Null distribution of the sums of M models over T tasks, by joint sign flips."""

    root: Array
    """Scores minus the mean of their task, (T, M)."""

    @classmethod
    def of(cls, scores: FloatLike) -> "FlipNull":
        """Check the scores, tasks first, and center every task. Differences do not change."""
        x = np.asarray(scores, dtype=np.float64)
        checks.require(x.ndim == 2, "number of axes of scores", "2 (tasks, models)", x.ndim)
        checks.finite("scores", x)
        checks.require(x.shape[0] >= 2, "number of tasks", "at least 2", x.shape[0])
        checks.require(x.shape[1] >= 2, "number of models", "at least 2", x.shape[1])
        return cls(x - x.mean(axis=1, keepdims=True))

    @property
    def tasks(self) -> int:
        """Return the number of tasks T."""
        return len(self.root)

    @property
    def cov(self) -> Array:
        """Return the covariance matrix of the sums under random flips, (M, M)."""
        return np.asarray(self.root.T @ self.root)

    def draws(self, requested: int | None = None) -> int:
        """Return the number of flips: all others than the observed signs, if T is at most 12."""
        if self.tasks <= MOST_EXACT:
            return int(2 ** (self.tasks - 1)) - 1
        return DRAWS if requested is None else requested

    def starts(self, draws: int, seed: int) -> Iterator[_FlipStart]:
        """Yield the batches."""
        source = None if self.tasks <= MOST_EXACT else seed
        for k in range(0, draws, _BATCH):
            yield _FlipStart(k + 1, min(_BATCH, draws - k), source)

    def sizes(self, pairs: IntArray) -> Array:
        """Return |Σd| / √Σd² of each pair, which has null variance 1; 0 for equal scores.

        For complete tasks, it is an increasing function of |t| (:meth:`t_of`), and Σd² does not
        change if signs are flipped. This avoids a standard error for each flip and pair.
        """
        sums, norm = self.root.sum(axis=0), standard_errors(self.cov, pairs)
        gap = np.abs(sums[pairs[:, 0]] - sums[pairs[:, 1]])
        return np.divide(gap, norm, out=np.zeros(gap.shape), where=norm > 0)

    def t_of(self, size: FloatLike) -> Array:
        """Return |t| with T - 1 degrees of freedom for a value of :meth:`sizes`."""
        u = np.asarray(size, dtype=np.float64)
        with np.errstate(divide="ignore"):
            left = np.maximum(self.tasks - u * u, 0.0)
            return np.where(left > 1e-9 * self.tasks, u * np.sqrt((self.tasks - 1) / left), np.inf)

    def family(self, pairs: IntArray, *, alpha: float, draws: int) -> StepFamily:
        """Return the pairs as a family. A tie with the observed value counts as reached."""
        sizes = np.maximum(self.sizes(pairs) - TIE, 0.0)
        means = np.zeros(self.root.shape[1])
        return StepFamily.of(means, self.cov, pairs, scores=sizes, alpha=alpha, draws=draws)


def fewest_tasks(alpha: float) -> int:
    """Return the fewest tasks whose sign flips can reach ``alpha``: 2^(1 - T) ≤ alpha.

    >>> fewest_tasks(0.05)
    6
    """
    return 1 + int(np.ceil(-np.log2(alpha) - 1e-12))


def flip_max_t(
    scores: FloatLike,
    *,
    pairs: FloatLike | None = None,
    alpha: float = 0.05,
    draws: int = DRAWS,
    rng: RNGLike = None,
) -> MaxT:
    """Compare pairs of models on a sample of tasks, with family-wise error of at most ``alpha``.

    The largest |t| of the pairs is compared with its values after joint sign flips of tasks, and
    pairs are rejected step by step. For at most 12 tasks, all 2^(T - 1) distinct flips are
    enumerated, and p is their share that reaches the observed value. For more tasks,
    p = (r + 1) / (B + 1) with B random flips.

    Parameters
    ----------
    scores : array_like
        One score for each task and model, (T, M), without missing values.
    pairs : array_like, optional
        (P, 2) indices of the pairs in the family; all M (M - 1) / 2 by default.
    alpha : float, default 0.05
        Level of the test, in (0, 1), two-sided and family-wise. It must be at least 2^(1 - T),
        which is the smallest possible p-value.
    draws : int, default 9999
        Number of random flips B for more than 12 tasks.
    rng : int or numpy.random.Generator, optional
        Seed or generator, as taken by :func:`numpy.random.default_rng`.

    Returns
    -------
    MaxT
        Statistics (Student's t with T - 1 degrees of freedom), p-values and rejections pair by
        pair, and the critical value.

    Notes
    -----
    The test is exact if the differences are symmetric about their means. All pairs of models are
    flipped together, so their correlations are those of the data.

    References
    ----------
    Romano and Wolf (2005), J. Am. Stat. Assoc. 100.
    Winkler, Ridgway, Webster, Smith and Nichols (2014), NeuroImage 92. Methods: Tasks as a sample

    Examples
    --------
    >>> scores = [[5, 3, 1], [6, 5, 2], [4, 4, 1], [7, 5, 3], [6, 4, 4], [5, 4, 3], [8, 7, 3]]
    >>> r = flip_max_t(scores)
    >>> r.t.round(2).tolist(), r.p_step.round(4).tolist()
    ([4.5, 8.0, 4.21], [0.0312, 0.0156, 0.0312])
    """
    null = FlipNull.of(scores)
    checks.fraction("alpha", alpha)
    allowed = f"at least {fewest_tasks(alpha)} for alpha = {alpha:g}"
    checks.require(null.tasks >= fewest_tasks(alpha), "number of tasks", allowed, null.tasks)
    chosen = checked_pairs(pairs, null.root.shape[1])
    n = null.draws(draws)
    family = null.family(chosen, alpha=alpha, draws=n)
    chance = NullExceedances.none(family.ladder)
    for start in null.starts(n, seed_of(rng)):
        chance += NullExceedances.of(start.draw(null.root), family.ladder)
    r_single, r_step = family.reached(chance)
    root = null.root.mean(axis=0)
    sign = np.sign(root[chosen[:, 0]] - root[chosen[:, 1]])
    return MaxT(
        pairs=chosen,
        t=sign * null.t_of(null.sizes(chosen)),
        p_single=(r_single + 1) / (n + 1),
        p_step=(r_step + 1) / (n + 1),
        reject=r_step + 1 <= family.limit,
        critical=float(null.t_of(family.critical(chance) + TIE)),
        alpha=alpha,
        draws=n,
    )


def seed_of(rng: RNGLike) -> int:
    """Return a seed from which every batch of flips can be drawn separately."""
    return int(np.random.default_rng(rng).integers(2**62))


def win_rates(scores: FloatLike, *, lower_is_better: bool = False) -> Array:
    """Return the share of the other models that each model beats on each task; ties count half.

    The mean over tasks is the mean win rate w. The mean rank of a model, which orders models as
    the Borda count does, is M - (M - 1) w. Both depend on the models in the table.

    Parameters
    ----------
    scores : array_like
        One score for each task and model, (T, M), without missing values.
    lower_is_better : bool, default False
        Whether lower scores are better.

    Returns
    -------
    Array
        (T, M), from 0 to 1. The mean of each task is 0.5.

    References
    ----------
    Methods: Tasks as a sample

    Examples
    --------
    >>> win_rates([[0.9, 0.7, 0.7], [60, 80, 50]]).tolist()
    [[1.0, 0.25, 0.25], [0.5, 1.0, 0.0]]
    """
    x = np.asarray(scores, dtype=np.float64)
    checks.require(x.ndim == 2, "number of axes of scores", "2 (tasks, models)", x.ndim)
    checks.finite("scores", x)
    checks.require(x.shape[1] >= 2, "number of models", "at least 2", x.shape[1])
    x = -x if lower_is_better else x
    ranks = np.sort(x, axis=1)
    out = np.empty(x.shape)
    for row, (values, ascending) in enumerate(zip(x, ranks, strict=True)):
        below = np.searchsorted(ascending, values, side="left")
        upto = np.searchsorted(ascending, values, side="right")
        out[row] = (below + upto - 1) / 2
    return out / (x.shape[1] - 1)
