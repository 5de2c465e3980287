"""Reference values for many comparisons at once."""

from collections.abc import Callable
from typing import Any

from nstar._base.types import Array
from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    bonferroni_critical,
    family_size,
    gram_covariance,
    holm,
    hommel,
    inflation,
    pair_counts_from_gram,
    tukey_critical,
)


def _adjusted(method: Callable[[list[float]], Array]) -> Evaluator:
    def evaluate(x: Inputs) -> Any:
        return method(x["p"])

    return evaluate


def _bonferroni_inflation(x: Inputs) -> Any:
    critical = bonferroni_critical(x["m"], alpha=x["alpha"])
    return inflation(critical, alpha=x["alpha"], power=x["power"])


def _tukey(x: Inputs) -> Any:
    critical = tukey_critical(x["M"], alpha=x["alpha"])
    return {
        "c": critical,
        "inflation": inflation(critical, alpha=x["alpha"]),
        "bonf_c": bonferroni_critical(family_size(x["M"]), alpha=x["alpha"]),
    }


def _gram(x: Inputs) -> Any:
    n10, n01 = pair_counts_from_gram(x["gram"], x["sums"])
    s = gram_covariance(x["gram"], x["sums"], x["N"])
    return {
        "b01": n10[0, 1],
        "c01": n01[0, 1],
        "cov_D01_D23": s[0, 2] - s[0, 3] - s[1, 2] + s[1, 3],
    }


EVALUATORS: dict[str, Evaluator] = {
    "multi.bonf_inflation": _bonferroni_inflation,
    "multi.gram": _gram,
    # the method stands in the name of the value, not among its inputs
    "multi.padjust BH": _adjusted(benjamini_hochberg),
    "multi.padjust BY": _adjusted(benjamini_yekutieli),
    "multi.padjust bonferroni": _adjusted(bonferroni),
    "multi.padjust holm": _adjusted(holm),
    "multi.padjust hommel": _adjusted(hommel),
    "multi.tukey_crit": _tukey,
}
"""By the name of the value up to the first space, or by its whole name."""
