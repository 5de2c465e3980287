"""Boards from a pilot: tables of runs of any number of models, as scores of items × models."""

from typing import TYPE_CHECKING

import numpy as np

from nstar._api.plan.conflicts import refuse_board
from nstar._api.plan.parameters import listed
from nstar._api.plan.pilot import pilot_tables, score_limits
from nstar._api.plan.question import PlanQuestion
from nstar._api.plan.values import refuse_large_gaps
from nstar._base import checks
from nstar._verbs.plan.board import BoardPilot, board_pilot, plan_board
from nstar._verbs.runs import RunTable
from nstar.errors import DataError

if TYPE_CHECKING:
    from nstar._verbs.plan.board_result import BoardPlan


def _pilot(tables: tuple[RunTable, ...], limits: tuple[float, float]) -> BoardPilot:
    """Means over runs of each model on the same items."""
    first = tables[0]
    if any(t.items != first.items for t in tables):
        msg = "all tables of a pilot must have the same items in the same order"
        raise DataError(msg)
    columns, counts = [], []
    for table in tables:
        there = np.isfinite(table.scores)
        runs = there.sum(axis=1)
        total = np.where(there, table.scores, 0.0).sum(axis=1)
        columns.append(np.where(runs > 0, total / np.maximum(runs, 1), np.nan))
        counts.append(float(runs[runs > 0].mean()) if runs.any() else np.nan)
    sign = -1.0 if first.lower_is_better else 1.0
    return board_pilot(
        sign * np.column_stack(columns),
        {column: grouping.codes.astype(np.int64) for column, grouping in first.groups.items()},
        runs=float(np.nanmean(counts)),
        limits=limits,
    )


def plan_pilot_board(question: PlanQuestion) -> "BoardPlan":
    """What items resolve on a board of models like the pilot's."""
    from dataclasses import replace

    q = question
    refuse_board(q)
    tables = pilot_tables(q.pilot, task=q.task, metric=q.metric)
    limits = score_limits(tables)
    refuse_large_gaps(q, limits)
    models = len(tables) if q.models is None else q.models
    items, price = q.size, None
    if q.cost_run is not None:
        price = float(listed(q.cost_run)[0]) * models + (q.cost_task or 0.0)
    if q.budget is not None and price is not None:
        items = int(q.budget / price * (1 + 1e-12))
        least = f"at least {2 * price:.10g}, two items answered by {models} models"
        checks.require(items >= 2, "budget", least, q.budget)
    found = plan_board(
        _pilot(tables, limits),
        models=models,
        items=items,
        delta=abs(q.deltas[0]) if q.deltas else None,
        cluster=q.cluster,
        strata=q.strata,
        criteria=q.criteria,
    )
    at = found.items
    cost = None if price is None or at is None else at * price
    return replace(found, budget=q.budget, cost=cost)
