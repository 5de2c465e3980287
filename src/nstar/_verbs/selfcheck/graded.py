"""Evaluate reference values for graded scores, equivalence, groups of items, and repeated runs."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from math import ceil, comb, sqrt
from typing import Any

import numpy as np

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs
from nstar.stats.cluster import leave_one_cluster_out

# --- graded scores ------------------------------------------------------------------------


def _t_power(x: Inputs) -> Any:
    return stats.t_power(x["delta"], sigma=x["sd"], n=x["n"], alpha=x["alpha"])


def _t_n(x: Inputs) -> Any:
    return stats.t_n_star(x["delta"], sigma=x["sd"], alpha=x["alpha"], power=x["power"])


def _t_n_real(x: Inputs) -> Any:
    """Return where the line between the last two sizes crosses the target power."""
    n = _t_n(x)
    low, high = stats.t_power(x["delta"], sigma=x["sd"], n=[n - 1, n], alpha=x["alpha"])
    return n - (high - x["power"]) / (high - low)


def _wilcoxon_power(x: Inputs) -> Any:
    power = stats.wilcoxon_power(x["delta"], sigma=x["sd"], n=x["n"], alpha=x["alpha"])
    return {"sim": power, "lehmann": power}


# --- equivalence and non-inferiority ------------------------------------------------------


def _equivalence_n(x: Inputs) -> Any:
    design = {"sigma": x["sd"], "delta": x["delta"], "alpha": x["alpha"], "power": x["power"]}
    normal = stats.equivalence_n_star(x["margin"], **design)
    return {
        "z_closed": None if x["delta"] else normal,  # a closed form exists only for a gap of 0
        "z_numeric": ceil(normal),
        "t_exact": stats.equivalence_t_n_star(x["margin"], **design),
    }


def _tango(x: Inputs) -> Any:
    margin = x["margin"]
    design = {"psi": x["psi"], "n": x["n"], "alpha": x["alpha"]}
    return {
        "tost_power0": stats.equivalence_exact_power(margin, delta=0.0, sides=2, **design),
        "tost_size": stats.equivalence_exact_power(margin, delta=margin, sides=2, **design),
        "ni_power0": stats.equivalence_exact_power(margin, delta=0.0, sides=1, **design),
        "ni_size": stats.equivalence_exact_power(margin, delta=-margin, sides=1, **design),
    }


def _equivalence_binary_n(x: Inputs) -> Any:
    design = {
        "sigma": sqrt(x["psi"]),
        "delta": x["delta"],
        "alpha": x["alpha"],
        "power": x["power"],
    }
    return {
        "tost": stats.equivalence_n_star(x["margin"], **design),
        "ni": stats.noninferiority_n_star(x["margin"], **design),
    }


# --- items in groups ----------------------------------------------------------------------


def _groups(x: Inputs) -> stats.ClusterSums:
    return stats.cluster_sums(x["D"], np.asarray(x["g"]) - 1)


def _robust(x: Inputs) -> Any:
    s = _groups(x)
    return {
        "mean": s.sums.sum() / s.sizes.sum(),
        "CR0": stats.cluster_variance(s.sums, s.sizes, kind="CR0"),
        "CR1": stats.cluster_variance(s.sums, s.sizes, kind="CR1"),
        "CR2": stats.cluster_variance(s.sums, s.sizes, kind="CR2"),
        "CR3": stats.cluster_variance(s.sums, s.sizes, kind="CR3"),
        "df_BM": stats.bell_mccaffrey_df(s.sizes),
        "p_CR2_BM": stats.cluster_pvalue(s.sums, s.sizes),
    }


def _icc(x: Inputs) -> Any:
    s = _groups(x)
    a = stats.anova_icc(s.sums, s.squares, s.sizes)
    iid = stats.iid_variance(s.sums, s.squares, s.sizes)
    return {
        "MSB": a.msb,
        "MSW": a.msw,
        "m0": a.m0,
        "mA": stats.design_effect(1.0, s.sizes),  # Σm²/N: all that is left at ICC = 1
        "mbar": s.sizes.mean(),
        "icc_anova": a.icc,
        "DE_mbar": stats.design_effect_equal(a.icc, s.sizes.mean()),
        "DE_kish": stats.design_effect(a.icc, s.sizes),
        "DE_ratio_CR1": stats.cluster_variance(s.sums, s.sizes, kind="CR1") / iid,
        "DE_ratio_CR2": stats.cluster_variance(s.sums, s.sizes, kind="CR2") / iid,
        "V_iid": iid,
        "V_strat": stats.strata_variance(s.sums, s.squares, s.sizes),
        "loco": leave_one_cluster_out(s.sums, s.sizes),
    }


def _mmlu_pro(x: Inputs) -> Any:
    sizes = np.asarray(x["sizes"])
    return {
        "mA": stats.design_effect(1.0, sizes),
        "m0": stats.anova_icc(0 * sizes, sizes, sizes).m0,  # of the sizes alone
        "mbar": stats.design_effect_equal(1.0, sizes.mean()),
        "df_BM": stats.bell_mccaffrey_df(sizes),
        "DE_mbar_icc036": stats.design_effect_equal(0.036, sizes.mean()),
        "DE_kish_icc036": stats.design_effect(0.036, sizes),
    }


# --- repeated runs of tasks ---------------------------------------------------------------

_PUBLISHED_MDE = {50: 0.25, 100: 0.12}
"""Detectable gaps by number of tasks, as published in an article."""


def _binomial(n: int, p: float) -> list[float]:
    return [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


def _plugin_bias(x: Inputs) -> Any:
    """Return the bias of the plug-in estimate, relative to the unbiased estimate."""
    n, k, c = x["n"], x["k"], np.arange(x["n"] + 1)
    return np.dot(_binomial(n, x["p"]), stats.pass_at_k_plugin(n, c, k) - stats.pass_at_k(n, c, k))


def _pass(x: Inputs) -> Any:
    n, c, k = x["n"], x["c"], x["k"]
    return {"pass_at_k": stats.pass_at_k(n, c, k), "pass_hat_k": stats.pass_hat_k(n, c, k)}


def _outcomes(x: Inputs) -> Iterator[tuple[float, list[int], list[int]]]:
    """Yield the probability and the runs of A and B, for every outcome of one random task."""
    n_a, n_b = x["nA"], x["nB"]
    for p_a, p_b in x["tasks"]:
        of_a, of_b = enumerate(_binomial(n_a, p_a)), enumerate(_binomial(n_b, p_b))
        for (a, w_a), (b, w_b) in product(of_a, of_b):
            runs_a, runs_b = [1] * a + [0] * (n_a - a), [1] * b + [0] * (n_b - b)
            yield w_a * w_b / len(x["tasks"]), runs_a, runs_b


def _decomposition(x: Inputs) -> Any:
    """Return the expectations of the estimators over all outcomes of two random tasks."""
    mean = np.zeros(4)
    outcomes = list(enumerate(_outcomes(x)))
    for (i, (w, a, b)), (j, (v, c, d)) in combinations_with_replacement(outcomes, 2):
        part = stats.variance_components([a, c], [b, d])
        components = (part.sigma_b2_raw, part.sigma_wa2, part.sigma_wb2, 2 * part.var_delta)
        mean += (1 if i == j else 2) * w * v * np.array(components)
    return dict(zip(("sigma_b2", "sigma_wA2", "sigma_wB2", "var_per_task"), mean, strict=True))


def _estimators(x: Inputs) -> Any:
    part = stats.variance_components(x["A"], x["B"])
    return {
        "delta": part.delta,
        "var_delta": part.var_delta,
        "sigma_wA2": part.sigma_wa2,
        "sigma_wB2": part.sigma_wb2,
        "sigma_b2_raw": part.sigma_b2_raw,
    }


def _allocation(x: Inputs) -> Any:
    noise = x["sigma_b2"], x["sigma_wA2"], x["sigma_wB2"]
    costs = stats.RunCosts(task=x["cost_task"], run_a=x["cost_runA"], run_b=x["cost_runB"])
    real = stats.optimal_runs(*noise, budget=x["budget"], costs=costs)
    allocation = stats.best_allocation(*noise, budget=x["budget"], costs=costs, max_runs=79)
    return {
        "nA_closed": real.runs_a,
        "nB_closed": real.runs_b,
        "V_closed": real.var_delta,
        "brute": {
            "V": allocation.var_delta,
            "nA": allocation.runs_a,
            "nB": allocation.runs_b,
            "k": allocation.tasks,
        },
    }


def _bounds(x: Inputs) -> Any:
    """Return bounds in percentage points, with variances of 0/1 scores of accuracy p."""
    k, n, one = x["k"], x["n"], x["p"] * (1 - x["p"])
    between = stats.runs_variance(2 * one, 0.0, 0.0, tasks=k, runs_a=n, runs_b=n)
    within = stats.runs_variance(0.0, one, one, tasks=k, runs_a=n, runs_b=n)
    return {
        "mde_worst_unpaired_deterministic_p7": 100 * stats.runs_mde(between),
        "mde_all_runs_independent_p7": 100 * stats.runs_mde(within),
        "implied_var": k / stats.normal_n_star(_PUBLISHED_MDE[k], sigma=1.0),
    }


def _pseudo_value_plan(x: Inputs) -> Any:
    """Return N* at the gap, and the MDE of 1,000 items."""
    rule = {"sigma": x["sigma_pseudo"], "alpha": x["alpha"], "power": x["power"]}
    return [stats.normal_n_star(x["delta"], **rule), stats.normal_mde(1000, **rule)]


def _auroc_plan(x: Inputs) -> Any:
    """Return the probabilities of two pairs in order, and the standard error."""
    a = x["auroc"]
    return [a / (2 - a), 2 * a**2 / (1 + a), stats.auroc_se(a, x["positives"], x["negatives"])]


def _auroc_delong(x: Inputs) -> Any:
    """Return DeLong's error of a difference, from the pseudo-values within each class."""
    data = x["data"]
    positive = np.asarray(data["y"]) == 1
    scores = [stats.auroc_pseudo_values(positive, data[f"score_{m}"])[1] for m in "ab"]
    d, n = scores[0] - scores[1], positive.size
    classes = (d[positive], d[~positive])
    return sqrt(sum(c.var(ddof=1) * ((c.size - 1) / (n - 1)) ** 2 / c.size for c in classes))


EVALUATORS: dict[str, Evaluator] = {
    "metric.plan": _pseudo_value_plan,
    "metric.auroc_plan": _auroc_plan,
    "metric.auroc_delong": _auroc_delong,
    "cluster.DE_sim": lambda x: stats.design_effect(x["icc"], x["sizes"]),
    "cluster.cr": _robust,
    "cluster.icc": _icc,
    "cluster.mmlupro": _mmlu_pro,
    "equiv.binary_n": _equivalence_binary_n,
    "equiv.tango": _tango,
    "equiv.tost_n": _equivalence_n,
    "equiv.tost_t": lambda x: stats.equivalence_t_power(
        x["margin"], sigma=x["sd"], n=x["n"], delta=x["delta"], alpha=x["alpha"]
    ),
    "graded.mc_pvalue": lambda x: stats.monte_carlo_pvalue(x["r"], x["B"]),
    # The size of a Monte Carlo test, whose rank is uniform on 0 … B under H0.
    "graded.mc_pvalue_size": lambda x: np.mean(
        stats.monte_carlo_pvalue(np.arange(x["B"] + 1), x["B"]) <= x["alpha"]
    ),
    "graded.signflip_exact": lambda x: stats.sign_flip_pvalue(x["x"]),
    "graded.t_n": _t_n,
    "graded.t_n_R": _t_n_real,
    "graded.t_power": _t_power,
    "graded.t_power_R": _t_power,
    "graded.t_power_mp": _t_power,
    "graded.wilcoxon_exact": lambda x: stats.wilcoxon_pvalue(x["x"], method="exact"),
    "graded.wilcoxon_power": _wilcoxon_power,
    "runs.alloc": _allocation,
    "runs.estimators": _estimators,
    "runs.pass_at_k": _pass,
    "runs.pass_at_k_plugin_bias": _plugin_bias,
    "runs.seed004_bounds": _bounds,
    "runs.var_decomposition": _decomposition,
}
"""Evaluators by the name of the value up to the first space, or by its whole name."""
