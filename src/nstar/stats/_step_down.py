"""Step-down max-T in parts that can be done apart: the ladder of pairs, and batches of draws.

B draws over P pairs cost O(B P); what batches find adds up exactly, in any order and grouping.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, IntArray
from nstar.stats._contrasts import blocks, largest, rank_to_reject, standard_errors

_FOOT = 1024
"""Steps after which it is asked what all draws exceed by then."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairLadder:
    """Pairs in ascending order of |t|: when one is tested, those up to it are still open."""

    pairs: IntArray
    """Indices (first, second), (L, 2)."""
    scale: Array
    """1 / standard error of each, 0 where there is none, (L,)."""
    size: Array
    """|t| of each, (L,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NullExceedances:
    """What some draws do by chance. Chances add."""

    maxima: Array
    """Largest |t| of each draw; their order does not matter."""
    hits: IntArray
    """How many draws reach the |t| of a pair among the pairs up to it, (L,)."""

    def __add__(self, other: "NullExceedances") -> "NullExceedances":
        """These draws and the other ones."""
        return NullExceedances(
            maxima=np.concatenate([self.maxima, other.maxima]), hits=self.hits + other.hits
        )

    @classmethod
    def of(cls, z: Array, ladder: PairLadder) -> "NullExceedances":
        """One batch of draws of the means, (M, draws).

        A running maximum along the ladder serves every step at once. Only those are climbed one
        by one that some draws reach and others do not.
        """
        hits = np.full(len(ladder.pairs), z.shape[1], dtype=np.int64)
        top = _climbed(z, ladder, slice(0, _FOOT), np.zeros(z.shape[1]), hits)
        sure = max(_FOOT, int(np.searchsorted(ladder.size, top.min(), side="right")))
        top = np.maximum(top, _largest(z, ladder, slice(_FOOT, sure)))
        final = np.maximum(top, _largest(z, ladder, slice(sure, len(hits))))
        never = max(sure, int(np.searchsorted(ladder.size, final.max(initial=0.0), side="right")))
        hits[never:] = 0
        _climbed(z, ladder, slice(sure, never), top, hits)
        return cls(maxima=final, hits=hits)

    @classmethod
    def none(cls, ladder: PairLadder) -> "NullExceedances":
        """Before any draw."""
        return cls(maxima=np.empty(0), hits=np.zeros(len(ladder.pairs), dtype=np.int64))


def _largest(z: Array, ladder: PairLadder, steps: slice) -> Array:
    return largest(z, ladder.pairs[steps], ladder.scale[steps])


def _climbed(z: Array, ladder: PairLadder, steps: slice, top: Array, hits: IntArray) -> Array:
    """The largest |t| of each draw after some steps, whose hits are counted; ``top`` before."""
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
    """Pairs that are tested together at a familywise level."""

    pairs: IntArray
    """(P, 2)."""
    t: Array
    """Their statistics, (P,)."""
    order: IntArray
    """Those that can vary, in ascending order of |t|."""
    ladder: PairLadder
    """The same, ready for draws."""
    draws: int
    """Draws B."""
    limit: int
    """K such that r + 1 ≤ K rejects."""

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
        """Statistics of all pairs; ``scores`` are tested in their place if given."""
        limit = rank_to_reject(alpha, draws)
        se = standard_errors(cov, pairs)
        gap = mean[pairs[:, 0]] - mean[pairs[:, 1]]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(gap == 0, 0.0, gap / se)
        if scores is not None:
            t = scores
            size = f"{gap.size}, as of pairs"
            checks.require(t.shape == gap.shape, "number of scores", size, t.size)
            checks.finite("scores", t)
        live = np.flatnonzero(se > 0) if scores is None else np.arange(len(se))
        order = live[np.argsort(np.abs(t[live]), kind="stable")]
        scale = np.divide(1.0, se[order], out=np.zeros(order.size), where=se[order] > 0)
        ladder = PairLadder(pairs=pairs[order], scale=scale, size=np.abs(t[order]))
        return cls(pairs=pairs, t=t, order=order, ladder=ladder, draws=draws, limit=limit)

    def reached(self, chance: NullExceedances) -> tuple[IntArray, IntArray]:
        """Draws that reach each pair: of all pairs, and of those still open at its step, (P,)."""
        single, step = (np.where(self.t == 0, self.draws, 0) for _ in range(2))
        maxima = np.sort(chance.maxima)
        below = np.searchsorted(maxima, self.ladder.size, side="left")
        single[self.order] = maxima.size - below
        # a pair cannot be rejected before one with a larger |t|
        step[self.order] = np.maximum.accumulate(chance.hits[::-1])[::-1]
        return single, step

    def critical(self, chance: NullExceedances) -> float:
        """Single-step critical value of |t|."""
        if not self.order.size:
            return np.inf
        return float(np.partition(chance.maxima, -self.limit)[-self.limit])
