"""The claim about pilots of boards: pilots of which the truth is known, a sample of the cells."""

import numpy as np
import pytest

from nstar._verbs.plan.board import board_pilot, plan_pilot_board
from validation import CLAIMS, ValidationRequest, validate
from validation.board_plans import PilotCell, pilot_grid, told_noise
from validation.promise import FULL


def test_a_sample_of_the_cells_keeps_its_promise() -> None:
    found = validate(claims=["board-pilots"])
    assert not found.limits
    assert {c.procedure for c in found.cells} == {"95% interval", "enough with 90%"}
    assert CLAIMS["board-pilots"].advise("anything")


def test_a_full_run_has_every_pilot() -> None:
    jobs = list(CLAIMS["board-pilots"].jobs(ValidationRequest(effort=FULL)))
    plain = {(c.models, c.items, c.runs) for c in pilot_grid() if not c.groups}
    assert plain == {
        (m, n, r) for m in (3, 10, 30) for n in (30, 60, 100, 200) for r in (1, 2, 3, 5)
    }
    assert len(jobs) == len(pilot_grid())
    assert all(c.items % c.groups == 0 for c in pilot_grid() if c.groups)


@pytest.mark.parametrize("runs", [1, 4])
def test_the_truth_is_that_of_drawn_answers(runs: int) -> None:
    cell = PilotCell(models=3, items=100, runs=runs)
    rng = np.random.default_rng(1)
    x = rng.binomial(runs, cell.chances(rng, 200_000)) / runs
    seen = float((x[:, :-1] - x[:, 1:]).var(axis=0).mean())
    assert cell.noise() == pytest.approx(seen, rel=0.02)


def test_the_truth_of_groups_is_that_of_their_means() -> None:
    cell = PilotCell(models=3, items=60, items_are="clusters", groups=6)
    rng = np.random.default_rng(2)
    x = rng.binomial(1, cell.chances(rng, 200_000)) * 1.0
    d = (x[:, :-1] - x[:, 1:]).reshape(-1, 10, 2).mean(axis=1)
    assert cell.noise() == pytest.approx(10 * float(d.var(axis=0).mean()), rel=0.03)
    same = PilotCell(models=3, items=60, items_are="strata", groups=6)
    assert same.noise() < cell.noise()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("cluster", [None, "group"])
def test_what_is_measured_is_what_a_plan_prints(cluster: str | None) -> None:
    are = "items" if cluster is None else "clusters"
    cell = PilotCell(models=4, items=120, items_are=are, groups=0 if cluster is None else 12)  # type: ignore[arg-type]
    low, high, assured = told_noise(cell, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    scores = rng.binomial(1, cell.chances(rng, 120)).astype(np.float64)
    groups = {"group": np.arange(120) // 10} if cluster else None
    found = plan_pilot_board(board_pilot(scores, groups), delta=0.01, cluster=cluster)
    row = found.readings[0].claims[0]
    assert row.n_star_low is not None
    assert row.n_star_high is not None
    assert row.n_star_high / row.n_star_low == pytest.approx(high / low, rel=1e-3)
    assert (row.n_star_assured or 0) / row.n_star_low == pytest.approx(assured / low, rel=1e-3)
