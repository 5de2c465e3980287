"""``plan_board``: plan the items of a leaderboard of many models."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

from nstar._api.reading_words import PilotWords
from nstar._base.parameter_types import (
    Cost,
    Gaps,
    GroupName,
    ItemCount,
    Logs,
    ModelCount,
    PlanAlternative,
    PlanRhos,
    Proportion,
    StandardDeviation,
)
from nstar._base.verb import at_least_one, at_most_one, exactly_one, needs, verb
from nstar.errors import DataError, QuestionError, arg

if TYPE_CHECKING:
    from nstar._data.findings import Finding
    from nstar._verbs.plan import Design
    from nstar._verbs.plan.board import BoardPilot
    from nstar._verbs.plan.board_result import BoardPlan
    from nstar._verbs.runs import RunTable
    from nstar._verbs.verdict import Criteria

BoardGoal: TypeAlias = Literal["all-pairs", "adjacent", "control", "best"]
"""Comparisons that a leaderboard must detect."""
_NOISE = (
    exactly_one(
        baseline="accuracy for 0/1 scores", sd_diff="SD of differences between graded scores"
    ),
    needs("rho", baseline="accuracy for 0/1 scores"),
)
_NO_NOISE = {"psi": None, "sd": None}


@verb(
    at_least_one(
        delta="to get the number of items",
        items="to get the detectable gap",
        budget="to get the gap that it can detect",
    ),
    needs("budget", "cost_run"),
    at_most_one(
        cluster="new items come from other groups", strata="new items come from the same groups"
    ),
)
def plan_board(
    data: Logs = None,
    /,
    *,
    models: ModelCount | None = None,
    goal: BoardGoal = "all-pairs",
    joint: bool = False,
    delta: Gaps | None = None,
    items: ItemCount | None = None,
    budget: Cost | None = None,
    cost_run: Cost | None = None,
    baseline: Proportion | None = None,
    rho: PlanRhos | None = None,
    sd_diff: StandardDeviation | None = None,
    cluster: GroupName | None = None,
    strata: GroupName | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: PlanAlternative = "two-sided",
    **reading: Unpack[PilotWords],
) -> "BoardPlan":
    """Find the number of items that a leaderboard needs, or the gaps that it can detect.

    Every model answers every item. Set ``delta`` to get the number of items, or ``items`` or
    ``budget`` to get the detectable gap. To get the power, set ``delta`` and one of the other two.
    The variance is assumed, or estimated from a pilot of similar models. With a pilot, the report
    covers all goals, and forecasts the leaderboard by simulation.

    Parameters
    ----------
    data : path, frame, mapping, records, or sequence of RunTable, optional
        Pilot logs of two or more models, written as [NAME=]PATH[::MODEL].
    models : int, optional
        Number of models on the leaderboard. The default is the number of models in the pilot.
    goal : {"all-pairs", "adjacent", "control", "best"}, default "all-pairs"
        Compare all pairs, adjacent pairs (fixed in advance), or each model with a control, or pick
        the best model. The best model is picked with probability 1 - ``alpha``.
    joint : bool, default False
        Require the target power for detecting all gaps simultaneously, instead of each gap
        separately.
    delta : float or sequence of float, optional
        Gap to detect, such as 0.02 (2 pp). The gap is in score units. Without a pilot, several
        values make a table.
    items : int, optional
        Number of items.
    budget : float, optional
        Budget, in the same currency as the costs.
    cost_run : float, optional
        Cost of running one model on one item.
    baseline : float, optional
        Accuracy of the second model for 0/1 scores, such as 0.7.
    rho : float, str, or sequence of float, optional
        Correlation of the models' scores over items, or a benchmark name such as mmlu (default:
        0.5). Several values make a table.
    sd_diff : float, optional
        Standard deviation of the per-item differences, for graded scores.
    cluster : str, optional
        Column of groups, such as passages, that are a random sample of a larger population.
        It is a column of the pilot. The new items come from other groups.
    strata : str, optional
        Column of fixed groups, such as subjects, that define the benchmark. It is a column of the
        pilot. The new items come from the same groups.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, or is above zero.
    **reading
        Options for reading pilot logs; see :class:`nstar.types.PilotWords`.

    Returns
    -------
    BoardPlan
        The number of items, the detectable gap, or the power. With a pilot, also the results for
        the other goals, confidence intervals, and a forecast of the leaderboard.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The pilot has fewer than two models or ten items.

    References
    ----------
    Methods: Items, MDE and power

    Examples
    --------
    >>> plan_board(models=10, delta=0.02, baseline=0.7, goal="best").n_star
    3007.0
    >>> round(plan_board(models=10, items=5000, baseline=0.7).mde, 4)
    0.0257
    """
    from nstar._api.plan.assumptions import check_choice, listed, listed_rhos
    from nstar._api.plan.pilot import check_mode
    from nstar._verbs.plan.board import with_cost
    from nstar._verbs.verdict import Criteria

    noise = {"baseline": baseline, "rho": rho, "sd_diff": sd_diff}
    check_mode(
        data,
        assumed={"goal": goal != "all-pairs", "joint": joint, **noise},
        of_pilot={"cluster": cluster, "strata": strata, **reading},
    )
    if items is not None and budget is not None:
        msg = f"{arg('budget')} determines the number of items. Remove {arg('items')}."
        raise QuestionError(msg)
    if data is None and goal == "best":
        check_choice(power, alternative, joint=joint)
    test_criteria = Criteria(alpha=alpha, power=power, alternative=alternative)
    deltas = listed(delta)
    if data is None:
        design = _design(models, goal, joint, noise)
        n_items = _items(items, budget, cost_run, design.models)
        board = _by_assumptions(design, n_items, deltas, listed_rhos(rho), test_criteria)
    else:
        tables, findings = _read_pilot(data, reading, deltas)
        n_models = len(tables) if models is None else models
        n_items = _items(items, budget, cost_run, n_models)
        board = _from_pilot(tables, n_models, n_items, deltas, cluster, strata, test_criteria)
        board = replace(board, findings=findings)
    return board if cost_run is None else with_cost(board, budget=budget, cost_run=cost_run)


def _by_assumptions(
    design: "Design",
    items: int | None,
    deltas: tuple[float, ...],
    rhos: tuple[Any, ...],
    criteria: "Criteria",
) -> "BoardPlan":
    from nstar._api.inputs.gap_units import check_planned_gaps
    from nstar._verbs.plan import Graded
    from nstar._verbs.plan.board import plan_assumed_board

    if len(deltas) > 1 and len(rhos) > 1:
        msg = (
            f"{arg('delta')} and {arg('rho')} cannot both have several values. Set one of them to "
            "a single value."
        )
        raise QuestionError(msg)
    sd = design.noise.sd if isinstance(design.noise, Graded) else None
    for gap in deltas:
        check_planned_gaps({"delta": gap}, {"sd_diff": sd})
    return plan_assumed_board(
        design,
        items=items,
        delta=deltas[0] if deltas else None,
        deltas=deltas if len(deltas) > 1 else (),
        rhos=rhos if len(rhos) > 1 else (),
        criteria=criteria,
    )


def _read_pilot(
    data: Any, reading: PilotWords, deltas: tuple[float, ...]
) -> "tuple[tuple[RunTable, ...], tuple[Finding, ...]]":
    from nstar._api.inputs.gap_units import check_gap_on_scale
    from nstar._api.plan.pilot import run_tables_of, score_limits

    if len(deltas) > 1:
        msg = f"With a pilot, {arg('delta')} must be a single value."
        raise QuestionError(msg)
    tables, findings = run_tables_of(data, None, reading, many=True)
    for gap in deltas:
        check_gap_on_scale("delta", gap, score_limits(tables))
    return tables, findings


def _from_pilot(
    tables: "tuple[RunTable, ...]",
    models: int,
    items: int | None,
    deltas: tuple[float, ...],
    cluster: str | None,
    strata: str | None,
    criteria: "Criteria",
) -> "BoardPlan":
    from nstar._api.plan.pilot import score_limits
    from nstar._verbs.plan.board import plan_pilot_board

    return plan_pilot_board(
        _board_pilot(tables, score_limits(tables)),
        models=models,
        items=items,
        delta=deltas[0] if deltas else None,
        cluster=cluster,
        strata=strata,
        criteria=criteria,
    )


def pilot_of_board(data: Any) -> "BoardPilot":
    """Return the scores of a pilot of many models, for a simulation."""
    from nstar._api.plan.pilot import score_limits

    tables, _ = _read_pilot(data, {}, ())
    return _board_pilot(tables, score_limits(tables))


def _items(
    items: int | None, budget: float | None, cost_run: float | None, models: int
) -> int | None:
    from nstar._verbs.plan.board import affordable_items

    if budget is None or cost_run is None:
        return items
    return affordable_items(budget, cost_run, models)


def _design(
    models: int | None,
    goal: BoardGoal,
    joint: bool,  # noqa: FBT001
    noise: Mapping[str, Any],
) -> "Design":
    from nstar._api.plan.assumptions import listed, two_models
    from nstar._verbs.plan import Design

    if models is None:
        msg = (
            f"Set {arg('models')} (number of models), or pass the logs of a pilot as the first "
            "argument."
        )
        raise QuestionError(msg)
    for rule in _NOISE:
        rule.check(noise)
    rhos = listed(noise["rho"])
    known, source = two_models({**_NO_NOISE, **noise}, rhos[0] if rhos else None)
    return Design(noise=known, models=models, goal=goal, joint=joint, source=source)


def _board_pilot(tables: "tuple[RunTable, ...]", limits: tuple[float, float]) -> "BoardPilot":
    """Return means over runs of each model on the same items."""
    import numpy as np

    from nstar._verbs.plan.board import board_pilot

    first = tables[0]
    if any(table.items != first.items for table in tables):
        msg = "All tables of a pilot must have the same items in the same order."
        raise DataError(msg)
    columns, counts = [], []
    for table in tables:
        present = np.isfinite(table.scores)
        runs = present.sum(axis=1)
        total = np.where(present, table.scores, 0.0).sum(axis=1)
        columns.append(np.where(runs > 0, total / np.maximum(runs, 1), np.nan))
        counts.append(float(runs[runs > 0].mean()) if runs.any() else np.nan)
    sign = -1.0 if first.lower_is_better else 1.0
    return board_pilot(
        sign * np.column_stack(columns),
        {column: grouping.codes.astype(np.int64) for column, grouping in first.groups.items()},
        runs=float(np.nanmean(counts)),
        limits=limits,
    )
