"""Small samples: is what a comparison says it can detect, or would take, really found?"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from nstar import stats
from nstar._base.types import BoolArray, Sides
from nstar._verbs.plan import PairedPsi, plan
from nstar._verbs.simulate.stream import generator, key
from nstar._verbs.verdict import Criteria
from validation.distributions import ALPHA, POWER
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


def _reps(request: ValidationRequest) -> int:
    return min(request.effort.reps, 50_000)


def _found(means: np.ndarray, df: int, error: np.ndarray) -> BoolArray:
    """Two-sided t tests at the level of the grid."""
    test = stats.StudentTest(alpha=ALPHA)
    return np.asarray(test.pvalue(means / error, float(df)) <= ALPHA)


def _clusters(request: ValidationRequest, groups: int, observed: float) -> list[CellRate]:
    """As many equal clusters as would settle a gap of ``observed`` standard errors on a few."""
    total = math.ceil(groups * float(stats.StudentTest().growth(observed, groups - 1)) - 1e-9)
    rng = generator(request.seed, key({"clusters": groups, "t": observed}), 0)
    x = rng.standard_normal((_reps(request), total)) + observed / math.sqrt(groups)
    is_detected = _found(x.mean(axis=1), total - 1, x.std(axis=1, ddof=1) / math.sqrt(total))
    setting: CellSetting = {
        "seen": f"{groups} clusters",
        "needed": f"{total} clusters",
        "t": observed,
    }
    return [_reading("clusters needed", setting, is_detected)]


def _strata(request: ValidationRequest, items: int) -> list[CellRate]:
    """The gap that a few items in two strata are said to detect."""
    rng = generator(request.seed, key({"strata": items}), 0)
    half = items // 2
    reach = float(stats.StudentTest().reach(items - 2))
    x = rng.standard_normal((_reps(request), 2, half)) + reach / math.sqrt(items)
    error = np.sqrt(x.var(axis=2, ddof=1).sum(axis=1) / half) / 2
    is_detected = _found(x.mean(axis=(1, 2)), items - 2, error)
    return [_reading("strata MDE", {"seen": f"{items} items in 2 strata"}, is_detected)]


def _reading(name: str, setting: CellSetting, is_detected: BoolArray) -> CellRate:
    return counted_reading(name, setting, int(is_detected.sum()), is_detected.size, promised=POWER)


@CLAIMS.add(
    GROUP,
    "With few clusters or few items per stratum, the reported MDE and the number of clusters "
    "needed for a gap give a power of at least 80%.",
    "at least",
)
def few_groups(request: ValidationRequest) -> Iterator[CheckJob]:
    """Normal differences, t tests."""
    for groups in (3, 5, 10, 20) if request.effort.full else (3, 10):
        for observed in (1.0, 1.9, 2.85) if request.effort.full else (1.9,):
            yield partial(_clusters, request, groups, observed)
    for items in (6, 8, 12, 20) if request.effort.full else (8,):
        yield partial(_strata, request, items)


def _planned(psi: float, share: float, sides: Sides) -> list[CellRate]:
    delta = psi * share
    result = plan(
        PairedPsi(psi=psi),
        delta=delta,
        criteria=Criteria(alternative="two-sided" if sides == 2 else "greater"),
    )
    items = int(result.n_star or 0)
    weighted = tables(items, psi, delta)
    p = stats.McNemarTest(sides=sides).pvalue(weighted.counts.n10, weighted.counts.n01, items)
    setting: CellSetting = {"items": items, "discordant": psi, "gap": delta, "sides": sides}
    rate = weighted.of(np.asarray(p <= ALPHA))
    return [CellRate(procedure="plan", setting=setting, rate=rate, promised=POWER)]


@CLAIMS.add(
    GROUP,
    "With the planned number of items, one-sided tests and tests of models that disagree on "
    "nearly every item have a power of at least 80%.",
    "at least",
    slack=0.01,
)
def one_sided_plan(request: ValidationRequest) -> Iterator[CheckJob]:
    """All tables weighed, by the test that is used."""
    psis = (0.1, 0.3, 0.6, 0.82, 0.9, 1.0) if request.effort.full else (0.1, 0.9)
    sides: Sides
    for psi in psis:
        for share in (0.3, 0.6, 0.9):
            for sides in (1, 2):
                yield partial(_planned, psi, share, sides)
