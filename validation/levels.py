"""Type I error: how often do tests reject where there is no gap?"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from nstar._base.types import IntArray
from nstar._verbs.simulate.sample import Scores
from nstar._verbs.simulate.stream import generator, key
from validation.distributions import ALPHA, LAWS, counted, simulated
from validation.promise import (
    CLAIMS,
    CellRate,
    CellRole,
    CellSetting,
    CheckJob,
    ValidationRequest,
)
from validation.tables import rejection_of, tables

GROUP = "Type I error"

_BINARY = ("mcnemar", "midp", "exact", "corrected", "asymptotic", "wald", "t", "wilcoxon")
_DISCORDANT = {
    "accuracies 98%, rho 0.9": 0.00392,
    "accuracies 98%, rho 0": 0.0392,
    "accuracies 70%, rho 0.9": 0.042,
    "accuracies 70%, rho 0.4": 0.252,
    "accuracies 50%, rho −0.2": 0.6,
    "accuracies 50%, rho −0.9": 0.95,
}
"""Share of items on which exactly one model is right, by how it comes about."""


def _weighed(items: int, name: str, psi: float) -> list[CellRate]:
    weighted = tables(items, psi, 0.0)
    setting: CellSetting = {"items": items, "scores": name, "discordant": psi}
    return [
        CellRate(
            procedure=test,
            setting=setting,
            rate=rejection_of(test, weighted, ALPHA),
            promised=ALPHA,
            role="default" if test == "mcnemar" else "option",
        )
        for test in _BINARY
    ]


@CLAIMS.add(
    GROUP,
    "A test of 0/1 scores at level 5% rejects in at most 5% of evaluations of equal models.",
    "at most",
    advice={
        "midp": "Mid-p exceeds the level only if over 80% of the items are discordant. By "
        "default, nstar uses the exact test there.",
        "asymptotic": "The normal approximation is slightly liberal with few or many "
        "discordant items. Use the default, mid-p.",
        "wald": "The Wald test is liberal with few discordant items. Use the default, mid-p.",
        "t": "Student's t is for graded scores. For 0/1 scores, use the default, mid-p.",
        "wilcoxon": "For 0/1 scores with more than 200 discordant items, Wilcoxon's test is "
        "McNemar's normal test. Use the default, mid-p.",
    },
)
def mcnemar_level(request: ValidationRequest) -> Iterator[CheckJob]:
    """Every test of counts, all tables weighed."""
    sizes = (10, 20, 50, 100, 200, 1000, 12_000) if request.effort.full else (10, 50, 200)
    for items in sizes:
        for name, psi in _DISCORDANT.items():
            yield partial(_weighed, items, name, psi)


_MAX_RESAMPLED_ITEMS = {"bootstrap": 200, "sign-flip": 1000}
"""Items up to which tests that resample are simulated; beyond, they are t tests."""
_ROLES: dict[str, CellRole] = {"t": "option", "bootstrap": "option", "wilcoxon": "option"}
_SYMMETRIC = [name for name in LAWS if name not in {"skewed", "rare wins"}]


def _at_zero(law: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    scenario, values = law
    return scenario, values | {"delta": 0.0}


def _graded(
    request: ValidationRequest, laws: Sequence[str], tests: tuple[str, ...]
) -> Iterator[CheckJob]:
    sizes = (10, 20, 50, 200, 1000, 12_000) if request.effort.full else (10, 50)
    for items in sizes:
        feasible_tests = tuple(t for t in tests if items <= _MAX_RESAMPLED_ITEMS.get(t, items))
        for name in laws:
            yield partial(
                simulated,
                request,
                _at_zero(LAWS[name]),
                items,
                setting={"items": items, "scores": name},
                tests=feasible_tests,
                roles=_ROLES,
            )


@CLAIMS.add(
    GROUP,
    "A test of graded scores at level 5% rejects in at most 5% of evaluations of models with "
    "equal means.",
    "at most",
    advice={
        "sign-flip": "Sign flips are exact if the distribution of differences is symmetric. "
        "If few items have a large difference (rare wins, a long tail on one "
        "side), use 200 items or more, or compare success rates instead of "
        "means.",
        "t": "For skewed differences, Student's t needs 200 items or more.",
        "bootstrap": (
            "The bootstrap test is liberal with few items. Use sign flips, the default."
        ),
    },
)
def mean_level(request: ValidationRequest) -> Iterator[CheckJob]:
    """Sign flips, t and bootstrap on every law."""
    laws = list(LAWS) if request.effort.full else ["Beta, rho 0.95", "zero-inflated", "skewed"]
    yield from _graded(request, laws, ("sign-flip", "t", "bootstrap"))


@CLAIMS.add(
    GROUP,
    "For symmetric differences, Wilcoxon's test at level 5% rejects in at most 5% of "
    "evaluations of equal models.",
    "at most",
    advice={"": "Use sign flips, the default."},
)
def rank_level(request: ValidationRequest) -> Iterator[CheckJob]:
    """Signed ranks on symmetric laws; on others it tests something else."""
    laws = _SYMMETRIC if request.effort.full else ["zero-inflated", "five levels"]
    yield from _graded(request, laws, ("wilcoxon",))


@CLAIMS.add(
    GROUP,
    "Wilcoxon's test is not a test of the mean. It rejects skewed differences with mean 0.",
    "at most",
)
def rank_misuse(request: ValidationRequest) -> Iterator[CheckJob]:
    """What happens if symmetry is taken for an equal mean."""
    for items in (50, 200, 1000) if request.effort.full else (200,):
        yield partial(
            simulated,
            request,
            _at_zero(LAWS["skewed"]),
            items,
            setting={"items": items, "scores": "skewed"},
            tests=("wilcoxon",),
            roles={"wilcoxon": "warning"},
        )


VERY_UNEQUAL = (5, 10, 10, 20, 20, 30, 40, 60, 80, 125)
SUBJECTS = (71, 78, 113, 41, 84, 96, 81, 38, 110, 135, 92, 49, 129, 79)
"""A tenth of the subjects of MMLU-Pro."""


def cluster_scores(
    rng: np.random.Generator, reps: int, sizes: IntArray, icc: float, truth: float = 0.0
) -> Scores:
    """Normal differences of variance 1 in clusters of given sizes."""
    cluster_means = rng.standard_normal((reps, sizes.size)) * np.sqrt(icc)
    d = rng.standard_normal((reps, int(sizes.sum()))) * np.sqrt(1 - icc)
    d += np.repeat(cluster_means, sizes, axis=1)
    d += truth
    return Scores(d=d, truth=truth, sizes=sizes, limits=(-np.inf, np.inf))


_CLUSTER_ROLES: dict[str, CellRole] = {"cluster-sign-flip": "option", "t": "warning"}


def _given_sizes(request: ValidationRequest, name: str, sizes: tuple[int, ...]) -> list[CellRate]:
    m = np.array(sizes)
    return counted(
        lambda rng, reps: cluster_scores(rng, reps, m, 0.1),
        generator(request.seed, key({"sizes": list(sizes)}), 0),
        request.effort.reps,
        setting={"clusters": len(sizes), "sizes": name, "ICC": 0.1},
        tests=("cluster-cr2", "cluster-sign-flip", "t"),
        roles=_CLUSTER_ROLES,
    )


@CLAIMS.add(
    GROUP,
    "A test for clusters at level 5% rejects in at most 5% of evaluations of equal models.",
    "at most",
    advice={
        "cluster-cr2": "With few or very unequal clusters, the cluster-robust t test is "
        "slightly liberal. nstar warns below 4 degrees of freedom, or if one "
        "cluster has over half of the items. Also use the sign-flip test of "
        "whole clusters.",
        "cluster-sign-flip": "Sign flips of whole clusters need symmetric effects of similar "
        "spread. With very unequal clusters, use the cluster-robust t "
        "test.",
    },
)
def cluster_level(request: ValidationRequest) -> Iterator[CheckJob]:
    """Few, unequal and strongly correlated clusters; a t test that ignores them as a warning."""
    yield partial(_given_sizes, request, "5 to 125", VERY_UNEQUAL)
    yield partial(_given_sizes, request, "subjects of MMLU-Pro", SUBJECTS)
    full_grid = ((5, 10, 14, 50), (0.0, 1.0, 1.5), (0.02, 0.1, 0.5))
    counts, spreads, iccs = full_grid if request.effort.full else ((5, 14), (1.5,), (0.1,))
    for clusters in counts:
        for spread in spreads:
            for icc in iccs:
                values = {"clusters": clusters, "spread": spread, "icc": icc}
                sizes = {0.0: "equal", 1.0: "unequal", 1.5: "very unequal"}[spread]
                yield partial(
                    simulated,
                    request,
                    ("clusters", values),
                    30 * clusters,
                    setting={"clusters": clusters, "sizes": sizes, "ICC": icc},
                    tests=("cluster-cr2", "cluster-sign-flip", "t"),
                    roles=_CLUSTER_ROLES,
                )
