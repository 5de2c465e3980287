"""Lack of fit: pairs whose own votes contradict the ratings."""

import numpy as np
from scipy import special

from nstar import stats
from nstar._verbs.battles.design import VoteDesign
from nstar._verbs.battles.result import LackOfFit, PairMisfit
from nstar.stats.vote_errors import vote_residuals

LEAST = 20
"""Number of votes between two models that suffice for a normal approximation."""
_MAX_MISFIT_PAIRS = 10


def misfit_of(design: VoteDesign, fit: stats.VoteFit, alpha: float) -> LackOfFit:
    """Return which pairs depart from the ratings, among all with enough votes (Holm)."""
    residuals = vote_residuals(design.cells, fit)
    indices = np.flatnonzero((residuals.votes >= LEAST) & np.isfinite(residuals.z))
    p = np.zeros(0)
    if indices.size:
        p = np.asarray(stats.holm(2 * special.ndtr(-np.abs(residuals.z[indices]))))
    names = design.votes.models
    worst = tuple(
        PairMisfit(
            model_a=names[residuals.pairs[k, 0]],
            model_b=names[residuals.pairs[k, 1]],
            n_votes=round(float(residuals.votes[k])),
            observed_score=float(residuals.score[k]),
            expected_score=float(residuals.expected[k]),
            z=float(residuals.z[k]),
            pvalue_adjusted=float(p[place]),
        )
        for place, k in sorted(enumerate(indices), key=lambda x: -abs(float(residuals.z[x[1]])))[
            :_MAX_MISFIT_PAIRS
        ]
    )
    n_significant = int(np.count_nonzero(p <= alpha))
    return LackOfFit(
        n_tested=indices.size, min_votes=LEAST, n_significant=n_significant, worst_pairs=worst
    )
