"""Reference values for parts of a benchmark."""

from typing import Any

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs


def _needed(x: Inputs) -> Any:
    known = {"sigma": x["sigma_D"], "r2": x["R2"], "alpha": x["alpha"], "power": x["power"]}
    return {
        "new_items": stats.items_needed(x["delta"], **known),
        "of_this_benchmark": stats.items_needed(x["delta"], **known, total=x["N"]),
    }


EVALUATORS: dict[str, Evaluator] = {"shrink.items_needed": _needed}
