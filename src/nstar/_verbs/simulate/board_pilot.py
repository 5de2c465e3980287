"""Leaderboard like that of a pilot: accuracies without its noise, and their correlation."""

import numpy as np

from nstar._base.types import Array
from nstar.errors import DataError, arg
from nstar.stats._spread_posterior import CenteredMeans

_EDGE = 0.001
"""Smallest distance of an accuracy from 0 and 1."""


def pilot_board(scores: Array) -> tuple[tuple[float, ...], float]:
    """Return accuracies of the models, best first, and the mean correlation of their scores.

    Observed means vary more than true ones. They are moved toward their mean so that their spread
    is the median of its posterior (Louis 1984, Journal of the American Statistical Association
    79). Ranks in the simulation are those of the pilot.

    Raise DataError for graded scores, because the simulation has right and wrong answers.
    """
    if not ((scores == 0) | (scores == 1)).all():
        msg = (
            "Simulating a leaderboard requires a pilot of 0/1 scores with one run per item. For "
            f"other scores, use nstar plan board, or set {arg('rates')}."
        )
        raise DataError(msg)
    means = scores.mean(axis=0)
    covariance = np.cov(scores.T)
    if np.diag(covariance).min() == 0:
        msg = "A model of the pilot has the same score on all items. Exclude it."
        raise DataError(msg)
    centered = CenteredMeans.of(means, covariance / len(scores))
    spread = float(centered.spread().quantile(0.5)) ** 2
    gain = np.sqrt(spread / (spread + centered.variances))
    true = means.mean() + centered.basis @ (gain * centered.values)
    sd = np.sqrt(np.diag(covariance))
    rho = (covariance / np.outer(sd, sd))[np.triu_indices(means.size, 1)].mean()
    rates = np.sort(np.clip(true, _EDGE, 1 - _EDGE))[::-1]
    return tuple(rates.round(6).tolist()), round(float(rho), 6)
