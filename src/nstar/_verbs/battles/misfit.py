"""Lack of fit: pairs whose own votes say otherwise than one number for each model does."""

import numpy as np
from scipy import special

from nstar import stats
from nstar._verbs.battles.design import VoteDesign
from nstar._verbs.battles.result import LackOfFit, PairMisfit

LEAST = 20
"""Votes between two models that are enough for a normal approximation."""
_MAX_MISFIT_PAIRS = 10


def misfit_of(design: VoteDesign, fit: stats.VoteFit, alpha: float) -> LackOfFit:
    """Which pairs depart from the ratings, among all with enough votes (Holm)."""
    found = stats.vote_residuals(design.cells, fit)
    which = np.flatnonzero((found.votes >= LEAST) & np.isfinite(found.z))
    p = np.zeros(0)
    if which.size:
        p = np.asarray(stats.holm(2 * special.ndtr(-np.abs(found.z[which]))))
    names = design.votes.models
    worst = tuple(
        PairMisfit(
            model_a=names[found.pairs[k, 0]],
            model_b=names[found.pairs[k, 1]],
            n_votes=round(float(found.votes[k])),
            observed_score=float(found.score[k]),
            expected_score=float(found.expected[k]),
            z=float(found.z[k]),
            pvalue_adjusted=float(p[place]),
        )
        for place, k in sorted(enumerate(which), key=lambda x: -abs(float(found.z[x[1]])))[
            :_MAX_MISFIT_PAIRS
        ]
    )
    shown = int(np.count_nonzero(p <= alpha))
    return LackOfFit(n_tested=which.size, min_votes=LEAST, n_significant=shown, worst_pairs=worst)
