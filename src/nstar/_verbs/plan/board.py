"""``plan_board``: from a pilot of any number of models to a board of as many as one likes.

The noise is that between neighbours by score, which are what a board has trouble with; gaps of all
pairs, to a control and of the winner follow by the formulas of :class:`Design`.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.record import record
from nstar._base.types import Array, IntArray
from nstar._verbs.plan.board_outlook import Truth, outlook
from nstar._verbs.plan.board_result import BoardClaim, BoardPlan, BoardReading, BoardRow
from nstar._verbs.plan.design import BoardGoal, Design
from nstar._verbs.plan.noise import Graded
from nstar._verbs.plan.result import Plan
from nstar._verbs.plan.solve import plan
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, InfeasibleError

_LEAST = 10
"""Items of a pilot below which nothing is planned from it."""
_BLOCKS = 200
"""Blocks of items that are drawn anew; more would tell the same."""
_DRAWS = 1000
"""Pilots drawn anew."""
_ASSURED = 0.9
_CLAIMS: tuple[tuple[BoardClaim, BoardGoal], ...] = (
    ("pair", "all-pairs"),
    ("all-pairs", "all-pairs"),
    ("control", "control"),
    ("best", "best"),
)


@record(eq=False)
class BoardPilot:
    """Scores of the models of a pilot on the items that all have."""

    scores: Array
    """Means over runs, items × models, without gaps."""
    groups: Mapping[str, IntArray]
    """Group of each item, by column."""
    dropped: int = 0
    """Items left out, because some model has no score."""
    runs: float = 1.0
    """Runs per item and model, their mean."""
    is_binary: bool = True
    """Whether scores of single runs are 0 or 1."""

    @property
    def neighbours(self) -> Array:
        """Differences of models next to each other by score, items × (models - 1)."""
        order = np.argsort(-self.scores.mean(axis=0), kind="stable")
        ranked = self.scores[:, order]
        return np.asarray(ranked[:, :-1] - ranked[:, 1:])


def board_pilot(
    scores: Array,
    groups: Mapping[str, IntArray] | None = None,
    *,
    runs: float = 1.0,
    is_binary: bool = True,
) -> BoardPilot:
    """The complete items of a pilot; DataError if they or their models are too few.

    Parameters
    ----------
    scores
        Items × models, NaN where there is no score.
    groups
        Code of each item's group, by column.
    runs, is_binary
        Runs per item and model, and whether single scores are 0 or 1.
    """
    whole = ~np.isnan(scores).any(axis=1)
    if scores.shape[1] < 2:
        msg = "a board is planned from a pilot of two models or more; this one has one"
        raise DataError(msg)
    if whole.sum() < _LEAST:
        msg = (
            f"a board is planned from at least {_LEAST} items that all {scores.shape[1]} models "
            f"have scores for; this pilot has {whole.sum()} of {len(scores)}. Leave out models "
            "with few scores"
        )
        raise DataError(msg)
    kept = {}
    for column, codes in (groups or {}).items():
        used, place = np.unique(codes[whole], return_inverse=True)
        if 1 < used.size < place.size:
            kept[column] = place.reshape(-1).astype(np.int64)
    return BoardPilot(
        scores=scores[whole],
        groups=kept,
        dropped=int((~whole).sum()),
        runs=runs,
        is_binary=is_binary,
    )


def _variances(d: Array) -> Array:
    """Of each neighbour's difference; DataError if all are constant."""
    found = d.var(axis=0, ddof=1)
    if not np.median(found) > 0:
        msg = "neighbours of this pilot have the same scores on every item: it shows no noise"
        raise DataError(msg)
    return np.asarray(found)


def _drawn(d: Array, rng: np.random.Generator) -> Array:
    """Median variance of neighbours in pilots drawn anew from blocks of this one's items."""
    n = len(d)
    place = rng.permutation(n) % min(n, _BLOCKS)
    blocks = int(place.max()) + 1
    sizes = np.bincount(place, minlength=blocks).astype(np.float64)
    sums, squares = np.zeros((blocks, d.shape[1])), np.zeros((blocks, d.shape[1]))
    np.add.at(sums, place, d)
    np.add.at(squares, place, d * d)
    weights = rng.multinomial(blocks, np.full(blocks, 1 / blocks), size=_DRAWS).astype(np.float64)
    total = weights @ sizes
    mean = weights @ sums / total[:, None]
    spread = weights @ squares / total[:, None] - mean * mean
    # a pilot drawn anew is less spread than this one by 1 / blocks
    return np.asarray(np.median(spread, axis=1)) * (n / (n - 1)) * (blocks / (blocks - 1))


def _within_strata(d: Array, codes: IntArray) -> Array:
    """Variance of each neighbour's difference within groups, weighted by their items."""
    sizes = np.bincount(codes)
    out = np.zeros(d.shape[1])
    for g in np.flatnonzero(sizes):
        part = d[codes == g]
        if len(part) > 1:
            out += len(part) / len(d) * part.var(axis=0, ddof=1)
        else:  # one item says nothing of its group: the whole variance, which is not too small
            out += 1 / len(d) * d.var(axis=0, ddof=1)
    return out


def _icc(d: Array, codes: IntArray) -> float:
    """Intraclass correlation of neighbours' differences: shared over whole variance, pooled."""
    sizes = np.bincount(codes)
    whole, shared = 0.0, 0.0
    for column in d.T:
        spread = float(column.var(ddof=1))
        if spread == 0:
            continue
        sums = np.bincount(codes, weights=column - column.mean())
        effect = float(stats.cluster_variance(sums, sizes)) / (spread / column.size)
        whole += spread
        shared += spread * float(stats.planning_icc(effect, sizes))
    return min(max(shared / whole, 0.0), 0.99) if whole else 0.0


@record(eq=False)
class _Asked:
    """What is to be planned."""

    models: int
    items: int | None
    delta: float | None
    criteria: Criteria


def _solved(asked: _Asked, reading: BoardReading, goal: BoardGoal, models: int) -> Plan | None:
    """One claim; None if the items are not two groups."""
    unit = max(1.0, 2 * (asked.delta or 0.0))  # nothing here depends on the unit of scores
    design = Design(
        noise=Graded(sd=reading.sd / unit),
        models=models,
        goal=goal,
        icc=reading.icc or 0.0,
        clusters=reading.clusters if reading.icc else None,
        cluster_size=None if reading.clusters or not reading.icc else reading.cluster_size,
    )
    gap = None if asked.delta is None else asked.delta / unit
    try:
        return plan(design, delta=gap, items=asked.items, criteria=asked.criteria)
    except InfeasibleError:
        return None


def _row(asked: _Asked, reading: BoardReading, claim: BoardClaim, drawn: Array | None) -> BoardRow:
    """A claim with the interval that the pilot's uncertainty gives it."""
    goal = dict(_CLAIMS)[claim]
    found = _solved(asked, reading, goal, 2 if claim == "pair" else asked.models)
    wanted = 1 - asked.criteria.alpha if goal == "best" else asked.criteria.power
    if found is None:
        return BoardRow(claim=claim, power=wanted)
    unit = max(1.0, 2 * (asked.delta or 0.0))
    mde = None if asked.items is None or found.mde is None else found.mde * unit
    n_star = found.n_star if asked.delta is not None else None
    row = {"claim": claim, "power": wanted, "n_star": n_star, "mde": mde}
    if asked.items is not None and asked.delta is not None:
        row["reached"] = found.power
    if drawn is not None:
        low, high, most = np.quantile(drawn, (0.025, 0.975, _ASSURED)) / reading.sd**2
        if n_star is not None:
            ends = (("n_low", low), ("n_high", high), ("n_assured", most))
            row |= {name: _up(n_star * factor) for name, factor in ends}
        if mde is not None:
            row |= {"mde_low": mde * math.sqrt(low), "mde_high": mde * math.sqrt(high)}
    return BoardRow(**row)  # type: ignore[arg-type]


def _up(items: float) -> float:
    return float(math.ceil(items)) if math.isfinite(items) else items


def _readings(
    pilot: BoardPilot, asked: _Asked, cluster: str | None, strata: str | None
) -> Iterator[tuple[BoardReading, Array | None]]:
    """What the items to come may be, that of the headline first, with draws of the variance."""
    d, rng = pilot.neighbours, np.random.default_rng(0)
    spread = _variances(d)
    drawn = _drawn(d, rng)
    low, high = np.sqrt(np.quantile(drawn, (0.025, 0.975)))
    alone = BoardReading(
        items_are="items",
        sd=math.sqrt(float(np.median(spread))),
        sd_low=float(low),
        sd_high=float(high),
        sd_noisy=math.sqrt(float(np.quantile(spread, 0.9))),
    )
    if strata is not None:
        within = _within_strata(d, pilot.groups[strata])
        less = float(np.median(within) / np.median(spread))
        yield (
            BoardReading(
                items_are="strata",
                column=strata,
                groups=int(pilot.groups[strata].max()) + 1,
                sd=math.sqrt(float(np.median(within))),
                sd_low=float(low) * math.sqrt(less),
                sd_high=float(high) * math.sqrt(less),
                sd_noisy=math.sqrt(float(np.quantile(within, 0.9))),
            ),
            drawn * less,
        )
        return
    if cluster is None:
        yield alone, drawn
    for column, codes in pilot.groups.items():
        if cluster in (None, column):
            yield _clustered(pilot, asked, alone, column, codes), None


def _clustered(
    pilot: BoardPilot, asked: _Asked, alone: BoardReading, column: str, codes: IntArray
) -> BoardReading:
    """Items of other groups: as many groups as the pilot's for fewer items, else more groups."""
    sizes = np.bincount(codes)
    fewer = asked.items is not None and sizes.size <= asked.items < len(codes)
    return BoardReading(
        items_are="clusters",
        column=column,
        groups=int(sizes.size),
        cluster_size=float(f"{float(stats.mean_cluster_size(sizes)):.4g}"),
        clusters=int(sizes.size) if fewer else None,
        icc=float(f"{_icc(pilot.neighbours, codes):.3g}"),
        sd=alone.sd,
        sd_noisy=alone.sd_noisy,
    )


def _refuse_unknown(pilot: BoardPilot, cluster: str | None, strata: str | None) -> None:
    for column in (cluster, strata):
        if column is not None and column not in pilot.groups:
            there = ", ".join(pilot.groups) or "none"
            msg = f"no group column {column!r} in the pilot; it has: {there}"
            raise DataError(msg)


def plan_board(
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
    """What items resolve on a board of models like the pilot's, or what a gap takes.

    Parameters
    ----------
    pilot
        Scores of models on the same items.
    models
        Models that are to be run; as many as the pilot has if None.
    items, delta
        Items of the board, the gap to resolve in score units, or both.
    cluster, strata
        Group column: the items to come are of other groups, or of the same in the same shares.
        If neither is said, items are like the pilot's, and other groups are told beside it.
    criteria
        Level, power and sides; ``Criteria()`` when None.
    seed
        Of simulated boards.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> skill, hard = np.linspace(-1, 1, 6), rng.normal(0, 1, (400, 1))
    >>> scores = (rng.random((400, 6)) < 1 / (1 + np.exp(hard - skill))) * 1.0
    >>> found = plan_board(board_pilot(scores), models=10, items=800)
    >>> [row.claim for row in found.readings[0].rows]
    ['pair', 'all-pairs', 'control', 'best']
    >>> all(row.mde_low < row.mde < row.mde_high for row in found.readings[0].rows)
    True
    """
    rule, many = criteria or Criteria(), models or pilot.scores.shape[1]
    checks.require(many >= 2, "models", "at least 2", many)
    _refuse_unknown(pilot, cluster, strata)
    asked = _Asked(models=many, items=items, delta=delta, criteria=rule)
    readings, first = [], None
    for reading, drawn in _readings(pilot, asked, cluster, strata):
        rows = tuple(_row(asked, reading, claim, drawn) for claim, _ in _CLAIMS)
        readings.append(replace(reading, rows=rows))
        first = first or readings[0]
    assert first is not None  # noqa: S101 there is always a reading
    truth = Truth.of(pilot.scores, sd=first.sd)
    return BoardPlan(
        models=many,
        items=items,
        delta=delta,
        pilot_models=pilot.scores.shape[1],
        pilot_items=len(pilot.scores),
        pilot_dropped=pilot.dropped,
        pilot_runs=pilot.runs,
        is_binary=pilot.is_binary,
        declared=cluster is not None or strata is not None,
        criteria=rule,
        readings=tuple(readings),
        outlook=None if items is None else outlook(truth, first, many, items, rule, seed=seed),
    )
