"""Reference values of equivalence and non-inferiority."""

from math import ceil, sqrt
from typing import Any

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    equivalence_exact_power,
    equivalence_n_star,
    equivalence_t_n_star,
    equivalence_t_power,
    noninferiority_n_star,
)


def _t_power(x: Inputs) -> Any:
    return equivalence_t_power(
        x["margin"], sigma=x["sd"], n=x["n"], delta=x["delta"], alpha=x["alpha"]
    )


def _n(x: Inputs) -> Any:
    design = {"sigma": x["sd"], "delta": x["delta"], "alpha": x["alpha"], "power": x["power"]}
    normal = equivalence_n_star(x["margin"], **design)
    return {
        "z_closed": None if x["delta"] else normal,  # closed only at a gap of 0
        "z_numeric": ceil(normal),
        "t_exact": equivalence_t_n_star(x["margin"], **design),
    }


def _tango(x: Inputs) -> Any:
    margin = x["margin"]
    design = {"psi": x["psi"], "n": x["n"], "alpha": x["alpha"]}
    return {
        "tost_power0": equivalence_exact_power(margin, delta=0.0, sides=2, **design),
        "tost_size": equivalence_exact_power(margin, delta=margin, sides=2, **design),
        "ni_power0": equivalence_exact_power(margin, delta=0.0, sides=1, **design),
        "ni_size": equivalence_exact_power(margin, delta=-margin, sides=1, **design),
    }


def _binary_n(x: Inputs) -> Any:
    design = {
        "sigma": sqrt(x["psi"]),
        "delta": x["delta"],
        "alpha": x["alpha"],
        "power": x["power"],
    }
    return {
        "tost": equivalence_n_star(x["margin"], **design),
        "ni": noninferiority_n_star(x["margin"], **design),
    }


EVALUATORS: dict[str, Evaluator] = {
    "equiv.binary_n": _binary_n,
    "equiv.tango": _tango,
    "equiv.tost_n": _n,
    "equiv.tost_t": _t_power,
}
"""By the name of the value up to the first space."""
