"""Scores of each model on each item, for pages: ids, groups, and scores if they are small."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nstar._base.types import Array
from nstar._data.matrix import Grouping
from nstar._engine.gram import NO_LABEL
from nstar._verbs.audit import Audit
from nstar._verbs.compare.sample import PairedSample
from nstar.report.page._array_encoding import STEPS, pack, pack_words

ROOM = 300_000
"""Bytes of scores and ids before compression; with more a page goes without them."""
_MOST_COLUMNS = 4
"""Columns of groups that items are sorted by."""


def _groups(groups: Mapping[str, Grouping], columns: Any) -> Iterator[dict[str, Any]]:
    """The groups of each item."""
    for name, grouping in list(groups.items())[:_MOST_COLUMNS]:
        used, codes = np.unique(grouping.codes[columns], return_inverse=True)
        if len(used) > 1:
            labels = [NO_LABEL if k < 0 else grouping.labels[k] for k in used.tolist()]
            yield {"column": name, "labels": labels, "codes": pack(codes.astype(np.int64))}


def _bits(cells: Any) -> dict[str, Any]:
    return pack(np.packbits(cells, axis=1, bitorder="little"), "u1")


def _scores(x: Array, limits: tuple[float, float], *, binary: bool) -> dict[str, Any]:
    """Scores of all models, (M, N): a bit each, or steps of the scale; where there are any."""
    absent = np.isnan(x)
    if binary:
        return {"right": _bits(x == 1), "there": _bits(~absent) if absent.any() else None}
    low, high = limits
    steps = np.rint(STEPS * (np.nan_to_num(x, nan=low) - low) / ((high - low) or 1.0))
    return {"steps": pack(np.where(absent, STEPS + 1, steps).astype(np.int64), "u2")}


def _packed(
    ids: Sequence[str],
    rows: Iterator[Array],
    *,
    models: int,
    limits: tuple[float, float],
    binary: bool,
    max_cells: int,
) -> dict[str, Any]:
    """Ids and scores of some items; only their number where there is no room."""
    cells = models * len(ids)
    if sum(map(len, ids)) + (cells // 8 if binary else 2 * cells) > max_cells:
        return {"count": len(ids), "ids": None}
    scores = _scores(np.stack(list(rows)), limits, binary=binary)
    return {"count": len(ids), "ids": pack_words(list(ids)), **scores}


def items_of(result: Audit) -> dict[str, Any] | None:
    """Return items of a task with every model's score; None for averages and corrected scores."""
    if len(result.tasks) > 1 or result.matrix is None:
        return None
    if result.matrix.correction is not None:  # an item has no score of its own
        return None
    matrix = result.matrix
    columns = np.arange(len(matrix.items)) if result.columns is None else result.columns
    payload = _packed(
        [str(matrix.items[k]) for k in columns.tolist()],
        (matrix.row(name)[columns] for name in result.ranking.model),
        models=len(result),
        limits=result.score_range,
        binary=result.is_binary,
        max_cells=ROOM,
    )
    return payload | {"groups": list(_groups(matrix.groups, columns))}


def items_of_pair(
    sample: PairedSample, limits: tuple[float, float], max_cells: int
) -> dict[str, Any]:
    """Return items that both models of a comparison have, with their scores."""
    columns = np.flatnonzero(~(np.isnan(sample.a) | np.isnan(sample.b)))
    score_rows = [x[columns] for x in (sample.a, sample.b)]
    payload = _packed(
        [str(sample.items[k]) for k in columns.tolist()] if sample.items else [],
        iter(score_rows),
        models=2,
        limits=limits,
        binary=all(bool(((x == 0) | (x == 1)).all()) for x in score_rows),
        max_cells=max_cells,
    )
    return payload | {"groups": list(_groups(sample.groups, columns))}
