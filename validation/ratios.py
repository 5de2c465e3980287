"""Coverage of what is derived from scores: pass^k over tasks, q, N* and the item correlation."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.simulate.stream import generator, key
from nstar.stats._task_limits import mean_limits
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
from validation.tables import tables

_CHUNK = 1 << 20
"""Runs of tasks drawn at once."""


class _BetaRates(NamedTuple):
    """Success rates of tasks from a Beta law."""

    a: float
    b: float

    def rates(self, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        return rng.beta(self.a, self.b, shape)

    def all_pass(self, k: int) -> float:
        i = np.arange(k)
        return float(np.prod((self.a + i) / (self.a + self.b + i)))


class _TwoPointRates(NamedTuple):
    """A share of the tasks with one success rate, the others with another."""

    share: float
    rate: float
    other: float

    def rates(self, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        return np.where(rng.random(shape) < self.share, self.rate, self.other)

    def all_pass(self, k: int) -> float:
        return self.share * self.rate**k + (1 - self.share) * self.other**k


_LAWS: dict[str, _BetaRates | _TwoPointRates] = {
    "middling": _BetaRates(2.0, 2.0),
    "near the ceiling": _BetaRates(3.0, 0.4),
    "3 in 100 at 90%, others at 2%": _TwoPointRates(0.03, 0.9, 0.02),
    "1 in 10 at 90%, others at 2%": _TwoPointRates(0.1, 0.9, 0.02),
    "2 in 10 at 80%, others at 5%": _TwoPointRates(0.2, 0.8, 0.05),
    "3 in 10 at 5%, others at 70%": _TwoPointRates(0.3, 0.05, 0.7),
}
"""How tasks differ; pass@k of a law is 1 - pass^k of its mirror image."""


def _covered(
    request: ValidationRequest, name: str, tasks: int, runs: int, k: int
) -> list[CellRate]:
    law, reps = _LAWS[name], request.effort.reps
    setting: CellSetting = {"tasks": tasks, "runs": runs, "k": k, "success": name}
    rng, truth = generator(request.seed, key({"passes": setting}), 0), law.all_pass(k)
    of_count = stats.pass_hat_k(runs, np.arange(runs + 1), k)
    n_covered, step = 0, max(1, _CHUNK // tasks)
    for start in range(0, reps, step):
        rates = law.rates(rng, (tasks, min(step, reps - start)))
        low, high = mean_limits(of_count[rng.binomial(runs, rates)], conf=CONF)
        n_covered += int(np.count_nonzero((low <= truth) & (truth <= high)))
    return [counted_reading("pass^k", setting, n_covered, reps, promised=CONF)]


@CLAIMS.add(
    GROUP,
    "A 95% interval covers pass^k over tasks in at least 95% of evaluations.",
    "at least",
    advice={
        "pass^k": "If a few of over 100 tasks determine pass^k, the coverage is one or two "
        "points too low.",
    },
)
def pass_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """Laws of tasks, sparse ones too, by tasks, runs and k."""
    laws = list(_LAWS) if request.effort.full else ["middling", "1 in 10 at 90%, others at 2%"]
    sizes = (10, 30, 60, 150) if request.effort.full else (30,)
    designs = ((5, 1), (5, 4), (5, 5), (10, 9)) if request.effort.full else ((5, 4), (10, 9))
    for name in laws:
        for tasks in sizes:
            for runs, k in designs:
                yield partial(_covered, request, name, tasks, runs, k)


def _needed(test: stats.McNemarTest, gap: Array, psi: Array) -> Array:
    """Items that a limit of the gap needs at the observed discordance."""
    share = np.where(gap > 0, np.minimum(np.maximum(psi, gap), 1.0), 1.0)
    return test.n_star(gap, psi=share)


def _ratios(items: int, psi: float, delta: float) -> list[CellRate]:
    """q and N* of the true gap, from the observed one."""
    weighted = tables(items, psi, delta)
    c = weighted.counts
    test = stats.McNemarTest()
    n_star = float(test.n_star(delta, psi=psi)) if delta else np.inf
    has_error = (c.n10 + c.n01 > 0) & (np.abs(c.n10 - c.n01) < items)
    low, high = (np.asarray(x) for x in test.interval(c.n10, c.n01, items))
    turned = c.n10 < c.n01
    near_gap, far_gap = np.where(turned, -high, low), np.where(turned, -low, high)
    share = (c.n10 + c.n01) / items
    fewest, max_needed = (_needed(test, np.maximum(x, 0.0), share) for x in (far_gap, near_gap))
    setting: CellSetting = {"items": items, "discordant": psi, "gap": delta}
    out = []
    for name, truth, low, high in (
        ("q", items / n_star, items / max_needed, items / fewest),
        ("N*", n_star, fewest, max_needed),
    ):
        inside = np.asarray((low <= truth * (1 + 1e-12)) & (truth * (1 - 1e-12) <= high))
        if np.isinf(truth):
            inside = np.isinf(high)
        out.append(
            CellRate(
                procedure=name,
                setting=setting,
                rate=weighted.of(inside & has_error),
                promised=CONF,
            )
        )
    return out


@CLAIMS.add(
    GROUP,
    "A 95% interval covers the true q or N* in at least 95% of evaluations.",
    "at least",
    advice={
        "": "Below 100 items, or with a gap near the largest possible gap, the interval is "
        "approximate: it treats the observed variance as known."
    },
)
def ratio_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """All tables weighed."""
    sizes = (50, 200, 1000, 12_000) if request.effort.full else (50, 200)
    for items in sizes:
        for psi, delta in ((0.2, 0.0), (0.2, 0.02), (0.2, 0.05), (0.2, 0.1), (0.6, 0.2)):
            yield partial(_ratios, items, psi, delta)


_ONE_BY_ONE = 4000
"""Replications of graded scores, whose intervals are computed one by one."""


def _rho(
    request: ValidationRequest, items: int, rho: float, accuracy: float | None
) -> list[CellRate]:
    rng = generator(request.seed, key({"rho": rho, "items": items, "accuracy": accuracy}), 0)
    reps = min(request.effort.reps, 20_000)
    if accuracy is None:
        reps = min(reps, _ONE_BY_ONE)
        x, z = rng.standard_normal((2, reps, items))
        y = rho * x + np.sqrt(1 - rho**2) * z
        ends = [stats.score_correlation_interval(a, b) for a, b in zip(x, y, strict=True)]
        low, high = np.asarray(ends, dtype=np.float64).T
    else:
        p11 = accuracy**2 + rho * accuracy * (1 - accuracy)
        cells = [p11, accuracy - p11, accuracy - p11, 1 - 2 * accuracy + p11]
        n11, n10, n01, n00 = rng.multinomial(items, cells, size=reps).T
        root = (n11 + n10) * (n01 + n00) * ((n11 + n01) * (n10 + n00))
        usable = root > 0
        low, high = stats.phi_interval(*(v[usable] for v in (n11, n10, n01, n00)))
    inside = (np.asarray(low) <= rho) & (rho <= np.asarray(high))
    scores = "normal" if accuracy is None else f"0/1, accuracies {100 * accuracy:g}%"
    setting: CellSetting = {"items": items, "scores": scores, "rho": rho}
    n_covered = int(np.count_nonzero(inside))
    return [counted_reading("rho", setting, n_covered, inside.size, promised=CONF)]


@CLAIMS.add(
    GROUP,
    "A 95% interval covers the item correlation of two models in at least 95% of evaluations.",
    "at least",
    advice={
        "": "The standard error of a correlation is an estimate. With 50 items, or accuracies"
        " near 0% or 100%, the coverage can be a few points too low."
    },
)
def rho_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """The interval that a comparison prints, on 0/1 and on normal scores."""
    for items in (50, 200, 1000) if request.effort.full else (50,):
        for rho in (0.0, 0.4, 0.8):
            for accuracy in (None, 0.7, 0.95):
                yield partial(_rho, request, items, rho, accuracy)
