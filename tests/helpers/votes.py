"""Jobs that return sums and no tile: wins of models, and blocks of a Newton step over votes."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from nstar._engine.work import WorkerPool, reduce_in_order

__all__ = ["bradley_terry", "made_up", "wins"]

Votes = npt.NDArray[np.int64]
"""Winner and loser of each vote, (votes, 2)."""
_BATCH = 500


def made_up(models: int, votes: int, seed: int = 0) -> Votes:
    """Votes between random models with known strengths."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(1, -1, models)
    a = rng.integers(0, models, votes)
    b = (a + rng.integers(1, models, votes)) % models
    first = rng.random(votes) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return np.where(first[:, None], np.stack([a, b], axis=1), np.stack([b, a], axis=1))


def _batches(votes: Votes) -> Iterable[Votes]:
    return (votes[k : k + _BATCH] for k in range(0, len(votes), _BATCH))


def _wins(some: Votes, models: int) -> npt.NDArray[np.int64]:
    out = np.zeros((models, models), dtype=np.int64)
    np.add.at(out, (some[:, 0], some[:, 1]), 1)
    return out


def wins(crew: WorkerPool, votes: Votes, models: int) -> npt.NDArray[np.int64]:
    """Whole numbers: they may be added by anybody, in any order."""
    return crew.reduced(_wins, ((some, models) for some in _batches(votes)), np.add)


def _block(some: Votes, strength: Any) -> Any:
    """Gradient and Hessian of the log-likelihood of some votes, (models, models + 1)."""
    models = len(strength)
    p = 1 / (1 + np.exp(strength[some[:, 1]] - strength[some[:, 0]]))
    out = np.zeros((models, models + 1))
    weight = p * (1 - p)
    for i, j, sign in ((0, 1, 1.0), (1, 0, -1.0)):
        np.add.at(out, (some[:, i], np.full(len(some), models)), sign * (1 - p))
        np.add.at(out, (some[:, i], some[:, i]), weight)
        np.add.at(out, (some[:, i], some[:, j]), -weight)
    return out


def bradley_terry(crew: WorkerPool, votes: Votes, models: int, steps: int = 8) -> Any:
    """Strengths by Newton's method, the first model's 0.

    Sums of fractions depend on their order, which is that of the batches wherever they were made.
    """
    strength = np.zeros(models)
    for _ in range(steps):
        at = crew.share(strength)
        parts = crew.ordered(_block, ((some, at) for some in _batches(votes)))
        total = reduce_in_order(parts, np.add)
        step = np.linalg.solve(total[1:, 1:-1], total[1:, -1])
        strength = np.concatenate([[0.0], strength[1:] + step])
    return strength
