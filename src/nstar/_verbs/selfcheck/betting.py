"""Reference values of bets on bounded differences."""

from typing import Any

import numpy as np

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import bernstein_sequence, betting_log_e


def _capital(x: Inputs) -> Any:
    """The reference counts means on [0, 1]."""
    log_e = betting_log_e(x["D"], null=2 * x["m_on_unit"] - 1, alpha=x["alpha"])
    return {f"t{t}": np.exp(log_e[t - 1]) for t in (10, 30, 60)}


def _bernstein(x: Inputs) -> Any:
    low, high = bernstein_sequence(x["D"], conf=1 - x["alpha"])
    return {"delta_lo": low, "delta_hi": high}


EVALUATORS: dict[str, Evaluator] = {
    "betting.capital": _capital,
    "betting.prpl_eb": _bernstein,
}
"""By the name of the value up to the first space."""
