"""Evaluate reference values for judges that are corrected by labels."""

from typing import Any

import numpy as np

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs
from nstar.stats.judge import judge_r_limit
from nstar.stats.judge_plan import LabelFamily, board_labels, judge_agreement


def _design(x: Inputs) -> Any:
    n, total = x["n"], x["n"] + x["N_unlab"]
    gain = stats.judge_gain(x["rho"], labels=n, judged=total)
    return {
        "lambda_": x["rho"] * x["N_unlab"] / total,
        "var": x["sigma2"] / n / gain,
        "gain": gain,
    }


def _agreement(x: Inputs) -> Any:
    agreement = judge_agreement(x["p"], rho=x["rho"], error=x["e"])
    return {
        "r_diff": agreement.r_difference,
        "r_marginal": agreement.r_single,
        "gain": agreement.gain,
    }


def _interval(estimate: stats.Corrected) -> list[float]:
    half = float(stats.z_alpha(0.05)) * estimate.se
    return [estimate.estimate - half, estimate.estimate + half]


def _ppi_py(x: Inputs) -> Any:
    estimate = stats.prediction_powered(x["D"], x["f"], x["fu"])
    return {"estimate": estimate.estimate, "ci": _interval(estimate)}


def _pseudo(x: Inputs) -> Any:
    data = x["data"]
    judge = np.subtract(data["judge_a"], data["judge_b"]).astype(np.float64)
    labeled = np.asarray(data["labelled"])  # codespell:ignore labelled
    truth = np.full(judge.size, np.nan)
    truth[labeled] = np.subtract(data["label_a"], data["label_b"])
    floor, plain = (stats.judge_corrected(truth, judge, departure=w) for w in (x["w"], 0.0))
    departures = np.count_nonzero(truth[labeled] != judge[labeled])
    return [floor.estimate, floor.se, plain.se, departures]


def _gap(x: Inputs) -> dict[str, Any]:
    return {name: x[name] for name in ("sigma", "r", "judged", "alpha", "power")}


_FAMILIES: dict[str, LabelFamily] = {
    "all pairs": "all-pairs",
    "control": "control",
    "best": "best",
}


def _board(x: Inputs) -> Any:
    family = _FAMILIES[x["family"]]
    options = {"models": x["models"], "family": family, "prob": x["P_best"], "departure": 1.0}
    return list(board_labels(x["delta"], **options, **_gap(x)))


def _neyman(x: Inputs) -> Any:
    allocation = stats.neyman_labels(x["share"], x["sd"], labels=x["labels"])
    return [*allocation.share, allocation.variance, allocation.gain]


EVALUATORS: dict[str, Evaluator] = {
    "ppi.variance": _design,
    "ppi.gain": lambda x: stats.judge_gain(x["rho"], labels=1, judged=np.inf),
    "ppi.judge_corr": _agreement,
    "ppi.ppi_py_example": _ppi_py,
    "judge.pseudo": _pseudo,
    "judge.labels": lambda x: stats.labels_needed(
        x["delta"], departure=x["w"], method="z", **_gap(x)
    ),
    "judge.board": _board,
    "judge.neyman": _neyman,
    "judge.r_low": lambda x: judge_r_limit(
        x["departures"], labels=x["labels"], variance=x["var_judge_all"], conf=x["conf"]
    ),
}
