"""Evaluate reference values for gates: clusters that may fail entirely, and a threshold."""

import math
from typing import Any

import numpy as np

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs
from nstar.stats._weights import effective
from nstar.stats.margin import margin_least


def _bound_and_answer(x: Inputs) -> Any:
    """Return the bound by the mixture's variance, and whether both bounds exceed -margin."""
    gain, se, n = x["gain"], x["se"], x["effective_clusters"]
    df = x["df"] if se > 0 else math.inf
    quantile = -stats.t_quantile(x["alpha"], df)
    bound = stats.margin_bound(gain, se, n, width=x["width"], quantile=quantile)
    conf = 1 - 2 * x["alpha"]
    low, _ = stats.margin_interval(
        gain, se, n, df=x["df"], width=x["width"], conf=conf, clusters=True
    )
    return [bound, float(low > -x["margin"])]


def _threshold(x: Inputs) -> Any:
    """Return Wilson's lower bound, the exact p-value, and its mid-p variant."""
    right, n, p0 = x["right"], x["items"], x["threshold"]
    low, _ = stats.wilson_interval(right, n, conf=1 - 2 * x["alpha"])
    p = stats.threshold_pvalue(right, n, p0=p0)
    next_p = stats.threshold_pvalue(right + 1, n, p0=p0) if right < n else 0.0
    return [low, p, (p + next_p) / 2]


def _threshold_plan(x: Inputs) -> Any:
    rule = {"p0": x["p0"], "alpha": x["alpha"], "power": x["power"]}
    return [
        stats.one_sample_n_star(x["p1"], **rule, sides=x["sides"]),
        stats.threshold_items(x["p1"], **rule),
    ]


def _threshold_log_e(x: Inputs) -> Any:
    return stats.threshold_log_e(x["right"], x["items"], p0=x["p0"], a=x["a"], b=x["b"])


def _graded_bound(x: Inputs) -> Any:
    """Return the lower bound of a mean score, as that of a loss from the best score."""
    low, high = x["scale"]
    n = x["items"]
    quantile = -stats.t_quantile(x["alpha"], n - 1 if x["sd"] > 0 else math.inf)
    se = x["sd"] / math.sqrt(n)
    return high + stats.margin_bound(x["mean"] - high, se, n, width=high - low, quantile=quantile)


EVALUATORS: dict[str, Evaluator] = {
    "one.gate": _threshold,
    "one.plan": _threshold_plan,
    "one.log_e": _threshold_log_e,
    "one.graded": _graded_bound,
    "gate.clusters": _bound_and_answer,
    "gate.kish_clusters": lambda x: effective(np.asarray(x["sizes"])),
    "gate.least_margin": lambda x: margin_least(x["effective_clusters"], alpha=x["alpha"]),
}
"""Evaluators by the name of the value up to the first space, or by its whole name."""
