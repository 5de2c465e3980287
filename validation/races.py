"""Races: how often is the best model dropped, with ties, groups of items and sorted items?"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.race import RaceQuestion
from nstar._verbs.race.question import MIXTURE
from nstar._verbs.simulate.stream import generator, key
from validation.distributions import ALPHA
from validation.promise import (
    CLAIMS,
    CellRate,
    CellRole,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

GROUP = "Interim looks"

RaceKind: TypeAlias = Literal[
    "random order",
    "14 subjects, shuffled",
    "passages of 5, shuffled",
    "by difficulty",
    "graded",
    "passages of 5 in a row",
    "by subject",
]
"""Which items, and in which order."""

_KINDS: tuple[RaceKind, ...] = RaceKind.__args__  # type: ignore[attr-defined]
_WARNED: tuple[RaceKind, ...] = ("passages of 5 in a row", "by subject")
_BEHIND, _LUCK, _SPREAD = -0.15, 0.5, 1.5
"""In logits: how far other models are behind, how models differ on a group, how items do."""
_SUBJECTS, _PASSAGE = 14, 5
_FULL_EFFORT_MODELS, _MIN_REPS = 5, 200
_MAX_SCORES_HELD = 1 << 22
"""Scores that are held at once."""
_LEVEL = 0.7
_MARGIN, _LOOKS = 0.1, 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaceCell:
    """A race many times over."""

    kind: RaceKind
    models: int
    best: int
    """Models that share the first place."""
    items: int = 1000

    @property
    def role(self) -> CellRole:
        """Whether the order is one that a race may have."""
        return "warning" if self.kind in _WARNED else "default"

    def reps(self, request: ValidationRequest) -> int:
        """Races: a tenth of the evaluations of two models; fewer of many, with many pairs."""
        share = min(1.0, (_FULL_EFFORT_MODELS / self.models) ** 2) / 10
        return max(_MIN_REPS, round(request.effort.reps * share))

    def scores(self, rng: np.random.Generator, races: int) -> Array:
        """Scores, (races, items, models)."""
        shape = (races, self.items, self.models)
        skill = np.where(np.arange(self.models) < self.best, 0.0, _BEHIND)
        hard = rng.normal(0, _SPREAD, shape[:2])
        if self.kind == "by difficulty":
            hard = -np.sort(-hard, axis=1)
        logit = skill + hard[:, :, None] + self._luck(rng, races)
        if self.kind == "graded":
            return np.asarray(special.expit(logit + rng.normal(0, 1, shape)))
        return (rng.random(shape) < special.expit(logit)).astype(np.float64)

    def _luck(self, rng: np.random.Generator, races: int) -> Array:
        """How models differ on the groups of items; over all subjects it cancels."""
        if "passages" in self.kind:
            group = np.tile(np.arange(self.items) // _PASSAGE, (races, 1))
        elif "subject" in self.kind:
            group = np.tile(np.arange(self.items) * _SUBJECTS // self.items, (races, 1))
        else:
            return np.zeros((1, 1, 1))
        if self.kind.endswith("shuffled"):
            group = rng.permuted(group, axis=1)
        luck = rng.normal(0, _LUCK, (races, int(group.max()) + 1, self.models))
        if "subject" in self.kind:
            luck -= luck.mean(axis=1, keepdims=True)
        return np.take_along_axis(luck, group[:, :, None], axis=1)


def left_of(scores: Array, *, graded: bool = False) -> BoolArray:
    """Which models are left at the end of each race, (races, models)."""
    races, items, models = scores.shape
    alive = np.ones((races, models), dtype=bool)
    steps = _bets(scores) if graded else _counts(scores, stats.race_leads(items, models, ALPHA))
    for ahead in steps:
        fallen = (ahead & alive[:, :, None] & alive[:, None, :]).any(axis=1)
        alive &= ~fallen
    return alive


def _counts(scores: Array, leads: IntArray) -> Iterator[BoolArray]:
    """Whether row is shown to be better than column, after each item."""
    races, items, models = scores.shape
    wins = np.zeros((races, models, models), dtype=np.int32)
    right = scores > 0
    for t in range(items):
        x = right[:, t]
        wins += x[:, :, None] & ~x[:, None, :]
        losses = wins.transpose(0, 2, 1)
        yield wins - losses >= leads[wins + losses]


def _bets(scores: Array) -> Iterator[BoolArray]:
    """The same of graded scores, by bets as :class:`nstar.Race` makes them."""
    models = scores.shape[2]
    question = RaceQuestion(models=tuple(map(str, range(models))), items=2, scale="graded")
    total, squares, log_e = (np.zeros((len(scores), models, models)) for _ in range(3))
    aim = 2 * (np.log(2.0) + question.log_e_value_threshold)
    for t in range(scores.shape[1]):
        x, n = (scores[:, t, :, None] - scores[:, t, None, :] + 1) / 2, t + 1
        stakes = np.sqrt(aim / ((0.25 + squares) * np.log(n + 1)))
        log_e += np.log1p(np.minimum(stakes, 1.0) * (x - 0.5))
        total += x
        squares += np.square(x - (0.5 + total) / (n + 1))
        yield log_e >= question.log_e_value_threshold


def _raced(request: ValidationRequest, cell: RaceCell) -> list[CellRate]:
    """How often a best model is dropped: a given one, one of several, all but one."""
    identity = {"race": cell.kind, "models": cell.models, "best": cell.best, "items": cell.items}
    races, counts = cell.reps(request), np.zeros(3, dtype=np.int64)
    part = max(1, _MAX_SCORES_HELD // (cell.items * cell.models))
    for k, start in enumerate(range(0, races, part)):
        rng = generator(request.seed, key(identity), k)
        left = left_of(cell.scores(rng, min(part, races - start)), graded=cell.kind == "graded")
        top = left[:, : cell.best]
        counts += [(~top[:, 0]).sum(), (left.sum(axis=1) == 1).sum(), (~top.all(axis=1)).sum()]
    setting = {
        "models": cell.models,
        "equally good": cell.best,
        "items": cell.items,
        "order": cell.kind,
    }
    names = ("the best dropped", "one of equals called the best", "any of the equals dropped")
    roles: tuple[CellRole, ...] = (cell.role, cell.role, "warning")
    return [
        replace(counted_reading(event, setting, int(n), races, promised=ALPHA), role=role)
        for event, n, role in zip(names, counts, roles, strict=True)
    ][: 1 if cell.best == 1 else 3]


@CLAIMS.add(
    GROUP,
    "A race that is analyzed after every item drops the best model in at most 5% of "
    "evaluations. In at most 5%, it reports one of several equally good models as the best.",
    "at most",
    advice={
        "": "Shuffle the items, and treat each passage as one item. A race can drop one of "
        "many equally good models: it selects a model and does not prove that every other"
        " model is worse."
    },
)
def races(request: ValidationRequest) -> Iterator[CheckJob]:
    """One best model, two, all equal; items in random order, in groups, sorted, graded."""
    small_kinds: tuple[RaceKind, ...] = ("random order", "by subject")
    for models in (2, 5, 10, 28) if request.effort.full else (5,):
        for kind in _KINDS if request.effort.full else small_kinds:
            for best in dict.fromkeys((1, 2, models)):
                items = 600 if models > 10 or kind == "graded" else 1000
                cell = RaceCell(kind=kind, models=models, best=best, items=items)
                yield partial(_raced, request, cell)


def _margins(request: ValidationRequest, models: int, items: int) -> list[CellRate]:
    """Rivals exactly the margin behind the best: it is dropped, or they are called as good."""
    reps = max(_MIN_REPS, request.effort.reps // 20)
    rng = generator(request.seed, key({"race margin": models, "items": items}), 0)
    chance = np.where(np.arange(models) == 0, _LEVEL, _LEVEL - _MARGIN)
    right = rng.random((reps, items, models)) < chance
    limit = RaceQuestion(models=tuple(map(str, range(models))), items=2).log_e_value_threshold
    alive, wrong = np.ones((reps, models), dtype=bool), np.zeros(reps, dtype=bool)
    wins = np.zeros((reps, models, models), dtype=np.int64)
    leads = stats.race_leads(items, models, ALPHA)
    for t in range(items):
        x = right[:, t]
        wins += x[:, :, None] & ~x[:, None, :]
        losses = wins.transpose(0, 2, 1)
        ahead = (wins - losses >= leads[wins + losses]) & alive[:, :, None] & alive[:, None, :]
        alive &= ~ahead.any(axis=1)
        if (t + 1) % (items // _LOOKS) == 0:
            counts, n = (wins[:, 1:, 0], wins[:, 0, 1:]), t + 1
            safe = stats.gap_log_e(*counts, n, null=-_MARGIN, a=MIXTURE, tail="above") >= limit
            wrong |= (safe & alive[:, 1:]).any(axis=1) & alive[:, 0]
    wrong |= ~alive[:, 0]
    setting = {"models": models, "items": items, "margin": _MARGIN}
    event = "the best dropped, or a rival called within the margin"
    return [counted_reading(event, setting, int(wrong.sum()), reps, promised=ALPHA)]


@CLAIMS.add(
    GROUP,
    "A race with a margin makes an error in at most 5% of evaluations: it drops the best "
    "model, or it reports a model as within the margin that trails by more.",
    "at most",
)
def race_margins(request: ValidationRequest) -> Iterator[CheckJob]:
    """Rivals that are exactly the margin behind, which is the worst case."""
    for models in (3, 10) if request.effort.full else (3,):
        yield partial(_margins, request, models, 500)
