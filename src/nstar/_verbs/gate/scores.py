"""Scores in any of the forms that ``gate`` takes, brought to one: a Sample per task."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.sample import Sample, from_arrays, from_matrices, from_matrix
from nstar.errors import DataError, ParameterError

UNNAMED = ("candidate", "baseline")
"""What the models are called if nobody says."""


class Given(NamedTuple):
    """Scores by task, and the names of the items where they have any."""

    samples: list[Sample]
    items: list[tuple[str, Sequence[str]]] | None
    names: tuple[str, str]
    unscored: list[int]
    """Items by task that the candidate was tried on without a score."""


def given_scores(candidate: Any, baseline: Any, names: tuple[str, str], groups: Any) -> Given:
    """Scores in any of the forms that ``compare`` takes, or a list of matrices."""
    if isinstance(candidate, ScoreMatrix) and isinstance(baseline, ScoreMatrix):
        if names == UNNAMED:
            names = (candidate.models[0], baseline.models[0])
        every = list(dict.fromkeys((*candidate.items, *baseline.items)))
        sample = from_matrices(candidate, baseline)
        count = candidate.alignment.unscored.get(candidate.models[0], 0)
        return Given([sample], [(sample.task, every)], names, [count])
    matrices = [candidate] if isinstance(candidate, ScoreMatrix) else candidate
    if baseline is None and all(isinstance(m, ScoreMatrix) for m in matrices):
        items = [(m.task, m.items) for m in matrices]
        counts = [m.alignment.unscored.get(names[0], 0) for m in matrices]
        return Given([_of(m, names) for m in matrices], items, names, counts)
    if baseline is None or isinstance(baseline, ScoreMatrix):
        msg = "give the scores of both models in the same form: two arrays or two matrices"
        raise ParameterError(msg)
    sample = from_arrays(candidate, baseline, groups)
    return Given([sample], None, names, [_gaps(sample)])


def _gaps(sample: Sample) -> int:
    """Items before the candidate's last score that have none: arrays are in the order of runs."""
    scored = np.flatnonzero(~np.isnan(sample.a))
    return int(scored[-1]) + 1 - scored.size if scored.size else 0


def _of(matrix: ScoreMatrix, names: tuple[str, str]) -> Sample:
    absent = [n for n in names if n not in matrix.models]
    if absent:
        msg = f"{matrix.task or 'the task'} has no score of {absent[0]}"
        raise DataError(msg)
    return from_matrix(matrix, names)
