"""Compare two snapshots of a leaderboard of scores, by replaying the boards between them.

The steps of the replay are the older board, the same models and items with the new scores, without
the removed models, with the new items, and with the new models. Removed models leave before the
items change, because they have no scores on new items.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias, cast, get_args

import numpy as np

from nstar._base.parameter_types import Average
from nstar._base.types import Array, BoolArray, IntArray, Interval
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
from nstar._verbs.audit.snapshots import (
    ItemMatch,
    Snapshot,
    paired_tasks,
    with_keys,
    with_new_scores,
)
from nstar._verbs.audit.tasks import audit_board
from nstar._verbs.audit.tiles import Tile, neighbors, pvalues
from nstar._verbs.board_changes import BoardChanges, ModelChange, RankMethod, ReplayStep
from nstar._verbs.board_replay import HOLM_OF_NEWER, BoardState, PairRow, changes_between
from nstar._verbs.compare.average import averaged
from nstar._verbs.data_summary.finding_text import limits as limits_of
from nstar._verbs.verdict import VERDICT_OF_STATE, BoardVerdict
from nstar.stats._nested import nested_changes

_MAX_IDS = 20
"""Largest number of corrected items that a result names."""
_VERDICTS = get_args(BoardVerdict)
_PairedTask: TypeAlias = tuple[ScoreMatrix, ScoreMatrix, ItemMatch]
_CODES = np.array([_VERDICTS.index(v) for v in VERDICT_OF_STATE], np.int8)


def state_of(audit: Audit, step: ReplayStep | None = None) -> BoardState:
    """Return an audit as a board of a replay."""
    ranks, analysis, critical = audit.ranking, audit.survey, audit.critical_value
    state = BoardState(
        step=step,
        models=ranks.model,
        ranges=np.stack([ranks.rank_low, ranks.rank_high], axis=1),
        rows=partial(_pair_rows, audit),
        n_units=sum(task.n_items for task in audit.tasks),
        method=cast("RankMethod", audit.rank_method),
        critical_value=critical if critical is not None and np.isfinite(critical) else None,
    )
    if analysis is None or analysis.held is None:
        return state
    rules, all_pairs, m = analysis.counting, analysis.held, len(ranks)
    i, j = all_pairs.first, all_pairs.second
    verdicts, beats = np.zeros((m, m), np.int8), np.zeros((m, m), np.bool_)
    codes = _CODES[rules.codes(all_pairs, np.zeros(all_pairs.p.shape, np.bool_))]
    verdicts[i, j] = verdicts[j, i] = codes
    is_significant = rules.significant(rules.ranking, all_pairs)
    is_first = (all_pairs.delta > 0) == (rules.better > 0)
    beats[i, j], beats[j, i] = is_significant & is_first, is_significant & ~is_first
    return replace(state, verdicts=verdicts, beats=beats)


def _pair_rows(audit: Audit, ranks: IntArray) -> Iterable[PairRow]:
    """Yield pairs by the ranks of their models or, without all pairs in memory, those listed."""
    analysis, tables = audit.survey, [audit.adjacent]
    if analysis is not None and analysis.held is not None:
        setting = setting_of(audit, analysis, audit.criteria)
        tables = [in_full(analysis, analysis.some(*ranks.T), audit.adjust, setting)]
    elif len(audit.tasks) == 1:
        tables.append(audit.tasks[0].pairs)
    for t in tables:
        ends = (t.ci_adjusted_low.tolist(), t.ci_adjusted_high.tolist())
        yield from zip(t.model_a, t.model_b, t.gap.tolist(), *ends, t.verdict, strict=True)


def _replay(
    old: Snapshot,
    new: Snapshot,
    audit: Audit,
    question: AuditQuestion,
    execution: Execution,
    average: Average,
) -> tuple[list[BoardState], RankMethod, Snapshot]:
    """Return the boards, the method of the older one alone, and its items with new scores.

    If the newer audit uses Holm's method, all boards do, so that no change is due to the method.
    """
    quiet = replace(execution, out=None, work=None)
    ranks = replace(question, ranks_only=True, use_max_t=audit.rank_method != "holm")

    def audit_of(snapshot: Snapshot) -> Audit:
        return audit_board(
            snapshot.matrices, ranks, quiet, average=average, models=snapshot.models
        )

    between, has_new_scores = with_new_scores(old, new)
    first = audit_of(old)
    older = set(first.ranking.model)
    shared = tuple(name for name in audit.ranking.model if name in older)
    steps: list[tuple[ReplayStep, Snapshot]] = []
    if len(shared) > 1:
        without = replace(between, models=shared)
        if has_new_scores:
            steps.append(("scores", between))
        if len(shared) < len(first.ranking):
            steps.append(("removed_models", without))
        if without.items != replace(new, models=shared).items:
            steps.append(("items", replace(new, models=shared)))
    if len(shared) < len(audit.ranking):
        steps.append(("new_models", new))
    boards = [state_of(first)]
    boards += [state_of(audit_of(snapshot), step) for step, snapshot in steps[:-1]]
    boards += [state_of(audit, step) for step, _ in steps[-1:]]
    analysis = first.survey
    is_replaced = analysis is not None and str(analysis.step) == HOLM_OF_NEWER
    return boards, "maxt" if is_replaced else boards[0].method, between


def _rerun_panel(
    tasks: Sequence[_PairedTask], names: Sequence[str], audit: Audit, question: AuditQuestion
) -> tuple[AnyPanel, tuple[float, float]]:
    """Return the new and the older scores of each model in turn, on the items of both."""
    panels, limits = [], []
    for before, after, match in tasks:
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
    weights = np.array([audit.weights[after.task] for _, after, _ in tasks])
    return averaged(panels, tuple((weights / weights.sum()).tolist()), wide), wide


def _reruns(
    old: Snapshot, new: Snapshot, shared: Sequence[str], audit: Audit, question: AuditQuestion
) -> tuple[ModelChange, ...]:
    """Compare the runs of each model whose scores differ, on the same items.

    The differences are paired, and their family consists of the models that were run again.
    """
    tasks = paired_tasks(old, new)
    n_changed = {
        name: sum(_n_differing(*task, name) for task in tasks)
        for name in shared
        if all(name in before.models and name in after.models for before, after, _ in tasks)
    }
    names = [name for name, n in n_changed.items() if n]
    if not names:
        return ()
    with one_thread():
        models, limits = _rerun_panel(tasks, names, audit, question)
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


def _n_differing(before: ScoreMatrix, after: ScoreMatrix, match: ItemMatch, name: str) -> int:
    """Return the number of items on which both runs of a model have different scores."""
    x, y = before.row(name)[match.old], after.row(name)[match.new]
    return int(np.count_nonzero(np.abs(x - y) > NOTHING * np.maximum(np.abs(x), 1.0)))


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
    new, corrected = with_keys(old, new)
    boards, old_method, between = _replay(old, new, audit, question, execution, average)
    older = set(boards[0].models)
    shared = tuple(name for name in audit.ranking.model if name in older)
    old_items, new_items = old.items, new.items
    n_common = len(old_items & new_items)
    has_other_items = any(board.step == "items" for board in boards)
    return changes_between(
        boards,
        has_reasons=len(shared) > 1,
        old_method=old_method,
        since=since,
        n_units_old=len(old_items),
        n_units=len(new_items),
        n_added=len(new_items) - n_common - len(corrected),
        n_removed=len(old_items) - n_common - len(corrected),
        n_corrected=len(corrected),
        items_corrected=tuple(corrected[:_MAX_IDS]),
        reruns=_reruns(old, new, shared, audit, question),
        item_effects=_item_effects(between, new, shared, question) if has_other_items else (),
    )
