"""Scores of a gate that do not lie on one scale: a corrupt log, or a margin in other units?"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from nstar.cli.kit.score_gap import in_points, refuse_points

if TYPE_CHECKING:
    from nstar._data.matrix import ScoreMatrix


def refuse_scales(
    margins: Iterable[float | None], matrices: "list[ScoreMatrix]", names: tuple[str, str]
) -> None:
    """DataError if one model's scores fit neither the margin nor the other's.

    ParameterError if both models are on another scale than a margin in points.
    """
    from nstar._verbs.coverage.words import where
    from nstar._verbs.gate.scale import refuse_misfit

    given = list(margins)
    points = any(in_points(margin) for margin in given)
    for matrix in matrices:
        if matrix.means is not None and set(names) <= set(matrix.models):
            rows = (matrix.row(names[0]), matrix.row(names[1]))
            refuse_misfit(rows, names, matrix.items, points=points, where=where(matrix))
    for margin in given:
        refuse_points(matrices, margin=margin)
