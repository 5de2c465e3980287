"""``compare known``: does the interval contain the gap of a new model on a sample of items?"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.reference import KnownQuestion, compare_known
from nstar._verbs.simulate.stream import generator, key
from nstar.errors import DataError
from validation.coverage import GROUP
from validation.distributions import CONF
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

ITEMS, MODELS = 1000, 10
"""Items of the benchmark, and known models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownScenario:
    """A benchmark whose items differ in difficulty, and models of random ability."""

    name: str
    """Name shown in the report."""
    difficulty: float
    """Mean difficulty, in logits; of log-normal scores, minus the mean logarithm."""
    difficulty_sd: float = 1.2
    """Standard deviation of the difficulty."""
    ability_sd: float = 0.5
    """Standard deviation of the models' abilities."""
    new: float | None = None
    """Ability of the new model; None: random, like the others."""
    noise: float | None = None
    """Standard deviation of the noise of log-normal scores; None: 0/1 scores (Rasch)."""

    def scores(self, rng: np.random.Generator) -> tuple[Array, float]:
        """Scores of the new model and of the known ones, (M + 1, N), and the true first gap."""
        ability = rng.normal(0, self.ability_sd, MODELS + 1)
        if self.new is not None:
            ability[0] = self.new
        easiness = ability[:, None] - rng.normal(self.difficulty, self.difficulty_sd, ITEMS)
        if self.noise is None:
            passes = rng.random(easiness.shape) < 1 / (1 + np.exp(-easiness))
            return passes.astype(np.float64), self._mean(ability[0]) - self._mean(ability[1])
        all_scores = np.exp(easiness + rng.normal(0, self.noise, easiness.shape))
        return all_scores, self._mean(ability[0]) - self._mean(ability[1])

    def _mean(self, ability: float) -> float:
        """Expected score of a model over all items of this kind."""
        if self.noise is not None:
            variance = self.difficulty_sd**2 + self.noise**2
            return math.exp(ability - self.difficulty + variance / 2)
        nodes, weights = np.polynomial.hermite_e.hermegauss(61)
        logit = ability - self.difficulty - self.difficulty_sd * nodes
        return float(weights @ (1 / (1 + np.exp(-logit))) / weights.sum())


CEILING = KnownScenario(name="Rasch, 96% correct", difficulty=-4.0)
MIDDLE = KnownScenario(name="Rasch, 60% correct", difficulty=-0.5)
LOG_NORMAL = KnownScenario(
    name="log-normal scores", difficulty=0.0, difficulty_sd=0.8, ability_sd=0.2, noise=0.6
)
BOARDS = (
    CEILING,
    KnownScenario(name="Rasch, 96% correct, equal", difficulty=-4.0, ability_sd=0.0),
    KnownScenario(name="Rasch, 90% correct", difficulty=-2.6),
    KnownScenario(name="Rasch, 80% correct", difficulty=-1.6),
    MIDDLE,
    KnownScenario(name="Rasch, 60% correct, new 98%", difficulty=-0.5, new=4.5),
    KnownScenario(name="Rasch, 4% correct", difficulty=4.0),
)


@lru_cache(maxsize=1)
def _names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ("new", *(f"m{k}" for k in range(MODELS))), tuple(map(str, range(ITEMS)))


def _contains(request: ValidationRequest, board: KnownScenario, sampled: int) -> list[CellRate]:
    """Intervals of ``compare known`` that contain the gap, of comparisons not refused."""
    n_generalized = n_benchmark = answered = 0
    cell, (models, items) = key({"known": board.name, "sampled": sampled}), _names()
    for k in range(request.effort.compared):
        rng = generator(request.seed, cell, k)
        scores, gap = board.scores(rng)
        benchmark_gap = float(scores[0].mean() - scores[1].mean())
        scores[0, rng.permutation(ITEMS)[sampled:]] = np.nan
        matrix = ScoreMatrix.from_means(scores, models=models, items=items)
        try:
            result = compare_known(matrix, "new", KnownQuestion(b="m0"))
        except DataError:  # no sampled item differs between the two models
            continue
        answered += 1
        n_generalized += bool(result.ci.low <= gap <= result.ci.high)
        n_benchmark += bool(
            result.benchmark_estimate.ci.low <= benchmark_gap <= result.benchmark_estimate.ci.high
        )
    setting: CellSetting = {"sampled": sampled, "of": ITEMS, "scores": board.name}
    return [
        counted_reading(name, setting, events, answered, promised=CONF)
        for name, events in (("such questions", n_generalized), ("this benchmark", n_benchmark))
    ]


@CLAIMS.add(
    GROUP,
    "With a random sample of items, a 95% interval of `compare known` contains the gap in at "
    "least 95% of samples, for questions of this kind and for this benchmark.",
    "at least",
    advice={"": "For strongly skewed scores, sample 200 items or more."},
)
def known_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """Rasch boards from floor to ceiling, and log-normal scores."""
    if not request.effort.full:
        for board in (CEILING, MIDDLE):
            yield partial(_contains, request, board, 50)
        return
    for board in BOARDS:
        for sampled in (50, 100, 200):
            yield partial(_contains, request, board, sampled)
    for sampled in (50, 100, 200, 400):
        yield partial(_contains, request, LOG_NORMAL, sampled)
