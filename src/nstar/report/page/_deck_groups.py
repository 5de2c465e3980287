"""Where a gap comes from: the groups of items of every pair, as far as a page has room."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nstar._base.types import Array
from nstar._engine.gram import Block, Gram, Layout, block, group_grams, layout
from nstar._verbs.audit import Audit, Leaderboard
from nstar._verbs.audit.survey import Survey
from nstar.report.page._packed import pack

_ROOM = 300_000
"""Bytes of all groups of all pairs before compression; beyond, a page has means only, and where
models have different items nothing: means over other items than a pair's may contradict it."""
_MOST_GROUPS = 500
"""Groups of a column; with more it tells nobody where a gap comes from."""


def _own_means(data: Block, where: Layout) -> Array:
    """Each model's mean in each group over the items it has, (M, G)."""
    out = np.full((len(data), len(where.sizes)), np.nan)
    start = 0
    for k, (end, size) in enumerate(zip(where.ends, where.sizes.tolist(), strict=True)):
        part = data.segment(start, end, size)
        with np.errstate(divide="ignore", invalid="ignore"):
            out[:, k] = part.sums / part.counts() + part.offset
        start = end
    return out


def _upper(values: Any, m: int) -> Any:
    """The pairs i < j of a tile."""
    return np.broadcast_to(np.asarray(values), (m, m))[np.triu_indices(m, 1)]


def _stacked(grams: list[Gram], name: str, m: int) -> Any:
    """One sum of every pair in every group, (P, G)."""
    return np.stack([_upper(getattr(g, name), m) for g in grams], axis=1)


def _counts(data: Block, where: Layout, grams: list[Gram]) -> dict[str, Any]:
    """Cells of 0/1 scores."""
    m = len(data)
    gap2 = {"gap2": pack(_stacked(grams, "gap2", m))}
    if data.complete:
        sums = np.rint(_own_means(data, where) * where.sizes).astype(np.int64)
        return {"first": pack(sums), "second": None, "n": None, **gap2}
    return {k: pack(_stacked(grams, k, m)) for k in ("first", "second", "n")} | gap2


def _errors(data: Block, grams: list[Gram]) -> Array:
    """Standard errors of graded gaps, items independent, (P, G); NaN for a single item."""
    m = len(data)
    n, gap, gap2 = (_stacked(grams, k, m).astype(np.float64) for k in ("n", "gap", "gap2"))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(gap2 - gap * gap / n, 0.0)
        spread[spread <= np.maximum(n * data.slack**2, 1e-14 * gap2)] = 0.0
        return np.asarray(np.sqrt(spread / (n - 1) / n))


def _gaps(data: Block, where: Layout, grams: list[Gram]) -> dict[str, Any]:
    """Means and errors of graded scores."""
    m, se = len(data), {"se": pack(_errors(data, grams))}
    if data.complete:
        return {"mean": pack(_own_means(data, where)), "n": None, **se}
    n = _stacked(grams, "n", m)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_a, mean_b = (
            pack(_stacked(grams, k, m) / n + data.offset) for k in ("first", "second")
        )
    return {"mean": None, "mean_a": mean_a, "mean_b": mean_b, "n": pack(n), **se}


def _bytes(data: Block, where: Layout) -> int:
    """What the groups of all pairs would take."""
    m = len(data)
    each = (2 if data.complete else 5) if data.binary else (6 if data.complete else 20)
    return m * (m - 1) // 2 * len(where.sizes) * each


def _columns(audit: Audit, survey: Survey) -> Iterator[tuple[str, Layout, Block]]:
    """Group columns that part the items, the declared one first, then those of fewer groups."""
    matrix, items = audit.matrix, np.sort(survey.panel.design.layout.items)
    if matrix is None:
        return
    place = {name: i for i, name in enumerate(matrix.models)}
    models = [place[name] for name in audit.ranks.name]
    found = [(name, layout(items, grouping)) for name, grouping in matrix.groups.items()]
    declared = audit.design.partition(":")[2]
    for name, where in sorted(found, key=lambda x: (x[0] != declared, len(x[1].sizes))):
        if 1 < len(where.sizes) < min(len(items), _MOST_GROUPS):
            yield name, where, block(matrix, models, where)


def _of_task(audit: Audit, survey: Survey) -> Iterator[dict[str, Any]]:
    room = _ROOM
    for name, where, data in _columns(audit, survey):
        about = {"column": name, "labels": list(where.labels), "sizes": pack(where.sizes)}
        need = _bytes(data, where)
        if need <= room:
            room -= need
            grams = list(group_grams(data, data, where))
            yield about | (_counts if data.binary else _gaps)(data, where, grams)
        elif data.complete:
            yield about | {"rate": pack(_own_means(data, where))}


def _tasks(board: Leaderboard) -> dict[str, Any]:
    """Tasks as the groups of an average: each model's mean on each."""
    rate = np.full((len(board), len(board.tasks)), np.nan)
    for k, task in enumerate(board.tasks):
        own = dict(zip(task.ranks.name, task.ranks.mean.tolist(), strict=True))
        rate[:, k] = [own[name] for name in board.ranks.name]
    return {
        "column": "task",
        "labels": [task.task for task in board.tasks],
        "sizes": pack([task.n for task in board.tasks]),
        "rate": pack(rate),
    }


def groups(result: Audit | Leaderboard, survey: Survey) -> list[dict[str, Any]]:
    """One entry per column of groups; of an average, its tasks."""
    return list(_of_task(result, survey)) if isinstance(result, Audit) else [_tasks(result)]
