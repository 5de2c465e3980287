"""Reference values for judges that are corrected by labels."""

from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array
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
    f, u = ("f", "fu") if "f" in x else ("f_labelled", "f_unlabelled")
    found = stats.prediction_powered(x["D"], x[f], x[u])
    return {"estimate": found.estimate, "ci": _interval(found)}


def _columns(x: Inputs) -> tuple[Array, Array]:
    """Labels with nothing where there is none, and the judge's scores."""
    labels, rest = np.asarray(x["D"], np.float64), np.asarray(x["f_unlabelled"], np.float64)
    truth = np.append(labels, np.full(rest.size, np.nan))
    return truth, np.append(x["f_labelled"], rest)


def _regression(x: Inputs) -> Any:
    found = stats.judge_corrected(*_columns(x))
    below = found.slope * (found.items - found.labels) / found.items
    plain = stats.prediction_powered(x["D"], x["f_labelled"], x["f_unlabelled"], weight=below)
    return {
        "lam_all": found.slope,
        "lam_unlabelled": below,
        "estimate": found.estimate,
        "se_z": plain.se,
        "ci_z": _interval(plain),
    }


def _default(x: Inputs) -> Any:
    truth, judged = _columns(x["data"])
    found = stats.judge_corrected(truth, judged)
    sums = stats.cluster_sums(stats.judge_influence(truth, judged), np.arange(truth.size) % 40)
    clustered = stats.cluster_variance(sums.sums, sums.sizes, kind="CR1")
    return {
        "estimate": found.estimate,
        "se": found.se,
        "df": found.df,
        "se_cluster_cr1": np.sqrt(clustered),
    }


def _cells(x: Inputs) -> Any:
    cell, counts = np.asarray(x["cell_labelled"]), np.asarray(x["cell_all_counts"])
    rest = np.repeat(np.arange(counts.size), counts - np.bincount(cell, minlength=counts.size))
    truth = np.append(np.asarray(x["D"], np.float64), np.full(rest.size, np.nan))
    found = stats.judge_cells(truth, np.append(cell, rest))
    return {"estimate": found.estimate, "var_within": found.variance}


def _rogan_gladen(x: Inputs) -> Any:
    names = ("true_pos", "positives", "true_neg", "negatives")
    found = stats.rogan_gladen(x["judged_pass"], x["N"], **{name: x[name] for name in names})
    return {"theta": found.rate, "se": found.se, "clipped": found.clipped}


def _naive(x: Inputs) -> Any:
    a, b = (
        stats.judged_rate(x[f"p{m}"], miss=x[f"miss{m}"], false_pass=x[f"falsepass{m}"])
        for m in "AB"
    )
    return a - b


def _labels(x: Inputs) -> Any:
    asked: dict[str, Any] = {"sigma": x["sigma_D"], "alpha": x["alpha"], "power": x["power"]}
    with_judge, alone = (
        stats.labels_needed(x["delta"], r=r, judged=judged, method="z", **asked)
        for r, judged in ((x["r"], x["T_judged"]), (0.0, np.inf))
    )
    return {"labels": with_judge, "no_judge": alone}


def _share(x: Inputs) -> Any:
    share = stats.label_share(x["r"], label_cost=x["cost_human"], judge_cost=x["cost_judge"])
    return {"n_over_T": share}


EVALUATORS: dict[str, Evaluator] = {
    "ppi.variance": _design,
    "ppi.gain": _gain,
    "ppi.judge_corr": _agreement,
    "ppi.ppi_py_example": _ppi_py,
}

NEXT: dict[str, Evaluator] = {
    "judge.paired_regression": _regression,
    "judge.paired_ppi_py_auto": _ppi_py,
    "judge.paired_cells": _cells,
    "judge.rogan_gladen": _rogan_gladen,
    "judge.naive_gap": _naive,
    "judge.labels_needed": _labels,
    "judge.label_share": _share,
    "judge.paired_default": _default,
}
