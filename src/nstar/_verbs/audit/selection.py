"""Select the models and items of an audit, and order the models by their means."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nstar._base.parameter_types import ItemChoice
from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.matrix import ScoreMatrix
from nstar._engine.gram import layout, present_in_all, scores_of
from nstar._verbs.compare.sample import refuse_conflicts
from nstar.errors import DataError, arg


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankedModels:
    """Models from best to worst by mean."""

    names: tuple[str, ...]
    """Names of the models."""
    means: Array
    """Mean of each model over its items."""
    counts: IntArray
    """Number of items of each model."""
    better: int
    """1 if higher is better, -1 if lower is."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditedModels(RankedModels):
    """Models of one matrix, on selected items."""

    matrix: ScoreMatrix
    models: tuple[int, ...]
    """Rows of the matrix, best first."""
    items: IntArray
    """Columns of the matrix."""
    left_out: int
    """Number of items that some models have and that are not in ``items``."""

    @property
    def complete(self) -> bool:
        """Return whether every model has every item."""
        return bool((self.counts == len(self.items)).all())

    @property
    def groups(self) -> dict[str, int]:
        """Return the group columns of the items."""
        columns = self.matrix.groups.items()
        return {name: np.unique(column.codes[self.items]).size for name, column in columns}


def _chosen(matrix: ScoreMatrix, models: Sequence[str] | None) -> list[int]:
    if models is None:
        rows = list(range(len(matrix.models)))
    else:
        place = {name: i for i, name in enumerate(matrix.models)}
        names = dict.fromkeys(models)
        rows = [place[name] if name in place else matrix.index(name) for name in names]
    if len(rows) < 2:
        msg = f"An audit needs at least 2 models; found {len(rows)}."
        raise DataError(msg)
    return rows


def _present(matrix: ScoreMatrix, rows: Sequence[int]) -> tuple[list[int], BoolArray]:
    """Return the number of items of each model, and a mask of items that any model has."""
    n = len(matrix.items)
    if matrix.binary and matrix.mask is None:
        return [n] * len(rows), np.ones(n, dtype=np.bool_)
    in_any = np.zeros(n, dtype=np.bool_)
    counts = []
    for i in rows:
        present = matrix.present(i)
        in_any |= present
        counts.append(int(present.sum()))
    return counts, in_any


def _items(matrix: ScoreMatrix, rows: list[int], choice: ItemChoice) -> tuple[IntArray, int]:
    counts, in_any = _present(matrix, rows)
    if min(counts) == 0:
        name = matrix.models[rows[int(np.argmin(counts))]]
        msg = (
            f"{name} has no score on {matrix.task or 'this task'}. Exclude it with "
            f"{arg('exclude')}."
        )
        raise DataError(msg)
    if choice == "pairwise":
        return np.flatnonzero(in_any), 0
    common = np.flatnonzero(present_in_all(matrix, rows))
    if not common.size:
        k = int(np.argmin(counts))
        msg = (
            f"No item was answered by all {len(rows):,} models ({matrix.models[rows[k]]} has the "
            f"fewest, {counts[k]:,} of {int(in_any.sum()):,}). Exclude such models or set "
            f"{arg('items', 'pairwise')}."
        )
        raise DataError(msg)
    return common, int(in_any.sum()) - common.size


def select_models(
    matrix: ScoreMatrix, models: Sequence[str] | None, choice: ItemChoice
) -> AuditedModels:
    """Select items, then rank models by their mean over them. Ties are ordered by name."""
    refuse_conflicts(matrix)
    rows = _chosen(matrix, models)
    items, left_out = _items(matrix, rows, choice)
    data = scores_of(matrix, rows, layout(items))
    counts = data.counts()
    means = data.sums / counts + data.offset
    sign = -1 if matrix.lower_is_better else 1
    order = sorted(range(len(rows)), key=lambda k: (-sign * means[k], matrix.models[rows[k]]))
    return AuditedModels(
        matrix=matrix,
        models=tuple(rows[k] for k in order),
        names=tuple(matrix.models[rows[k]] for k in order),
        better=sign,
        items=items,
        means=means[order],
        counts=counts[order],
        left_out=left_out,
    )
