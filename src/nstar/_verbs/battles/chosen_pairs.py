"""Votes on pairs that earlier votes chose: a fit weighted as if these pairs were random.

The ratings of chosen pairs are valid if one rating describes each model. If it does not, ratings
depend on which pairs get votes. Weights then restore the pairing of the other votes, with chosen
votes spread over all pairs. A pair counts by its votes, which is more precise than by the logged
probabilities (post-stratification).
"""

from dataclasses import replace

import numpy as np

from nstar._base.types import BoolArray
from nstar._data.votes import Votes
from nstar._verbs.battles.result import Battles

LARGE_SHIFT = 2.0
"""Shift of a gap to the leader, in standard errors, from which the weighted fit is reported."""


def as_if_random(votes: Votes, is_chosen: BoolArray) -> Votes:
    """Return the votes with weights as if chosen pairs were uniformly random."""
    m = len(votes.models)
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    place = low.astype(np.int64) * m + high
    count = np.bincount(place, minlength=m * m)
    others = np.bincount(place[~is_chosen], minlength=m * m)
    target = others + np.count_nonzero(is_chosen) / (m * (m - 1) / 2)
    weight = target[place] / count[place]
    return replace(votes, weight=weight if votes.weight is None else weight * votes.weight)


def largest_shift(result: Battles, weighted: Battles) -> float:
    """Return the largest shift of a gap to the leader, in standard errors of the weighted fit."""
    at = {name: k for k, name in enumerate(weighted.ratings.model)}
    shared = [k for k, name in enumerate(result.ratings.model) if name in at]
    place = [at[result.ratings.model[k]] for k in shared]
    one, other, cov = result.strengths, weighted.strengths, weighted.covariance
    if one is None or other is None or cov is None or not shared:
        return 0.0
    one, other, cov = one[shared], other[place], cov[np.ix_(place, place)]
    se = np.sqrt(np.maximum(cov[0, 0] + np.diagonal(cov) - 2 * cov[0], 0.0))
    shift = np.abs((one[0] - one) - (other[0] - other))
    return float(np.max(np.divide(shift, se, out=np.zeros_like(se), where=se > 0)))
