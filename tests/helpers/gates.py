"""Small gates for tests, one for each answer, with any names."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from helpers.comparisons import cells
from nstar import gate
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.gate import Gate

__all__ = ["ANSWERS", "NAMES", "TABLES", "made", "scores_csv", "tasks"]

NAMES = ("new", "old")

TABLES: Mapping[str, tuple[int, int, int, int]] = {
    "pass": (1500, 10, 8, 482),
    "regression": (300, 10, 60, 130),
    "inconclusive": (60, 6, 7, 27),
}
"""Items both, only the candidate, only the baseline, and neither got right."""

ANSWERS = (*TABLES, "invalid_data")


def tasks(*answers: str, names: tuple[str, str] = NAMES, **options: Any) -> list[ScoreMatrix]:
    """One task for each answer, called like it unless told otherwise."""
    return [
        ScoreMatrix.from_arrays(
            cells(*TABLES[answer]),
            models=list(names),
            **{"task": answer} | options,
        )
        for answer in answers
    ]


def made(*answers: str, names: tuple[str, str] = NAMES, **options: Any) -> Gate:
    """A gate whose tasks have these answers; ``INVALID DATA`` is one without any common item."""
    if answers == ("invalid_data",):
        nothing = np.array([[1.0, np.nan], [np.nan, 1.0]])
        empty = ScoreMatrix.from_arrays(nothing, models=list(names), **options)
        return gate([empty], a=names[0], b=names[1], margin=0.02)
    return gate(tasks(*answers, names=names, **options), a=names[0], b=names[1], margin=0.02)


def scores_csv(answer: str, names: tuple[str, str] = NAMES) -> str:
    """The same scores as a table of both models."""
    rows = ["model,item,score"]
    for model, scores in zip(names, cells(*TABLES[answer]), strict=True):
        rows += [f"{model},i{k},{int(x)}" for k, x in enumerate(scores)]
    return "\n".join(rows) + "\n"
