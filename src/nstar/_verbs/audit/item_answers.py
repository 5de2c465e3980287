"""Store the scores of each model on each item, which a site needs to show the items of a pair."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nstar._base.types import Array
from nstar._data.export.audit_folders import write_answers
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.audit.result import Audit

STEPS = 65_534
"""Number of steps between the worst and the best graded score. The next code means missing."""
_MOST_CELLS = 1 << 26
"""Maximum number of scores that a folder stores."""
_MOST_LETTERS = 1 << 22
"""Maximum total number of characters in the ids."""
_MOST_LABELS = 1_000
"""Maximum number of groups of a stored column."""
_MOST_COLUMNS = 4


def _rows(audit: Audit, matrix: ScoreMatrix, columns: Any) -> Iterator[bytes]:
    """Yield the scores of each model in rank order: bits with a mask, or steps of the scale."""
    low, high = audit.score_range
    for name in audit.ranking.model:
        row = matrix.row(name)[columns]
        if audit.is_binary:
            masks = (row == 1, ~np.isnan(row))
            yield b"".join(np.packbits(b, bitorder="little").tobytes() for b in masks)
        else:
            steps = np.rint(STEPS * (np.nan_to_num(row, nan=low) - low) / (high - low))
            yield np.where(np.isnan(row), STEPS + 1, steps).astype("<u2").tobytes()


def scores_in(audit: Audit, row: bytes) -> Array:
    """Return the stored scores of one model, NaN where it has none."""
    if audit.is_binary:
        half, n = len(row) // 2, audit.n_items
        parts = (np.frombuffer(part, np.uint8) for part in (row[:half], row[half:]))
        right, present = (np.unpackbits(p, count=n, bitorder="little") for p in parts)
        return np.where(present == 1, right, np.nan)
    steps = np.frombuffer(row, "<u2")
    low, high = audit.score_range
    return np.where(steps > STEPS, np.nan, low + (high - low) * steps / STEPS)


def stored_matrix(audit: Audit, ids: Sequence[str], content: bytes) -> ScoreMatrix | None:
    """Return 0/1 scores that were stored next to the pairs, or None if they do not fit.

    Stored graded scores are rounded, so that equal scores would differ.
    """
    if len(audit.tasks) > 1 or not audit.is_binary:
        return None
    n, names = audit.n_items, audit.ranking.model
    size = 2 * -(-n // 8)
    if len(set(ids)) != n or len(ids) != n or len(content) != size * len(names):
        return None
    rows = [scores_in(audit, content[k * size : (k + 1) * size]) for k in range(len(names))]
    return ScoreMatrix.from_means(
        np.stack(rows),
        models=names,
        items=ids,
        task=audit.task,
        metric=audit.metric,
        lower_is_better=audit.lower_is_better,
    )


def keep_answers(audit: Audit, directory: str) -> bool:
    """Write ids, groups, and scores next to the pairs; return False if there are too many."""
    matrix = audit.matrix
    if matrix is None or audit.score_range[0] >= audit.score_range[1]:
        return False
    if matrix.correction is not None:  # an average has no scores of single items
        return False
    columns = np.arange(len(matrix.items)) if audit.columns is None else audit.columns
    ids = [str(matrix.items[k]) for k in columns.tolist()]
    if len(ids) != audit.n_items or len(ids) * len(audit) > _MOST_CELLS:
        return False
    if sum(map(len, ids)) > _MOST_LETTERS:
        return False
    groups: list[dict[str, Any]] = []
    for name, grouping in matrix.groups.items():
        if 1 < len(grouping.labels) <= _MOST_LABELS and len(groups) < _MOST_COLUMNS:
            codes = grouping.codes[columns].tolist()
            groups.append({"column": name, "labels": list(grouping.labels), "codes": codes})
    header = {"items": ids, "groups": groups}
    write_answers(directory, header, _rows(audit, matrix, columns))
    return True
