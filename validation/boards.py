"""Leaderboards: how often does an audit say something false about any of its models?"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy import special

from nstar._base.parameter_types import Adjust
from nstar._base.types import Array, IntArray
from nstar._data.matrix import ScoreMatrix
from nstar._engine.work import Execution
from nstar._verbs.audit import Audit, audit_board
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.tables import RankTable
from nstar._verbs.battles.result import RatingTable
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
DRAWS = 999

Draw: TypeAlias = Callable[[np.random.Generator], ScoreMatrix]


def _board(x: Array, group: IntArray | None = None) -> ScoreMatrix:
    groups = {} if group is None else {"group": group.tolist()}
    return ScoreMatrix.from_arrays(x, models=[f"m{i:02}" for i in range(len(x))], groups=groups)


def _right(rng: np.random.Generator, ability: Array, items: int) -> Array:
    """0/1 scores on items that are as hard for one model as for another."""
    difficulty = rng.normal(size=items)
    chance = special.expit(ability + difficulty)
    return (rng.random((len(ability), items)) < chance).astype(np.float64)


def _equal(models: int, items: int, level: float, rng: np.random.Generator) -> ScoreMatrix:
    return _board(_right(rng, np.full((models, 1), level), items))


def _graded(models: int, items: int, rng: np.random.Generator) -> ScoreMatrix:
    noise = rng.normal(0, 0.2, (models, items))
    return _board(np.clip(0.6 + 0.15 * rng.normal(size=items) + noise, 0, 1))


def _clusters(models: int, items: int, rng: np.random.Generator) -> ScoreMatrix:
    """14 clusters of unequal size, on each of which every model has its own luck."""
    group = np.sort(rng.choice(14, items, p=rng.dirichlet(np.full(14, 3.0))))
    luck = rng.normal(0, 0.3, (models, 14))[:, group]
    return _board(_right(rng, np.full((models, 1), 0.5) + luck, items), group)


def _false(audit: Audit) -> dict[str, bool]:
    """What was said of equal models."""
    n_significant, m = audit.verdict_counts["significant"], len(audit)
    return {
        "any gap significant": n_significant > 0,
        "any gap resolved": n_significant > audit.n_underpowered,
        "any rank set wrong": bool(
            (audit.ranking.rank_low > 1).any() or (audit.ranking.rank_high < m).any()
        ),
        "any tier line": bool(audit.ranking.tier[-1] > 1),
    }


def _rates(
    request: ValidationRequest,
    draw: Draw,
    judge: Callable[[Audit], dict[str, bool]],
    setting: CellSetting,
    options: dict[str, Any],
) -> list[CellRate]:
    total: dict[str, int] = {}
    for k in range(request.effort.boards):
        rng = generator(request.seed, key({"board": setting}), k)
        question = AuditQuestion(draws=DRAWS, seed=k, **options)
        audit = audit_board([draw(rng)], question, Execution(workers=1))
        for event, happened in judge(audit).items():
            total[event] = total.get(event, 0) + happened
    reps = request.effort.boards
    return [counted_reading(event, setting, n, reps, promised=ALPHA) for event, n in total.items()]


@CLAIMS.add(
    GROUP,
    "An audit of equal models makes a false statement in at most 5% of leaderboards: a "
    "significant gap, a rank range without the true rank, or a tier line.",
    "at most",
    advice={"": "With 50 items or fewer, use Holm's method, which does not assume normality."},
)
def equal_boards(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 and graded scores, items in common, clusters; max-T and Holm."""
    sizes = [(5, 100), (20, 100), (5, 1000), (20, 1000)] if request.effort.full else [(5, 100)]
    adjusts: tuple[Adjust, ...] = ("maxt", "holm")
    for models, items in sizes:
        for adjust in adjusts:
            setting: CellSetting = {
                "models": models,
                "items": items,
                "scores": "0/1",
                "adjust": adjust,
            }
            yield partial(
                _rates,
                request,
                partial(_equal, models, items, 0.5),
                _false,
                setting,
                {"adjust": adjust},
            )
    others: list[tuple[str, Draw, dict[str, Any]]] = [
        ("0/1, 100 models, 100 items", partial(_equal, 100, 100, 0.5), {}),
        ("graded, 20 models", partial(_graded, 20, 100), {}),
        ("graded, 30 items", partial(_graded, 10, 30), {}),
        ("0/1 near 97%, 10 models", partial(_equal, 10, 100, 4.0), {}),
        ("0/1 in 14 clusters", partial(_clusters, 10, 500), {"cluster": "group"}),
    ]
    for name, draw, options in others if request.effort.full else others[1:2]:
        yield partial(_rates, request, draw, _false, {"scores": name}, options)


_LADDERS = {
    "20 steps": np.linspace(1.2, -0.8, 20),
    "5 steps of 4": np.repeat(np.linspace(1.2, -0.8, 5), 4),
    "5 pairs far apart": np.repeat(np.linspace(2.4, -2.4, 5), 2),
}
"""True abilities."""


def missed(ability: Array, ranks: RankTable | RatingTable) -> tuple[bool, bool]:
    """Whether any rank set lacks a true rank, and any tier line is false; abilities in order."""
    is_better = ability[:, None] < ability
    best, worst = 1 + is_better.sum(axis=1), len(ability) - is_better.sum(axis=0)
    tier = ranks.tier
    lines = [r for r in range(1, len(tier)) if tier[r] > tier[r - 1]]
    return (
        bool(((ranks.rank_low > best) | (ranks.rank_high < worst)).any()),
        any(ability[:r].min() <= ability[r:].max() for r in lines),
    )


def _missed(ability: Array, audit: Audit) -> dict[str, bool]:
    """Ranks and lines that are not as they are."""
    order = np.array([int(name[1:]) for name in audit.ranking.model])
    ranks, lines = missed(ability[order], audit.ranking)
    return {"any rank set wrong": ranks, "any false tier line": lines}


@CLAIMS.add(
    GROUP,
    "For unequal models, rank ranges contain all true ranks, and no tier line is false, in at"
    " least 95% of leaderboards. The rate counts leaderboards in which this fails.",
    "at most",
    advice={"": "Use Holm's method, which does not assume normality."},
)
def ladders(request: ValidationRequest) -> Iterator[CheckJob]:
    """Models in steps; equal ones share their ranks."""
    for name, ability in _LADDERS.items() if request.effort.full else list(_LADDERS.items())[1:2]:

        def draw(rng: np.random.Generator, ability: Array = ability) -> ScoreMatrix:
            return _board(_right(rng, ability[:, None], 500))

        setting: CellSetting = {"models": len(ability), "items": 500, "abilities": name}
        yield partial(_rates, request, draw, partial(_missed, ability), setting, {})


def _true_means(ability: Array) -> Array:
    """Mean score of each model over all items."""
    x, weight = np.polynomial.hermite_e.hermegauss(40)
    chance = special.expit(ability[:, None] + x)
    return np.asarray(chance @ (weight / weight.sum()))


def _uncovered(mean: Array, audit: Audit) -> dict[str, bool]:
    """Whether adjusted intervals miss a true gap, excluding pairs that a later step rejects."""
    p = audit.pairs
    a, b = (mean[[int(name[1:]) for name in names]] for names in (p.model_a, p.model_b))
    low, high = p.ci_adjusted_low, p.ci_adjusted_high
    rejected = (low > 0) | (high < 0)
    first = ~(rejected & (p.pvalue > audit.interval_alpha))
    miss = (a - b < low) | (a - b > high)
    return {"any gap missed": bool(miss[first].any())}


@CLAIMS.add(
    GROUP,
    "Adjusted intervals cover the true gaps of all pairs simultaneously in at least 95% of "
    "leaderboards, except pairs that only a later step rejects. The rate counts leaderboards in "
    "which an interval misses its gap.",
    "at most",
    advice={"": "Use the Bonferroni method, which does not assume normal gaps."},
)
def board_intervals(request: ValidationRequest) -> Iterator[CheckJob]:
    """Models in steps, far apart or alike, so that steps after the first reject many pairs."""
    adjusts: tuple[Adjust, ...] = ("maxt", "holm")
    cells = [(name, adjust) for name in _LADDERS for adjust in adjusts]
    for name, adjust in cells if request.effort.full else cells[:1]:
        ability = _LADDERS[name]

        def draw(rng: np.random.Generator, ability: Array = ability) -> ScoreMatrix:
            return _board(_right(rng, ability[:, None], 500))

        setting: CellSetting = {
            "models": len(ability),
            "items": 500,
            "abilities": name,
            "adjust": adjust,
        }
        options: dict[str, Any] = {"adjust": adjust, "pairs": "all"}
        yield partial(
            _rates, request, draw, partial(_uncovered, _true_means(ability)), setting, options
        )
