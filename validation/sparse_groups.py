"""Groups that show little of their spread: tasks that ran once, small tasks, uniform strata."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._engine.gram import ItemLayout
from nstar._engine.pairs import AveragedPanel, ItemDesign, panel
from nstar._verbs.audit.ranking import score_intervals
from nstar._verbs.simulate.stream import generator, key
from nstar.stats._null_variance import strata_half, strata_pvalue
from validation.coverage import GROUP as COVERAGE
from validation.distributions import ALPHA, CONF
from validation.levels import GROUP as LEVEL
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)
from validation.tables import tables

_ONE_BY_ONE = 4000
"""Evaluations of a cell, at most, whose intervals are computed one by one."""
_CELLS = 1 << 20
"""Scores drawn at once."""

_SUCCESS = {"middling": (1.0, 1.0), "near the ceiling": (3.0, 0.4)}
"""Beta laws of the success rates of tasks."""


def _run_variance(
    request: ValidationRequest, tasks: int, runs: int, once: float, law: str
) -> list[CellRate]:
    """Tasks of which a share ran once, the others ``runs`` times."""
    setting: CellSetting = {"tasks": tasks, "runs": runs, "ran once": once, "success": law}
    rng, reps = generator(request.seed, key({"run variance": setting}), 0), request.effort.reps
    reps, (a, b) = min(reps, _ONE_BY_ONE), _SUCCESS[law]
    truth, n_covered, n_drawn = a * b / ((a + b) * (a + b + 1)), 0, 0
    for _ in range(reps):
        rate = rng.beta(a, b, (tasks, 1))
        scores = (rng.random((tasks, runs)) < rate).astype(np.float64)
        scores[rng.random(tasks) < once, 1:] = np.nan
        limits = stats.run_components(scores, blocks=False).within_ci
        if limits is not None:
            n_drawn += 1
            n_covered += bool(limits.low <= truth <= limits.high)
    return [counted_reading("σ_w²", setting, n_covered, n_drawn, promised=CONF)]


@CLAIMS.add(
    COVERAGE,
    "A 95% interval contains the run-to-run variance in at least 95% of evaluations, even if "
    "some tasks ran once.",
    "at least",
)
def run_variance_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores of tasks that differ; some tasks ran once."""
    full = request.effort.full
    for tasks in (20, 100) if full else (100,):
        for runs in (2, 5) if full else (2,):
            for once in (0.0, 0.25, 0.5, 0.8) if full else (0.5,):
                for law in _SUCCESS if full else ("middling",):
                    yield partial(_run_variance, request, tasks, runs, once, law)


class _TaskSet(NamedTuple):
    """Tasks of independent 0/1 items: how many items, and the chance to solve one."""

    items: tuple[int, ...]
    success: tuple[float, ...]

    @property
    def truth(self) -> float:
        """Macro average."""
        return float(np.mean(self.success))

    def average(self, rng: np.random.Generator, models: int) -> AveragedPanel:
        """As many models of the same ability."""
        names, nothing = [str(k) for k in range(models)], np.empty(0, dtype=np.int64)
        panels = []
        for items, success in zip(self.items, self.success, strict=True):
            scores = (rng.random((models, items)) < success).astype(np.float64)
            matrix = ScoreMatrix.from_arrays(scores, models=names)
            panels.append(panel(matrix, range(models), np.arange(items)))
        layout = ItemLayout(items=nothing, place=nothing, width=0, sizes=nothing)
        return AveragedPanel(
            design=ItemDesign(kind="average", layout=layout, complete=True),
            panels=tuple(panels),
            weights=(1 / len(panels),) * len(panels),
        )


_TASK_SETS = {
    "500 at 82%, 8 at 99%": _TaskSet((500, 8), (0.82, 0.99)),
    "500 at 82%, 8 at 95%": _TaskSet((500, 8), (0.82, 0.95)),
    "500 at 82%, 8 at 85%": _TaskSet((500, 8), (0.82, 0.85)),
    "500 at 82%, 30 at 98%": _TaskSet((500, 30), (0.82, 0.98)),
    "10 of 10 at 95%": _TaskSet((10,) * 10, (0.95,) * 10),
    "20 of 50 from 60 to 99%": _TaskSet((50,) * 20, tuple(np.linspace(0.6, 0.99, 20))),
}
"""Items and success rates of the tasks."""


def _macro(request: ValidationRequest, name: str) -> list[CellRate]:
    tasks, reps, n_covered = _TASK_SETS[name], request.effort.reps, 0
    rng, step = generator(request.seed, key({"macro": name}), 0), _CELLS // max(tasks.items)
    for start in range(0, reps, step):
        models = tasks.average(rng, min(step, reps - start))
        low, high = score_intervals(models, (0.0, 1.0), CONF)
        n_covered += int(np.count_nonzero((low <= tasks.truth) & (tasks.truth <= high)))
    return [counted_reading("macro average", {"tasks": name}, n_covered, reps, promised=CONF)]


@CLAIMS.add(
    COVERAGE,
    "A 95% interval contains the macro average of a model in at least 95% of evaluations, even "
    "if the model solves every item of a small task.",
    "at least",
)
def macro_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores; small tasks near the ceiling beside a large one, and many small tasks."""
    for name in _TASK_SETS if request.effort.full else list(_TASK_SETS)[1:2]:
        yield partial(_macro, request, name)


class _Strata(NamedTuple):
    """Two strata of as many items, each with its discordance and its gap."""

    items: int
    discordant: tuple[float, float]
    gaps: tuple[float, float] = (0.0, 0.0)

    @property
    def setting(self) -> CellSetting:
        """For people."""
        return {
            "items": f"2 × {self.items}",
            "discordant by stratum": " and ".join(f"{x:g}" for x in self.discordant),
            "gap by stratum": " and ".join(f"{x:g}" for x in self.gaps),
        }

    def every(self) -> tuple[Array, Array, Array]:
        """Sums and sums of squares of the two strata, (tables, 2), and the chance of each."""
        parts = [tables(self.items, x, y) for x, y in zip(self.discordant, self.gaps, strict=True)]
        chance = np.multiply.outer(parts[0].weight, parts[1].weight).reshape(-1)
        sums, squares = (
            np.stack([x.reshape(-1) for x in np.meshgrid(*values, indexing="ij")], axis=-1)
            for values in (
                [p.counts.n10 - p.counts.n01 for p in parts],
                [p.counts.n10 + p.counts.n01 for p in parts],
            )
        )
        return sums.astype(np.float64), squares.astype(np.float64), chance

    def _answers(self) -> tuple[Array, Array, Array, Array]:
        """Gap, standard error, discordant items and chance of every table."""
        sums, squares, chance = self.every()
        variance = stats.strata_variance(sums, squares, np.full(2, self.items))
        return (
            sums.sum(axis=-1) / (2 * self.items),
            np.sqrt(variance),
            squares.sum(axis=-1),
            chance,
        )

    def covered(self) -> list[CellRate]:
        """How often the interval of `compare` contains the gap."""
        delta, se, _, chance = self._answers()
        n, truth = 2 * self.items, float(np.mean(self.gaps))
        half = strata_half(stats.t_quantile((1 + CONF) / 2, n - 2.0) * se, se, n)
        share = float(stats.z_conf(CONF)) ** 2
        share /= n + share
        flat = se == 0  # as `unanimous_interval` has it
        low = np.where(flat, delta - share * (1 + delta), delta - half)
        high = np.where(flat, delta + share * (1 - delta), delta + half)
        inside = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
        return [_strata_rate("stratified interval", self, float(chance @ inside), CONF)]

    def rejected(self) -> list[CellRate]:
        """How often the test rejects."""
        delta, se, discordant, chance = self._answers()
        n = 2 * self.items
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(delta == 0, 0.0, delta / se)
        p = strata_pvalue(t, n - 2.0, n=n, discordant=discordant)
        return [_strata_rate("stratified t", self, float(chance @ (p <= ALPHA)), ALPHA)]


def _strata_rate(name: str, strata: _Strata, rate: float, promised: float) -> CellRate:
    return CellRate(procedure=name, setting=strata.setting, rate=rate, promised=promised)


_DISCORDANT = ((1.0, 0.0), (0.9, 0.0), (0.9, 0.1), (0.5, 0.05), (0.2, 0.0), (0.3, 0.3))
_UNEQUAL = ((0.9, 0.85), (0.5, 0.4), (0.3, 0.2))
"""Discordance and gap of a stratum; the other stratum has the opposite gap."""


@CLAIMS.add(
    LEVEL,
    "The test of a gap of 0/1 scores in strata has a false-positive rate of at most 5%, even if "
    "strata hardly vary.",
    "at most",
)
def strata_level(request: ValidationRequest) -> Iterator[CheckJob]:
    """All tables weighed: strata without a gap, and strata whose gaps cancel."""
    for items in (10, 20, 40) if request.effort.full else (10,):
        for discordant in _DISCORDANT:
            yield _Strata(items, discordant).rejected
        for psi, gap in _UNEQUAL:
            yield _Strata(items, (psi, psi), (gap, -gap)).rejected


@CLAIMS.add(
    COVERAGE,
    "A 95% interval contains a gap of 0/1 scores in strata in at least 95% of evaluations, even "
    "if strata hardly vary.",
    "at least",
    advice={
        "": "If one stratum of 20 to 40 items has nearly all discordant items, coverage is up to "
        "3 points too low. The p-value keeps its level."
    },
)
def strata_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """All tables weighed: a stratum that one model wins beside one without a gap."""
    for items in (10, 20, 40) if request.effort.full else (10,):
        for psi, gap in ((0.9, 0.9), (0.9, 0.7), (0.5, 0.4), (0.3, 0.1)):
            for other in (0.0, 0.05, 0.3):
                yield _Strata(items, (psi, other), (gap, 0.0)).covered
