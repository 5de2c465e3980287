"""τ-bench airline, 50 tasks × 4 runs: what the tutorial says, computed apart."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from statistics import variance

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats as st

import nstar
from helpers.commands import Command
from nstar._verbs.runs import run_tables

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "tau_bench_airline_gpt4o.parquet"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="no shared data")


def scores() -> dict[str, list[int]]:
    """Runs of each task, without nstar's reader."""
    found = defaultdict(list)
    for row in pq.read_table(DATA).to_pylist():
        found[str(row["item"])].append(int(row["score"]))
    return found


def components() -> tuple[Fraction, Fraction, Fraction]:
    """Mean, variance between tasks, variance within, as fractions."""
    rows = [[Fraction(x) for x in runs] for runs in scores().values()]
    parts = [variance(row) for row in rows]
    within = sum(parts, Fraction(0)) / len(parts)
    means = [sum(row, Fraction(0)) / len(row) for row in rows]
    mean = sum(means, Fraction(0)) / len(means)
    return mean, variance(means) - within / 4, within


def test_pass_hat_k_by_counting_subsets() -> None:
    (table,) = run_tables(nstar.read(DATA))
    assert np.nanmean(table.scores) == pytest.approx(0.42)
    found = nstar.runs(table).model_runs[0].pass_hat
    assert found is not None
    for k in range(1, 5):
        shares = [
            Fraction(sum(all(c) for c in combinations(runs, k)), comb(4, k))
            for runs in scores().values()
        ]
        assert found.estimate[k - 1] == pytest.approx(float(sum(shares) / 50))


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_spread_against_a_model_alike(rho: float) -> None:
    mean, between, within = components()
    (table,) = run_tables(nstar.read(DATA))
    found = nstar.plan_runs(table, rho=rho, delta=0.1)
    assert isinstance(found, nstar.TaskPlan)
    spread = found.variances
    assert mean == Fraction(42, 100)
    assert spread.sigma_b2 == pytest.approx(2 * (1 - rho) * float(between))
    assert spread.sigma_wa2 == spread.sigma_wb2 == pytest.approx(float(within))


def power(gap: float, spread: float, tasks: int) -> float:
    """Two-sided t test over tasks, by scipy's noncentral t."""
    shift, df = gap * np.sqrt(tasks / spread), tasks - 1
    edge = st.t.ppf(0.975, df)
    return float(st.nct.sf(edge, df, shift) + st.nct.cdf(-edge, df, shift))


@pytest.mark.parametrize("gap", [5, 10])
def test_the_plans_of_the_tutorial(gap: int) -> None:
    _, between, within = components()
    spread = float(2 * between * Fraction(1, 2) + 2 * within)
    given = (str(DATA), "--delta", f"{gap}pp", "--cost-run", "0.2")
    found = Command("plan runs").answer(*given)
    design = found["best_design"]
    assert (design["n_runs_a"], design["n_runs_b"]) == (1, 1)
    tasks = design["n_tasks"]
    assert power(gap / 100, spread, tasks - 1) < 0.8 <= power(gap / 100, spread, tasks)
    assert design["cost"] == pytest.approx(0.4 * tasks)
