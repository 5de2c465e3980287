"""Plans of leaderboards, from assumptions or from a pilot of any number of models.

The noise of a pilot is that between adjacent models, which are hardest to separate. Gaps of all
pairs, to a control, and of the winner follow by the formulas of :class:`Design`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, IntArray
from nstar._verbs.plan.board_noise import (
    NeighborNoise,
    VarianceUncertainty,
    group_doubt,
    neighbor_icc,
    neighbor_noise,
)
from nstar._verbs.plan.board_outlook import outlook
from nstar._verbs.plan.board_result import (
    BoardClaim,
    BoardClaims,
    BoardPlan,
    BoardPoint,
    BoardRow,
)
from nstar._verbs.plan.design import BoardGoal, Design, least_items
from nstar._verbs.plan.noise import Graded
from nstar._verbs.plan.result import Plan
from nstar._verbs.plan.solve import RHO_GRID, mde_at, plan
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, InfeasibleError

_MIN_PILOT_ITEMS = 10
"""Smallest number of items of a pilot."""
_AROUND, _POINTS = 3.0, 9
"""A curve goes from a third of the fewest items to three times the most, in so many points."""
_CLAIMS: tuple[tuple[BoardClaim, BoardGoal], ...] = (
    ("pair", "all-pairs"),
    ("all-pairs", "all-pairs"),
    ("control", "control"),
    ("best", "best"),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardPilot:
    """Scores of the models of a pilot on the items that all have."""

    scores: Array
    """Means over runs, items × models, without missing values."""
    groups: Mapping[str, IntArray]
    """Group of each item, by column."""
    dropped: int = 0
    """Number of items left out, because some model has no score."""
    runs: float = 1.0
    """Mean number of runs per item and model."""
    limits: tuple[float, float] = (0.0, 1.0)
    """Worst and best score of single runs; 0 and 1 if all scores lie between."""

    @property
    def neighbors(self) -> Array:
        """Return the differences of adjacent models, items × (models - 1)."""
        order = np.argsort(-self.scores.mean(axis=0), kind="stable")
        ranked = self.scores[:, order]
        return np.asarray(ranked[:, :-1] - ranked[:, 1:])


def board_pilot(
    scores: Array,
    groups: Mapping[str, IntArray] | None = None,
    *,
    runs: float = 1.0,
    limits: tuple[float, float] = (0.0, 1.0),
) -> BoardPilot:
    """Return the complete items of a pilot. Raise DataError if items or models are too few.

    ``scores`` is (items, models), with NaN for missing scores. ``limits`` are the worst and best
    single score: 0 and 1 if all scores lie between them.
    """
    is_complete = ~np.isnan(scores).any(axis=1)
    if scores.shape[1] < 2:
        msg = "A plan for a board needs a pilot with at least two models; this pilot has one."
        raise DataError(msg)
    if is_complete.sum() < _MIN_PILOT_ITEMS:
        msg = (
            f"A pilot needs at least {_MIN_PILOT_ITEMS} items with scores of all "
            f"{scores.shape[1]} models; this pilot has {is_complete.sum()} of {len(scores)}. "
            "Exclude models with few scores."
        )
        raise DataError(msg)
    codes_by_column = {}
    for column, codes in (groups or {}).items():
        used, place = np.unique(codes[is_complete], return_inverse=True)
        if 1 < used.size < place.size:
            codes_by_column[column] = place.reshape(-1).astype(np.int64)
    return BoardPilot(
        scores=scores[is_complete],
        groups=codes_by_column,
        dropped=int((~is_complete).sum()),
        runs=runs,
        limits=limits,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _BoardPlanInput:
    """Inputs of the plan."""

    models: int
    items: int | None
    delta: float | None
    criteria: Criteria


def _design(reading: BoardClaims, goal: BoardGoal, models: int, sd: float) -> Design:
    return Design(
        noise=Graded(sd=sd),
        models=models,
        goal=goal,
        icc=reading.icc or 0.0,
        clusters=reading.n_clusters if reading.icc else None,
        cluster_size=None if reading.n_clusters or not reading.icc else reading.cluster_size,
    )


def _curve(
    inputs: _BoardPlanInput, reading: BoardClaims, pilot_items: int
) -> Iterator[BoardPoint]:
    """Yield the smallest gaps around the planned or needed items."""
    needed = (row.n_star for row in reading.claims)
    known = [float(n) for n in (inputs.items, *needed) if n is not None and math.isfinite(n)]
    if not known:
        return
    designs = {
        claim: _design(reading, goal, 2 if claim == "pair" else inputs.models, reading.sd)
        for claim, goal in _CLAIMS
    }
    min_items = max(map(least_items, designs.values()))
    low, high = max(min(known) / _AROUND, min_items), max(known) * _AROUND
    if reading.n_clusters:  # more items than in the pilot come from more groups
        high = float(pilot_items)
    for n in np.unique(np.geomspace(low, max(high, low), _POINTS).round()).tolist():
        gaps = {
            claim.replace("-", "_"): mde_at(design, inputs.criteria, n)
            for claim, design in designs.items()
        }
        yield BoardPoint(n_items=int(n), **gaps)


def _solved(
    inputs: _BoardPlanInput, reading: BoardClaims, goal: BoardGoal, models: int
) -> Plan | None:
    """Return the plan of one claim; None if the items are not two groups."""
    unit = max(1.0, 2 * (inputs.delta or 0.0))  # the unit of scores cancels
    design = _design(reading, goal, models, reading.sd / unit)
    gap = None if inputs.delta is None else inputs.delta / unit
    try:
        return plan(design, delta=gap, items=inputs.items, criteria=inputs.criteria)
    except InfeasibleError:
        return None


def _row(
    inputs: _BoardPlanInput,
    reading: BoardClaims,
    claim: BoardClaim,
    doubt: VarianceUncertainty | None,
) -> BoardRow:
    """Return a claim with its interval from the pilot's uncertainty."""
    goal = dict(_CLAIMS)[claim]
    claim_plan = _solved(inputs, reading, goal, 2 if claim == "pair" else inputs.models)
    target_power = 1 - inputs.criteria.alpha if goal == "best" else inputs.criteria.power
    if claim_plan is None:
        return BoardRow(claim=claim, power=target_power)
    unit = max(1.0, 2 * (inputs.delta or 0.0))
    mde = None if inputs.items is None or claim_plan.mde is None else claim_plan.mde * unit
    n_star = claim_plan.n_star if inputs.delta is not None else None
    row = {"claim": claim, "power": target_power, "n_star": n_star, "mde": mde}
    if inputs.items is not None and inputs.delta is not None:
        row["power_at_delta"] = claim_plan.power
    if doubt is not None:
        if n_star is not None:
            row["n_star_low"], row["n_star_high"], row["n_star_assured"] = (
                _up(n_star * factor) for factor in (doubt.low, doubt.high, doubt.assured)
            )
        if mde is not None and math.isfinite(mde):
            row["mde_low"], row["mde_high"] = (
                mde * math.sqrt(factor) for factor in (doubt.low, doubt.high)
            )
    return BoardRow(**row)  # type: ignore[arg-type]


def _up(items: float) -> float:
    return float(math.ceil(items)) if math.isfinite(items) else items


def _of_items(noise: NeighborNoise, strata: str | None, groups: int | None) -> BoardClaims:
    """Return the plan for items like the pilot's, or of the same groups."""
    return BoardClaims(
        items_are="items" if strata is None else "strata",
        column=strata,
        n_groups=groups,
        sd=noise.sd,
        sd_low=noise.sd * math.sqrt(noise.doubt.low),
        sd_high=noise.sd * math.sqrt(noise.doubt.high),
        sd_noisy=math.sqrt(noise.noisy),
    )


def board_readings(
    pilot: BoardPilot,
    *,
    items: int | None = None,
    cluster: str | None = None,
    strata: str | None = None,
) -> Iterator[tuple[BoardClaims, VarianceUncertainty | None]]:
    """Yield a plan for each assumption about future items, that of the headline first.

    Parameters are those of :func:`plan_pilot_board`. The claims are added later.
    """
    d = pilot.neighbors
    if strata is not None:
        codes = pilot.groups[strata]
        noise = neighbor_noise(d, codes)
        yield _of_items(noise, strata, int(codes.max()) + 1), noise.doubt
        return
    noise = neighbor_noise(d)
    if cluster is None:
        yield _of_items(noise, None, None), noise.doubt
    for column, codes in pilot.groups.items():
        if cluster in (None, column):
            yield _clustered(d, items, noise, column, codes), group_doubt(d, codes)


def _clustered(
    d: Array, items: int | None, noise: NeighborNoise, column: str, codes: IntArray
) -> BoardClaims:
    """Plan for items of other groups: as many groups as the pilot's for fewer items, else more."""
    sizes = np.bincount(codes)
    fewer = items is not None and sizes.size <= items < len(codes)
    return BoardClaims(
        items_are="clusters",
        column=column,
        n_groups=int(sizes.size),
        cluster_size=float(f"{float(stats.mean_cluster_size(sizes)):.4g}"),
        n_clusters=int(sizes.size) if fewer else None,
        icc=float(f"{neighbor_icc(d, codes):.3g}"),
        sd=noise.sd,
        sd_noisy=math.sqrt(noise.noisy),
    )


def _refuse_unknown(pilot: BoardPilot, cluster: str | None, strata: str | None) -> None:
    for column in (cluster, strata):
        if column is not None and column not in pilot.groups:
            available = ", ".join(pilot.groups) or "none"
            msg = f"No group column {column!r} in the pilot. Available: {available}."
            raise DataError(msg)


def plan_assumed_board(
    design: Design,
    *,
    items: int | None = None,
    delta: float | None = None,
    deltas: Sequence[float] = (),
    rhos: Sequence[float] = (),
    criteria: Criteria | None = None,
) -> BoardPlan:
    """Plan the items of a leaderboard from assumptions, or the gap that they detect.

    ``design`` has the noise of a pair, the number of models, and the goal. ``delta`` is the gap
    to detect, in score units. At least one of ``items`` and ``delta`` is needed.

    >>> from nstar import PairedRho
    >>> board = Design(noise=PairedRho(baseline=0.7, rho=0.5), models=10, goal="best")
    >>> plan_assumed_board(board, delta=0.02).n_star
    3007.0
    """
    assumed = plan(
        design, delta=delta, items=items, criteria=criteria, rhos=rhos or RHO_GRID, deltas=deltas
    )
    return BoardPlan(
        n_models=design.models,
        goal=design.goal,
        n_items=items,
        delta=delta,
        criteria=assumed.criteria,
        assumed=assumed,
    )


def affordable_items(budget: float, cost_run: float, models: int) -> int:
    """Return the items that the budget covers. Raise ParameterError if they are fewer than two."""
    checks.positive("cost_run", cost_run)
    checks.positive("budget", budget)
    each = cost_run * models
    items = int(budget / each * (1 + 1e-12))
    requirement = f"at least {2 * each:.10g}, two items answered by {models} models"
    checks.require(items >= 2, "budget", requirement, budget)
    return items


def with_cost(board: BoardPlan, *, budget: float | None, cost_run: float) -> BoardPlan:
    """Return the plan with the cost of its items for all models."""
    checks.positive("cost_run", cost_run)
    items: float | None = board.n_items
    if items is None and board.assumed is not None:
        items = board.assumed.n_star
    if items is None or not math.isfinite(items):
        return board
    cost = items * cost_run * board.n_models
    assumed = board.assumed and replace(board.assumed, budget=budget, cost=cost)
    return replace(board, budget=budget, cost=cost, assumed=assumed)


def plan_pilot_board(
    pilot: BoardPilot,
    *,
    models: int | None = None,
    items: int | None = None,
    delta: float | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    criteria: Criteria | None = None,
    seed: int = 0,
) -> BoardPlan:
    """Plan the items of a leaderboard of models like the pilot's.

    Parameters
    ----------
    pilot : BoardPilot
        Scores of models on the same items.
    models : int, optional
        Number of models on the leaderboard. Default: as many as in the pilot.
    items : int, optional
        Number of items of the leaderboard.
    delta : float, optional
        Gap to resolve, in score units. At least one of ``items`` and ``delta`` is needed.
    cluster, strata : str, optional
        Group column. With ``cluster``, future items come from other groups; with ``strata``, from
        the same groups in the same shares. Without either, items are like the pilot's, and the
        result also reports other groups.
    criteria : Criteria, optional
        Level, power, and alternative hypothesis; ``Criteria()`` when None.
    seed : int, default 0
        Random seed of the simulated leaderboards.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> skill, hard = np.linspace(-1, 1, 6), rng.normal(0, 1, (400, 1))
    >>> scores = (rng.random((400, 6)) < 1 / (1 + np.exp(hard - skill))) * 1.0
    >>> board_plan = plan_pilot_board(board_pilot(scores), models=10, items=800)
    >>> [row.claim for row in board_plan.readings[0].claims]
    ['pair', 'all-pairs', 'control', 'best']
    >>> all(row.mde_low < row.mde < row.mde_high for row in board_plan.readings[0].claims)
    True
    """
    rule, many = criteria or Criteria(), models or pilot.scores.shape[1]
    checks.require(many >= 2, "models", "at least 2", many)
    _refuse_unknown(pilot, cluster, strata)
    delta = None if delta is None else abs(delta)
    inputs = _BoardPlanInput(models=many, items=items, delta=delta, criteria=rule)
    readings, first = [], None
    for reading, doubt in board_readings(pilot, items=items, cluster=cluster, strata=strata):
        rows = tuple(_row(inputs, reading, claim, doubt) for claim, _ in _CLAIMS)
        readings.append(replace(reading, claims=rows))
        first = first or readings[0]
    assert first is not None  # noqa: S101 there is always a reading
    return BoardPlan(
        n_models=many,
        n_items=items,
        delta=delta,
        n_pilot_models=pilot.scores.shape[1],
        n_pilot_items=len(pilot.scores),
        n_pilot_items_left_out=pilot.dropped,
        mean_pilot_runs=pilot.runs,
        score_range=pilot.limits,
        is_declared=cluster is not None or strata is not None,
        criteria=rule,
        readings=tuple(readings),
        mde_by_items=tuple(_curve(inputs, first, len(pilot.scores))),
        forecast=(
            None if items is None else outlook(pilot.scores, first, many, items, rule, seed=seed)
        ),
    )
