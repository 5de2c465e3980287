"""Coverage of pass^k and pass@k over tasks, also where few of them carry it."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.simulate.stream import generator, key
from nstar._verbs.validate.claim import CLAIMS, Ask, CheckJob
from nstar._verbs.validate.laws import CONF
from nstar._verbs.validate.reading import CellReading, CellSetting
from nstar.stats._task_limits import mean_limits

_CHUNK = 1 << 20
"""Runs of tasks drawn at once."""


class _Beta(NamedTuple):
    """Success rates of tasks from a Beta law."""

    a: float
    b: float

    def rates(self, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        return rng.beta(self.a, self.b, shape)

    def all_pass(self, k: int) -> float:
        i = np.arange(k)
        return float(np.prod((self.a + i) / (self.a + self.b + i)))


class _Two(NamedTuple):
    """A share of the tasks with one success rate, the others with another."""

    share: float
    rate: float
    other: float

    def rates(self, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        return np.where(rng.random(shape) < self.share, self.rate, self.other)

    def all_pass(self, k: int) -> float:
        return self.share * self.rate**k + (1 - self.share) * self.other**k


_LAWS: dict[str, _Beta | _Two] = {
    "middling": _Beta(2.0, 2.0),
    "near the ceiling": _Beta(3.0, 0.4),
    "3 in 100 at 90 %, others at 2 %": _Two(0.03, 0.9, 0.02),
    "1 in 10 at 90 %, others at 2 %": _Two(0.1, 0.9, 0.02),
    "2 in 10 at 80 %, others at 5 %": _Two(0.2, 0.8, 0.05),
    "3 in 10 at 5 %, others at 70 %": _Two(0.3, 0.05, 0.7),
}
"""How tasks differ; pass@k of a law is 1 - pass^k of its mirror image."""


def _covered(ask: Ask, name: str, tasks: int, runs: int, k: int) -> list[CellReading]:
    law, reps = _LAWS[name], ask.effort.reps
    setting: CellSetting = {"tasks": tasks, "runs": runs, "k": k, "success": name}
    rng, truth = generator(ask.seed, key({"passes": setting}), 0), law.all_pass(k)
    of_count = stats.pass_hat_k(runs, np.arange(runs + 1), k)
    held, step = 0, max(1, _CHUNK // tasks)
    for start in range(0, reps, step):
        rates = law.rates(rng, (tasks, min(step, reps - start)))
        low, high = mean_limits(of_count[rng.binomial(runs, rates)], conf=CONF)
        held += int(np.count_nonzero((low <= truth) & (truth <= high)))
    return [
        CellReading(
            procedure="pass^k", setting=setting, rate=held / reps, promised=CONF, reps=reps
        )
    ]


@CLAIMS.add(
    "Coverage",
    "A 95 % interval for pass^k over tasks holds it in at least 95 % of evaluations.",
    "at least",
    advice={
        "pass^k": "Where a few tasks of over a hundred carry pass^k the interval holds it a point "
        "or two less often than it says.",
    },
)
def pass_coverage(ask: Ask) -> Iterator[CheckJob]:
    """Laws of tasks, sparse ones too, by tasks, runs and k."""
    laws = list(_LAWS) if ask.effort.full else ["middling", "1 in 10 at 90 %, others at 2 %"]
    sizes = (10, 30, 60, 150) if ask.effort.full else (30,)
    asked = ((5, 1), (5, 4), (5, 5), (10, 9)) if ask.effort.full else ((5, 4), (10, 9))
    for name in laws:
        for tasks in sizes:
            for runs, k in asked:
                yield partial(_covered, ask, name, tasks, runs, k)
