"""Forecast of leaderboards by simulation from a pilot: the winner and significant gaps."""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array, BoolArray
from nstar._verbs.board_outcomes import standings
from nstar._verbs.plan.board_result import BoardClaims, BoardForecast
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.noise import Graded
from nstar._verbs.verdict import Criteria
from nstar.stats._spread_posterior import CenteredMeans, SpreadPosterior

_REPS = 1000
"""Number of boards; a share near ½ is then known to 1.6 points."""
_CELLS = 1 << 20
"""Number of pairs of models that are drawn together."""
_MIN_MODELS = 3
"""Smallest number of models with a forecast, because one gap shows no spread."""
_RANGE = (0.1, 0.9)
"""Probabilities of the spread at the ends of a forecast's range."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PilotPosterior:
    """Posterior of the pilot: true scores given the observed scores, and noise of one item.

    Observed scores vary more than true ones, by their noise. True scores are normal over models,
    with a spread that is drawn anew for every board from its posterior.
    """

    means: CenteredMeans
    """Observed scores without their common level."""
    spread: SpreadPosterior
    """Posterior of the standard deviation of true scores over models."""
    noise: Array
    """Square root of the covariance of one item's scores."""
    sd: float
    """Standard deviation of the per-item difference of adjacent models."""
    scale: float
    """Design effect of the headline's grouping."""

    @classmethod
    def of(cls, scores: Array, reading: BoardClaims) -> "PilotPosterior":
        """Build from scores, items × models, with noise according to the grouping."""
        n = len(scores)
        noise = _shrunken(scores)
        model_means = scores.mean(axis=0)
        order = np.argsort(-model_means, kind="stable")
        ranked = scores[:, order]
        mean = float((ranked[:, :-1] - ranked[:, 1:]).var(axis=0, ddof=1).mean())
        scale = reading.sd**2 / mean
        effect = 1 + ((reading.cluster_size or 1.0) - 1) * (reading.icc or 0.0)
        means = CenteredMeans.of(model_means, noise * (scale * effect / n))
        return cls(
            means=means, spread=means.spread(), noise=_root(noise), sd=reading.sd, scale=scale
        )

    def drawn(
        self, models: int, per_item: float, spread: Array, rng: np.random.Generator
    ) -> tuple[Array, Array, Array]:
        """Return true and observed scores of leaderboards, and errors of differences."""
        reps, m, variances = spread.size, len(self.noise), self.means.variances
        square = np.square(spread)[:, None]
        gain = square / (square + variances)
        errors = np.sqrt(gain * variances) * rng.standard_normal((reps, m - 1))
        truth = (gain * self.means.values + errors) @ self.means.basis.T
        if models <= m:
            root = self.noise * np.sqrt(per_item)
            board_scores = truth + rng.standard_normal((reps, m)) @ root.T
            subset = rng.permuted(np.tile(np.arange(m), (reps, 1)), axis=1)[:, :models]
            true, observed = (np.take_along_axis(x, subset, axis=1) for x in (truth, board_scores))
            return true, observed, _errors(root @ root.T)[subset[:, :, None], subset[:, None, :]]
        subset = rng.integers(0, m, (reps, models))
        wide = m ** (-0.2)
        center = truth.mean(axis=1, keepdims=True)
        shaken = np.take_along_axis(truth, subset, axis=1)
        shaken += wide * spread[:, None] * rng.standard_normal((reps, models))
        true = center + (shaken - center) / np.sqrt(1 + wide * wide)
        one = self.sd * np.sqrt(per_item / self.scale / 2)
        board_scores = true + one * rng.standard_normal((reps, models))
        return true, board_scores, np.full((1, models, models), one * np.sqrt(2))


def _shrunken(scores: Array) -> Array:
    """Return a shrunken covariance of an item's scores (Ledoit and Wolf 2004).

    The sample covariance of few items has directions with too little noise, or with none if
    models outnumber items. A forecast from it is several points too certain. It is therefore
    shrunk toward equal noise of all models by an amount that depends on its sampling error.
    """
    n, m = scores.shape
    z = scores - scores.mean(axis=0)
    z -= z.mean(axis=1, keepdims=True)
    noise = z.T @ z / n
    equal = np.trace(noise) / (m - 1) * (np.eye(m) - 1 / m)
    distance = float(np.square(noise - equal).sum())
    error = float(np.square(np.square(z).sum(axis=1)).mean() - np.square(noise).sum()) / n
    share = min(error / distance, 1.0) if distance > 0 else 1.0
    return np.asarray(((1 - share) * noise + share * equal) * (n / (n - 1)))


def _root(cov: Array) -> Array:
    values, vectors = np.linalg.eigh((cov + cov.T) / 2)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _errors(cov: Array) -> Array:
    variances = np.diagonal(cov)
    return np.asarray(
        np.sqrt(np.maximum(variances[:, None] + variances[None, :] - 2 * cov, 1e-300))
    )


def outlook(
    scores: Array,
    reading: BoardClaims,
    models: int,
    items: int,
    criteria: Criteria,
    *,
    seed: int = 0,
    reps: int = _REPS,
) -> BoardForecast | None:
    """Return a forecast of leaderboards; None for two models, or fewer than two groups.

    ``reading`` has the role of the groups, and the noise that follows. ``reps`` is the number of
    boards at each stage: one stage is over all spreads, and one is at each end of the range.
    """
    clusters = reading.n_clusters if reading.icc else None
    design = Design(
        noise=Graded(sd=reading.sd),
        models=models,
        icc=reading.icc or 0.0,
        clusters=clusters,
        cluster_size=None if clusters or not reading.icc else reading.cluster_size,
    )
    if min(models, scores.shape[1]) < _MIN_MODELS:
        return None
    if reading.icc and not clusters and items < 2 * (reading.cluster_size or 1.0):
        return None
    truth = PilotPosterior.of(scores, reading)
    critical = design.quantile(criteria, items)
    per_item = truth.scale / float(design.effective(items))

    def boards(spreads: Array) -> Array:
        """Return the typical gap, and means of all outcomes of boards."""
        rng = np.random.default_rng(seed)  # all stages use the same errors
        each = max(_CELLS // models**2, 1)
        parts = [
            _outcomes(*truth.drawn(models, per_item, spreads[i : i + each], rng), critical)
            for i in range(0, spreads.size, each)
        ]
        board_rows = np.concatenate(parts)
        return np.concatenate([[np.median(board_rows[:, 0])], board_rows[:, 1:].mean(axis=0)])

    chances = np.random.default_rng((seed, 1)).permutation((np.arange(reps) + 0.5) / reps)
    mean = boards(truth.spread.quantile(chances))
    ends = [boards(np.full(reps, truth.spread.quantile(p))) for p in _RANGE]
    gap, winner, proved, neighbors = (
        (float(min(x)), float(max(x))) for x in np.transpose(ends)[:4]
    )
    return BoardForecast(
        n_items=items,
        spread=truth.means.plug_in,
        gap=float(mean[0]),
        gap_range=gap,
        winner=float(mean[1]),
        winner_range=winner,
        winner_proved=float(mean[2]),
        winner_proved_range=proved,
        neighbors=float(mean[3]),
        neighbors_range=neighbors,
        tiers=float(mean[4]),
        rank_width=float(mean[5]),
        n_boards=reps,
    )


def _outcomes(true: Array, scores: Array, errors: Array, critical: float) -> Array:
    """Return the outcomes of each leaderboard: gaps, winner, adjacent pairs, tiers, and ranks."""
    wins: BoolArray = (scores[:, :, None] - scores[:, None, :]) > critical * errors
    wins &= ~np.eye(scores.shape[1], dtype=np.bool_)
    outcomes = standings(wins, scores, true)
    gap = np.median(-np.diff(np.sort(true, axis=1)[:, ::-1], axis=1), axis=1)
    adjacent_share = outcomes.told.mean(axis=1)
    return np.stack(
        [
            gap,
            outcomes.on_top,
            outcomes.proved,
            adjacent_share,
            outcomes.tiers,
            outcomes.rank_width,
        ],
        axis=1,
    )
