"""Reference values of tests that may be looked at again and again."""

from typing import Any

import numpy as np

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    anytime_critical,
    e_process_crossing,
    e_process_horizon,
    group_sequential,
    inflation,
    mcnemar_log_e,
    mixture_boundary,
    mixture_variance,
    win_rate_sequence,
)

_SPENDING = {"OF": "obrien-fleming", "P": "pocock", "asOF": "lan-demets-of"}


def _log_e(x: Inputs) -> Any:
    return mcnemar_log_e(x["b"], x["c"], a=x["a"])


def _type_one(x: Inputs) -> Any:
    return e_process_crossing(x["n_discordant"], alpha=x["alpha"], a=x["a"])[-1]


def _horizon(x: Inputs) -> Any:
    level = {"alpha": x["alpha"], "power": x["power"]}
    plan = e_process_horizon(x["delta"], psi=x["psi"], a=x["a"], **level)
    return {"N80": plan.n, "inflation": plan.inflation, "mean_stop": plan.mean_stop}


def _win_rate(x: Inputs) -> Any:
    return win_rate_sequence(x["b"], x["c"], conf=1 - x["alpha"], a=x["a"])


def _sequence(x: Inputs) -> Any:
    tuned = {"tuned_at": x["tuned_at"], "alpha": x["alpha"]}
    edge = mixture_boundary(x["t"], **tuned)
    return {
        "rho2": mixture_variance(**tuned),
        "halfwidth": x["sigma"] * edge / x["t"],
        "u": edge / np.sqrt(x["t"]),
    }


def _mixture_cost(x: Inputs) -> Any:
    u = anytime_critical(x["alpha"])
    return {"u": u, "inflation": inflation(u, alpha=x["alpha"], power=x["power"])}


def _design(x: Inputs, power: float) -> Any:
    spending: Any = _SPENDING[x["type"]]
    level = {"alpha": x["alpha_one_sided"], "power": power}
    return group_sequential(x["k"], sides=1, spending=spending, **level)


def _group_sequential(x: Inputs) -> Any:
    design = _design(x, x["power"])
    return {
        "crit": design.bounds,
        "inflation": design.inflation,
        "EN_H1": design.cost(),
        "EN_H0": design.cost(0.0),
    }


def _expected(x: Inputs) -> Any:
    design, multiple = _design(x, x["design_power"]), x["effect_multiple"]
    return {"power": design.power_at(multiple), "EN_over_fixedN": design.cost(multiple)}


EVALUATORS: dict[str, Evaluator] = {
    "anytime.N80_eprocess": _horizon,
    "anytime.acs": _sequence,
    "anytime.cs_theta": _win_rate,
    "anytime.group_seq": _group_sequential,
    "anytime.gs_EN": _expected,
    "anytime.logE": _log_e,
    "anytime.normal_mixture_inflation": _mixture_cost,
    "anytime.typeI_exact": _type_one,
}
"""By the name of the value up to the first space."""
