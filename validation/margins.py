"""Equivalence: how often are different models called equivalent, and equal ones not?"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Sides
from nstar._verbs.plan import Graded, PairedPsi, plan_margin
from nstar._verbs.simulate import SCENARIOS
from nstar._verbs.simulate.procedures.verdicts import margin_interval
from nstar._verbs.simulate.stream import key
from validation.distributions import ALPHA, LAWS, POWER, batches, reps_of, sd_of
from validation.power import GROUP
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)
from validation.tables import tables


def _equivalent(items: int, psi: float, delta: float, margin: float) -> float:
    weighted = tables(items, psi, delta)
    c = weighted.counts
    p = np.asarray(stats.equivalence_pvalue(c.n10, c.n01, items, margin=margin))
    return weighted.of(p <= ALPHA)


def _edge(items: int, psi: float, margin: float) -> list[CellRate]:
    setting: CellSetting = {"items": items, "discordant": psi, "margin": margin}
    rate = _equivalent(items, psi, margin, margin)
    return [CellRate(procedure="equivalence", setting=setting, rate=rate, promised=ALPHA)]


@CLAIMS.add(
    "Type I error",
    ("Models that differ by the margin are reported as equivalent in at most 5% of evaluations."),
    "at most",
    advice={
        "": "With few discordant items, the steps of the test are coarse. Use a wider margin "
        "or more items."
    },
)
def equivalence_level(request: ValidationRequest) -> Iterator[CheckJob]:
    """Tango's two one-sided tests, all tables weighed."""
    for items in (50, 200, 1000, 5000) if request.effort.full else (200,):
        for psi in (0.05, 0.2, 0.5):
            for margin in (0.02, 0.05, 0.1):
                if margin < psi:
                    yield partial(_edge, items, psi, margin)


def _shown(psi: float, margin: float) -> list[CellRate]:
    items = int(plan_margin(PairedPsi(psi=psi), margin=margin).n_star or 0)
    setting: CellSetting = {"items": items, "discordant": psi, "margin": margin}
    rate = _equivalent(items, psi, 0.0, margin)
    return [CellRate(procedure="plan", setting=setting, rate=rate, promised=POWER)]


def _graded(request: ValidationRequest, name: str, margin: float, sides: Sides) -> list[CellRate]:
    """Equal models of graded scores on as many items as a plan asks for."""
    scenario, values = _LAWS[name]
    sd = sd_of((scenario, values))
    result = plan_margin(Graded(sd=sd), margin=margin, one_sided=sides == 1)
    items = int(result.n_star or 0)
    total, cell = 0, key({"margin plan": name, "margin": margin, "sides": sides})
    for rng, n_reps in batches(request, items, cell):
        sample = SCENARIOS[scenario](rng, n_reps, items, **values, delta=0.0)
        low, high = margin_interval(replace(sample, limits=(0.0, 1.0)), 1 - 2 * ALPHA, rng)
        total += int(np.count_nonzero((low > -margin) & ((high < margin) | (sides == 1))))
    asks = "equivalence" if sides == 2 else "non-inferiority"
    setting: CellSetting = {"items": items, "scores": name, "margin": margin, "asks": asks}
    return [
        counted_reading("plan, graded", setting, total, reps_of(request, items), promised=POWER)
    ]


_LAWS: dict[str, tuple[str, dict[str, Any]]] = {
    "normal, not cut off": ("heterogeneous", {"share": 1.0, "rho": 0.8}),
    "Beta, rho 0.95": LAWS["Beta, rho 0.95"],
    "zero-inflated": LAWS["zero-inflated"],
    "five levels": LAWS["five levels"],
}
"""Laws for which margins of graded scores are planned."""
_SIDES: tuple[Sides, ...] = (1, 2)


@CLAIMS.add(
    GROUP,
    (
        "With the planned number of items, equal models are shown to be equivalent with a power "
        "of at least 80%."
    ),
    "at least",
    advice={
        "plan, graded": "Plans are exact for normal differences. If few items have a large "
        "difference, the variance itself is uncertain. Add 5% of the items.",
    },
)
def margin_plan(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores by enumeration, graded ones by simulation, at the planned number of items."""
    full = request.effort.full
    for psi in (0.05, 0.1, 0.2, 0.5) if full else (0.2,):
        for margin in (0.01, 0.02, 0.05, 0.1):
            yield partial(_shown, psi, margin)
    for name in _LAWS if full else ("normal, not cut off",):
        for margin in (0.02, 0.05, 0.1) if full else (0.05,):
            for sides in _SIDES:
                yield partial(_graded, request, name, margin, sides)
