"""Reference values for repeated runs of tasks."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    RunCosts,
    best_allocation,
    normal_n_star,
    optimal_runs,
    pass_at_k,
    pass_at_k_plugin,
    pass_hat_k,
    runs_mde,
    runs_variance,
    variance_components,
)

_PUBLISHED_MDE = {50: 0.25, 100: 0.12}
"""Tasks → gap that an article calls detectable."""


def _binomial(n: int, p: float) -> list[float]:
    return [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


def _plugin_bias(x: Inputs) -> Any:
    """Against the unbiased estimate, whose expectation is the truth."""
    n, k, c = x["n"], x["k"], np.arange(x["n"] + 1)
    return np.dot(_binomial(n, x["p"]), pass_at_k_plugin(n, c, k) - pass_at_k(n, c, k))


def _pass(x: Inputs) -> Any:
    n, c, k = x["n"], x["c"], x["k"]
    return {"pass_at_k": pass_at_k(n, c, k), "pass_hat_k": pass_hat_k(n, c, k)}


def _outcomes(x: Inputs) -> Iterator[tuple[float, list[int], list[int]]]:
    """Probability, runs of A and runs of B for everything that one random task can show."""
    n_a, n_b = x["nA"], x["nB"]
    for p_a, p_b in x["tasks"]:
        of_a, of_b = enumerate(_binomial(n_a, p_a)), enumerate(_binomial(n_b, p_b))
        for (a, w_a), (b, w_b) in product(of_a, of_b):
            runs_a, runs_b = [1] * a + [0] * (n_a - a), [1] * b + [0] * (n_b - b)
            yield w_a * w_b / len(x["tasks"]), runs_a, runs_b


def _decomposition(x: Inputs) -> Any:
    """Expectation of the estimators over all outcomes of two random tasks."""
    mean = np.zeros(4)
    outcomes = list(enumerate(_outcomes(x)))
    for (i, (w, a, b)), (j, (v, c, d)) in combinations_with_replacement(outcomes, 2):
        part = variance_components([a, c], [b, d])
        found = (part.sigma_b2_raw, part.sigma_wa2, part.sigma_wb2, 2 * part.var_delta)
        mean += (1 if i == j else 2) * w * v * np.array(found)
    return dict(zip(("sigma_b2", "sigma_wA2", "sigma_wB2", "var_per_task"), mean, strict=True))


def _estimators(x: Inputs) -> Any:
    part = variance_components(x["A"], x["B"])
    return {
        "delta": part.delta,
        "var_delta": part.var_delta,
        "sigma_wA2": part.sigma_wa2,
        "sigma_wB2": part.sigma_wb2,
        "sigma_b2_raw": part.sigma_b2_raw,
    }


def _allocation(x: Inputs) -> Any:
    noise = x["sigma_b2"], x["sigma_wA2"], x["sigma_wB2"]
    costs = RunCosts(task=x["cost_task"], run_a=x["cost_runA"], run_b=x["cost_runB"])
    real = optimal_runs(*noise, budget=x["budget"], costs=costs)
    whole = best_allocation(*noise, budget=x["budget"], costs=costs, max_runs=79)
    return {
        "nA_closed": real.runs_a,
        "nB_closed": real.runs_b,
        "V_closed": real.var_delta,
        "brute": {
            "V": whole.var_delta,
            "nA": whole.runs_a,
            "nB": whole.runs_b,
            "k": whole.tasks,
        },
    }


def _bounds(x: Inputs) -> Any:
    """In percentage points, as published; variances of two 0/1 scores of accuracy p."""
    k, n, one = x["k"], x["n"], x["p"] * (1 - x["p"])
    between = runs_variance(2 * one, 0.0, 0.0, tasks=k, runs_a=n, runs_b=n)
    within = runs_variance(0.0, one, one, tasks=k, runs_a=n, runs_b=n)
    return {
        "mde_worst_unpaired_deterministic_p7": 100 * runs_mde(between),
        "mde_all_runs_independent_p7": 100 * runs_mde(within),
        "implied_var": k / normal_n_star(_PUBLISHED_MDE[k], sigma=1.0),
    }


EVALUATORS: dict[str, Evaluator] = {
    "runs.alloc": _allocation,
    "runs.estimators": _estimators,
    "runs.pass_at_k": _pass,
    "runs.pass_at_k_plugin_bias": _plugin_bias,
    "runs.seed004_bounds": _bounds,
    "runs.var_decomposition": _decomposition,
}
"""By the name of the value up to the first space."""
