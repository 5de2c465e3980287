"""Group-sequential designs: against tables, the multivariate normal law and simulation.

Values of rpact are in ``golden.json``.
"""

import numpy as np
import pytest
import scipy.stats as st

from nstar.errors import ParameterError
from nstar.stats.critical import k_factor
from nstar.stats.looks import GroupSequential, Spending, group_sequential

# Jennison and Turnbull 2000, tables 2.1 and 2.3: two-sided, alpha = 0.05
POCOCK = {1: 1.960, 2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 10: 2.555, 20: 2.672}
OBRIEN_FLEMING = {1: 1.960, 2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 10: 2.087, 20: 2.126}
# tables 2.2 and 2.4: inflation of the maximal sample, power 0.8
POCOCK_COST = {2: 1.110, 3: 1.166, 5: 1.229, 10: 1.301}
OBRIEN_FLEMING_COST = {2: 1.008, 3: 1.017, 5: 1.028, 10: 1.040}
KINDS: tuple[Spending, ...] = (
    "obrien-fleming",
    "pocock",
    "lan-demets-of",
    "lan-demets-pocock",
)


def walks(design: GroupSequential, theta: float, replications: int = 200_000) -> float:
    """Simulated mean share of items."""
    rng = np.random.default_rng(1)
    t = design.timing
    steps = np.diff(t, prepend=0.0)
    noise = rng.standard_normal((replications, len(t)))
    place = np.cumsum(theta * steps + np.sqrt(steps) * noise, axis=1)
    z = place / np.sqrt(t)
    out = (np.abs(z) if design.sides == 2 else z) >= design.bounds
    out[:, -1] = True
    return float(t[np.argmax(out, axis=1)].mean())


@pytest.mark.parametrize("looks", POCOCK)
def test_tabled_boundaries(looks: int) -> None:
    pocock = group_sequential(looks, spending="pocock")
    assert pocock.bounds == pytest.approx([POCOCK[looks]] * looks, abs=5.1e-4)
    last = group_sequential(looks).bounds[-1]
    assert last == pytest.approx(OBRIEN_FLEMING[looks], abs=5.1e-4)


@pytest.mark.parametrize("looks", POCOCK_COST)
def test_tabled_costs(looks: int) -> None:
    pocock = group_sequential(looks, spending="pocock")
    assert pocock.inflation == pytest.approx(POCOCK_COST[looks], abs=6e-4)
    cost = group_sequential(looks).inflation
    assert cost == pytest.approx(OBRIEN_FLEMING_COST[looks], abs=6e-4)


@pytest.mark.parametrize("spending", KINDS)
@pytest.mark.parametrize("sides", [1, 2])
def test_level_by_the_multivariate_normal_law(spending: Spending, sides: int) -> None:
    """The chance to stay inside all boundaries, integrated by scipy."""
    t = np.array([0.3, 0.5, 1.0])
    design = group_sequential(3, spending=spending, sides=sides, timing=t)  # type: ignore[arg-type]
    correlation = np.sqrt(np.minimum.outer(t, t) / np.maximum.outer(t, t))
    low = -design.bounds if sides == 2 else np.full(3, -np.inf)
    fine = {"cov": correlation, "abseps": 1e-7, "releps": 1e-7}
    inside = st.multivariate_normal.cdf(design.bounds, lower_limit=low, **fine)
    assert 1 - inside == pytest.approx(0.05, abs=2e-6)
    assert design.spent[-1] == pytest.approx(0.05, abs=1e-12)
    shift = np.sqrt(design.inflation) * float(k_factor(0.05, 0.8, sides=sides))  # type: ignore[arg-type]
    if sides == 1:
        power = 1 - st.multivariate_normal.cdf(design.bounds - shift * np.sqrt(t), **fine)
        assert power == pytest.approx(0.8, abs=2e-6)


@pytest.mark.parametrize("multiple", [0.0, 0.7, 1.0, 2.0])
def test_expected_items_by_simulation(multiple: float) -> None:
    for design in (
        group_sequential(5),
        group_sequential(4, spending="pocock", sides=1, alpha=0.025, power=0.9),
        group_sequential(3, spending="lan-demets-of", timing=[0.2, 0.9, 1.0]),
    ):
        fixed = float(k_factor(design.alpha, design.power, sides=design.sides))
        theta = multiple * fixed * np.sqrt(design.inflation)
        assert design.share(multiple) == pytest.approx(walks(design, theta), abs=0.0025)


def test_one_look_is_the_fixed_sample() -> None:
    for kind in KINDS:
        design = group_sequential(1, spending=kind)
        assert design.bounds == pytest.approx([1.959963984540054], abs=1e-12)
        assert (design.inflation, design.share()) == pytest.approx((1.0, 1.0), abs=1e-12)
        assert design.power_at(1.0) == pytest.approx(0.8, abs=1e-12)


def test_spending_functions_are_spent_as_they_say() -> None:
    t = np.array([0.25, 0.6, 1.0])
    design = group_sequential(3, spending="lan-demets-pocock", timing=t)
    assert design.spent == pytest.approx(0.05 * np.log(1 + (np.e - 1) * t), abs=1e-12)
    design = group_sequential(3, spending="lan-demets-of", timing=t, sides=1, alpha=0.025)
    want = 2 * st.norm.sf(st.norm.isf(0.0125) / np.sqrt(t))
    assert design.spent == pytest.approx(want, abs=1e-12)


def test_fields_agree_with_each_other() -> None:
    design = group_sequential(5)
    assert design.looks == 5
    assert design.bounds * np.sqrt(design.timing) == pytest.approx([design.bounds[-1]] * 5)
    assert design.nominal == pytest.approx(2 * st.norm.sf(design.bounds), rel=1e-12)
    assert design.share_null == design.share(0.0)
    assert design.share_design == design.share()
    assert design.cost(2.0) == pytest.approx(design.inflation * design.share(2.0))
    assert design.stops(1.3).sum() == pytest.approx(1.0)
    assert design.power_at(1.0) == pytest.approx(0.8, abs=1e-12)
    assert design.power_at(0.0) == pytest.approx(0.025, abs=1e-12)
    assert design.share(-1.0) == design.share(1.0)
    assert design.power_at(40.0) == pytest.approx(1.0)
    assert "_walks" not in repr(design)


def test_early_looks_are_bounded() -> None:
    design = group_sequential(100)
    assert design.bounds[0] == 9.0
    assert design.spent[-1] == pytest.approx(0.05, abs=1e-10)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"looks": 0}, "looks"),
        ({"looks": 101}, "looks"),
        ({"looks": 2.5}, "looks"),
        ({"looks": np.nan}, "looks"),
        ({"looks": np.inf}, "looks"),
        ({"alpha": 0.0}, "alpha"),
        ({"power": 0.02}, "power"),
        ({"sides": 3}, "sides"),
        ({"spending": "haybittle"}, "spending"),
        ({"looks": 2, "timing": [0.5]}, "length of timing"),
        ({"looks": 2, "timing": [0.5, 0.9]}, "last timing"),
        ({"looks": 2, "timing": [1.0, 1.0]}, "steps of timing"),
        ({"looks": 2, "timing": [np.nan, 1.0]}, "steps of timing"),
    ],
)
def test_designs_that_are_none(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        group_sequential(**arguments)  # type: ignore[arg-type]


def test_one_sided_designs_have_no_negative_multiple() -> None:
    with pytest.raises(ParameterError, match="multiple"):
        group_sequential(2, sides=1).share(-1.0)
