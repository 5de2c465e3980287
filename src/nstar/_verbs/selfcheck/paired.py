"""Reference values for two 0/1 scores per item: rates, plans, tests and resolution."""

from typing import Any

import numpy as np

from nstar._base.types import Array, Interval
from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    McNemarMethod,
    exact_n_star,
    exact_power,
    k_factor,
    log_q_sd,
    mcnemar_pvalue,
    n_star_interval,
    normal_power,
    p_from_interval,
    paired_mde,
    paired_mde_from_rate,
    paired_n_star,
    paired_n_star_from_rates,
    paired_power,
    paired_rates,
    psi_from_rho,
    q_hat,
    q_interval,
    rate_range,
    rejection_limits,
    rho_bounds,
    z_alpha,
)

_TESTS: dict[str, McNemarMethod] = {
    "exact": "exact",
    "midp": "midp",
    "asym": "asymptotic",
    "cc": "corrected",
}
"""Names of McNemar's tests in the reference → here."""


# --- rates and plans ----------------------------------------------------------------------


def _k(x: Inputs) -> Any:
    return k_factor(x["alpha"], x["power"])


def _k2(x: Inputs) -> Any:
    return k_factor(x["alpha"], x["power"]) ** 2


def _joint(x: Inputs) -> Any:
    r = paired_rates(x["pA"], x["pB"], x["rho"])
    cells = {"p11": r.p11, "p10": r.p10, "p01": r.p01, "p00": r.p00}
    return {**cells, "psi": r.psi, "delta": r.delta, "var_D": r.sigma**2}


def _frechet(x: Inputs) -> Any:
    return rho_bounds(x["pA"], x["pB"])


def _n_star(x: Inputs) -> Any:
    p_a, p_b, rho = x["pA"], x["pB"], x["rho"]
    low, high = rho_bounds(p_a, p_b)
    return {
        "wald": paired_n_star_from_rates(p_a, p_b, rho, method="wald"),
        "connor": paired_n_star_from_rates(p_a, p_b, rho, method="connor"),
        "miettinen2": paired_n_star_from_rates(p_a, p_b, rho, method="miettinen"),
        "feasible": low <= rho <= high,
    }


def _mde(x: Inputs) -> Any:
    """At fixed psi, or from a baseline accuracy at fixed rho."""
    n, level = x["N"], {"alpha": x["alpha"], "power": x["power"]}
    if "psi" in x:
        return {
            "wald": paired_mde(n, psi=x["psi"], method="wald", **level),
            "connor": paired_mde(n, psi=x["psi"], method="connor", **level),
        }
    at = {"p_b": x["pB"], "rho": x["rho"]}
    return {
        "wald": paired_mde_from_rate(n, **at, method="wald", **level),
        "connor": paired_mde_from_rate(n, **at, method="connor", **level),
        "delta_max_feasible": rate_range(**at).high - x["pB"],
    }


def _rises(p_b: float, rho: Array) -> Array:
    """Whether N* (Wald) ever rises with the gap while it stays feasible, for each rho."""
    p_a = p_b + np.linspace(1e-4, 1 - p_b - 1e-6, 400)
    low, high = rho_bounds(p_a, p_b)
    row, column = np.nonzero((low <= rho[:, None]) & (rho[:, None] <= high))
    psi = psi_from_rho(p_a[column], p_b, rho[row])
    n = np.full((rho.size, p_a.size), np.nan)
    n[row, column] = paired_n_star(p_a[column] - p_b, psi=psi, method="wald")
    return np.any(np.diff(n) > 1e-9 * n[:, :-1], axis=1)


def _not_monotone(_: Inputs) -> Any:
    """Number of (p_b, rho) of the grid where N* rises with the gap."""
    rho = np.linspace(-0.9, 0.98, 48)
    return sum(int(_rises(p_b, rho).sum()) for p_b in np.linspace(0.02, 0.98, 49))


# --- tests --------------------------------------------------------------------------------


def _normal_power(x: Inputs) -> Any:
    design = {"psi": x["psi"], "n": x["N"], "alpha": x["alpha"]}
    return {
        "connor": paired_power(x["delta"], method="connor", **design),
        "wald": paired_power(x["delta"], method="wald", **design),
    }


def _exact_power(x: Inputs) -> Any:
    method = _TESTS[x["test"]]
    return exact_power(x["delta"], psi=x["psi"], n=x["N"], method=method, alpha=x["alpha"])


def _exact_n(x: Inputs) -> Any:
    found = exact_n_star(
        x["delta"],
        psi=x["psi"],
        method=_TESTS[x["test"]],
        alpha=x["alpha"],
        power=x["power"],
    )
    return {"first": found.first, "stay": found.stay}


def _sizes(x: Inputs, psi: Array) -> Any:
    return {
        name: exact_power(0.0, psi=psi, n=x["N"], method=method, alpha=x["alpha"]).max()
        for name, method in _TESTS.items()
    }


def _size(x: Inputs) -> Any:
    return _sizes(x, np.concatenate([np.linspace(0.002, 0.1, 50), np.linspace(0.11, 1, 90)]))


def _size_realistic(x: Inputs) -> Any:
    return _sizes(x, np.concatenate([np.linspace(0.002, 0.1, 50), np.linspace(0.105, 0.6, 100)]))


def _pvalue(x: Inputs) -> Any:
    return {name: mcnemar_pvalue(x["b"], x["c"], method=m) for name, m in _TESTS.items()}


def _limits_differ(x: Inputs) -> Any:
    n = np.arange(1, x["nmax"] + 1)
    asym = rejection_limits(n, method="asymptotic", alpha=x["alpha"])
    differ = n[asym != rejection_limits(n, method="midp", alpha=x["alpha"])]
    return {"count": differ.size, "first": differ[:12]}


# --- resolution ---------------------------------------------------------------------------


def _p_of(t: Array) -> float:
    """Two-sided p of a statistic T ~ N(theta, 1), through its 95 % interval."""
    z = z_alpha(0.05)
    return p_from_interval(float(t), Interval(t - z, t + z)).p_two_sided


def _q_as_test(x: Inputs) -> Any:
    """The rule "q ≥ 1", that is |T| ≥ K, read as a test."""
    k = k_factor(x["alpha"], x["power"])
    level = _p_of(k)
    wrong_side = _p_of(2 * k) / 2
    return {
        "p_equiv": level,
        "prob_q_ge_1_when_N_eq_Nstar": normal_power(k, sigma=1, n=1, alpha=level) + wrong_side,
        "E_q_under_H0": q_hat(1.0, alpha=x["alpha"], power=x["power"]),
    }


def _q_interval(x: Inputs) -> Any:
    level = {"alpha": x["alpha"], "power": x["power"]}
    low, high = q_interval(x["T"], conf=x["conf"], **level)
    least, most = n_star_interval(x["T"], n=1, conf=x["conf"], **level)
    return {
        "q": q_hat(x["T"], **level),
        "q_lo": low,
        "q_hi": high,
        "Nstar_over_N_lo": least,
        "Nstar_over_N_hi": most,
    }


def _log_q_sd(x: Inputs) -> Any:
    return {"delta_method": log_q_sd(x["p10"], x["p01"], x["N"])}


EVALUATORS: dict[str, Evaluator] = {
    "paired.K": _k,
    "paired.K2": _k2,
    "paired.asym_vs_midp_diff": _limits_differ,
    "paired.exact_power": _exact_power,
    "paired.frechet": _frechet,
    "paired.joint": _joint,
    "paired.logq_sd": _log_q_sd,
    "paired.mde": _mde,
    "paired.mde_monotone": _not_monotone,
    "paired.n_exact": _exact_n,
    "paired.normal_power": _normal_power,
    "paired.nstar": _n_star,
    "paired.pvalue": _pvalue,
    "paired.q_as_test": _q_as_test,
    "paired.q_ci": _q_interval,
    "paired.size": _size,
    "paired.size_psi_le_.6": _size_realistic,
}
"""By the name of the value up to the first space."""
