"""``plan_sequential``: items at most and on average, against simulation and the other plans."""

from typing import Any

import numpy as np
import pytest

from nstar import Design, Graded, PairedPsi, PairedRho, Unpaired
from nstar._verbs.plan import plan
from nstar._verbs.plan.interim_looks import Way
from nstar._verbs.plan.sequential import plan_sequential
from nstar._verbs.plan.sequential_result import LookBoundary, SequentialPlan, SequentialScenario
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats import Spending, e_process_horizon, e_process_power, group_sequential, tuned_beta
from nstar.types import Criteria

BINARY = PairedPsi(psi=0.2)
GRADED = Graded(sd=0.3)


def by_method(rows: tuple[SequentialScenario, ...]) -> dict[str, SequentialScenario]:
    return {row.method: row for row in rows}


def test_an_e_process_has_the_horizon_of_the_kernel() -> None:
    found = plan_sequential(BINARY, "e-process", delta=0.05)
    tuned = e_process_horizon(0.05, psi=0.2, a=float(tuned_beta(0.2 * found.n_items_max)))
    assert found.n_items_max == tuned.n
    assert found.scenario.mean_at_delta == pytest.approx(tuned.mean_stop, rel=1e-3)
    assert found.scenario.mean_at_zero == pytest.approx(tuned.mean_stop_null, rel=1e-3)
    assert e_process_power(0.05, psi=0.2, n=found.n_items_max) >= 0.8
    assert e_process_power(0.05, psi=0.2, n=found.n_items_max - 1) < 0.8
    assert found.mixture == pytest.approx(float(tuned_beta(0.2 * found.n_items_max)))


@pytest.mark.parametrize("delta", [0.1, 0.05, 0.02, 0.01, 0.001])
def test_published_factors_of_an_e_process(delta: float) -> None:
    """1.62 to 1.64 times Connor's items at most, 0.96 to 1.03 times on average."""
    found = plan_sequential(BINARY, "e-process", delta=delta)
    assert 1.58 < found.n_items_max / found.n_star < 1.645
    assert 0.96 < found.scenario.mean_at_delta / found.n_star < 1.03


def test_published_factors_of_graded_scores() -> None:
    """1.62 for the asymptotic sequence, about 1.89 for bets."""
    found = plan_sequential(GRADED, "asymptotic", delta=0.05)
    assert found.n_items_max / found.n_star == pytest.approx(1.62, abs=0.03)
    bets = by_method(found.scenarios)["bets"]
    assert bets.n_items_max / found.n_star == pytest.approx(1.89, abs=0.04)


def simulated_looks(
    looks: tuple[LookBoundary, ...], psi: float, delta: float
) -> tuple[float, float]:
    """0/1 scores in blocks between looks; Z of McNemar's test at each."""
    rng, runs = np.random.default_rng(8), 40_000
    chances = [(psi + delta) / 2, (psi - delta) / 2, 1 - psi]
    wins, losses = np.zeros(runs), np.zeros(runs)
    at = [look.n_items for look in looks]
    stop, shown = np.full(runs, at[-1]), np.zeros(runs, dtype=bool)
    for look, block in zip(looks, np.diff(at, prepend=0), strict=True):
        new = rng.multinomial(block, chances, size=runs)
        wins, losses = wins + new[:, 0], losses + new[:, 1]
        z = np.abs(wins - losses) / np.sqrt(np.maximum(wins + losses, 1))
        now = ~shown & (z >= look.z)
        stop[now], shown = look.n_items, shown | now
    return float(shown.mean()), float(stop.mean())


@pytest.mark.parametrize("method", ["obrien-fleming", "pocock", "lan-demets-of"])
@pytest.mark.parametrize("looks", [2, 5])
def test_planned_looks_by_simulation(method: Spending, looks: int) -> None:
    found = plan_sequential(BINARY, method, delta=0.05, looks=looks)
    row, design = found.scenario, group_sequential(looks, spending=method)
    assert [look.z for look in found.boundaries] == design.bounds.tolist()
    assert [look.pvalue for look in found.boundaries] == design.nominal.tolist()
    assert found.n_items_max == pytest.approx(design.inflation * found.n_star, abs=2)
    for multiple, want in (
        (0, row.mean_at_zero),
        (1, row.mean_at_delta),
        (1.5, row.mean_at_1_5_delta),
    ):
        power, mean = simulated_looks(found.boundaries, 0.2, 0.05 * multiple)
        assert mean == pytest.approx(want, rel=0.02)
        if multiple == 1:
            assert power == pytest.approx(row.power, abs=0.01)


def test_rows_are_the_ways_that_answer_the_same_question() -> None:
    def named(design: Design | PairedPsi | Graded, method: Way, sides: int = 2) -> list[str]:
        rule = Criteria(alternative="two-sided" if sides == 2 else "greater")
        rows = plan_sequential(design, method, delta=0.05, criteria=rule).scenarios
        assert [r.method for r in rows if r.is_headline] == [method]
        return [row.method for row in rows]

    looks = ["fixed", "obrien-fleming", "pocock"]
    assert named(BINARY, "e-process") == [*looks, "e-process", "bets"]
    assert named(GRADED, "bets") == [*looks, "asymptotic", "bets"]
    assert named(Design(noise=BINARY), "lan-demets-of") == [
        *looks,
        "lan-demets-of",
        "e-process",
        "bets",
    ]
    assert named(BINARY, "pocock", sides=1) == looks


def test_the_fixed_sample_is_that_of_plan() -> None:
    noise = PairedRho(baseline=0.7, rho=0.5)
    found = plan_sequential(noise, "e-process", delta=0.05)
    assert found.n_star == plan(noise, delta=0.05).n_star
    given = plan_sequential(noise, "e-process", delta=0.05, items=500)
    assert given.scenarios[0].power == plan(noise, delta=0.05, items=500).power


def test_items_and_gap_give_power() -> None:
    found = plan_sequential(BINARY, "e-process", delta=0.05, items=500)
    assert found.solved_for == "power"
    assert {row.n_items_max for row in found.scenarios} == {500}
    assert found.scenario.power == e_process_power(0.05, psi=0.2, n=500)
    assert found.n_items_needed == plan_sequential(BINARY, "e-process", delta=0.05).n_items_max
    powers = [row.power for row in found.scenarios]
    assert powers == sorted(powers, reverse=True)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("noise", "method"),
    [
        (BINARY, "e-process"),
        (PairedRho(baseline=0.7, rho=0.5), "e-process"),
        (BINARY, "bets"),
        (GRADED, "bets"),
        (GRADED, "asymptotic"),
        (GRADED, "pocock"),
    ],
)
def test_the_smallest_gap_needs_the_items(noise: PairedPsi | Graded, method: Way) -> None:
    found = plan_sequential(noise, method, items=700)
    assert found.solved_for == "mde"
    assert found.scenario.power == pytest.approx(0.8, abs=1e-3)
    assert plan_sequential(noise, method, delta=found.delta).n_items_max == pytest.approx(
        700, abs=3
    )


def test_a_loss_is_as_far_as_a_gain() -> None:
    gain, loss = (plan_sequential(BINARY, "e-process", delta=d) for d in (0.05, -0.05))
    assert gain.n_items_max == loss.n_items_max
    assert gain.scenario.mean_at_1_5_delta == pytest.approx(loss.scenario.mean_at_1_5_delta)


def test_gaps_that_cannot_be_have_no_average() -> None:
    found = plan_sequential(BINARY, "e-process", delta=0.12)
    assert all(
        row.mean_at_1_5_delta is not None and row.mean_at_2_delta is None
        for row in found.scenarios
    )
    wide = by_method(plan_sequential(Graded(sd=0.9), "asymptotic", delta=0.4).scenarios)
    assert wide["bets"].mean_at_1_5_delta is None
    assert wide["asymptotic"].mean_at_1_5_delta is not None


def test_bets_that_cannot_be_are_no_row() -> None:
    found = plan_sequential(Graded(sd=1.0), "asymptotic", delta=0.5)
    assert "bets" not in by_method(found.scenarios)
    with pytest.raises(ParameterError, match="sigma must be below"):
        plan_sequential(Graded(sd=1.0), "bets", delta=0.5)
    few = plan_sequential(GRADED, "pocock", delta=0.3, items=20)
    assert "asymptotic" not in by_method(few.scenarios)


def test_beyond_exact_counts_the_normal_limit_takes_over() -> None:
    near, far = (plan_sequential(BINARY, "e-process", delta=d) for d in (0.01, 0.0001))
    assert not far.is_exact
    assert near.n_items_max / near.n_star == pytest.approx(far.n_items_max / far.n_star, rel=5e-3)


def test_few_items_are_enough_for_a_huge_gap() -> None:
    found = plan_sequential(Graded(sd=0.05), "asymptotic", delta=0.5)
    assert found.n_items_max == 30


def test_a_plan_shows_itself() -> None:
    found = plan_sequential(BINARY, "e-process", delta=0.05)
    assert "takes at most 1,018 items" in str(found).replace("\n", " ")
    assert found.boundaries == ()
    last = plan_sequential(BINARY, "pocock", delta=0.05, looks=3).boundaries[-1]
    assert last.n_items == pytest.approx(1.17 * found.n_star, rel=0.02)


@pytest.mark.parametrize(
    ("design", "method", "arguments"),
    [
        (BINARY, "e-process", {"delta": 0.12}),  # twice that cannot be
        (BINARY, "pocock", {"delta": -0.05, "looks": 1}),
        (BINARY, "lan-demets-of", {"items": 500, "criteria": Criteria(alternative="greater")}),
        (GRADED, "asymptotic", {"delta": 0.05, "items": 200}),
        (Graded(sd=0.4, rho=0.5), "bets", {"items": np.int64(700)}),
        (PairedRho(baseline=0.7, rho=0.5), "obrien-fleming", {"delta": 0.05}),
    ],
)
def test_reads_back_equal(design: PairedPsi, method: Way, arguments: dict[str, Any]) -> None:
    found = plan_sequential(design, method, **arguments)
    again = SequentialPlan.from_json(found.to_json())
    assert again == found
    assert str(again) == str(found)


@pytest.mark.parametrize(
    ("design", "method", "arguments", "said"),
    [
        (BINARY, "e-process", {}, "Set delta"),
        (BINARY, "asymptotic", {"delta": 0.05}, "asymptotic needs graded scores"),
        (GRADED, "e-process", {"delta": 0.05}, "bets or asymptotic"),
        (BINARY, "peeking", {"delta": 0.05}, "method must be one of"),
        (
            BINARY,
            "e-process",
            {"delta": 0.05, "criteria": Criteria(alternative="greater")},
            "e-process is two-sided",
        ),
        (Unpaired(baseline=0.7), "pocock", {"delta": 0.05}, "same items"),
        (Design(noise=BINARY, models=3), "pocock", {"delta": 0.05}, "one comparison"),
        (Design(noise=BINARY, icc=0.1, clusters=9), "pocock", {"delta": 0.05}, "one comparison"),
        (BINARY, "pocock", {"items": 3}, "at least 5, the number of looks"),
        (BINARY, "bets", {"items": 1}, "at least 2"),
        (GRADED, "asymptotic", {"items": 29}, "Use bets"),
        (BINARY, "e-process", {"delta": 0.3}, "impossible"),
        (BINARY, "e-process", {"delta": 0.0}, "delta must be"),
        (BINARY, "pocock", {"delta": 0.05, "looks": 0}, "looks must be"),
    ],
)
def test_plans_that_are_none(
    design: Design | PairedPsi, method: Way, arguments: dict[str, float], said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        plan_sequential(design, method, **arguments)  # type: ignore[arg-type]


def test_too_few_items_find_nothing() -> None:
    with pytest.raises(InfeasibleError, match="5 items cannot detect any gap"):
        plan_sequential(BINARY, "e-process", items=5)
