"""Laws of graded scores that checks go through, and how their cells are simulated."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from nstar._engine.work import Execution
from nstar._verbs.simulate import INTERVALS, SCENARIOS, TESTS, Scores, simulate
from nstar._verbs.simulate.stream import generator, key
from validation.promise import CellRate, CellRole, CellSetting, ValidationRequest

ALPHA, CONF, POWER = 0.05, 0.95, 0.8

_SKEWED = tuple((-np.log1p(-(np.arange(200) + 0.5) / 200) - 1).round(6) * 0.1)
"""Differences of an exponential law around its mean: many small losses, few large gains."""
_RARE = (*(-0.02,) * 49, 0.98)
"""One item in fifty is won by far, all others are lost by a little."""

LAWS: dict[str, tuple[str, dict[str, Any]]] = {
    "normal": ("normal", {}),
    "Beta, rho 0.95": ("beta", {"rho": 0.95}),
    "Beta near 1": ("beta", {"mean": 0.93, "sd": 0.06}),
    "zero-inflated": ("zero-inflated", {}),
    "five levels": ("ties", {}),
    "two modes": ("bimodal", {}),
    "heavy tails": ("heavy-tailed", {}),
    "means of 5 runs": ("runs", {}),
    "skewed": ("pilot", {"d": _SKEWED}),
    "rare wins": ("pilot", {"d": _RARE}),
}
"""Scenario and parameters by a name that people understand."""

_CHUNK = 1 << 18


def reps_of(request: ValidationRequest, items: int) -> int:
    """Replications of a cell; fewer of the largest evaluations."""
    return request.effort.reps if items <= 2000 else max(request.effort.reps // 10, 500)


def batches(
    request: ValidationRequest, items: int, cell: int
) -> Iterator[tuple[np.random.Generator, int]]:
    """Random numbers and replications of each batch of a cell."""
    reps, step = reps_of(request, items), max(1, _CHUNK // items)
    for batch, start in enumerate(range(0, reps, step)):
        yield generator(request.seed, cell, batch), min(step, reps - start)


def simulated(
    request: ValidationRequest,
    law: tuple[str, dict[str, Any]],
    items: int,
    *,
    setting: CellSetting,
    tests: Sequence[str] = (),
    intervals: Sequence[str] = (),
    promised: float | dict[str, float] = ALPHA,
    roles: dict[str, CellRole] | None = None,
) -> list[CellRate]:
    """One cell of :func:`nstar.simulate`, a reading for each procedure."""
    scenario, values = law
    simulation = simulate(
        scenario,
        items=[items],
        tests=tests,
        intervals=intervals,
        values={name: (value,) for name, value in values.items()},
        reps=reps_of(request, items),
        seed=request.seed,
        execution=Execution(workers=1),
    )
    promises = (
        promised if isinstance(promised, dict) else dict.fromkeys([*tests, *intervals], promised)
    )
    return [
        CellRate(
            procedure=r.procedure,
            setting=setting,
            rate=r.rate,
            promised=promises[r.procedure],
            reps=r.n_reps,
            role=(roles or {}).get(r.procedure, "default"),
        )
        for r in simulation.rates
    ]


@lru_cache(maxsize=64)
def _spread(scenario: str, values: tuple[tuple[str, Any], ...]) -> float:
    rng = generator(0, key({"spread": scenario, "values": [list(v) for v in values]}), 0)
    return float(SCENARIOS[scenario](rng, 100, 20_000, **dict(values)).d.std())


def sd_of(law: tuple[str, dict[str, Any]]) -> float:
    """Standard deviation of a difference, from two million of them."""
    scenario, values = law
    return _spread(scenario, tuple(values.items()))


def counted(
    draw: Callable[[np.random.Generator, int], Scores],
    rng: np.random.Generator,
    reps: int,
    *,
    setting: CellSetting,
    tests: Sequence[str] = (),
    intervals: Sequence[str] = (),
    roles: dict[str, CellRole] | None = None,
) -> list[CellRate]:
    """Rejection and coverage in evaluations that no scenario makes, a reading per procedure."""
    total, n_done = dict.fromkeys([*tests, *intervals], 0), 0
    step = max(1, _CHUNK // draw(generator(0, 0, 0), 1).items)
    while n_done < reps:
        sample = draw(rng, min(step, reps - n_done))
        for name in tests:
            total[name] += int(np.count_nonzero(TESTS[name](sample, ALPHA, rng)))
        for name in intervals:
            low, high = INTERVALS[name](sample, CONF, rng)
            inside = (low <= sample.truth) & (sample.truth <= high)
            total[name] += int(np.count_nonzero(inside))
        n_done += len(sample)
    return [
        CellRate(
            procedure=name,
            setting=setting,
            rate=events / reps,
            promised=ALPHA if name in tests else CONF,
            reps=reps,
            role=(roles or {}).get(name, "default"),
        )
        for name, events in total.items()
    ]
