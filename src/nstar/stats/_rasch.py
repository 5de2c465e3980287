"""Estimate how many item-rest correlations are negative by chance under the Rasch model."""

from collections.abc import Sequence

import numpy as np
from scipy import special

from nstar._base.types import Array, IntArray

_LEVELS = 64
"""Largest number of difficulty levels that are fitted."""
_ROUNDS = 50
_SCORES = 2_000_000
"""Largest number of simulated scores."""
_ITEMS = 20_000
"""Approximate maximum number of simulated items."""


def _fit(right: Array, counts: Array, totals: Array) -> Array:
    """Fit success probabilities, (difficulties, models), by joint maximum likelihood.

    ``right`` is the number of models that answer an item of each difficulty correctly. ``counts``
    is the number of these items, and ``totals`` is the number of correct answers of each model.
    Half an item is subtracted for perfect models. Abilities are multiplied by (M - 1) / M to
    correct the bias of this estimate with M models (Andersen 1980).
    """
    items = counts.sum()
    totals = np.clip(totals, 0.5, items - 0.5)
    ability, easy = special.logit(totals / items), special.logit(right / totals.size)
    ability = ability - ability.mean()
    for _ in range(_ROUNDS):
        p = special.expit(easy[:, None] + ability)
        slope = p * (1 - p)
        step = (right - p.sum(axis=1)) / slope.sum(axis=1)
        easy = easy + np.clip(step, -1.0, 1.0)
        p = special.expit(easy[:, None] + ability)
        move = (totals - counts @ p) / (counts @ (p * (1 - p)))
        ability = ability + np.clip(move, -1.0, 1.0)
        if max(np.abs(step).max(), np.abs(move).max()) < 1e-3:
            break
    return np.asarray(special.expit(easy[:, None] + ability * (1 - 1 / ability.size)))


def _levels(right: IntArray) -> tuple[Array, Array]:
    """Return the numbers of correct models per item, and the number of items with each.

    Neighboring numbers are pooled.
    """
    values, counts = np.unique(right, return_counts=True)
    if values.size <= _LEVELS:
        return values.astype(np.float64), counts.astype(np.float64)
    group = np.linspace(0, _LEVELS, values.size, endpoint=False).astype(np.int64)
    pooled = np.bincount(group, weights=counts).astype(np.float64)
    return np.bincount(group, weights=values * counts) / pooled, pooled


def chance_shares(right: IntArray, totals: Array, bounds: Sequence[float]) -> Array:
    """Return the share of items whose item-rest correlation is below each bound by chance.

    All keys are assumed to be correct. ``right`` is the number of models that answer each
    discriminating item correctly, and ``totals`` is the number of correct answers of each model on
    these items. Items are simulated from the Rasch model. Given the number of correct models, the
    difficulty of an item does not matter, so simulated items are weighted to match the numbers in
    ``right``. The result depends only on ``right``, ``totals``, and ``bounds``.
    """
    rng, models = np.random.default_rng(0), totals.size
    values, counts = _levels(right)
    chance = _fit(values, counts, totals)
    draws = max(_SCORES // models, 1)
    number = np.ceil(min(_ITEMS, draws) * counts / counts.sum()).astype(np.int64)
    x = rng.random((int(number.sum()), models)) < np.repeat(chance, number, axis=0)
    solved = x.sum(axis=1)
    live = (solved > 0) & (solved < models)
    x, solved = x[live], solved[live]
    level = totals - totals.mean()
    r = (x @ level) / np.sqrt(solved * (models - solved) / models * (level @ level))
    target_counts = np.bincount(right, minlength=models + 1)
    drawn_counts = np.bincount(solved, minlength=models + 1)
    weight = (target_counts / np.maximum(drawn_counts, 1))[solved]
    return np.array([weight @ (r < bound) for bound in bounds]) / weight.sum()
