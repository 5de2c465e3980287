"""Read weights of items or tasks from data of any kind."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, TypeAlias

from nstar._data.series import holds_columns, labels_of
from nstar._data.weights import WeightRow, Weights, weight_rows
from nstar.errors import DataError, ParameterError, arg

if TYPE_CHECKING:
    from nstar._api.inputs.board import BoardInput
    from nstar._verbs.audit.question import AuditQuestion

WeightsGiven: TypeAlias = Any
"""A path, a mapping from item to weight, a frame, records, or one number per item of arrays."""

NOT_JUDGED = (
    "weights cannot be combined with a judge and labels. Weight the uncorrected scores instead."
)

_SOURCE = "weights"


def weights_of(weights_source: WeightsGiven) -> Weights | None:
    """Return weights from data of any kind; None for none.

    >>> weights_of({"q1": 1, "q2": 3}).items
    {(None, 'q1'): 1.0, (None, 'q2'): 3.0}
    >>> weights_of([1, 2]).items
    {(None, '0'): 1.0, (None, '1'): 2.0}
    """
    if weights_source is None or isinstance(weights_source, Weights):
        return weights_source
    if isinstance(weights_source, str | PathLike):
        from nstar.readers._weights import weights_from

        return weights_from(fspath(weights_source))
    if isinstance(weights_source, Mapping) and all(
        isinstance(x, Real) for x in weights_source.values()
    ):
        return Weights.of_rows(_SOURCE, _named(weights_source.items()))
    records = (
        isinstance(weights_source, list)
        and bool(weights_source)
        and isinstance(weights_source[0], Mapping)
    )
    if isinstance(weights_source, Mapping) or records or holds_columns(weights_source):
        from nstar.readers.frames import as_arrow

        table = as_arrow(weights_source)
        rows = ((f"{_SOURCE}, row {k}", row) for k, row in enumerate(table.to_pylist(), start=1))
        return Weights.of_rows(_SOURCE, weight_rows(_SOURCE, table.column_names, rows))
    listed = weights_source.tolist() if hasattr(weights_source, "tolist") else weights_source
    if isinstance(listed, Sequence) and not isinstance(listed, bytes):
        labels = labels_of(weights_source)
        names = range(len(listed)) if labels is None else labels
        return Weights.of_rows(_SOURCE, _named(zip(names, listed, strict=True)))
    msg = (
        f"{arg('weights')} must be a path, a mapping from item to weight, a frame with "
        f"columns item and weight, or one number per item; got {type(weights_source).__name__}"
    )
    raise ParameterError(msg)


def _named(pairs: Any) -> Iterator[WeightRow]:
    """Return weights by item, or by task and item."""
    for key, weight in pairs:
        task, item = key if isinstance(key, tuple) and len(key) == 2 else (None, key)
        where = f"{_SOURCE}[{str(key)[:60]!r}]"
        yield WeightRow(where, None if task is None else str(task), str(item), weight)


def weighed_board(
    board: "BoardInput", weights_source: WeightsGiven, question: "AuditQuestion", average: str
) -> "tuple[BoardInput, dict[str, float] | None]":
    """Return a leaderboard with weighted items, or with weights of its tasks."""
    weights = weights_of(weights_source)
    if weights is None:
        return board, None
    if board.judged is not None:
        raise ParameterError(NOT_JUDGED)
    if weights.tasks:
        return board, _of_tasks(board, weights, average)
    from nstar._verbs.compare.question import refuse_strata
    from nstar._verbs.weighted import weighted_board

    refuse_strata(question.strata, weighted=True)
    fix = f"Run them, or set {arg('items', 'common')}."
    matrices, findings = weighted_board(
        board.matrices, weights, board.chosen, whole_or=None if question.items == "common" else fix
    )
    return replace(board, matrices=matrices, findings=(*board.findings, *findings)), None


def _of_tasks(board: "BoardInput", weights: Weights, average: str) -> dict[str, float]:
    if len(board.matrices) < 2:
        msg = (
            f"{weights.source} weights whole tasks, but there is only one task. Use "
            "weights of items."
        )
        raise DataError(msg)
    if average != "macro":
        msg = f"{weights.source} weights the tasks, so {arg('average')} has no effect. Remove it."
        raise ParameterError(msg)
    return weights.of_tasks(board.matrices)
