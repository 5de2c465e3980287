"""Evaluate reference values for items: reliability, wrong keys, and the number needed."""

from typing import Any

import numpy as np

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs


def _kr20(x: Inputs) -> Any:
    scores = np.asarray(x["persons_by_items"], dtype=np.float64)
    alpha = stats.cronbach_alpha(
        scores.shape[1],
        item_variance=scores.var(axis=0).sum(),
        total_variance=scores.sum(axis=1).var(),
    )
    return {"kr20": alpha, "item_rest": stats.item_rest(scores).tolist()}


def _label_noise(x: Inputs) -> Any:
    noise = stats.label_noise(x["pA"] - x["pB"], psi=x["psi"], error=x["e"], chance=x["w"])
    return {
        "delta_obs": noise.delta,
        "psi_obs": noise.psi,
        "n_connor": noise.n_star,
        "inflation": noise.inflation,
    }


def _needed(x: Inputs) -> Any:
    known = {"sigma": x["sigma_D"], "r2": x["R2"], "alpha": x["alpha"], "power": x["power"]}
    return {
        "new_items": stats.items_needed(x["delta"], **known),
        "of_this_benchmark": stats.items_needed(x["delta"], **known, total=x["N"]),
    }


EVALUATORS: dict[str, Evaluator] = {
    "items.kr20": _kr20,
    "items.label_noise": _label_noise,
    "shrink.items_needed": _needed,
}
