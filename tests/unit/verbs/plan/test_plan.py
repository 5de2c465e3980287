"""Plans as results: what they hold reads back from JSON, whatever the question."""

import math
from typing import Any

import numpy as np
import pytest

from nstar import (
    Design,
    Graded,
    PairedPsi,
    PairedRho,
    Plan,
    Unpaired,
)
from nstar._verbs.plan import plan, plan_margin, plan_precision
from nstar._verbs.plan.design import significant_gap
from nstar.errors import DataError, ParameterError
from nstar.types import Criteria

RHO = PairedRho(baseline=0.7, rho=0.4)
FEW = Design(noise=RHO, icc=0.2, clusters=5)
TWO = Design(noise=RHO, icc=0.2, clusters=2)
LEAGUE = Design(noise=RHO, models=5, goal="adjacent", source="a guess")
PLANS = {
    "items": lambda: plan(RHO, delta=0.01),
    "a loss": lambda: plan(RHO, delta=-0.01, rhos=(0.2, 0.4)),
    "the gap": lambda: plan(PairedPsi(psi=0.2), items=1000),
    "numpy's numbers": lambda: plan(RHO, items=np.int64(400), delta=np.float64(0.05)),  # type: ignore[arg-type]
    "no gain": lambda: plan(PairedRho(baseline=0.9, rho=0.6), items=5),
    "one side": lambda: plan(RHO, items=300, criteria=Criteria(alternative="greater", alpha=0.01)),
    "power": lambda: plan(LEAGUE, items=1000, delta=0.02, deltas=(0.02, 0.05)),
    "rhos that cannot be": lambda: plan(PairedRho(baseline=0.8, rho=0.5), delta=0.1),
    "unpaired": lambda: plan(Unpaired(baseline=0.7), delta=0.05),
    "graded": lambda: plan(Graded(sd=12.0, rho=0.5, width=100.0), delta=1.0),
    "clusters of a size": lambda: plan(Design(noise=RHO, icc=0.1, cluster_size=7), delta=0.05),
    "very many items": lambda: plan(
        Design(noise=RHO, icc=0.5, cluster_size=1e6), delta=1e-7, rhos=()
    ),
    "too few clusters": lambda: plan(FEW, delta=0.01),
    "two clusters": lambda: plan(TWO, items=10),
    "equivalence": lambda: plan_margin(PairedPsi(psi=0.15), margin=0.08),
    "a gap as large as the margin": lambda: plan_margin(RHO, margin=0.02, delta=0.02),
    "not worse": lambda: plan_margin(FEW, margin=0.05, items=400, one_sided=True),
    "precision": lambda: plan_precision(RHO, half_width=0.02),
    "precision reached": lambda: plan_precision(RHO, items=100),
    "precision never reached": lambda: plan_precision(FEW, half_width=0.001, items=100),
}


@pytest.mark.parametrize("which", PLANS)
def test_reads_back_equal(which: str) -> None:
    found = PLANS[which]()
    again = Plan.from_json(found.to_json())
    assert again == found
    assert again.to_dict() == found.to_dict()
    assert str(again) == str(found)
    assert type(again.noise_design.noise) is type(found.noise_design.noise)


def test_not_asked_and_no_number_are_told_apart() -> None:
    never, unasked = PLANS["too few clusters"](), PLANS["the gap"]()
    assert never.n_star == math.inf
    assert unasked.n_star is None
    assert (never.to_dict()["n_star"], unasked.to_dict()["n_star"]) == ("Infinity", None)
    reached = (
        PLANS[f"precision{end}"]().to_dict()["n_star"] for end in (" reached", " never reached")
    )
    assert tuple(reached) == (None, "Infinity")


def test_a_number_of_items_has_no_fraction() -> None:
    found = PLANS["items"]().to_dict()
    assert type(found["n_star"]) is int
    assert {type(row["n_star"]) for row in found["scenarios"]} == {int}
    with pytest.raises(DataError, match=r"\$\.n_star: 12\.5 is not a whole number"):
        Plan.from_dict(found | {"n_star": 12.5})
    with pytest.raises(ParameterError, match="items must be a whole number"):
        plan(RHO, items=100.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"noise": {"kind": "Guess"}}, "is not one of PairedRho, PairedPsi, Graded, Unpaired"),
        ({"noise": {"kind": "PairedPsi", "psi": 2.0}}, r"psi must be in \(0, 1\]"),
        ({"icc": 3.0}, "icc must be"),
    ],
)
def test_designs_that_cannot_be_are_not_read(change: dict[str, Any], said: str) -> None:
    found = PLANS["items"]().to_dict()
    with pytest.raises(DataError, match=said):
        Plan.from_dict(found | {"noise_design": found["noise_design"] | change})


def test_the_critical_value_is_that_of_the_test() -> None:
    margin = PLANS["equivalence"]()
    assert margin.tested.sides == 1
    assert margin.critical_value == pytest.approx(1.6449, abs=1e-4)
    assert PLANS["items"]().critical_value == pytest.approx(1.96, abs=1e-3)
    assert PLANS["power"]().to_dict()["noise_design"]["n_comparisons"] == 4


@pytest.mark.parametrize(
    ("noise", "gap"),
    [
        (PairedPsi(psi=0.2), 1.959964 * math.sqrt(0.2 / 1000)),
        (Graded(sd=0.5), 1.962341 * 0.5 / math.sqrt(1000)),
    ],
)
def test_the_significant_gap_is_the_critical_value_times_the_error(
    noise: PairedPsi | Graded, gap: float
) -> None:
    found = significant_gap(Design(noise=noise), Criteria(), 1000, 0.03)
    assert found == pytest.approx(gap, rel=1e-5)
    few = significant_gap(Design(noise=PairedPsi(psi=0.1)), Criteria(), 60, 0.03)
    assert few == pytest.approx(6 / 60)  # 6 wins of 6: mid-p is 2 / 2^6 - 1 / 2^6
