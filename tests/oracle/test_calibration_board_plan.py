"""Plans from pilots of 30 to 200 items, 1 to 5 runs and 3 to 30 models keep what they say.

A simulation of its own, apart from ``python -m validation --claim board-pilots``, which publishes
every cell: answers are drawn to find the truth, not weighed.
"""

import numpy as np
import pytest

from nstar._base.types import Array
from nstar._verbs.plan.board import board_pilot, board_readings

GRID = [(m, n, r) for m in (3, 10, 30) for n in (30, 60, 100, 200) for r in (1, 5)]
FAST = [(3, 60, 1), (10, 100, 5)]


def answers(rng: np.random.Generator, items: int, skill: Array, runs: int) -> Array:
    hard = rng.normal(0, 1.5, (items, 1)) + rng.normal(0, 0.5, (items, skill.size))
    return np.asarray(rng.binomial(runs, 1 / (1 + np.exp(hard - skill))) / runs)


def kept(models: int, items: int, runs: int, reps: int) -> tuple[float, float]:
    """Shares of pilots whose interval holds the true variance, and whose assured one is enough."""
    skill = np.linspace(-1, 1, models)
    many = answers(np.random.default_rng(9), 100_000, skill, runs)
    true = float((many[:, 1:] - many[:, :-1]).var(axis=0).mean())
    rng = np.random.default_rng([models, items])
    held = enough = 0
    for _ in range(reps):
        reading, doubt = next(board_readings(board_pilot(answers(rng, items, skill, runs))))
        assert doubt is not None
        seen = reading.sd**2
        held += int(seen * doubt.low <= true <= seen * doubt.high)
        enough += int(seen * doubt.assured >= true)
    return held / reps, enough / reps


@pytest.mark.parametrize(("models", "items", "runs"), FAST)
def test_a_sample(models: int, items: int, runs: int) -> None:
    held, enough = kept(models, items, runs, 200)
    assert held >= 0.89
    assert enough >= 0.82


@pytest.mark.slow
@pytest.mark.parametrize(("models", "items", "runs"), GRID)
def test_the_grid(models: int, items: int, runs: int) -> None:
    held, enough = kept(models, items, runs, 1000)
    few = items < 60
    assert held >= (0.9 if few else 0.92)
    assert enough >= (0.84 if few else 0.86)
