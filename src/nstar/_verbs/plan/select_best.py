"""Select the best of several models: items, lead, or probability, by Bechhofer's formula.

The model with the highest mean is selected, without a test. ``alpha`` is the probability of
selecting another model when the best leads all others by the gap. Power is not used.
"""

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.plan.design import Design
from nstar._verbs.verdict import Criteria
from nstar.stats._roots import bisect
from nstar.stats.arms import selection_lead

_EDGE = 1 - 1e-9
"""Share of the largest possible gain that is searched, because accuracies of 1 have no noise."""


def choice_items(design: Design, criteria: Criteria, delta: float) -> float:
    """Return the items that select the best if it leads by ``delta``; ``inf`` if none suffice."""
    n_independent = stats.selection_n_star(
        delta,
        sigma=design.noise.sigma(delta),
        models=design.models,
        prob=1 - criteria.alpha,
    )
    return max(float(np.ceil(design.items(n_independent))), 2.0)


def choice_lead(design: Design, criteria: Criteria, items: float) -> float:
    """Return the lead at which ``items`` select the best; ``inf`` if no possible lead does."""
    n = float(design.effective(items))
    factor = float(selection_lead(design.models, prob=1 - criteria.alpha)) / np.sqrt(2 * n)

    def short(lead: float) -> bool:
        return factor * design.noise.sigma(lead) > lead

    max_gap = design.noise.room() * _EDGE
    high = min(max_gap, 4 * factor * design.noise.sigma(0.0))
    if short(high):
        high = max_gap
    if not np.isfinite(high) or short(high):
        return np.inf
    return float(bisect(lambda x: np.asarray(short(float(x))), 0.0, high))


def choice_probability(design: Design, delta: Array, items: Array) -> Array:
    """Return the probability of selecting the best at each lead and number of items."""
    gaps, sizes = np.broadcast_arrays(np.abs(delta), items)
    out = np.empty(gaps.shape)
    for i in np.ndindex(gaps.shape):
        gap, n = float(gaps[i]), float(design.effective(float(sizes[i])))
        sigma = design.noise.sigma(gap)
        out[i] = (
            1.0
            if sigma == 0
            else stats.selection_power(gap, sigma=sigma, n=n, models=design.models)
        )
    return out
