"""Reference values for judges that are corrected by labels."""

from typing import Any

import numpy as np

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs


def _design(x: Inputs) -> Any:
    n, total = x["n"], x["n"] + x["N_unlab"]
    gain = stats.judge_gain(x["rho"], labels=n, judged=total)
    return {
        "lambda_": x["rho"] * x["N_unlab"] / total,
        "var": x["sigma2"] / n / gain,
        "gain": gain,
    }


def _gain(x: Inputs) -> Any:
    return stats.judge_gain(x["rho"], labels=1, judged=np.inf)


def _agreement(x: Inputs) -> Any:
    found = stats.judge_agreement(x["p"], rho=x["rho"], error=x["e"])
    return {"r_diff": found.r_difference, "r_marginal": found.r_single, "gain": found.gain}


def _interval(found: stats.Corrected) -> list[float]:
    half = float(stats.z_alpha(0.05)) * found.se
    return [found.estimate - half, found.estimate + half]


def _ppi_py(x: Inputs) -> Any:
    found = stats.prediction_powered(x["D"], x["f"], x["fu"])
    return {"estimate": found.estimate, "ci": _interval(found)}


EVALUATORS: dict[str, Evaluator] = {
    "ppi.variance": _design,
    "ppi.gain": _gain,
    "ppi.judge_corr": _agreement,
    "ppi.ppi_py_example": _ppi_py,
}
