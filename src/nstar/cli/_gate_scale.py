"""Scores of a gate that do not lie on one scale: a corrupt log, or a margin in other units?"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from nstar.cli._score_gap import in_points, refuse_points

if TYPE_CHECKING:
    from nstar._matrix import ScoreMatrix
    from nstar._typing import Array, IntArray

__all__ = ["refuse_scales"]

_ANOTHER = 0.1
"""Share of scores beyond [0, 1] from which a model is on another scale, and not a cell corrupt."""


def _beyond(scores: "Array") -> "IntArray":
    """Places of scores outside [0, 1]."""
    return np.flatnonzero((scores < 0) | (scores > 1))


def _binary(scores: "Array") -> bool:
    seen = scores[~np.isnan(scores)]
    return bool(np.isin(seen, (0.0, 1.0)).all())


def _told(matrix: "ScoreMatrix", who: str, name: str, at: "IntArray", other: str) -> str:
    """Side, item and value of the first score that does not fit."""
    from nstar._coverage.words import where

    scores = matrix.row(name)
    there = int((~np.isnan(scores)).sum())
    many = f"{at.size:,} of the {there:,} scores of the {who} ({name}) lie"
    if at.size == 1:
        many = f"one of the {there:,} scores of the {who} ({name}) lies"
    return (
        f"{where(matrix)}{many} outside 0 to 1, where those of the {other} are: {scores[at[0]]:g} "
        f"for item {matrix.items[at[0]]!r}; correct the log"
    )


def _refuse_misfit(matrix: "ScoreMatrix", names: tuple[str, str], *, points: bool) -> None:
    from nstar.errors import DataError

    rows = [matrix.row(name) for name in names]
    beyond = [_beyond(row) for row in rows]
    share = [
        at.size / max(int((~np.isnan(r)).sum()), 1) for at, r in zip(beyond, rows, strict=True)
    ]
    if min(share) >= _ANOTHER:
        return
    sides = ("candidate", "baseline")
    for k in (0, 1):
        if beyond[k].size and (points or _binary(rows[1 - k])):
            other = "others" if beyond[1 - k].size else sides[1 - k]
            raise DataError(_told(matrix, sides[k], names[k], beyond[k], other))


def refuse_scales(
    margins: Iterable[float | None], matrices: "list[ScoreMatrix]", names: tuple[str, str]
) -> None:
    """DataError if one model's scores fit neither the margin nor the other's.

    ParameterError if both models are on another scale than a margin in points.
    """
    given = list(margins)
    points = any(in_points(margin) for margin in given)
    for matrix in matrices:
        if matrix.means is not None and set(names) <= set(matrix.models):
            _refuse_misfit(matrix, names, points=points)
    for margin in given:
        refuse_points({"delta": None, "margin": margin}, matrices)
