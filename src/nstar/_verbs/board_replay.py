"""Attribute the changes between two leaderboards to the steps of a replay.

Each board of a replay differs from the one before it in one respect, such as its items or its
models. A change of a rank range or of a verdict belongs to the step from which on it differs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from nstar._base.types import BoolArray, IntArray, Interval
from nstar._verbs.board_changes import (
    BoardChanges,
    ChangeReason,
    RankChange,
    RankMethod,
    ReplayedBoard,
    ReplayStep,
    VerdictChange,
)
from nstar._verbs.verdict import BoardVerdict

HOLM_OF_NEWER = "the newer results use Holm's method"
"""Reason why an older board does not use max-T although it could."""
_MODEL_STEPS = ("removed_models", "new_models")

PairRow: TypeAlias = tuple[str, str, float, float, float, BoardVerdict]
"""Both models, their gap, the limits of its adjusted interval, and the verdict."""
_PairFacts: TypeAlias = tuple[float | None, Interval | None, BoardVerdict]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardState:
    """One board of a replay."""

    step: ReplayStep | None
    """Part that differs from the board before; None for the older board."""
    models: tuple[str, ...]
    """Ranked models, best first."""
    ranges: IntArray
    """Best and worst rank of each model, (M, 2)."""
    rows: Callable[[IntArray], Iterable[PairRow]]
    """Read pairs, given by the ranks of their models, (K, 2). Without all pairs, those known."""
    n_units: int
    """Number of items, or of votes."""
    method: RankMethod
    """Method of the rank ranges."""
    critical_value: float | None
    """Absolute t at which a gap is significant."""
    verdicts: Any = None
    """Code of the verdict of each pair, (M, M); None if unknown."""
    beats: BoolArray | None = None
    """Which model significantly beats which, (M, M). None if unknown, or if other models change
    the gap of a pair, as with votes.
    """


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SharedView:
    """One board, as far as it concerns the models of both snapshots."""

    step: ReplayStep | None
    ranges: list[tuple[int, int]]
    """Rank range of each model among all models of the board."""
    inner: IntArray | None
    """Rank ranges among the models of both snapshots, (S, 2)."""
    verdicts: Any


def _shared_view(board: BoardState, shared: Sequence[str]) -> _SharedView:
    place = {name: k for k, name in enumerate(board.models)}
    at = [place[name] for name in shared]
    inner = None
    if board.beats is not None:
        beats = board.beats[np.ix_(at, at)]
        inner = np.stack([1 + beats.sum(0), len(at) - beats.sum(1)], axis=1)
    return _SharedView(
        step=board.step,
        ranges=[(low, high) for low, high in board.ranges[at].tolist()],
        inner=inner,
        verdicts=None if board.verdicts is None else board.verdicts[np.ix_(at, at)],
    )


def lasting_changes(path: Sequence[Any]) -> list[int]:
    """Return the steps of a path that explain why its end differs from its start.

    The first one is the step from which on the value differs from the start.

    >>> lasting_changes("aabc"), lasting_changes("abab"), lasting_changes("aba")
    ([2, 3], [3], [])
    """
    if path[-1] == path[0]:
        return []
    first = max(k for k, value in enumerate(path) if value == path[0]) + 1
    return [k for k in range(first, len(path)) if path[k] != path[k - 1]]


def _verdict_reason(views: Sequence[_SharedView], i: int, j: int) -> ChangeReason | None:
    """Return the step from which on the verdict of a pair differs."""
    steps = lasting_changes([view.verdicts[i, j] for view in views])
    if not steps:
        return None
    view = views[steps[0]]
    return "family_size" if view.step in _MODEL_STEPS and view.inner is not None else view.step


def _range_reasons(views: Sequence[_SharedView], i: int) -> tuple[list[int], list[ChangeReason]]:
    """Return the steps in which the range of a model changed, and the reasons.

    If models enter or leave, the range changes with their ranks. It may also change among the
    models of both snapshots, whose data are the same, because the adjustment counts other pairs.
    """
    steps = lasting_changes([view.ranges[i] for view in views])
    reasons: list[ChangeReason] = []
    for before, view in ((views[k - 1], views[k]) for k in steps):
        if view.step is None:
            continue
        if view.step in _MODEL_STEPS and before.inner is not None and view.inner is not None:
            inner_shift = view.inner[i] - before.inner[i]
            shift = np.subtract(view.ranges[i], before.ranges[i])
            reasons += ["family_size"] * bool(inner_shift.any())
            reasons += [view.step] * bool((inner_shift != shift).any())
        else:
            reasons.append(view.step)
    return steps, list(dict.fromkeys(reasons))


def _range_changes(
    views: Sequence[_SharedView], is_changed: Any
) -> Iterator[tuple[int, tuple[ChangeReason, ...], int | None]]:
    """Yield the models whose range differs, with the reasons and the nearest changed pair."""
    for i in range(len(views[0].ranges)):
        steps, reasons = _range_reasons(views, i)
        if not steps:
            continue
        partner = None
        if is_changed is not None:
            k = steps[0]
            in_step = views[k].verdicts[i] != views[k - 1].verdicts[i]
            others = np.flatnonzero(is_changed[i] & in_step)
            if others.size:
                partner = int(others[np.argmin(np.abs(others - i))])
        yield i, tuple(reasons), partner


def _adjacent_pairs(first: BoardState, shared: Sequence[str]) -> set[tuple[int, int]]:
    """Return the pairs that are adjacent, among the models of both snapshots, in either one."""
    place = {name: k for k, name in enumerate(shared)}
    order = [place[name] for name in first.models if name in place]
    rows = [*pairwise(order), *pairwise(range(len(order)))]
    return {(min(pair), max(pair)) for pair in rows}


def _pair_facts(
    board: BoardState, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], _PairFacts]:
    """Return the gap, its adjusted interval, and the verdict of some pairs; absent if unknown."""
    place = {name: k for k, name in enumerate(board.models)}
    ranks = np.array([[place[a], place[b]] for a, b in pairs], np.int64).reshape(-1, 2)
    known: dict[tuple[str, str], _PairFacts] = {}
    for a, b, gap, low, high, verdict in board.rows(np.sort(ranks, axis=1)):
        if np.isfinite([gap, low, high]).all():
            known[a, b] = gap, Interval(low, high), verdict
            known[b, a] = -gap, Interval(-high, -low), verdict
        else:
            known[a, b] = known[b, a] = None, None, verdict
    return known


def _verdict_changes(
    boards: Sequence[BoardState],
    views: Sequence[_SharedView],
    shared: Sequence[str],
    places: Sequence[tuple[int, int]],
) -> dict[tuple[int, int], VerdictChange]:
    """Return the changed verdicts of some pairs."""
    pairs = [(shared[i], shared[j]) for i, j in places]
    before, now = (_pair_facts(board, pairs) for board in (boards[0], boards[-1]))
    return {
        (i, j): VerdictChange(
            model_a=pair[0],
            model_b=pair[1],
            old_gap=before[pair][0],
            old_ci=before[pair][1],
            old_verdict=before[pair][2],
            gap=now[pair][0],
            ci=now[pair][1],
            verdict=now[pair][2],
            reason=None if views[0].verdicts is None else _verdict_reason(views, i, j),
        )
        for (i, j), pair in zip(places, pairs, strict=True)
        if pair in before and pair in now and before[pair][2] != now[pair][2]
    }


def changes_between(
    boards: Sequence[BoardState], *, has_reasons: bool, old_method: RankMethod, **fields: Any
) -> BoardChanges:
    """Return the changes from the first board to the last one.

    ``old_method`` is the method that the older snapshot alone has. ``fields`` are those of
    :class:`BoardChanges` that describe the data.
    """
    first, last = boards[0], boards[-1]
    older, newer = set(first.models), set(last.models)
    shared = tuple(name for name in last.models if name in older)
    views = [_shared_view(board, shared) for board in boards]
    old, now = views[0], views[-1]
    is_changed = None
    if old.verdicts is not None and now.verdicts is not None:
        is_changed = old.verdicts != now.verdicts
    ranges = list(_range_changes(views, is_changed))
    adjacent = _adjacent_pairs(first, shared)
    if is_changed is not None:
        adjacent = {pair for pair in adjacent if is_changed[pair]}
    partners = {(min(i, j), max(i, j)) for i, _, j in ranges if j is not None}
    verdicts = _verdict_changes(boards, views, shared, sorted(adjacent | partners))

    return BoardChanges(
        has_reasons=has_reasons,
        models_added=tuple(name for name in last.models if name not in older),
        models_removed=tuple(name for name in first.models if name not in newer),
        old_method=old_method,
        method=last.method,
        boards=tuple(
            ReplayedBoard(
                step=board.step,
                n_models=len(board.models),
                n_units=board.n_units,
                critical_value=board.critical_value,
            )
            for board in boards
            if has_reasons
        ),
        n_models_compared=len(shared),
        rank_changes=tuple(
            RankChange(
                model=shared[i],
                old_low=old.ranges[i][0],
                old_high=old.ranges[i][1],
                low=now.ranges[i][0],
                high=now.ranges[i][1],
                reasons=reasons if has_reasons else (),
                pair=None if j is None else verdicts.get((min(i, j), max(i, j))),
            )
            for i, reasons, j in ranges
        ),
        verdict_changes=tuple(verdicts.values()),
        n_verdict_changes=None if is_changed is None else int(np.triu(is_changed).sum()),
        **fields,
    )


def listed_changes(old: BoardState, now: BoardState, *, since: str) -> BoardChanges:
    """Return what differs from an older result without its data, so without reasons."""
    return changes_between(
        [old, now],
        has_reasons=False,
        old_method=old.method,
        since=since,
        n_units_old=old.n_units,
        n_units=now.n_units,
        n_added=None,
        n_removed=None,
    )
