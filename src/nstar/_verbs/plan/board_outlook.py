"""Boards simulated from a pilot: who would win, which neighbours would be told apart."""

import numpy as np

from nstar._base.record import record
from nstar._base.types import Array, BoolArray
from nstar._verbs.board_outcomes import standings
from nstar._verbs.plan.board_result import BoardClaims, BoardOutlook
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.noise import Graded
from nstar._verbs.verdict import Criteria

_REPS = 1000
"""Boards; a share near ½ is then known to 1.6 points."""


@record(eq=False)
class PilotPosterior:
    """What the pilot leaves possible: true scores given those seen, and noise of one item.

    Scores seen spread more than true ones by their noise; an empirical Bayes prior, normal with
    the variance that is left, draws them together, and its posterior says how surely they are
    known.
    """

    means: Array
    """Posterior means."""
    root: Array
    """Square root of the posterior covariance."""
    noise: Array
    """Square root of the covariance of one item's scores."""
    spread: float
    """Standard deviation of true scores over models."""
    sd: float
    """Of the per-item difference of neighbours under the headline's reading."""
    scale: float
    """Variance under that reading over that of independent items."""

    @classmethod
    def of(cls, scores: Array, *, sd: float) -> "PilotPosterior":
        """From scores of items × models."""
        n, m = scores.shape
        cov = np.cov(scores, rowvar=False)
        centre = np.eye(m) - 1 / m
        noise = centre @ cov @ centre
        seen = scores.mean(axis=0)
        left = max(float(seen.var(ddof=1)) - float(np.trace(noise)) / (m - 1) / n, 0.0)
        gain = left * np.linalg.pinv(left * np.eye(m) + noise / n, hermitian=True)
        after = left * (np.eye(m) - gain)
        order = np.argsort(-seen, kind="stable")
        ranked = scores[:, order]
        mean = float((ranked[:, :-1] - ranked[:, 1:]).var(axis=0, ddof=1).mean())
        return cls(
            means=seen.mean() + gain @ (seen - seen.mean()),
            root=_root(after),
            noise=_root(noise),
            spread=float(np.sqrt(left)),
            sd=sd,
            scale=sd * sd / mean,
        )

    def drawn(
        self, models: int, per_item: float, rng: np.random.Generator
    ) -> tuple[Array, Array, Array]:
        """True scores, scores of a board, and standard errors of all differences."""
        m = self.means.size
        truth = self.means + self.root @ rng.standard_normal(m)
        if models <= m:
            some = rng.choice(m, models, replace=False)
            root = self.noise[some] * np.sqrt(per_item)
            cov = root @ root.T
            seen = truth[some] + root @ rng.standard_normal(m)
            return truth[some], seen, _errors(cov)
        some = rng.choice(m, models)
        wide = m ** (-0.2)
        centre = truth.mean()
        shaken = truth[some] + wide * self.spread * rng.standard_normal(models)
        true = centre + (shaken - centre) / np.sqrt(1 + wide * wide)
        one = self.sd * np.sqrt(per_item / self.scale / 2)
        errors = np.full((models, models), one * np.sqrt(2))
        return true, true + one * rng.standard_normal(models), errors


def _root(cov: Array) -> Array:
    values, vectors = np.linalg.eigh((cov + cov.T) / 2)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _errors(cov: Array) -> Array:
    own = np.diagonal(cov)
    return np.asarray(np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * cov, 1e-300)))


def outlook(
    truth: PilotPosterior,
    reading: BoardClaims,
    models: int,
    items: int,
    criteria: Criteria,
    *,
    seed: int = 0,
    reps: int = _REPS,
) -> BoardOutlook | None:
    """Boards of so many models and items; None if the items are not two groups."""
    clusters = reading.clusters if reading.icc else None
    design = Design(
        noise=Graded(sd=reading.sd),
        models=models,
        icc=reading.icc or 0.0,
        clusters=clusters,
        cluster_size=None if clusters or not reading.icc else reading.cluster_size,
    )
    if reading.icc and not clusters and items < 2 * (reading.cluster_size or 1.0):
        return None
    critical = design.quantile(criteria, items)
    per_item = truth.scale / float(design.effective(items))
    rng = np.random.default_rng(seed)
    found = np.array([_board(*truth.drawn(models, per_item, rng), critical) for _ in range(reps)])
    mean = found.mean(axis=0)
    return BoardOutlook(
        items=items,
        gap=float(np.median(found[:, 0])),
        winner=float(mean[1]),
        winner_proved=float(mean[2]),
        neighbours=float(mean[3]),
        tiers=float(mean[4]),
        rank_width=float(mean[5]),
        reps=reps,
    )


def _board(true: Array, seen: Array, errors: Array, critical: float) -> tuple[float, ...]:
    """Gap of neighbours, winner right, winner proved, neighbours told, tiers, width of ranks."""
    found = standings(_wins(seen, errors, critical)[None], seen[None], true)
    return (
        float(np.median(-np.diff(np.sort(true)[::-1]))),
        float(found.on_top[0]),
        float(found.proved[0]),
        float(found.told.mean()),
        float(found.tiers[0]),
        float(found.rank_width[0]),
    )


def _wins(seen: Array, errors: Array, critical: float) -> BoolArray:
    """Who is significantly ahead of whom."""
    wins: BoolArray = (seen[:, None] - seen[None, :]) > critical * errors
    np.fill_diagonal(wins, val=False)
    return wins
