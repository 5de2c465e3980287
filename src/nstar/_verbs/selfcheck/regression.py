"""Reference values for a sample of the items beside models that are known on all."""

import math
from typing import Any

import numpy as np

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs


def _sample(x: Inputs) -> Any:
    y = np.full(x["N"], np.nan)
    y[x["sampled"]] = x["y"]
    found = stats.regression_mean(y, np.stack([x["x1"], x["x2"]], axis=1))
    part = 1 / found.sampled - 1 / found.items
    return {
        "estimate": found.estimate,
        "se_residual_df": found.residual * math.sqrt(part),
        "se_gweighted": found.se_weighted,
        "srs_mean": found.sample_mean,
        "srs_se": found.sample_se * math.sqrt(part * found.sampled),
    }


def _factor(x: Inputs) -> Any:
    """The known models are a judge of all items, r² their share of the variance."""
    n, total = x["n"], x["N"]
    worth = n * float(stats.judge_gain(math.sqrt(x["R2"]), labels=n, judged=total))
    return {
        "se_benchmark": math.sqrt(x["S2"] * (1 - x["R2"]) * (1 / n - 1 / total)),
        "se_ability": math.sqrt(x["S2"] / worth),
        "n_srs_equal_benchmark": worth,
    }


EVALUATORS: dict[str, Evaluator] = {"shrink.greg": _sample, "shrink.factor": _factor}
