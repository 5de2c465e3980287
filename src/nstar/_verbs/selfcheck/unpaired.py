"""Reference values for different items per model, one model, or printed accuracies only."""

from math import sqrt
from typing import Any

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    clopper_pearson_interval,
    continuity_corrected,
    n1_given_published,
    one_sample_exact_power,
    one_sample_n_star,
    paired_rates,
    t_bounds,
    unpaired_exact_power,
    unpaired_n_star,
    wilson_interval,
)


def _n(x: Inputs) -> Any:
    p1, p2, alpha, power = x["p1"], x["p2"], x["alpha"], x["power"]
    pooled = unpaired_n_star(p1, p2, method="pooled", alpha=alpha, power=power)
    return {
        "pooled": pooled,
        "unpooled": unpaired_n_star(p1, p2, method="unpooled", alpha=alpha, power=power),
        "arcsine": unpaired_n_star(p1, p2, method="arcsine", alpha=alpha, power=power),
        "pooled_cc": continuity_corrected(pooled, p1 - p2),
    }


def _exact_power(x: Inputs) -> Any:
    p1, p2, n1, n2, alpha = x["p1"], x["p2"], x["n1"], x["n2"], x["alpha"]
    return {
        "pooled": unpaired_exact_power(p1, p2, n1=n1, n2=n2, method="pooled", alpha=alpha),
        "unpooled": unpaired_exact_power(p1, p2, n1=n1, n2=n2, method="unpooled", alpha=alpha),
    }


def _n1(x: Inputs) -> Any:
    return n1_given_published(x["p1"], x["p2"], n2=x["n2"], alpha=x["alpha"], power=x["power"])


def _frechet_t(x: Inputs) -> Any:
    low, high = t_bounds(x["p1"], x["p2"], x["n"])
    independent = paired_rates(x["p1"], x["p2"], 0.0)
    t = independent.delta * sqrt(x["n"]) / independent.sigma
    return {"T_min": low, "T_max": high, "T_rho0": t}


def _one_sample(x: Inputs) -> Any:
    p0, p1, n, alpha = x["p0"], x["p1"], x["n"], x["alpha"]
    return {
        "power_exact": one_sample_exact_power(p1, p0=p0, n=n, alpha=alpha),
        "size": one_sample_exact_power(p0, p0=p0, n=n, alpha=alpha),
        "n_score": one_sample_n_star(p1, p0=p0, alpha=alpha),
    }


def _intervals(x: Inputs) -> Any:
    return {
        "wilson": wilson_interval(x["x"], x["n"], conf=x["conf"]),
        "clopper_pearson": clopper_pearson_interval(x["x"], x["n"], conf=x["conf"]),
    }


EVALUATORS: dict[str, Evaluator] = {
    "unpaired.exact_power": _exact_power,
    "unpaired.frechet_T": _frechet_t,
    "unpaired.n": _n,
    "unpaired.n1_given_n2": _n1,
    "unpaired.n_R": _n,
    "unpaired.one_sample": _one_sample,
    "unpaired.wilson": _intervals,
}
"""By the name of the value up to the first space."""
