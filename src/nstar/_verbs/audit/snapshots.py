"""Match the items of two snapshots of a leaderboard, and put new scores on older items."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nstar._base.types import IntArray
from nstar._data.findings import list_tasks
from nstar._data.matrix import NOTHING, ScoreMatrix
from nstar._verbs.data_summary.finding_text import limits
from nstar.errors import DataError, arg


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemMatch:
    """Items that both snapshots of a task have, as positions in each of them."""

    old: IntArray
    new: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """Scores of a leaderboard at one time."""

    matrices: tuple[ScoreMatrix, ...]
    """One matrix for each task."""
    models: tuple[str, ...] | None = None
    """Selected models; None for all."""
    keys: tuple[tuple[Any, ...], ...] = ()
    """Identity of each item of each matrix, which is the same in both snapshots."""

    @property
    def items(self) -> set[tuple[str, Any]]:
        """Return the items that any selected model answered, with their tasks."""
        out: set[tuple[str, Any]] = set()
        for matrix, keys in zip(self.matrices, self.keys, strict=True):
            any_model = np.zeros(len(keys), np.bool_)
            for i, name in enumerate(matrix.models):
                if self.models is None or name in self.models:
                    any_model |= matrix.present(i)
            out.update((matrix.task, keys[k]) for k in np.flatnonzero(any_model).tolist())
        return out

    @classmethod
    def of(cls, matrices: Iterable[ScoreMatrix], models: Sequence[str] | None) -> "Snapshot":
        """Return a snapshot of matrices, in which two values of a single task become 0 and 1."""
        tasks = tuple(matrices)
        if len(tasks) == 1:
            binary = tasks[0].as_binary()
            tasks = tasks if binary is None else (binary[0],)
        keys = tuple(matrix.items for matrix in tasks)
        return cls(matrices=tasks, models=None if models is None else tuple(models), keys=keys)


def with_keys(old: Snapshot, new: Snapshot) -> tuple[Snapshot, tuple[str, ...]]:
    """Return the newer snapshot with the identity of its items, and the corrected items.

    Items are matched by id and, where both logs have it, by the hash of their text. An item with
    another text is another item, even if its id is the same. An item with another id is the same
    if no other item has its text.
    """
    _refuse_incomparable(old, new)
    before = {matrix.task: matrix for matrix in old.matrices}
    keys: list[tuple[Any, ...]] = []
    corrected: list[str] = []
    for matrix in new.matrices:
        if matrix.task not in before:
            keys.append(matrix.items)
            continue
        task_keys, changed = _keys(before[matrix.task], matrix)
        keys.append(task_keys)
        corrected += changed
    return replace(new, keys=tuple(keys)), tuple(corrected)


def _keys(old: ScoreMatrix, new: ScoreMatrix) -> tuple[tuple[Any, ...], list[str]]:
    """Return the id of the matching older item for each item, or another key, and changed ids."""
    if old.content is None or new.content is None:
        return new.items, []  # ids are all there is to match
    place = {item: k for k, item in enumerate(old.items)}
    hashes, older = new.content.tolist(), old.content.tolist()
    changed = {
        item: k
        for k, item in enumerate(new.items)
        if item in place and hashes[k] and older[place[item]] and hashes[k] != older[place[item]]
    }
    ids = set(new.items)
    free = {item: older[k] for item, k in place.items() if item not in ids or item in changed}
    by_hash = {h: item for item, h in free.items() if h}
    n_old = Counter(free.values())
    candidates = {k for k, item in enumerate(new.items) if item not in place or item in changed}
    n_new = Counter(hashes[k] for k in candidates)
    keys: list[Any] = list(new.items)
    for k in candidates:
        h = hashes[k]
        is_renamed = h in by_hash and n_old[h] == n_new[h] == 1
        if is_renamed:
            keys[k] = by_hash[h]
        elif new.items[k] in place:
            keys[k] = (new.items[k], "another text")
    renamed = set(keys)
    return tuple(keys), [
        item for item, k in changed.items() if isinstance(keys[k], tuple) and item not in renamed
    ]


def _refuse_incomparable(old: Snapshot, new: Snapshot) -> None:
    """Raise DataError if the snapshots have no task, metric, or scale in common."""
    before = {matrix.task: matrix for matrix in old.matrices}
    pairs = [(before[m.task], m) for m in new.matrices if m.task in before]
    if not pairs:
        tasks = (list_tasks(m.task for m in side.matrices) for side in (old, new))
        msg = "The older results have no task in common with these: {} and {}."
        raise DataError(msg.format(*tasks))
    for was, now in pairs:
        name = f"{now.task}: " if now.task else ""
        if was.correction is not None or now.correction is not None:
            msg = (
                f"{name}{arg('since')} compares scores as measured, not scores that labels or "
                "weights correct."
            )
            raise DataError(msg)
        if was.metric != now.metric:
            msg = (
                f"{name}the older results have the metric {was.metric}, and these have "
                f"{now.metric}. Set {arg('metric')}."
            )
            raise DataError(msg)
        unit = [limits(matrix) == (0.0, 1.0) for matrix in (was, now)]
        if was.lower_is_better != now.lower_is_better or unit[0] != unit[1]:
            scales = ("{:g} to {:g}".format(*limits(matrix)) for matrix in (was, now))
            msg = "{}the older scores are on another scale ({}; now {}).".format(name, *scales)
            raise DataError(msg)


def paired_tasks(old: Snapshot, new: Snapshot) -> list[tuple[ScoreMatrix, ScoreMatrix, ItemMatch]]:
    """Return the tasks of both snapshots that have a common item, with these items."""
    before = {m.task: (m, k) for m, k in zip(old.matrices, old.keys, strict=True)}
    out = []
    for matrix, keys in zip(new.matrices, new.keys, strict=True):
        if matrix.task not in before:
            continue
        older, old_keys = before[matrix.task]
        place = {key: k for k, key in enumerate(old_keys)}
        pairs = [(place[key], k) for k, key in enumerate(keys) if key in place]
        if pairs:
            rows = np.array(pairs, np.int64).T
            out.append((older, matrix, ItemMatch(old=rows[0], new=rows[1])))
    return out


def with_new_scores(old: Snapshot, new: Snapshot) -> tuple[Snapshot, bool]:
    """Return the older snapshot with the new scores of its models, and whether any differs.

    Items that only the older snapshot has, and models that only it has, keep their scores.
    """
    by_task = {before.task: (after, match) for before, after, match in paired_tasks(old, new)}
    matrices, differs = [], False
    for matrix in old.matrices:
        if matrix.task not in by_task:
            matrices.append(matrix)
            continue
        after, match = by_task[matrix.task]
        newer = set(after.models if new.models is None else new.models) & set(after.models)
        is_small = matrix.binary and after.binary
        cells = np.empty(matrix.shape, np.int8 if is_small else np.float64)
        any_new = False
        for i, name in enumerate(matrix.models):
            row = matrix.row(i).copy()
            if name in newer:
                scores = after.row(name)[match.new]
                any_new = any_new or not _same(row[match.old], scores)
                row[match.old] = scores
            cells[i] = np.where(np.isnan(row), -1, row) if is_small else row
        build = ScoreMatrix.from_cells if is_small else ScoreMatrix.from_means
        names = ("models", "items", "task", "metric", "groups", "lower_is_better", "alignment")
        fields = {name: getattr(matrix, name) for name in names}
        differs = differs or any_new
        matrices.append(build(cells, **fields) if any_new else matrix)
    return replace(old, matrices=tuple(matrices)), differs


def _same(x: Any, y: Any) -> bool:
    """Return whether scores are equal up to rounding, and missing for the same items."""
    close = np.abs(x - y) <= NOTHING * np.maximum(np.abs(x), 1.0)
    return bool((close | (np.isnan(x) & np.isnan(y))).all())
