"""How findings speak of a matrix."""

from nstar._matrix import ScoreMatrix

__all__ = ["where"]


def where(matrix: ScoreMatrix) -> str:
    """``task [metric]: ``, or as much of it as there is.

    Examples
    --------
    >>> where(ScoreMatrix.from_arrays([[1]], models=["a"], task="mmlu", metric="acc"))
    'mmlu [acc]: '
    """
    metric = "" if matrix.metric == "score" else f"[{matrix.metric}]"
    name = " ".join(filter(None, (matrix.task, metric)))
    return f"{name}: " if name else ""
