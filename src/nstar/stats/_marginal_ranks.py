"""Compare one model at a time with all others, in independent batches of draws."""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray
from nstar.stats import _contrasts


def _t_matrix(mean: Array, cov: Array, models: IntArray) -> tuple[Array, Array]:
    """Return signed t and 1/se (or 0) of the selected models against all models, (J, M)."""
    everyone = np.arange(mean.size)
    pairs = np.stack([np.repeat(models, mean.size), np.tile(everyone, models.size)], axis=1)
    se = _contrasts.standard_errors(cov, pairs).reshape(models.size, mean.size)
    gap = mean[models, None] - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gap == 0, 0.0, gap / se), np.where(se > 0, 1 / se, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MarginalRankFamily:
    """Pairs of each selected model with all others, for batches of draws."""

    cov: Array
    """Covariance of the means, (M, M)."""
    models: IntArray
    """Indices of the selected models, (J,)."""
    t: Array
    """Signed t of their pairs, (J, M)."""
    scale: Array
    """1 / standard error, or 0 if nothing varies, (J, M)."""
    size: Array
    """Statistics that are compared with the draws, (J, M)."""
    limit: int
    """K such that a pair is rejected if r + 1 ≤ K."""

    @classmethod
    def of(
        cls,
        means: FloatLike,
        cov_of_means: FloatLike,
        models: FloatLike | None,
        scores: FloatLike | None,
        alpha: float,
        draws: int,
    ) -> "MarginalRankFamily":
        """Check the inputs and build the family. If ``scores`` are given, they replace |t|."""
        mean, cov = _contrasts.checked_means(means, cov_of_means)
        indices = np.arange(mean.size) if models is None else np.atleast_1d(np.asarray(models))
        checks.counts(models=indices)
        checks.require(indices < mean.size, "models", f"indices below {mean.size}", indices)
        limit = _contrasts.rank_to_reject(alpha, draws)
        t, scale = _t_matrix(mean, cov, indices)
        size = np.abs(t) if scores is None else np.asarray(scores, dtype=np.float64)
        wide = f"{t.size}, the number of requested models times the number of models"
        checks.require(size.shape == t.shape, "number of scores", wide, size.size)
        checks.require(size >= 0, "scores", ">= 0", size)
        return cls(cov=cov, models=indices, t=t, scale=scale, size=size, limit=limit)

    def hits(self, z: Array) -> IntArray:
        """Count the draws in which the maximum of a model reaches each of its pairs, (J, M)."""
        out, buffer = np.zeros(self.t.shape, dtype=np.int64), _contrasts.room_for(z)
        for k, j in enumerate(self.models.tolist()):
            top = np.sort(_contrasts.largest_from(z, j, self.scale[k], buffer))
            out[k] = top.size - np.searchsorted(top, self.size[k], side="left")
        return out

    def ranks(self, hits: IntArray) -> tuple[IntArray, IntArray]:
        """Return the best and worst rank of each model from the hits of all draws."""
        reject = hits + 1 <= self.limit
        low = 1 + np.count_nonzero(reject & (self.t < 0), axis=1)
        high = self.t.shape[1] - np.count_nonzero(reject & (self.t > 0), axis=1)
        return low.astype(np.int64), high.astype(np.int64)
