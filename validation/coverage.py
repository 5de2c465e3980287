"""Coverage: how often do intervals hold the truth?"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from nstar._base.types import IntArray
from nstar._verbs.simulate.sample import Scores
from nstar._verbs.simulate.stream import generator, key
from validation.distributions import CONF, LAWS, counted, simulated
from validation.levels import SUBJECTS, VERY_UNEQUAL, cluster_scores
from validation.promise import CLAIMS, CellRate, CellRole, CheckJob, ValidationRequest
from validation.tables import coverage_of, tables

GROUP = "Coverage"

_BINARY = ("tango", "bonett-price", "agresti-min", "wald-binary")
_GAPS = ((0.0392, 0.0), (0.0392, 0.02), (0.25, 0.0), (0.25, 0.1), (0.25, 0.2), (0.6, 0.3))
"""Discordance and gap."""


def _weighed(items: int, psi: float, delta: float) -> list[CellRate]:
    weighted = tables(items, psi, delta)
    return [
        CellRate(
            procedure=name,
            setting={"items": items, "discordant": psi, "gap": delta},
            rate=coverage_of(name, weighted, CONF),
            promised=CONF,
            role="default" if name == "tango" else "option",
        )
        for name in _BINARY
    ]


@CLAIMS.add(
    GROUP,
    "A 95% interval covers the gap of 0/1 scores in at least 95% of evaluations.",
    "at least",
    advice={
        "tango": "With few discordant items, Tango's interval changes in steps. On average "
        "over gaps, its coverage is 95%; for single gaps, it can be one or two "
        "points lower. With fewer than 20 discordant items, treat it as a 93% "
        "interval.",
        "agresti-min": "Agresti and Min's interval is too short with few discordant items. "
        "Use Tango's interval, the default.",
        "wald-binary": "The Wald interval is too short with few discordant items, and has "
        "length 0 with none. Use Tango's interval, the default.",
        "bonett-price": "Bonett and Price's interval is too short for large gaps. Use Tango's"
        " interval, the default.",
    },
)
def paired_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """All intervals of counts, all tables weighed."""
    sizes = (10, 20, 50, 200, 1000, 12_000) if request.effort.full else (20, 200)
    for items in sizes:
        for psi, delta in _GAPS:
            yield partial(_weighed, items, psi, delta)


_RESAMPLED = 200
"""Items up to which bootstrap intervals are simulated; beyond, they are Student's."""
_ROLES: dict[str, CellRole] = {"bootstrap": "option", "bca": "option"}


@CLAIMS.add(
    GROUP,
    "A 95% interval covers the mean gap of graded scores in at least 95% of evaluations.",
    "at least",
    advice={
        "t": "If differences are skewed or few items have a large difference, Student's "
        "interval needs more items. Its coverage is near 95% with 200 items and can be "
        "far lower with 20.",
        "bootstrap": "The percentile bootstrap interval is too short with few items. Below "
        "200 items, use Student's interval, the default.",
        "bca": (
            "BCa does not correct for few items. Below 200 items, use Student's interval, "
            "the default."
        ),
    },
)
def mean_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """Student's, percentile and BCa intervals on every law."""
    sizes = (20, 50, 200, 1000) if request.effort.full else (20, 100)
    laws = list(LAWS) if request.effort.full else ["Beta near 1", "skewed"]
    for items in sizes:
        for name in laws:
            scenario, values = LAWS[name]
            yield partial(
                simulated,
                request,
                (scenario, values | {"delta": 0.0 if scenario == "pilot" else 0.01}),
                items,
                setting={"items": items, "scores": name},
                intervals=("t", "bootstrap", "bca") if items <= _RESAMPLED else ("t",),
                promised=CONF,
                roles=_ROLES,
            )


def _groups(rng: np.random.Generator, reps: int, sizes: IntArray, *, fixed: bool) -> Scores:
    """Differences -1, 0, 1 with discordance 0.3, and a mean of its own in each group."""
    tau = 0.08
    group_gaps = generator(1, 0, 0).standard_normal(sizes.size)[None] * tau
    if not fixed:
        group_gaps = rng.standard_normal((reps, sizes.size)) * tau
    mean = np.clip(0.02 + group_gaps, -0.29, 0.29)
    truth = float(mean[0] @ sizes / sizes.sum()) if fixed else 0.02
    chance = np.repeat(np.broadcast_to(mean, (reps, sizes.size)), sizes, axis=1)
    u = rng.random(chance.shape)
    d = (u < (0.3 + chance) / 2).astype(np.float64) - (u >= 0.7 + (chance + 0.3) / 2)
    return Scores(d=d, truth=truth, sizes=sizes)


def _estimand(request: ValidationRequest, *, fixed: bool) -> list[CellRate]:
    sizes = np.array(SUBJECTS)
    asks = "these 14 subjects" if fixed else "subjects like these"
    readings = counted(
        lambda rng, n_reps: _groups(rng, n_reps, sizes, fixed=fixed),
        generator(request.seed, key({"estimand": fixed}), 0),
        request.effort.reps // 3,
        setting={"asked about": asks, "clusters": 14},
        intervals=("strata-t", "t", "cluster-cr2"),
        roles={} if fixed else {"strata-t": "warning", "t": "warning"},
    )
    return [replace(r, procedure="iid t") if r.procedure == "t" else r for r in readings]


def _clustered(
    request: ValidationRequest, name: str, sizes: tuple[int, ...], icc: float
) -> list[CellRate]:
    m = np.array(sizes)
    return counted(
        lambda rng, reps: cluster_scores(rng, reps, m, icc, 0.3),
        generator(request.seed, key({"covered": list(sizes), "icc": icc}), 0),
        request.effort.reps,
        setting={"clusters": len(sizes), "sizes": name, "ICC": icc},
        intervals=("cluster-cr2",),
    )


@CLAIMS.add(
    GROUP,
    "A 95% interval for strata or clusters covers the gap that it estimates in at least 95% "
    "of evaluations.",
    "at least",
    advice={
        "cluster-cr2": "With few or very unequal clusters, the interval is slightly too "
        "short. Also use the sign-flip test of whole clusters.",
    },
)
def cluster_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """Fixed and random groups; the wrong choice as a warning."""
    for fixed in (True, False):
        yield partial(_estimand, request, fixed=fixed)
    sizes = {"5 to 125": VERY_UNEQUAL, "equal": (20,) * 6}
    for name, m in sizes.items():
        for icc in (0.02, 0.1, 0.5) if request.effort.full else (0.1,):
            yield partial(_clustered, request, name, m, icc)
