"""What is counted of a replication: rejections, coverage, anything false about a board."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from nstar._verbs.simulate.board import Board
from nstar._verbs.simulate.procedures.resolution import needed
from nstar._verbs.simulate.result import ProcedureKind
from nstar._verbs.simulate.sample import SimulatedSample
from nstar.errors import ParameterError

_OF_BOARDS = ("family", "ranks")


def refuse_other(
    procedures: Iterable[tuple[str, ProcedureKind]], sample: SimulatedSample | Board, scenario: str
) -> None:
    """ParameterError if a procedure is for boards and the scenario is not, or the reverse."""
    for name, kind in procedures:
        if (kind in _OF_BOARDS) != isinstance(sample, Board):
            needs, has = "a board of models", "two models"
            if kind not in _OF_BOARDS:
                needs, has = has, needs
            msg = f"{name} needs {needs}; scenario {scenario} has {has}"
            raise ParameterError(msg)


def _target(kind: ProcedureKind, sample: Any) -> tuple[Any, Any]:
    """Ends of what an interval should hold."""
    if kind == "ranks":
        return sample.true_ranks
    if kind == "interval":
        return sample.truth, sample.truth
    if sample.sigma is None:
        msg = "q needs the true sigma of a difference, which this scenario does not tell"
        raise ParameterError(msg)
    q = sample.items / needed(sample, abs(sample.truth), sample.sigma**2)
    return q, q


def count(kind: ProcedureKind, sample: SimulatedSample | Board, answer: Any) -> int:
    """Replications in which it happened, by what the procedure answered."""
    if isinstance(sample, Board) and kind == "family":
        return int(np.count_nonzero(sample.false(answer).any(axis=1)))
    if kind in ("test", "equivalence"):
        return int(np.count_nonzero(answer))
    (low, high), (least, most) = answer, _target(kind, sample)
    held = (low <= least) & (most <= high)
    return int(np.count_nonzero(held.all(axis=1) if held.ndim > 1 else held))
