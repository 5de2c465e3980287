"""Power: do plans deliver what they promise?"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from nstar import stats
from nstar._verbs.plan import Design, Graded, PairedPsi, plan
from nstar._verbs.simulate.scenarios.grouped import cluster_sizes
from validation.distributions import ALPHA, LAWS, POWER, sd_of, simulated
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
)
from validation.tables import rejection_of, tables

GROUP = "Power"

_PSIS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6)
_DELTAS = (0.01, 0.02, 0.05, 0.1, 0.2)


def _planned(psi: float, delta: float) -> list[CellRate]:
    result = plan(PairedPsi(psi=psi), delta=delta)
    items = int(result.n_star or 0)
    rate = rejection_of("mcnemar", tables(items, psi, delta), ALPHA)
    setting: CellSetting = {"items": items, "discordant": psi, "gap": delta}
    return [CellRate(procedure="plan", setting=setting, rate=rate, promised=POWER)]


@CLAIMS.add(
    GROUP,
    "With the planned number of items, the default test of 0/1 scores has a power of at least"
    " 80%.",
    "at least",
    advice={
        "": "With fewer than about 100 items, or a gap of more than half the discordant "
        "share, add 10% of the items, or use the exact power in the plan."
    },
)
def paired_plan(request: ValidationRequest) -> Iterator[CheckJob]:
    """Exact power at the planned number of items."""
    for psi in _PSIS if request.effort.full else (0.1, 0.4):
        for delta in _DELTAS:
            if delta <= 0.9 * psi:  # N* up to 100,000
                yield partial(_planned, psi, delta)


def _at_items(psi: float, delta: float, items: int) -> list[CellRate]:
    power = plan(PairedPsi(psi=psi), delta=delta, items=items).power
    rate = rejection_of("mcnemar", tables(items, psi, delta), ALPHA)
    setting: CellSetting = {"items": items, "discordant": psi, "gap": delta}
    return [CellRate(procedure="plan", setting=setting, rate=rate, promised=float(power or 0))]


@CLAIMS.add(
    GROUP,
    (
        "The default test of 0/1 scores has at least the power that a plan reports for a given "
        "number of items."
    ),
    "at least",
    advice={
        "": "Above 1,000 items, the power comes from a formula. With few discordant items, it"
        " can be a few points too high. The plan also reports the exact power."
    },
)
def printed_power(request: ValidationRequest) -> Iterator[CheckJob]:
    """The formula against all tables weighed."""
    sizes = (50, 200, 1000, 5000) if request.effort.full else (50, 200)
    for items in sizes:
        for psi, delta in ((0.05, 0.03), (0.1, 0.05), (0.2, 0.05), (0.4, 0.1), (0.6, 0.05)):
            yield partial(_at_items, psi, delta, items)


def _drawn_power(
    request: ValidationRequest, psi: float, delta: float, items: int
) -> list[CellRate]:
    names = ("midp", "exact", "asymptotic", "corrected")
    powers = {
        m: float(stats.exact_power(delta, psi=psi, n=items, method=m))  # type: ignore[arg-type]
        for m in names
    }
    law = ("bernoulli", {"p_b": 0.5 - delta / 2, "delta": delta, "psi": psi})
    return simulated(
        request,
        law,
        items,
        setting={"items": items, "discordant": psi, "gap": delta},
        tests=names,
        promised=powers,
        roles=dict.fromkeys(names[1:], "option"),
    )


@CLAIMS.add(
    GROUP,
    (
        "The exact power of a test of 0/1 scores equals the share of simulated evaluations in "
        "which the test rejects."
    ),
    "at least",
)
def exact_power(request: ValidationRequest) -> Iterator[CheckJob]:
    """Enumeration in the kernel against Monte Carlo."""
    for items in (20, 50, 200, 1000) if request.effort.full else (50,):
        for psi, delta in ((0.1, 0.05), (0.3, 0.1), (0.6, 0.2)):
            yield partial(_drawn_power, request, psi, delta, items)


def _graded(
    request: ValidationRequest, name: str, law: tuple[str, dict[str, Any]], effect: float
) -> list[CellRate]:
    sd = sd_of(law)
    items = int(plan(Graded(sd=sd), delta=effect * sd).n_star or 0)
    scenario, values = law
    return simulated(
        request,
        (scenario, values | {"delta": effect * sd}),
        items,
        setting={"items": items, "scores": name, "gap in sd": effect},
        tests=("t", "sign-flip"),
        promised=POWER,
    )


@CLAIMS.add(
    GROUP,
    "With the planned number of items, the t test and sign flips of graded scores have a "
    "power of at least 80%.",
    "at least",
    advice={
        "sign-flip": "With 10 to 20 items, sign flips have slightly less power than the t "
        "test, for which plans are computed. Add two items.",
        "": (
            "If few items have a large difference, the variance itself is uncertain. Add 10% "
            "of the items."
        ),
    },
)
def graded_plan(request: ValidationRequest) -> Iterator[CheckJob]:
    """Plans from the true spread, on every law."""
    plain = ("heterogeneous", {"share": 1.0, "rho": 0.8})
    laws = {"normal, not cut off": plain} | {
        name: law for name, law in LAWS.items() if law[0] != "normal"
    }
    chosen_laws = laws if request.effort.full else dict(list(laws.items())[:2])
    for effect in (0.1, 0.2, 0.5, 0.8, 1.0) if request.effort.full else (0.2, 1.0):
        for name, law in chosen_laws.items():
            scenario = law[0]
            if effect > 0.5 and name != "normal, not cut off":
                continue
            if scenario in {"ties", "runs", "bimodal", "beta", "zero-inflated"} and effect > 0.2:
                continue
            yield partial(_graded, request, name, law, effect)


def _formula(request: ValidationRequest, items: int, effect: float) -> list[CellRate]:
    powers = {
        "t": float(stats.t_power(effect, sigma=1.0, n=items)),
        "wilcoxon": float(stats.wilcoxon_power(effect, sigma=1.0, n=items)),
    }
    law = ("heterogeneous", {"share": 1.0, "sd": 1.0, "rho": 0.5, "delta": effect})
    return simulated(
        request,
        law,
        items,
        setting={"items": items, "scores": "normal", "gap in sd": effect},
        tests=("t", "wilcoxon"),
        promised=powers,
        roles={"wilcoxon": "option"},
    )


@CLAIMS.add(
    GROUP,
    "For normal differences, the power formulas of the t test and Wilcoxon's test are "
    "accurate to 0.5 points.",
    "at least",
    slack=0.005,
    advice={
        "wilcoxon": (
            "Below 50 items, the power by the normal approximation is up to two points too high."
        )
    },
)
def power_formulas(request: ValidationRequest) -> Iterator[CheckJob]:
    """The kernel's formulas against simulation."""
    cells = ((20, 0.65), (50, 0.2), (50, 0.4), (200, 0.1), (200, 0.2), (1000, 0.09))
    for items, effect in cells if request.effort.full else cells[2:4]:
        yield partial(_formula, request, items, effect)


def _seen_by_items(size: int) -> float:
    """Mean cluster size that an item sees, Σm²/N, of unequal clusters of this mean size."""
    m = cluster_sizes(100 * size, 100, _UNEQUAL)
    return float((m * m).sum() / m.sum())


_UNEQUAL = 1.0


def _clusters(
    request: ValidationRequest, sizes_kind: str, size: int, icc: float
) -> list[CellRate]:
    """Clusters of a mean size, as many as a plan asks for."""
    gap = 0.3
    size_input = _seen_by_items(size) if sizes_kind == "unequal, Σm²/N given" else float(size)
    design = Design(noise=Graded(sd=1.0), icc=icc, cluster_size=size_input)
    groups = -(-int(plan(design, delta=gap).n_star or 0) // size)
    spread = 0.0 if sizes_kind == "equal" else _UNEQUAL
    values = {"clusters": groups, "spread": spread, "icc": icc, "sd": 1.0, "delta": gap}
    return simulated(
        request,
        ("clusters", values),
        groups * size,
        setting={"clusters": groups, "items each": size, "sizes": sizes_kind, "ICC": icc},
        tests=("cluster-cr2",),
        promised=POWER,
    )


@CLAIMS.add(
    GROUP,
    "With the planned number of clusters, the test has a power of at least 80%.",
    "at least",
    slack=0.006,
    advice={
        "": "A plan assumes clusters of equal size. If sizes differ, set the cluster size to "
        "the mean size weighted by items, Σm²/N. The planned number is then sufficient."
    },
)
def cluster_plan(request: ValidationRequest) -> Iterator[CheckJob]:
    """Equal clusters as planned, unequal ones, and unequal ones with their size well told."""
    grid = [(20, 0.05), (20, 0.2), (5, 0.3), (100, 0.02)]
    for size, icc in grid if request.effort.full else grid[:1]:
        for sizes_kind in ("equal", "unequal", "unequal, Σm²/N given"):
            yield partial(_clusters, request, sizes_kind, size, icc)
