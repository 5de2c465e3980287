"""Reference values for graded scores."""

from typing import Any

import numpy as np

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    monte_carlo_pvalue,
    sign_flip_pvalue,
    t_n_star,
    t_power,
    wilcoxon_power,
    wilcoxon_pvalue,
)


def _t_power(x: Inputs) -> Any:
    return t_power(x["delta"], sigma=x["sd"], n=x["n"], alpha=x["alpha"])


def _t_n(x: Inputs) -> Any:
    return t_n_star(x["delta"], sigma=x["sd"], alpha=x["alpha"], power=x["power"])


def _t_n_real(x: Inputs) -> Any:
    """Where the line between the last two sizes crosses the wanted power."""
    n = _t_n(x)
    low, high = t_power(x["delta"], sigma=x["sd"], n=[n - 1, n], alpha=x["alpha"])
    return n - (high - x["power"]) / (high - low)


def _sign_flip(x: Inputs) -> Any:
    return sign_flip_pvalue(x["x"])


def _wilcoxon(x: Inputs) -> Any:
    return wilcoxon_pvalue(x["x"], method="exact")


def _wilcoxon_power(x: Inputs) -> Any:
    power = wilcoxon_power(x["delta"], sigma=x["sd"], n=x["n"], alpha=x["alpha"])
    return {"sim": power, "lehmann": power}


def _mc_pvalue(x: Inputs) -> Any:
    return monte_carlo_pvalue(x["r"], x["B"])


def _mc_size(x: Inputs) -> Any:
    """Under H0 the rank r of the data among B + 1 values is uniform on 0 … B."""
    return np.mean(monte_carlo_pvalue(np.arange(x["B"] + 1), x["B"]) <= x["alpha"])


EVALUATORS: dict[str, Evaluator] = {
    "graded.mc_pvalue": _mc_pvalue,
    "graded.mc_pvalue_size": _mc_size,
    "graded.signflip_exact": _sign_flip,
    "graded.t_n": _t_n,
    "graded.t_n_R": _t_n_real,
    "graded.t_power": _t_power,
    "graded.t_power_R": _t_power,
    "graded.t_power_mp": _t_power,
    "graded.wilcoxon_exact": _wilcoxon,
    "graded.wilcoxon_power": _wilcoxon_power,
}
"""By the name of the value up to the first space."""
