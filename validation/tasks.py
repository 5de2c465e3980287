"""Tasks as the unit: family-wise error, coverage of gaps, and items inside tasks."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import nstar
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.simulate.stream import generator, key
from validation.distributions import ALPHA, CONF
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

GROUP = "Leaderboards"
DRAWS = 999
_LAWS = ("normal", "unequal scales", "t with 3 df")
_MODELS, _TASKS = (6, 20, 60), (8, 15, 50)
_COST = {6: 10, 20: 10, 60: 25}
"""Divisor of the number of leaderboards, by number of models."""
_STEP = 0.6
"""True gap between adjacent pairs of models, in standard deviations of a task."""
_LADDER = "pairs of models in steps"
_COVERAGE_COST = 8
"""Divisor of the number of leaderboards, for coverage."""


def _scores(law: str, models: int, tasks: int, rng: np.random.Generator) -> Array:
    """Return scores of equal models, (models, tasks), with a level that varies by task."""
    x = rng.standard_normal((models, tasks))
    if law == "t with 3 df":
        x = rng.standard_t(3, (models, tasks))
    if law == "unequal scales":
        x *= np.exp(0.7 * rng.standard_normal(tasks))
        x *= np.exp(0.3 * np.linspace(-1, 1, models))[:, None]
    return x + 10 * rng.standard_normal(tasks)


def _audit(x: Array, seed: int, **options: Any) -> nstar.Audit:
    board = ScoreMatrix.from_arrays(x, models=[f"m{i:02}" for i in range(len(x))])
    return nstar.audit(board, unit="task", draws=DRAWS, seed=seed, **options)


def _reps(request: ValidationRequest, models: int) -> int:
    return max(request.effort.boards // _COST[models], 20)


def _family(
    request: ValidationRequest, law: str, models: int, tasks: int, options: dict[str, str]
) -> list[CellRate]:
    setting: CellSetting = {"models": models, "tasks": tasks, "scores": law, **options}
    reps, n_false = _reps(request, models), 0
    for k in range(reps):
        equal = _scores(law, models, tasks, generator(request.seed, key({"tasks": setting}), k))
        n_false += _audit(equal, k, **options).verdict_counts["significant"] > 0
    return [counted_reading("any gap significant", setting, n_false, reps, promised=ALPHA)]


def _ladder(request: ValidationRequest, models: int, tasks: int) -> list[CellRate]:
    """Return how often a rank range lacks a true rank; pairs of models share their ranks."""
    setting: CellSetting = {"models": models, "tasks": tasks, "scores": _LADDER}
    reps, n_missed = _reps(request, models), 0
    for k in range(reps):
        rng = generator(request.seed, key({"tasks": setting}), k)
        lead = _STEP * (np.arange(models)[::-1, None] // 2)
        ranking = _audit(_scores("normal", models, tasks, rng) + lead, k).ranking
        level = np.array([int(name[1:]) // 2 for name in ranking.model])
        best = 1 + (level[:, None] > level).sum(axis=1)
        worst = models - (level[:, None] < level).sum(axis=1)
        n_missed += bool(((ranking.rank_low > best) | (ranking.rank_high < worst)).any())
    return [counted_reading("any rank range wrong", setting, n_missed, reps, promised=ALPHA)]


@CLAIMS.add(
    GROUP,
    "With tasks as the unit, an audit of equal models finds a significant gap, and an audit of "
    "unequal models gives a rank range without the true rank, in at most 5% of leaderboards.",
    "at most",
)
def task_boards(request: ValidationRequest) -> Iterator[CheckJob]:
    """Joint sign flips: three laws, 6 to 60 models, 8 to 50 tasks; win rates."""
    full = request.effort.full
    sizes = list(product(_MODELS, _TASKS)) if full else [(6, 8)]
    for law, (models, tasks) in product(_LAWS, sizes):
        yield partial(_family, request, law, models, tasks, {})
    for law, tasks in product(_LAWS[::2], (8, 15) if full else (8,)):
        yield partial(_family, request, law, 20, tasks, {"rank_by": "win-rate"})
    for tasks in _TASKS if full else (8,):
        yield partial(_ladder, request, 20, tasks)


def _coverage(request: ValidationRequest, law: str, tasks: int) -> list[CellRate]:
    """Return the coverage of the unadjusted interval of two equal models among six."""
    setting: CellSetting = {"models": 6, "tasks": tasks, "scores": law}
    reps, n_covered = max(request.effort.boards // _COVERAGE_COST, 40), 0
    for k in range(reps):
        rng = generator(request.seed, key({"task gap": setting}), k)
        pair = _audit(_scores(law, 6, tasks, rng), k, pairs="all").pairs
        pair_names = zip(pair.model_a, pair.model_b, strict=True)
        (i,) = (i for i, names in enumerate(pair_names) if {*names} == {"m00", "m01"})
        n_covered += bool(pair.ci_unadjusted_low[i] <= 0 <= pair.ci_unadjusted_high[i])
    return [counted_reading("t over tasks", setting, n_covered, reps, promised=CONF)]


def _two_level(request: ValidationRequest, tasks: int, spread: float) -> list[CellRate]:
    """Return the coverage if items inside tasks are known and gaps differ between tasks."""
    setting: CellSetting = {"tasks": tasks, "items per task": 100, "sd of gaps": spread}
    reps, n_covered = max(request.effort.boards // _COVERAGE_COST, 40), 0
    for k in range(reps):
        rng = generator(request.seed, key({"items of tasks": setting}), k)
        boards = []
        for task in range(tasks):
            level = rng.uniform(0.4, 0.8)
            rates = np.array([level, level + rng.normal(0, spread)])
            scores = rng.random((2, 100)) < np.clip(rates, 0, 1)[:, None]
            boards.append(ScoreMatrix.from_arrays(scores, models=["a", "b"], task=f"t{task}"))
        pair = nstar.audit(boards, unit="task").adjacent
        n_covered += bool(pair.ci_unadjusted_low[0] <= 0 <= pair.ci_unadjusted_high[0])
    return [counted_reading("t over tasks", setting, n_covered, reps, promised=CONF)]


@CLAIMS.add(
    "Coverage",
    "With tasks as the unit, a 95% interval covers the gap on tasks such as these in at least "
    "95% of evaluations.",
    "at least",
)
def task_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """One score per task, and items inside tasks whose gaps differ."""
    sizes = _TASKS if request.effort.full else (8,)
    for law, tasks in product(_LAWS, sizes):
        yield partial(_coverage, request, law, tasks)
    for tasks, spread in product(sizes, (0.02, 0.06)):
        yield partial(_two_level, request, tasks, spread)
