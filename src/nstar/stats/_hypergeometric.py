"""Exact hypergeometric probabilities for a random part of a task's runs."""

import numpy as np
from scipy import special

from nstar._base.types import Array, BoolArray, IntArray


def _log_ways(n: Array, k: Array) -> Array:
    """Return the log of the binomial coefficient C(n, k)."""
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)


def dealt(passed: IntArray, runs: IntArray, hand: IntArray) -> Array:
    """Return the probabilities of 0, 1, … passes in a random part of a task's runs.

    The part has ``hand`` of ``runs`` runs, of which ``passed`` pass. The result has one row per
    task and one more column than the largest ``hand``.

    >>> dealt(np.array([1]), np.array([2]), np.array([1])).tolist()
    [[0.5, 0.5]]
    """
    good, total, n_drawn = (np.asarray(x, np.float64)[:, None] for x in (passed, runs, hand))
    x = np.arange(int(hand.max(initial=0)) + 1, dtype=np.float64)[None]
    can: BoolArray = (x <= n_drawn) & (x <= good) & (n_drawn - x <= total - good)
    at = np.where(can, x, np.minimum(n_drawn, good))  # any possible draw
    ways = _log_ways(good, at) + _log_ways(total - good, np.where(can, n_drawn - at, 0.0))
    out = np.where(can, np.exp(ways - _log_ways(total, n_drawn)), 0.0)
    return out / out.sum(axis=1, keepdims=True)


def rule_scores(passed: IntArray, runs: IntArray, *, needed: int, of: int) -> Array:
    """Return whether a task passes in at least ``needed`` of ``of`` runs: 1, 0, or NaN if unknown.

    If a task has more runs than the rule requires, the score is the share of all subsets of ``of``
    runs that satisfy the rule. This share is unbiased. A score based on the share of passes would
    be biased, because this share varies less with more runs. If a task has fewer runs, the score
    is 1 or 0 only if the missing runs cannot change it.

    >>> passed, runs = np.array([4, 3, 7, 1, 3]), np.array([5, 5, 10, 3, 4])
    >>> rule_scores(passed, runs, needed=4, of=5).round(3).tolist()
    [1.0, 0.0, 0.5, 0.0, nan]
    """
    out = np.full(passed.shape, np.nan)
    out[passed >= needed] = 1.0
    out[runs - passed > of - needed] = 0.0
    has_extra = runs > of
    cells, place = np.unique(np.stack([passed, runs], 1)[has_extra], axis=0, return_inverse=True)
    if len(cells):
        pass_prob = dealt(cells[:, 0], cells[:, 1], np.full(len(cells), of))[:, needed:].sum(
            axis=1
        )
        out[has_extra] = np.clip(pass_prob, 0.0, 1.0)[place.reshape(-1)]
    return out
