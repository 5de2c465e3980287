"""Latency, cost, and tokens: metrics that logs have in addition to scores."""

import math

MEASURES = {
    "latency": "latency_s",
    "latency_s": "latency_s",
    "cost": "cost",
    "tokens": "tokens",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
}
"""Table column of each metric. Lower is better. No column is the default metric."""

_UNITS = {
    "latency_s": " s",
    "tokens": " tokens",
    "input_tokens": " tokens",
    "output_tokens": " tokens",
}


def is_measure(metric: str) -> bool:
    """Return whether a metric is a column of a table. Its scale has no upper limit.

    >>> is_measure("latency_s"), is_measure("acc")
    (True, False)
    """
    return MEASURES.get(metric) == metric


def unit_of(metric: str) -> str:
    """Return the unit after a number, with a space in front; empty if there is none.

    >>> unit_of("latency_s"), unit_of("cost")
    (' s', '')
    """
    return _UNITS.get(metric, "")


def range_of_measure(low: float, high: float) -> tuple[float, float]:
    """Return the observed range; 0 is the other end of a single value.

    It is never exactly (0, 1), because that range means proportions.

    >>> range_of_measure(0.2, 0.8), range_of_measure(3.0, 3.0)
    ((0.2, 0.8), (0.0, 3.0))
    """
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0)
    return (low, math.nextafter(high, 2.0)) if (low, high) == (0.0, 1.0) else (low, high)
