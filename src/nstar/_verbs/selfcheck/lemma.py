"""Reference values of the (1 - rho) × Cohen-h shortcut."""

from typing import Any

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    shortcut_coefficient,
    shortcut_delta_limit,
    shortcut_n,
    shortcut_ratio,
)


def _coefficient(x: Inputs) -> Any:
    return shortcut_coefficient(x["p"], x["rho"])


def _ratio(x: Inputs) -> Any:
    return shortcut_ratio(x["p"], x["delta"], x["rho"])


def _delta_limit(x: Inputs) -> Any:
    return shortcut_delta_limit(x["p"], x["rho"], eps=x["eps"])


def _one_sample(x: Inputs) -> Any:
    return shortcut_n(x["pA"], x["pB"], samples=1, alpha=x["alpha"], power=x["power"])


def _per_arm(x: Inputs) -> Any:
    return shortcut_n(x["pA"], x["pB"], samples=2, alpha=x["alpha"], power=x["power"])


EVALUATORS: dict[str, Evaluator] = {
    "lemma.C": _coefficient,
    "lemma.cohen_h_one_sample": _one_sample,
    "lemma.cohen_h_per_arm": _per_arm,
    "lemma.deltastar": _delta_limit,
    "lemma.ratio": _ratio,
}
"""By the name of the value up to the first space."""
