"""Compare two snapshots of a leaderboard, by replaying the boards between them.

Each board of the replay differs from the one before it in one respect: the older board, the same
models and items with the new scores, without the removed models, with the new items, and with the
new models. Removed models leave before the items change, because they have no scores on new items.
A change of a rank range or of a verdict belongs to the step from which on it differs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, get_args

import numpy as np

from nstar._base.parameter_types import Average
from nstar._base.types import Array, BoolArray, Interval
from nstar._data.matrix import NOTHING, ScoreMatrix
from nstar._engine.pairs import AnyPanel, panel
from nstar._engine.work import Execution, one_thread
from nstar._verbs.audit.family import ExactFamily
from nstar._verbs.audit.maxt import MaxTUnavailable
from nstar._verbs.audit.pair_analysis import counting_rules
from nstar._verbs.audit.pairs import PairSetting, describe
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.rejudge import setting_of
from nstar._verbs.audit.result import Audit
from nstar._verbs.audit.run import in_full
from nstar._verbs.audit.snapshots import ItemMatch, Snapshot, matched, merged, paired_tasks
from nstar._verbs.audit.tables import PairTable
from nstar._verbs.audit.tasks import audit_board
from nstar._verbs.audit.tiles import Tile, neighbors, pvalues
from nstar._verbs.board_changes import (
    BoardChanges,
    ChangeReason,
    ModelChange,
    RankChange,
    ReplayedBoard,
    ReplayStep,
    VerdictChange,
    lasting_changes,
)
from nstar._verbs.compare.average import averaged
from nstar._verbs.data_summary.finding_text import limits as limits_of
from nstar._verbs.verdict import VERDICT_OF_STATE, BoardVerdict
from nstar.stats._nested import nested_changes

_MAX_IDS = 20
"""Largest number of corrected items that a result names."""
_VERDICTS = get_args(BoardVerdict)
_CODES = np.array([_VERDICTS.index(v) for v in VERDICT_OF_STATE], np.int8)
_MODEL_STEPS = ("removed_models", "new_models")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Board:
    """One board of the replay, as far as it concerns the models of both snapshots."""

    step: ReplayStep | None
    audit: Audit
    ranges: list[tuple[int, int]]
    """Rank range of each model among all models of the board."""
    inner: list[tuple[int, int]] | None
    """Rank range among the models of both snapshots; None if there are too many pairs."""
    verdicts: Any
    """Verdict of each pair as an index of all verdicts, (S, S); None if there are too many."""


def _board(step: ReplayStep | None, audit: Audit, shared: Sequence[str]) -> _Board:
    ranks = audit.ranking
    place = {name: k for k, name in enumerate(ranks.model)}
    at = [place[name] for name in shared]
    ranges = list(zip(ranks.rank_low[at].tolist(), ranks.rank_high[at].tolist(), strict=True))
    all_pairs = None if audit.survey is None else audit.survey.held
    if audit.survey is None or all_pairs is None:
        return _Board(step=step, audit=audit, ranges=ranges, inner=None, verdicts=None)
    rules, m = audit.survey.counting, len(place)
    i, j = all_pairs.first, all_pairs.second
    verdicts, beats = np.zeros((m, m), np.int8), np.zeros((m, m), np.bool_)
    codes = _CODES[rules.codes(all_pairs, np.zeros(all_pairs.p.shape, np.bool_))]
    verdicts[i, j] = verdicts[j, i] = codes
    is_beaten, is_first = rules.significant(rules.ranking, all_pairs), all_pairs.delta > 0
    beats[i, j] = is_beaten & (is_first == (rules.better > 0))
    beats[j, i] = is_beaten & (is_first != (rules.better > 0))
    beats = beats[np.ix_(at, at)]
    inner = zip((1 + beats.sum(0)).tolist(), (len(at) - beats.sum(1)).tolist(), strict=True)
    return _Board(
        step=step,
        audit=audit,
        ranges=ranges,
        inner=list(inner),
        verdicts=verdicts[np.ix_(at, at)],
    )


def _replay(
    old: Snapshot,
    new: Snapshot,
    audit: Audit,
    question: AuditQuestion,
    execution: Execution,
    average: Average,
) -> tuple[list[_Board], tuple[str, ...], Snapshot]:
    """Return the boards, the models of both snapshots, and the older items with new scores."""
    quiet = replace(execution, out=None, work=None)
    ranks = replace(question, ranks_only=True)

    def audited(snapshot: Snapshot) -> Audit:
        return audit_board(
            snapshot.matrices, ranks, quiet, average=average, models=snapshot.models
        )

    between, has_new_scores = merged(old, new)
    first = audited(old)
    names = set(first.ranking.model)
    shared = tuple(name for name in audit.ranking.model if name in names)
    steps: list[tuple[ReplayStep, Snapshot]] = []
    if has_new_scores:
        steps.append(("scores", between))
    if len(shared) < len(first.ranking):
        steps.append(("removed_models", replace(between, models=shared)))
    if replace(between, models=shared).items != replace(new, models=shared).items:
        steps.append(("items", replace(new, models=shared)))
    if len(shared) < len(audit.ranking):
        steps.append(("new_models", new))
    boards = [_board(None, first, shared)]
    if len(shared) > 1 and steps:
        boards += [_board(step, audited(snapshot), shared) for step, snapshot in steps[:-1]]
        boards.append(_board(steps[-1][0], audit, shared))
    return boards, shared, between


def _pairs_of(audit: Audit, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Any]:
    """Return the gap, its adjusted interval, and the verdict of some pairs; absent if unknown."""
    place = {name: k for k, name in enumerate(audit.ranking.model)}
    analysis = audit.survey
    if analysis is not None and analysis.held is not None and pairs:
        rows = np.sort([[place[a], place[b]] for a, b in pairs], axis=1)
        tile = analysis.some(rows[:, 0], rows[:, 1])
        setting = setting_of(audit, analysis, audit.criteria)
        tables = [in_full(analysis, tile, audit.adjust, setting)]
    else:
        tables = [audit.adjacent, *(task.pairs for task in audit.tasks if len(audit.tasks) == 1)]
    known: dict[tuple[str, str], Any] = {}
    for table in tables:
        for a, b, row in _rows(table):
            known[a, b] = row
            known[b, a] = (*(_turned(x) for x in row[:2]), row[2])
    return {pair: known[pair] for pair in pairs if pair in known}


def _turned(value: Any) -> Any:
    """Return a gap, or an interval of it, with the models in the other order."""
    if value is None:
        return None
    return Interval(-value[1], -value[0]) if isinstance(value, Interval) else -value


def _rows(table: PairTable) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    ends = (table.ci_adjusted_low.tolist(), table.ci_adjusted_high.tolist())
    columns = (table.model_a, table.model_b, table.gap.tolist(), *ends, table.verdict)
    for a, b, gap, low, high, verdict in zip(*columns, strict=True):
        is_known = np.isfinite([gap, low, high]).all()
        yield a, b, (gap if is_known else None, Interval(low, high) if is_known else None, verdict)


def _reason(boards: Sequence[_Board], i: int, j: int) -> ChangeReason | None:
    """Return the step from which on the verdict of a pair differs."""
    steps = lasting_changes([board.verdicts[i, j] for board in boards])
    step = boards[steps[0]].step if steps else None
    return "family_size" if step in _MODEL_STEPS else step


def _range_reasons(boards: Sequence[_Board], i: int) -> tuple[list[int], list[ChangeReason]]:
    """Return the steps in which the range of a model changed, and the reasons.

    If models enter or leave, the range changes with their ranks. It may also change among the
    models of both snapshots, whose data are the same, because the adjustment counts other pairs.
    """
    steps = lasting_changes([board.ranges[i] for board in boards])
    reasons: list[ChangeReason] = []
    for before, board in ((boards[k - 1], boards[k]) for k in steps):
        if board.step is None:
            continue
        is_displaced = True
        if board.step in _MODEL_STEPS and before.inner is not None and board.inner is not None:
            moves = (
                np.subtract(board.inner[i], before.inner[i]),
                np.subtract(board.ranges[i], before.ranges[i]),
            )
            is_displaced = bool((moves[0] != moves[1]).any())
            if moves[0].any():
                reasons.append("family_size")
        if is_displaced:
            reasons.append(board.step)
    return steps, list(dict.fromkeys(reasons))


def _changed_verdicts(boards: Sequence[_Board]) -> Any:
    """Return which pairs have another verdict than before, (S, S); None if unknown."""
    first, last = boards[0].verdicts, boards[-1].verdicts
    return None if first is None or last is None else first != last


def _moved(
    boards: Sequence[_Board], shared: Sequence[str], changed: Any
) -> Iterator[tuple[int, tuple[ChangeReason, ...], int | None]]:
    """Yield the models whose range differs, with the reasons and the nearest changed pair."""
    for i in range(len(shared)):
        steps, reasons = _range_reasons(boards, i)
        if not steps:
            continue
        partner = None
        if changed is not None:
            k = steps[0]
            others = np.flatnonzero(
                changed[i] & (boards[k].verdicts[i] != boards[k - 1].verdicts[i])
            )
            if others.size:
                partner = int(others[np.argmin(np.abs(others - i))])
        yield i, tuple(reasons), partner


def _neighbors_of(boards: Sequence[_Board], shared: Sequence[str]) -> set[tuple[int, int]]:
    """Return the pairs that are adjacent, among the models of both snapshots, in either one."""
    place = {name: k for k, name in enumerate(shared)}
    order = [place[name] for name in boards[0].audit.ranking.model if name in place]
    rows = [*pairwise(order), *pairwise(range(len(order)))]
    return {(min(pair), max(pair)) for pair in rows}


def _verdict_changes(
    boards: Sequence[_Board], shared: Sequence[str], places: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], VerdictChange]:
    """Return the changed verdicts of some pairs."""
    pairs = [(shared[i], shared[j]) for i, j in places]
    before, now = (_pairs_of(board.audit, pairs) for board in (boards[0], boards[-1]))
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
            reason=None if boards[0].verdicts is None else _reason(boards, i, j),
        )
        for (i, j), pair in zip(places, pairs, strict=True)
        if pair in before and pair in now and before[pair][2] != now[pair][2]
    }


def _rank_changes(
    boards: Sequence[_Board], shared: Sequence[str], *, has_reasons: bool
) -> dict[str, Any]:
    """Return the changed ranges and verdicts as fields of the result."""
    if len(boards) < 2:
        return {"rank_changes": (), "verdict_changes": (), "n_verdict_changes": 0}
    changed = _changed_verdicts(boards)
    moved = list(_moved(boards, shared, changed))
    beside = _neighbors_of(boards, shared)
    partners = {(min(i, j), max(i, j)) for i, _, j in moved if j is not None}
    if changed is not None:
        beside = {pair for pair in beside if changed[pair]}
    verdicts = _verdict_changes(boards, shared, sorted(beside | partners))

    def rank_change(i: int, reasons: tuple[ChangeReason, ...], j: int | None) -> RankChange:
        (old_low, old_high), (low, high) = boards[0].ranges[i], boards[-1].ranges[i]
        return RankChange(
            model=shared[i],
            old_low=old_low,
            old_high=old_high,
            low=low,
            high=high,
            reasons=reasons if has_reasons else (),
            pair=None if j is None else verdicts.get((min(i, j), max(i, j))),
        )

    return {
        "rank_changes": tuple(rank_change(*change) for change in moved),
        "verdict_changes": tuple(verdicts.values()),
        "n_verdict_changes": None if changed is None else int(np.triu(changed).sum()),
    }


def _rerun_panel(
    old: Snapshot, new: Snapshot, names: Sequence[str], audit: Audit, question: AuditQuestion
) -> tuple[AnyPanel, tuple[float, float]]:
    """Return the new and the older scores of each model in turn, on the items of both."""
    panels, limits = [], []
    for before, after, match in paired_tasks(old, new):
        rows = np.empty((2 * len(names), match.old.size))
        for k, name in enumerate(names):
            rows[2 * k] = after.row(name)[match.new]
            rows[2 * k + 1] = before.row(name)[match.old]
        runs = ScoreMatrix.from_means(
            rows,
            models=[f"{word} {name}" for name in names for word in ("new", "old")],
            items=[after.items[k] for k in match.new.tolist()],
            groups=after.groups_on(match.new),
            task=after.task,
            metric=after.metric,
            lower_is_better=after.lower_is_better,
        )
        items = np.arange(match.old.size)
        panels.append(panel(runs, range(len(rows)), items, question.kind, question.column))
        limits.append(limits_of(runs))
    wide = (min(low for low, _ in limits), max(high for _, high in limits))
    if len(panels) == 1:
        return panels[0], wide
    weights = np.array([audit.weights[after.task] for _, after, _ in paired_tasks(old, new)])
    return averaged(panels, tuple((weights / weights.sum()).tolist()), wide), wide


def _reruns(
    old: Snapshot, new: Snapshot, shared: Sequence[str], audit: Audit, question: AuditQuestion
) -> tuple[ModelChange, ...]:
    """Compare the runs of each model whose scores differ, on the same items.

    The differences are paired, and their family consists of the models that were run again.
    """
    n_changed = dict.fromkeys(shared, 0)
    for before, after, match in paired_tasks(old, new):
        for name in shared:
            if name in before.models and name in after.models:
                n_changed[name] += int(_differ(before, after, match, name).sum())
    names = [name for name, n in n_changed.items() if n and _in_every_task(old, new, name)]
    if not names:
        return ()
    with one_thread():
        models, limits = _rerun_panel(old, new, names, audit, question)
        first = np.arange(0, 2 * len(names), 2)
        pairs = neighbors(models).take(first)
        tile = Tile(first=first, second=first + 1, pairs=pairs, p=pvalues(pairs, models.design))
        family = ExactFamily(np.sort(tile.p))
        counting = counting_rules(
            family,
            MaxTUnavailable("runs of different models are independent"),
            question.criteria,
            "holm",
            models=len(models),
            better=-1 if audit.tasks[0].lower_is_better else 1,
            width=limits[1] - limits[0],
            margin=None,
        )
        setting = PairSetting(
            names=tuple(name for name in names for _ in range(2)),
            design=models.design,
            criteria=question.criteria,
            limits=limits,
            offset=getattr(getattr(models, "block", None), "offset", 0.0),
            counting=counting,
            delta=None,
        )
        table = describe(tile, family.adjusted(tile.p, "holm"), setting)
    return tuple(
        ModelChange(
            model=name,
            n_items=int(table.n_items[k]),
            n_changed=n_changed[name],
            change=float(table.gap[k]),
            ci=Interval(float(table.ci_adjusted_low[k]), float(table.ci_adjusted_high[k])),
            pvalue_adjusted=float(table.pvalue_adjusted[k]),
            is_significant=table.verdict[k] == "significant",
        )
        for k, name in enumerate(names)
    )


def _differ(before: ScoreMatrix, after: ScoreMatrix, match: ItemMatch, name: str) -> BoolArray:
    """Return the items on which both runs of a model have a score, and these scores differ."""
    x, y = before.row(name)[match.old], after.row(name)[match.new]
    return np.asarray(np.abs(x - y) > NOTHING * np.maximum(np.abs(x), 1.0))


def _in_every_task(old: Snapshot, new: Snapshot, name: str) -> bool:
    tasks = [(before, after) for before, after, _ in paired_tasks(old, new)]
    return all(name in before.models and name in after.models for before, after in tasks)


def _union(
    between: Snapshot, new: Snapshot, shared: Sequence[str]
) -> tuple[Array, BoolArray, BoolArray] | None:
    """Return the scores of the shared models on older and newer items, and which items are which.

    Only items that all of these models answered are used.
    """
    tasks = paired_tasks(between, new)
    if len(tasks) != 1 or len(between.matrices) > 1 or len(new.matrices) > 1:
        return None
    ((before, after, match),) = tasks
    only_old = np.setdiff1d(np.arange(len(before.items)), match.old)
    x = np.stack([np.concatenate([after.row(m), before.row(m)[only_old]]) for m in shared])
    is_new = np.arange(x.shape[1]) < len(after.items)
    is_old = ~is_new
    is_old[match.new] = True
    is_complete = ~np.isnan(x).any(axis=0)
    return x[:, is_complete], is_old[is_complete], is_new[is_complete]


def _item_effects(
    between: Snapshot, new: Snapshot, shared: Sequence[str], question: AuditQuestion
) -> tuple[ModelChange, ...]:
    """Test whether new and removed items favor a model, relative to the mean of all models."""
    if question.kind != "independent":
        return ()
    union = _union(between, new, shared)
    if union is None:
        return ()
    x, is_old, is_new = union
    if not is_old.any() or not is_new.any() or (is_old == is_new).all():
        return ()
    alpha, seed = question.criteria.alpha, question.seed
    effects = nested_changes(x - x.mean(axis=0), is_old, is_new, alpha=alpha, seed=seed)
    change, half = effects.change, effects.critical * effects.se
    return tuple(
        ModelChange(
            model=name,
            n_items=int(is_new.sum()),
            n_changed=0,
            change=float(change[k]),
            ci=Interval(float(change[k] - half[k]), float(change[k] + half[k])),
            pvalue_adjusted=float(effects.pvalue[k]),
            is_significant=bool(effects.pvalue[k] <= alpha),
        )
        for k, name in enumerate(shared)
    )


def _critical(audit: Audit) -> float | None:
    value = audit.critical_value
    return value if value is not None and np.isfinite(value) else None


def _n_items(audit: Audit) -> int:
    return sum(task.n_items for task in audit.tasks)


def board_changes(
    old: Snapshot,
    new: Snapshot,
    audit: Audit,
    question: AuditQuestion,
    execution: Execution,
    *,
    average: Average = "macro",
    since: str = "",
) -> BoardChanges:
    """Return what changed between two snapshots, with reasons.

    ``audit`` is the audit of the newer snapshot.
    """
    new, corrected = matched(old, new)
    boards, shared, between = _replay(old, new, audit, question, execution, average)
    old_items, new_items = old.items, new.items
    n_common = len(old_items & new_items)
    has_other_items = any(board.step == "items" for board in boards)
    known, older = set(shared), boards[0].audit.ranking.model
    return BoardChanges(
        since=since,
        has_reasons=len(shared) > 1,
        models_added=tuple(n for n in audit.ranking.model if n not in known),
        models_removed=tuple(n for n in older if n not in known),
        n_units_old=len(old_items),
        n_units=len(new_items),
        n_added=len(new_items) - n_common - len(corrected),
        n_removed=len(old_items) - n_common - len(corrected),
        n_corrected=len(corrected),
        items_corrected=tuple(corrected[:_MAX_IDS]),
        reruns=_reruns(old, new, shared, audit, question),
        item_effects=_item_effects(between, new, shared, question) if has_other_items else (),
        boards=tuple(
            ReplayedBoard(
                step=board.step,
                n_models=len(board.audit),
                n_units=_n_items(board.audit),
                critical_value=_critical(board.audit),
            )
            for board in boards
        ),
        n_models_compared=len(shared),
        **_rank_changes(boards, shared, has_reasons=True),
    )


def listed_changes(old: Audit, audit: Audit, *, since: str = "") -> BoardChanges:
    """Return what differs from an older audit without scores, so without reasons."""
    names, older = set(audit.ranking.model), set(old.ranking.model)
    shared = [name for name in audit.ranking.model if name in older]
    boards = [_board(None, board, shared) for board in (old, audit)]
    return BoardChanges(
        since=since,
        has_reasons=False,
        models_added=tuple(n for n in audit.ranking.model if n not in older),
        models_removed=tuple(n for n in old.ranking.model if n not in names),
        n_units_old=_n_items(old),
        n_units=_n_items(audit),
        n_added=None,
        n_removed=None,
        n_corrected=0,
        items_corrected=(),
        reruns=(),
        item_effects=(),
        boards=(),
        n_models_compared=len(shared),
        **_rank_changes(boards, shared, has_reasons=False),
    )
