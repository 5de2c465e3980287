"""Format a matrix as text in findings."""

import numpy as np

from nstar._data.matrix import ScoreMatrix
from nstar._data.measures import is_measure, range_of_measure


def where(matrix: ScoreMatrix) -> str:
    """Return ``task [metric]: `` without empty parts.

    >>> where(ScoreMatrix.from_arrays([[1]], models=["a"], task="mmlu", metric="acc"))
    'mmlu [acc]: '
    """
    metric = "" if matrix.metric == "score" else f"[{matrix.metric}]"
    name = " ".join(filter(None, (matrix.task, metric)))
    return f"{name}: " if name else ""


def limits(matrix: ScoreMatrix) -> tuple[float, float]:
    """Return the worst and best possible score: 0 and 1, or the observed extremes."""
    if matrix.correction is not None:
        return matrix.correction.limits
    if matrix.means is None:
        return 0.0, 1.0
    low, high = 0.0, 0.0 if is_measure(matrix.metric) else 1.0
    for row in matrix.means:
        scores = row[~np.isnan(row)]
        low, high = float(scores.min(initial=low)), float(scores.max(initial=high))
    return range_of_measure(low, high) if is_measure(matrix.metric) else (low, high)
