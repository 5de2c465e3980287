"""Evaluate reference values for 0/1 scores: paired, unpaired, or reported accuracies."""

from math import sqrt
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array, Interval
from nstar._verbs.selfcheck.reference import Evaluator, Inputs

_TESTS: dict[str, stats.McNemarMethod] = {
    "exact": "exact",
    "midp": "midp",
    "asym": "asymptotic",
    "cc": "corrected",
}
"""Names of McNemar's tests in the reference and in nstar."""


# --- rates and plans ----------------------------------------------------------------------


def _joint(x: Inputs) -> Any:
    r = stats.paired_rates(x["pA"], x["pB"], x["rho"])
    cells = {"p11": r.p11, "p10": r.p10, "p01": r.p01, "p00": r.p00}
    return {**cells, "psi": r.psi, "delta": r.delta, "var_D": r.sigma**2}


def _n_star(x: Inputs) -> Any:
    p_a, p_b, rho = x["pA"], x["pB"], x["rho"]
    low, high = stats.rho_bounds(p_a, p_b)
    return {
        "wald": stats.paired_n_star_from_rates(p_a, p_b, rho, method="wald"),
        "connor": stats.paired_n_star_from_rates(p_a, p_b, rho, method="connor"),
        "miettinen2": stats.paired_n_star_from_rates(p_a, p_b, rho, method="miettinen"),
        "feasible": low <= rho <= high,
    }


def _mde(x: Inputs) -> Any:
    """Return the MDE at fixed psi, or from a baseline accuracy at fixed rho."""
    n, level = x["N"], {"alpha": x["alpha"], "power": x["power"]}
    if "psi" in x:
        return {
            "wald": stats.paired_mde(n, psi=x["psi"], method="wald", **level),
            "connor": stats.paired_mde(n, psi=x["psi"], method="connor", **level),
        }
    at = {"p_b": x["pB"], "rho": x["rho"]}
    return {
        "wald": stats.paired_mde_from_rate(n, **at, method="wald", **level),
        "connor": stats.paired_mde_from_rate(n, **at, method="connor", **level),
        "delta_max_feasible": stats.rate_range(**at).high - x["pB"],
    }


def _rises(p_b: float, rho: Array) -> Array:
    """Return whether N* (Wald) rises with the gap while it is feasible, for each rho."""
    p_a = p_b + np.linspace(1e-4, 1 - p_b - 1e-6, 400)
    low, high = stats.rho_bounds(p_a, p_b)
    row, column = np.nonzero((low <= rho[:, None]) & (rho[:, None] <= high))
    psi = stats.psi_from_rho(p_a[column], p_b, rho[row])
    n = np.full((rho.size, p_a.size), np.nan)
    n[row, column] = stats.paired_n_star(p_a[column] - p_b, psi=psi, method="wald")
    return np.any(np.diff(n) > 1e-9 * n[:, :-1], axis=1)


def _not_monotone(_: Inputs) -> Any:
    """Return the number of grid points (p_b, rho) at which N* rises with the gap."""
    rho = np.linspace(-0.9, 0.98, 48)
    return sum(int(_rises(p_b, rho).sum()) for p_b in np.linspace(0.02, 0.98, 49))


# --- tests --------------------------------------------------------------------------------


def _normal_power(x: Inputs) -> Any:
    design = {"psi": x["psi"], "n": x["N"], "alpha": x["alpha"]}
    return {
        "connor": stats.paired_power(x["delta"], method="connor", **design),
        "wald": stats.paired_power(x["delta"], method="wald", **design),
    }


def _exact_power(x: Inputs) -> Any:
    method = _TESTS[x["test"]]
    return stats.exact_power(x["delta"], psi=x["psi"], n=x["N"], method=method, alpha=x["alpha"])


def _exact_n(x: Inputs) -> Any:
    crossing = stats.exact_n_star(
        x["delta"],
        psi=x["psi"],
        method=_TESTS[x["test"]],
        alpha=x["alpha"],
        power=x["power"],
    )
    return {"first": crossing.first, "stay": crossing.stay}


def _sizes(x: Inputs, psi: Array) -> Any:
    return {
        name: stats.exact_power(0.0, psi=psi, n=x["N"], method=method, alpha=x["alpha"]).max()
        for name, method in _TESTS.items()
    }


def _pvalue(x: Inputs) -> Any:
    return {name: stats.mcnemar_pvalue(x["b"], x["c"], method=m) for name, m in _TESTS.items()}


def _limits_differ(x: Inputs) -> Any:
    n = np.arange(1, x["nmax"] + 1)
    asym = stats.rejection_limits(n, method="asymptotic", alpha=x["alpha"])
    differ = n[asym != stats.rejection_limits(n, method="midp", alpha=x["alpha"])]
    return {"count": differ.size, "first": differ[:12]}


# --- resolution ---------------------------------------------------------------------------


def _p_of(t: Array) -> float:
    """Return the two-sided p of a statistic T ~ N(theta, 1), from its 95% interval."""
    z = stats.z_alpha(0.05)
    return stats.p_from_interval(float(t), Interval(t - z, t + z)).p_two_sided


def _q_as_test(x: Inputs) -> Any:
    """Return the test that corresponds to the rule "q ≥ 1", that is |T| ≥ K."""
    k = stats.k_factor(x["alpha"], x["power"])
    level = _p_of(k)
    wrong_side = _p_of(2 * k) / 2
    return {
        "p_equiv": level,
        "prob_q_ge_1_when_N_eq_Nstar": stats.normal_power(k, sigma=1, n=1, alpha=level)
        + wrong_side,
        "E_q_under_H0": stats.q_hat(1.0, alpha=x["alpha"], power=x["power"]),
    }


def _q_interval(x: Inputs) -> Any:
    level = {"alpha": x["alpha"], "power": x["power"]}
    low, high = stats.q_interval(x["T"], conf=x["conf"], **level)
    n_low, n_high = stats.n_star_interval(x["T"], n=1, conf=x["conf"], **level)
    return {
        "q": stats.q_hat(x["T"], **level),
        "q_lo": low,
        "q_hi": high,
        "Nstar_over_N_lo": n_low,
        "Nstar_over_N_hi": n_high,
    }


# --- intervals of two 0/1 scores per item -------------------------------------------------


def _paired_limits(x: Inputs) -> Any:
    n11, n10, n01, n00, conf = x["n11"], x["n10"], x["n01"], x["n00"], x["conf"]
    n = n11 + n10 + n01 + n00
    return {
        "wald": stats.paired_interval(n10, n01, n, method="wald", conf=conf),
        "agresti_min": stats.paired_interval(n10, n01, n, method="agresti-min", conf=conf),
        "bonett_price": stats.paired_interval(n10, n01, n, method="bonett-price", conf=conf),
        "tango": stats.paired_interval(n10, n01, n, method="tango", conf=conf),
        "newcombe10": stats.newcombe_interval(n11, n10, n01, n00, conf=conf),
    }


# --- the (1 - rho) × Cohen-h shortcut -----------------------------------------------------


# --- different items per model, one model, printed accuracies -----------------------------


def _unpaired_n(x: Inputs) -> Any:
    p1, p2, alpha, power = x["p1"], x["p2"], x["alpha"], x["power"]
    pooled = stats.unpaired_n_star(p1, p2, method="pooled", alpha=alpha, power=power)
    return {
        "pooled": pooled,
        "unpooled": stats.unpaired_n_star(p1, p2, method="unpooled", alpha=alpha, power=power),
        "arcsine": stats.unpaired_n_star(p1, p2, method="arcsine", alpha=alpha, power=power),
        "pooled_cc": stats.continuity_corrected(pooled, p1 - p2),
    }


def _unpaired_exact_power(x: Inputs) -> Any:
    p1, p2, n1, n2, alpha = x["p1"], x["p2"], x["n1"], x["n2"], x["alpha"]
    return {
        "pooled": stats.unpaired_exact_power(p1, p2, n1=n1, n2=n2, method="pooled", alpha=alpha),
        "unpooled": stats.unpaired_exact_power(
            p1, p2, n1=n1, n2=n2, method="unpooled", alpha=alpha
        ),
    }


def _frechet_t(x: Inputs) -> Any:
    low, high = stats.t_bounds(x["p1"], x["p2"], x["n"])
    independent = stats.paired_rates(x["p1"], x["p2"], 0.0)
    t = independent.delta * sqrt(x["n"]) / independent.sigma
    return {"T_min": low, "T_max": high, "T_rho0": t}


def _one_sample(x: Inputs) -> Any:
    p0, p1, n, alpha = x["p0"], x["p1"], x["n"], x["alpha"]
    return {
        "power_exact": stats.one_sample_exact_power(p1, p0=p0, n=n, alpha=alpha),
        "size": stats.one_sample_exact_power(p0, p0=p0, n=n, alpha=alpha),
        "n_score": stats.one_sample_n_star(p1, p0=p0, alpha=alpha),
    }


EVALUATORS: dict[str, Evaluator] = {
    "lemma.C": lambda x: stats.shortcut_coefficient(x["p"], x["rho"]),
    "lemma.cohen_h_one_sample": lambda x: stats.shortcut_n(
        x["pA"], x["pB"], samples=1, alpha=x["alpha"], power=x["power"]
    ),
    "lemma.cohen_h_per_arm": lambda x: stats.shortcut_n(
        x["pA"], x["pB"], samples=2, alpha=x["alpha"], power=x["power"]
    ),
    "lemma.deltastar": lambda x: stats.shortcut_delta_limit(x["p"], x["rho"], eps=x["eps"]),
    "lemma.ratio": lambda x: stats.shortcut_ratio(x["p"], x["delta"], x["rho"]),
    "paired.K": lambda x: stats.k_factor(x["alpha"], x["power"]),
    "paired.K2": lambda x: stats.k_factor(x["alpha"], x["power"]) ** 2,
    "paired.asym_vs_midp_diff": _limits_differ,
    "paired.exact_power": _exact_power,
    "paired.frechet": lambda x: stats.rho_bounds(x["pA"], x["pB"]),
    "paired.joint": _joint,
    "paired.logq_sd": lambda x: {"delta_method": stats.log_q_sd(x["p10"], x["p01"], x["N"])},
    "paired.mde": _mde,
    "paired.mde_monotone": _not_monotone,
    "paired.n_exact": _exact_n,
    "paired.normal_power": _normal_power,
    "paired.nstar": _n_star,
    "paired.pvalue": _pvalue,
    "paired.q_as_test": _q_as_test,
    "paired.q_ci": _q_interval,
    "paired.size": lambda x: _sizes(
        x, np.concatenate([np.linspace(0.002, 0.1, 50), np.linspace(0.11, 1, 90)])
    ),
    "paired.size_psi_le_.6": lambda x: _sizes(
        x, np.concatenate([np.linspace(0.002, 0.1, 50), np.linspace(0.105, 0.6, 100)])
    ),
    "paired_ci.limits": _paired_limits,
    "unpaired.exact_power": _unpaired_exact_power,
    "unpaired.frechet_T": _frechet_t,
    "unpaired.n": _unpaired_n,
    "unpaired.n1_given_n2": lambda x: stats.n1_given_published(
        x["p1"], x["p2"], n2=x["n2"], alpha=x["alpha"], power=x["power"]
    ),
    "unpaired.n_R": _unpaired_n,
    "unpaired.one_sample": _one_sample,
    "unpaired.wilson": lambda x: {
        "wilson": stats.wilson_interval(x["x"], x["n"], conf=x["conf"]),
        "clopper_pearson": stats.clopper_pearson_interval(x["x"], x["n"], conf=x["conf"]),
    },
}
"""Evaluators by the name of the value up to the first space, or by its whole name."""
