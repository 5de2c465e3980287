"""Plans from pilots of 30 to 200 items and 3 to 30 models: do they keep what they say of noise?

Measured, 300 pilots each of a logistic model with one run per item: 95 % intervals of the
neighbours' noise hold the true one in 92 to 98 %, and what is assured with 90 % is enough in 85 to
93 %. Short of 90 % by more than two standard errors (1.7 points each) fall 3 models × 30 items
(85 %) and 30 models × 200 items (85 %); why is not known. Pilots with several runs per item, and
groups, were not measured.
"""

import numpy as np
import pytest

from nstar._base.types import Array
from nstar._verbs.plan.board import _drawn, board_pilot

GRID = [(models, items) for models in (3, 10, 30) for items in (30, 60, 100, 200)]
FAST = [(3, 60)]


def answers(rng: np.random.Generator, items: int, skill: Array) -> Array:
    hard = rng.normal(0, 1.5, (items, 1))
    return np.asarray((rng.random((items, skill.size)) < 1 / (1 + np.exp(hard - skill))) * 1.0)


def kept(models: int, items: int, reps: int) -> tuple[float, float]:
    """Shares of pilots whose interval holds the true variance, and whose assured one is enough."""
    skill = np.linspace(-1, 1, models)
    many = answers(np.random.default_rng(9), 100_000, skill)
    true = float(np.median((many[:, 1:] - many[:, :-1]).var(axis=0)))
    rng = np.random.default_rng([models, items])
    held = enough = 0
    for _ in range(reps):
        drawn = _drawn(board_pilot(answers(rng, items, skill)).neighbours, rng)
        low, high, assured = np.quantile(drawn, (0.025, 0.975, 0.9))
        held += int(low <= true <= high)
        enough += int(assured >= true)
    return held / reps, enough / reps


@pytest.mark.parametrize(("models", "items"), FAST)
def test_a_sample(models: int, items: int) -> None:
    held, enough = kept(models, items, 40)
    assert held >= 0.8
    assert enough >= 0.7


@pytest.mark.slow
@pytest.mark.parametrize(("models", "items"), GRID)
def test_the_grid(models: int, items: int) -> None:
    held, enough = kept(models, items, 300)
    assert 0.9 <= held <= 0.995
    assert enough >= 0.82
