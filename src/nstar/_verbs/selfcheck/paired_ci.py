"""Reference values of intervals for the gap of two models on the same items."""

from typing import Any

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import newcombe_interval, paired_interval


def _limits(x: Inputs) -> Any:
    n11, n10, n01, n00, conf = x["n11"], x["n10"], x["n01"], x["n00"], x["conf"]
    n = n11 + n10 + n01 + n00
    return {
        "wald": paired_interval(n10, n01, n, method="wald", conf=conf),
        "agresti_min": paired_interval(n10, n01, n, method="agresti-min", conf=conf),
        "bonett_price": paired_interval(n10, n01, n, method="bonett-price", conf=conf),
        "tango": paired_interval(n10, n01, n, method="tango", conf=conf),
        "newcombe10": newcombe_interval(n11, n10, n01, n00, conf=conf),
    }


EVALUATORS: dict[str, Evaluator] = {"paired_ci.limits": _limits}
"""By the name of the value up to the first space."""
