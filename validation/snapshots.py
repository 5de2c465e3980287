"""Two snapshots of a leaderboard on which nothing has changed: new runs, and new items."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import nstar
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.board_changes import ModelChange
from nstar._verbs.simulate.stream import generator, key
from validation.distributions import ALPHA
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

GROUP = "Leaderboards"
_COST = 10
"""Divisor of the number of leaderboards, because each pair of snapshots needs three audits."""
_DRAWS = 999
_GAP = 0.01
"""True gap between adjacent models."""


def _chances(rng: np.random.Generator, models: int, items: int, best: float) -> Array:
    """Return the chance of each model to answer each item correctly, (models, items)."""
    difficulty = rng.normal(0, 1.5, items)
    level = np.log(best / (1 - best)) * 1.4 - _GAP / (best * (1 - best)) * np.arange(models)
    return np.asarray(1 / (1 + np.exp(difficulty - level[:, None])))


def _tests(
    rng: np.random.Generator, chances: Array, old: int, seed: int
) -> tuple[ModelChange, ...]:
    """Return the tests of an audit of all items since an older run on the first ``old`` items."""
    models, items = chances.shape
    names = [f"m{k}" for k in range(models)]
    answers = (rng.random(chances.shape) < chances).astype(np.float64)
    before = answers[:, :old]
    if old == items:  # every model was run again
        before = (rng.random(chances.shape) < chances).astype(np.float64)
    older, newer = (
        ScoreMatrix.from_means(x, models=names, items=[str(k) for k in range(x.shape[1])])
        for x in (before, answers)
    )
    changes = nstar.audit(newer, since=older, draws=_DRAWS, seed=seed).changes
    return () if changes is None else changes.item_effects or changes.reruns


def _false_changes(
    request: ValidationRequest, models: int, items: int, added: int, best: float
) -> list[CellRate]:
    """Return how often any model is said to have changed, or any to gain by new items."""
    setting: CellSetting = {
        "models": models,
        "items": items,
        "new items": added,
        "best accuracy": best,
    }
    reps, n_false = max(request.effort.boards // _COST, 20), 0
    for k in range(reps):
        rng = generator(request.seed, key({"snapshots": setting}), k)
        chances = _chances(rng, models, items + added, best)
        n_false += any(test.is_significant for test in _tests(rng, chances, items, k))
    name = "any effect of new items" if added else "any model changed"
    return [counted_reading(name, setting, n_false, reps, promised=ALPHA)]


@CLAIMS.add(
    GROUP,
    "If nothing has changed but random answers or a random choice of items, an audit since an "
    "older one reports a changed model, or an effect of new items, in at most 5% of leaderboards.",
    "at most",
)
def snapshots(request: ValidationRequest) -> Iterator[CheckJob]:
    """New runs on the same items, and new items, few and many, at 70% and 95% accuracy."""
    cells = [(10, 1000, 0, 0.7), (10, 1000, 500, 0.7)]
    if request.effort.full:
        cells += [(10, 200, 0, 0.95), (30, 200, 0, 0.7), (10, 200, 10, 0.95), (30, 200, 20, 0.7)]
    for cell in cells:
        yield partial(_false_changes, request, *cell)
