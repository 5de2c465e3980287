"""Evaluate reference values for gates with items in clusters that may fail entirely."""

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


EVALUATORS: dict[str, Evaluator] = {
    "gate.clusters": _bound_and_answer,
    "gate.kish_clusters": lambda x: effective(np.asarray(x["sizes"])),
    "gate.least_margin": lambda x: margin_least(x["effective_clusters"], alpha=x["alpha"]),
}
"""Evaluators by the name of the value up to the first space, or by its whole name."""
