"""Boards planned from pilots: is the noise where a plan says, are assured items enough?"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import special

from nstar._base.types import Array, JsonScalar
from nstar._verbs.plan.board import board_pilot, board_readings
from nstar._verbs.plan.board_outlook import outlook
from nstar._verbs.plan.board_result import ItemsAre
from nstar._verbs.simulate.stream import generator, key
from nstar._verbs.verdict import Criteria
from validation.distributions import CONF
from validation.power import GROUP
from validation.promise import (
    CLAIMS,
    CellRate,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

_HARD, _OWN, _LUCK = 1.5, 0.7, 0.7
"""In logits: how items differ, a model from others on an item, and on a group of items."""
_TOP = 1.0
"""In logits, the best model; the worst is as far below 0."""
_TRUTH_ITEMS = 100_000
"""Items of which the truth is taken, weighed without drawing answers."""
_ASSURED = 0.9
_CERTAIN = 0.9
"""Smallest forecast of the leader that counts as certain."""
_BOARDS = 100
"""Simulated boards behind a forecast."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PilotCell:
    """Pilots of so many models, items and runs, and what the items to come are."""

    models: int
    items: int
    runs: int = 1
    items_are: ItemsAre = "items"
    groups: int = 0
    """Groups that the items come in, of equal size; 0 for none."""
    top: float = _TOP
    """Of the best model, in logits; the worst is as far below 0. At 0 all models are equal."""

    @property
    def about(self) -> dict[str, JsonScalar]:
        """What it is like."""
        description: dict[str, JsonScalar] = {
            "models": self.models,
            "items": self.items,
            "runs": self.runs,
        }
        if self.groups:
            description |= {self.items_are: self.groups}
        if not self.top:
            description |= {"true spread": 0}
        return description

    def chances(self, rng: np.random.Generator, items: int) -> Array:
        """Probability of a right answer, items × models; items of a group stand together."""
        skill = np.linspace(self.top, -self.top, self.models)
        logit = skill + _HARD * rng.standard_normal((items, 1))
        logit += _OWN * rng.standard_normal(logit.shape)
        if self.groups:
            logit += _LUCK * self._luck(rng, items)
        return np.asarray(special.expit(logit))

    def _luck(self, rng: np.random.Generator, items: int) -> Array:
        """Of each model on each group: other groups every time, or always the same."""
        each = self.items // self.groups
        if self.items_are == "strata":
            each = items // self.groups
            rng = generator(0, key({"strata": self.groups}), 0)
        groups = -(-items // each)
        return np.repeat(rng.standard_normal((groups, self.models)), each, axis=0)[:items]

    def noise(self) -> float:
        """True variance of an item's difference of neighbors, with what its group adds.

        That of expected scores, of whole groups if they are drawn anew, around the mean of each
        group if they are not; and that of answers, whose runs are averaged.
        """
        group_size = self.items if self.groups else 1
        p = self.chances(
            generator(0, key(self.about), 0, use=1), _TRUTH_ITEMS // group_size * group_size
        )
        gaps = p[:, :-1] - p[:, 1:]
        answers = (p * (1 - p)).mean(axis=0) / self.runs
        if self.items_are == "strata":
            parts = gaps.reshape(self.groups, -1, self.models - 1)
            spread = parts.var(axis=1).mean(axis=0)
        else:
            each = self.items // self.groups if self.groups else 1
            spread = gaps.reshape(-1, each, self.models - 1).sum(axis=1).var(axis=0) / each
        return float((spread + answers[:-1] + answers[1:]).mean())


def told_noise(cell: PilotCell, rng: np.random.Generator) -> tuple[float, float, float]:
    """Ends of the interval of the noise, and what is assured, by the plan of one pilot."""
    p = cell.chances(rng, cell.items)
    scores = rng.binomial(cell.runs, p) / cell.runs
    group = np.arange(cell.items) // (cell.items // cell.groups) if cell.groups else None
    pilot = board_pilot(scores, None if group is None else {"group": group})
    cluster, strata = (
        "group" if cell.items_are == kind else None for kind in ("clusters", "strata")
    )
    reading, doubt = next(board_readings(pilot, cluster=cluster, strata=strata))
    assert doubt is not None  # noqa: S101 groups are enough
    noise_estimate = reading.sd**2 * (
        1 + ((reading.cluster_size or 1.0) - 1) * (reading.icc or 0.0)
    )
    return noise_estimate * doubt.low, noise_estimate * doubt.high, noise_estimate * doubt.assured


def _planned(request: ValidationRequest, cell: PilotCell) -> list[CellRate]:
    """How often the interval of one pilot holds the truth, and how often its items suffice."""
    true, n_covered, n_sufficient = cell.noise(), 0, 0
    pilots = request.effort.reps // 10
    rng = generator(request.seed, key(cell.about), 0)
    for _ in range(pilots):
        low, high, assured = told_noise(cell, rng)
        n_covered += low <= true <= high
        n_sufficient += assured >= true
    readings = (("95% interval", n_covered, CONF), ("enough with 90%", n_sufficient, _ASSURED))
    return [
        counted_reading(procedure, cell.about, n, pilots, promised=p)
        for procedure, n, p in readings
    ]


def pilot_grid() -> list[PilotCell]:
    """Every cell: models, items and runs; groups of one run."""
    plain = [
        PilotCell(models=models, items=items, runs=runs)
        for models in (3, 10, 30)
        for items in (30, 60, 100, 200)
        for runs in (1, 2, 3, 5)
    ]
    kinds: tuple[ItemsAre, ...] = ("clusters", "strata")
    grouped = [
        PilotCell(models=models, items=items, items_are=kind, groups=groups)
        for kind in kinds
        for models in (3, 10, 30)
        for groups, items in ((6, 60), (6, 120), (15, 60), (15, 150), (30, 60), (30, 180))
    ]
    equal = [
        PilotCell(models=models, items=items, top=0.0)
        for models in (3, 10, 30)
        for items in (30, 100, 200)
    ]
    return plain + grouped + equal


@CLAIMS.add(
    GROUP,
    "In a plan from a pilot of many models, the 95% interval covers the true noise of a gap "
    "in at least 95% of pilots. The number of items stated to be sufficient with 90% "
    "confidence is sufficient in at least 90% of pilots.",
    "at least",
    advice={
        "": ("For 3 models with several runs, 30 items are too few. Run a pilot of 100 items.")
    },
)
def board_pilots(request: ValidationRequest) -> Iterator[CheckJob]:
    """Items that differ, models that differ or not, one run and several; groups, both ways."""
    small_grid = [
        PilotCell(models=10, items=100),
        PilotCell(models=3, items=60, runs=3),
        PilotCell(models=10, items=150, items_are="clusters", groups=15),
        PilotCell(models=10, items=100, top=0.0),
    ]
    for cell in pilot_grid() if request.effort.full else small_grid:
        yield partial(_planned, request, cell)


def _forecast(cell: PilotCell, scores: Array, board_items: int, seed: int) -> float:
    """Probability that the best model is on top, by the plan of one pilot."""
    reading, _ = next(board_readings(board_pilot(scores)))
    forecast = outlook(
        scores, reading, cell.models, board_items, Criteria(), seed=seed, reps=_BOARDS
    )
    assert forecast is not None  # noqa: S101 three models or more
    return forecast.winner


def _certain(request: ValidationRequest, cell: PilotCell, board_items: int) -> list[CellRate]:
    """How often a pilot of equal models gets a forecast that counts as certain."""
    pilots = max(request.effort.reps // 100, 1)
    setting = {**cell.about, "board": board_items}
    rng = generator(request.seed, key({"forecast": setting}), 0)
    certain = 0
    for k in range(pilots):
        p = cell.chances(rng, cell.items)
        scores = (rng.random(p.shape) < p).astype(np.float64)
        certain += _forecast(cell, scores, board_items, k) >= _CERTAIN
    return [counted_reading("leader with 90%", setting, certain, pilots, promised=1 - CONF)]


@CLAIMS.add(
    GROUP,
    "From a pilot of equal models, a plan forecasts a leader with a probability of 90% or more "
    "in at most 5% of pilots.",
    "at most",
)
def equal_forecasts(request: ValidationRequest) -> Iterator[CheckJob]:
    """Pilots without a true spread, boards of ten times as many items."""
    sizes = [(3, 50), (10, 50), (10, 100), (30, 100)] if request.effort.full else [(10, 100)]
    for models, items in sizes:
        cell = PilotCell(models=models, items=items, top=0.0)
        yield partial(_certain, request, cell, 10 * items)


def _calibrated(request: ValidationRequest, models: int, items: int) -> list[CellRate]:
    """Forecast and true rate of the leader if true spreads follow the prior of the forecast."""
    setting: dict[str, JsonScalar] = {"models": models, "items": items, "board": 10 * items}
    pilots = max(request.effort.reps // 10, 1)
    rng = generator(request.seed, key({"calibration": setting}), 0)
    cell, scale = PilotCell(models=models, items=items), items**-0.5
    right, forecast_sum = 0, 0.0
    for k in range(pilots):
        true = scale * abs(rng.standard_cauchy()) * rng.standard_normal(models)
        scores = true + rng.standard_normal((items, models))
        forecast_sum += _forecast(cell, scores, 10 * items, k)
        board = true + rng.standard_normal(models) * (10 * items) ** -0.5
        right += board.argmax() == true.argmax()
    return [counted_reading("leader", setting, int(right), pilots, promised=forecast_sum / pilots)]


@CLAIMS.add(
    GROUP,
    "If the true spreads of pilots follow the prior of the forecast, the best model is on top at "
    "least as often as forecast. At one given spread the forecast is biased: too high for nearly "
    "equal models, too low for models far apart.",
    "at least",
)
def leader_forecasts(request: ValidationRequest) -> Iterator[CheckJob]:
    """Normal scores; boards of ten times as many items as the pilot."""
    sizes = [(3, 50), (10, 50), (30, 30), (30, 100)] if request.effort.full else [(10, 50)]
    for models, items in sizes:
        yield partial(_calibrated, request, models, items)
