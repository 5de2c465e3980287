"""Reference values for many models: choosing the best, against a control, all pairs."""

import math
from typing import Any

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs


def _sigma(x: Inputs) -> float:
    """Of the difference of two models that are equally good."""
    return math.sqrt(2 * x["p"] * (1 - x["p"]) * (1 - x["rho"]))


def _proved(x: Inputs, critical: Any) -> Any:
    """Items with which each comparison is significant with 80 % power."""
    shift = critical + stats.z_power(0.8)
    return (shift * _sigma(x) / x["delta"]) ** 2


def _dunnett(x: Inputs) -> Any:
    two, one = (stats.dunnett_critical(x["m"], alpha=x["alpha"], sides=s) for s in (2, 1))
    return {"two_sided": two, "one_sided": one}


def _items(x: Inputs) -> Any:
    chosen = stats.selection_n_star(x["delta"], sigma=_sigma(x), models=x["k"], prob=0.95)
    pairs = _proved(x, stats.tukey_critical(x["k"]))
    return {"select_best_95": chosen, "all_pairs_each_80": pairs}


EVALUATORS: dict[str, Evaluator] = {
    "arms.select_h": lambda x: stats.selection_lead(x["k"], prob=x["P"]),
    "arms.dunnett": _dunnett,
    "arms.tukey": lambda x: stats.tukey_critical(x["k"], alpha=x["alpha"]),
    "arms.items": _items,
    "arms.vs_control": lambda x: _proved(x, stats.dunnett_critical(x["m"])),
    "arms.race_log_threshold": lambda x: stats.race_log_threshold(x["M"], alpha=x["alpha"]),
}
