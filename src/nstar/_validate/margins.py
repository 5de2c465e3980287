"""Equivalence: how often are different models called equivalent, and equal ones not?"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from nstar import stats
from nstar._plan import PairedPsi, plan_margin
from nstar._validate.claim import CLAIMS, Ask, Job
from nstar._validate.laws import ALPHA
from nstar._validate.power import GROUP, POWER
from nstar._validate.reading import Reading
from nstar._validate.tables import tables

__all__ = ["equivalence_level", "margin_plan"]


def _equivalent(items: int, psi: float, delta: float, margin: float) -> float:
    every = tables(items, psi, delta)
    c = every.counts
    p = np.asarray(stats.equivalence_pvalue(c.n10, c.n01, items, margin=margin))
    return every.of(p <= ALPHA)


def _edge(items: int, psi: float, margin: float) -> list[Reading]:
    setting = {"items": items, "discordant": psi, "margin": margin}
    rate = _equivalent(items, psi, margin, margin)
    return [Reading(procedure="equivalence", setting=setting, rate=rate, promised=ALPHA)]


@CLAIMS.add(
    "Type I error",
    "Models that differ by the margin are called equivalent in at most 5 % of evaluations.",
    "at most",
    advice={
        "": "With few discordant items the steps of the test are coarse: use a wider margin "
        "or more items."
    },
)
def equivalence_level(ask: Ask) -> Iterator[Job]:
    """Tango's two one-sided tests, all tables weighed."""
    for items in (50, 200, 1000, 5000) if ask.effort.full else (200,):
        for psi in (0.05, 0.2, 0.5):
            for margin in (0.02, 0.05, 0.1):
                if margin < psi:
                    yield partial(_edge, items, psi, margin)


def _shown(psi: float, margin: float) -> list[Reading]:
    items = int(plan_margin(PairedPsi(psi=psi), margin=margin).n_star or 0)
    setting = {"items": items, "discordant": psi, "margin": margin}
    rate = _equivalent(items, psi, 0.0, margin)
    return [Reading(procedure="plan", setting=setting, rate=rate, promised=POWER)]


@CLAIMS.add(
    GROUP,
    "As many items as a plan asks for show equal models equivalent with a chance of 80 % or more.",
    "at least",
    advice={
        "": "Beyond 1,000 items the plan is a normal formula, whose power is a point or two "
        "lower than it says where few items are discordant: add a twentieth of the items."
    },
)
def margin_plan(ask: Ask) -> Iterator[Job]:
    """Exact power at the planned number of items."""
    for psi in (0.05, 0.1, 0.2, 0.5) if ask.effort.full else (0.2,):
        for margin in (0.01, 0.02, 0.05, 0.1):
            yield partial(_shown, psi, margin)
