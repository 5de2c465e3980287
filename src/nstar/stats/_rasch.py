"""How many items have a negative item-rest correlation by chance alone, under the Rasch model."""

from collections.abc import Sequence

import numpy as np
from scipy import special

from nstar._base.types import Array, IntArray

_LEVELS = 64
"""Difficulties that are fitted, at most."""
_ROUNDS = 50
_SCORES = 2_000_000
"""Scores drawn, at most."""
_ITEMS = 20_000
"""Items drawn, about, at most."""


def _fit(right: Array, counts: Array, totals: Array) -> Array:
    """Chance of success, (difficulties, models), with these margins (joint maximum likelihood).

    ``right`` is the number of models right on an item of each difficulty, ``counts`` the items of
    it, ``totals`` the items that each model has right. Half an item is taken from perfect models.
    Abilities are shrunk by (M - 1) / M, the bias of this estimate with M models (Andersen 1980).
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
    """Numbers of models right on an item, and the items of each number; neighbors are pooled."""
    values, counts = np.unique(right, return_counts=True)
    if values.size <= _LEVELS:
        return values.astype(np.float64), counts.astype(np.float64)
    group = np.linspace(0, _LEVELS, values.size, endpoint=False).astype(np.int64)
    pooled = np.bincount(group, weights=counts).astype(np.float64)
    return np.bincount(group, weights=values * counts) / pooled, pooled


def chance_shares(right: IntArray, totals: Array, bounds: Sequence[float]) -> Array:
    """Share of live items with an item-rest correlation below each bound if all keys are right.

    ``right`` is the number of models right on each live item, ``totals`` the live items that each
    model has right. Items are drawn from the Rasch model. Given how many models are right on an
    item, its difficulty does not matter there: so drawn items are weighted to have the numbers of
    ``right``. The same margins give the same shares.
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
