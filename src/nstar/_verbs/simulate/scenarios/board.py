"""A scenario with several models: a leaderboard of 0/1 scores."""

from collections.abc import Sequence

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.simulate.board import Board
from nstar._verbs.simulate.scenarios.base import SCENARIOS
from nstar.errors import ParameterError


def _ladder(models: int, mean: float, spread: float, tied: int) -> Array:
    """Accuracies from best to worst in equal steps, ``tied`` models on each."""
    checks.require(models >= 2 and models == int(models), "models", "a whole number ≥ 2", models)
    checks.require(tied >= 1 and tied == int(tied), "tied", "a whole number ≥ 1", tied)
    checks.nonnegative("spread", spread)
    step = np.arange(int(models)) // int(tied)
    return np.asarray(mean + spread * (step[-1] / 2 - step) / max(int(step[-1]), 1))


def _given(rates: Sequence[float]) -> Array:
    found = np.asarray(rates, dtype=np.float64)
    if found.ndim != 1 or found.size < 2:
        msg = "rates must be the accuracies of at least 2 models"
        raise ParameterError(msg)
    return found


@SCENARIOS.add
def board(  # noqa: PLR0913 what makes up a board
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    models: int = 10,
    mean: float = 0.7,
    spread: float = 0.0,
    tied: int = 2,
    rho: float = 0.5,
    rates: Sequence[float] | None = None,
) -> Board:
    """A board of several models, right or wrong on the same items of differing difficulty.

    Parameters
    ----------
    rng, reps, items
        Random numbers, replications, items.
    models
        How many.
    mean, spread
        Accuracy halfway between the best and the worst model, and how far apart these are; 0
        makes all models equal.
    tied
        Models of each accuracy; 1 makes all different. The last may have fewer.
    rho
        Correlation of what two models make of an item: normals, right below a limit.
    rates
        Accuracies one by one; if given they replace ``models``, ``mean``, ``spread``, ``tied``.
    """
    true = _ladder(models, mean, spread, tied) if rates is None else _given(rates)
    checks.fraction("accuracy", true)
    checks.probability("rho", rho)
    limit = special.ndtri(true)[:, None]
    right = np.empty((reps, true.size), dtype=np.int64)
    both = np.empty((reps, true.size, true.size), dtype=np.int64)
    for k in range(reps):
        easiness, *own = rng.standard_normal((true.size + 1, items))
        z = np.sqrt(rho) * easiness + np.sqrt(1 - rho) * np.asarray(own)
        scores = (z < limit).astype(np.float64)
        both[k] = scores @ scores.T
        right[k] = both[k].diagonal()
    return Board(items=items, right=right, both=both, rates=true)
