"""Step-down max-T in independent parts: an ordered list of pairs, and batches of draws.

B draws over P pairs take O(B P) time. Counts from batches add exactly, in any order and grouping.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, IntArray
from nstar.stats._contrasts import blocks, largest, rank_to_reject, standard_errors

_FOOT = 1024
"""Number of steps after which the procedure checks which values all draws already exceed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairLadder:
    """Pairs in ascending order of |t|.

    When a pair is tested, neither it nor any pair before it has been rejected.
    """

    pairs: IntArray
    """Indices (first, second), (L, 2)."""
    scale: Array
    """1 / standard error of each pair, or 0 if it has none, (L,)."""
    size: Array
    """|t| of each pair, (L,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NullExceedances:
    """Counts from a set of null draws. Counts of disjoint sets add."""

    maxima: Array
    """Largest |t| of each draw, in any order."""
    hits: IntArray
    """Number of draws that reach the |t| of a pair among the pairs up to it, (L,)."""

    def __add__(self, other: "NullExceedances") -> "NullExceedances":
        """Return the counts of both sets of draws."""
        return NullExceedances(
            maxima=np.concatenate([self.maxima, other.maxima]), hits=self.hits + other.hits
        )

    @classmethod
    def of(cls, z: Array, ladder: PairLadder) -> "NullExceedances":
        """Count the exceedances of one batch of draws of the means, (M, draws).

        A running maximum along the ladder is used for all steps. Only steps that some of the draws
        reach are processed one by one.
        """
        hits = np.full(len(ladder.pairs), z.shape[1], dtype=np.int64)
        top = _advance(z, ladder, slice(0, _FOOT), np.zeros(z.shape[1]), hits)
        sure = max(_FOOT, int(np.searchsorted(ladder.size, top.min(), side="right")))
        top = np.maximum(top, _largest(z, ladder, slice(_FOOT, sure)))
        final = np.maximum(top, _largest(z, ladder, slice(sure, len(hits))))
        never = max(sure, int(np.searchsorted(ladder.size, final.max(initial=0.0), side="right")))
        hits[never:] = 0
        _advance(z, ladder, slice(sure, never), top, hits)
        return cls(maxima=final, hits=hits)

    @classmethod
    def none(cls, ladder: PairLadder) -> "NullExceedances":
        """Return the counts of zero draws."""
        return cls(maxima=np.empty(0), hits=np.zeros(len(ladder.pairs), dtype=np.int64))


def _largest(z: Array, ladder: PairLadder, steps: slice) -> Array:
    return largest(z, ladder.pairs[steps], ladder.scale[steps])


def _advance(z: Array, ladder: PairLadder, steps: slice, top: Array, hits: IntArray) -> Array:
    """Return the largest |t| of each draw after some steps, and count the hits of these steps."""
    pairs, scale, size = ladder.pairs[steps], ladder.scale[steps], ladder.size[steps]
    step_hits = hits[steps]
    for part, gap in blocks(z, pairs, scale):
        before = top
        for row in gap:  # several times as fast as maximum.accumulate(axis=0)
            before = np.maximum(row, before, out=row)
        top = before.copy()
        step_hits[part] = np.count_nonzero(gap >= size[part, None], axis=1)
    return top


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepFamily:
    """Pairs that are tested together at a family-wise level."""

    pairs: IntArray
    """Indices of both models of each pair, (P, 2)."""
    t: Array
    """t statistic of each pair, (P,)."""
    order: IntArray
    """Indices of the pairs with a positive variance, in ascending order of |t|."""
    ladder: PairLadder
    """These pairs in ascending order of |t|."""
    draws: int
    """Number of draws B."""
    limit: int
    """K such that a pair is rejected if r + 1 ≤ K."""

    @classmethod
    def of(
        cls,
        mean: Array,
        cov: Array,
        pairs: IntArray,
        *,
        scores: Array | None,
        alpha: float,
        draws: int,
    ) -> "StepFamily":
        """Compute the statistics of all pairs, or use ``scores`` as the statistics."""
        limit = rank_to_reject(alpha, draws)
        se = standard_errors(cov, pairs)
        gap = mean[pairs[:, 0]] - mean[pairs[:, 1]]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(gap == 0, 0.0, gap / se)
        if scores is not None:
            t = scores
            size = f"{gap.size}, the number of pairs"
            checks.require(t.shape == gap.shape, "number of scores", size, t.size)
            checks.finite("scores", t)
        live = np.flatnonzero(se > 0) if scores is None else np.arange(len(se))
        order = live[np.argsort(np.abs(t[live]), kind="stable")]
        scale = np.divide(1.0, se[order], out=np.zeros(order.size), where=se[order] > 0)
        ladder = PairLadder(pairs=pairs[order], scale=scale, size=np.abs(t[order]))
        return cls(pairs=pairs, t=t, order=order, ladder=ladder, draws=draws, limit=limit)

    def reached(self, chance: NullExceedances) -> tuple[IntArray, IntArray]:
        """Return the draws that reach each pair, for the single step and the step-down, (P,)."""
        single, step = (np.where(self.t == 0, self.draws, 0) for _ in range(2))
        maxima = np.sort(chance.maxima)
        below = np.searchsorted(maxima, self.ladder.size, side="left")
        single[self.order] = maxima.size - below
        # a pair cannot be rejected before one with a larger |t|
        step[self.order] = np.maximum.accumulate(chance.hits[::-1])[::-1]
        return single, step

    def critical(self, chance: NullExceedances) -> float:
        """Return the single-step critical value of |t|."""
        if not self.order.size:
            return np.inf
        return float(np.partition(chance.maxima, -self.limit)[-self.limit])
