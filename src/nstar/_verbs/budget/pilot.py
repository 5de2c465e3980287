"""What a pilot says about the spread of one task's difference, and how surely."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.benchmarks import TYPICAL
from nstar._verbs.budget.groups import group_noise, kept_groups
from nstar._verbs.budget.spread import Bounds, PilotSummary, Spread
from nstar._verbs.runs.noise import RunNoise, gap_noise, run_noise
from nstar._verbs.runs.table import RunTable
from nstar.errors import DataError, ParameterError, arg

ALIKE_RHO = TYPICAL.mean
"""Correlation over tasks with a second model of which nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pilot:
    """Scores of one model or two on the same tasks, tasks x runs; NaN where there is none."""

    a: Array
    """First model."""
    b: Array | None
    """Second model; None for one that is assumed to be like the first."""
    blocks: bool
    """A column is one run over all tasks, so that what a run shares can be seen."""
    names: tuple[str, ...]
    """Models."""
    groups: Mapping[str, IntArray] = field(default_factory=dict)
    """Group of each task, by column."""

    @property
    def difference(self) -> Array | None:
        """First minus second on every task; None for one model."""
        if self.b is None:
            return None
        return np.asarray(np.nanmean(self.a, axis=1) - np.nanmean(self.b, axis=1))

    @property
    def tasks(self) -> int:
        """Tasks that every model has."""
        return len(self.a)

    @property
    def tables(self) -> tuple[Array, ...]:
        """One table or two."""
        return (self.a,) if self.b is None else (self.a, self.b)

    @property
    def is_binary(self) -> bool:
        """Whether all scores are 0 or 1."""
        return all(np.isin(t[~np.isnan(t)], (0.0, 1.0)).all() for t in self.tables)

    @property
    def success_rate(self) -> float | None:
        """Mean of 0/1 scores over models, tasks and runs; None if graded, or all alike."""
        means = [float(np.nanmean(t, axis=1).mean()) for t in self.tables]
        rate = sum(means) / len(means)
        return rate if self.is_binary and 0 < rate < 1 else None


def pilot_of(a: RunTable, b: RunTable | None) -> Pilot:
    """The tasks that every model has a score for; DataError if they are fewer than two."""
    tables = (a,) if b is None else (a, b)
    if b is not None and a.items != b.items:
        msg = "both tables of a pilot must have the same items in the same order"
        raise DataError(msg)
    there: BoolArray = np.logical_and.reduce([t.answered for t in tables])
    if there.sum() < 2:
        msg = f"a pilot needs two tasks that every model has scores for; got {there.sum()}"
        raise DataError(msg)
    kept = [t.scores[there] for t in tables]
    return Pilot(
        a=kept[0],
        b=kept[1] if b is not None else None,
        blocks=all(t.blocks for t in tables),
        names=tuple(t.model for t in tables),
        groups=kept_groups(a.groups, there),
    )


def _like_bounds(
    table: Array, rho: float, conf: float, runs_a: float, runs_b: float
) -> tuple[float, float]:
    """Interval of the spread against a model like the first."""
    found = stats.alike_spread_interval(table, rho=rho, runs_a=runs_a, runs_b=runs_b, conf=conf)
    return float(found.low), float(found.high)


def _bounds(pilot: Pilot, conf: float, runs_a: float, runs_b: float) -> tuple[float, float]:
    """Interval of the spread between the two models of the pilot."""
    assert pilot.b is not None  # noqa: S101 the other case has bounds of its own
    found = stats.spread_interval(pilot.a, pilot.b, runs_a=runs_a, runs_b=runs_b, conf=conf)
    return float(found.low), float(found.high)


def _alike_rho(pilot: Pilot, first: RunNoise, rho: float | None) -> float:
    """Correlation with a second model like the first; refused if nobody could guess it."""
    if rho is None and first.within2 is None:
        msg = (
            f"the pilot has one run per task of {pilot.names[0]} alone, so noise of the run "
            f"cannot be told from tasks; give {arg('rho')}, the correlation over tasks of two "
            "models' scores of single runs (less than of true scores), or logs of more runs, or "
            "of both models"
        )
        raise ParameterError(msg)
    known = ALIKE_RHO if rho is None else rho
    checks.correlation("rho", known)
    return known


def pilot_spread(
    a: RunTable, b: RunTable | None = None, *, rho: float | None = None, conf: float = 0.95
) -> Spread:
    """Spread of one task's difference, as a pilot shows it.

    Parameters
    ----------
    a, b
        Runs of the two models on the same items. Without ``b`` the second model is assumed to be
        as noisy as the first, within a task and over tasks.
    rho
        Without ``b``: correlation over tasks of the two models' true scores; 0.5 if None. If no
        task has two runs, that of the scores of single runs, which has no usual value.
    conf
        Confidence of the interval that the spread carries.

    Notes
    -----
    A model with one run per task has its run-to-run noise inside sigma_b²: the plan is right for
    one run of it, and says nothing about more. An effect that a run shares over all tasks (a
    seed, a server) enters only if its test has p <= 0.01: more tasks do not reduce it, and from
    a handful of runs its estimate is so rough that half of all plans would drown in it. The
    spread then carries no interval: one over tasks would leave out the largest part.

    Examples
    --------
    >>> scores = np.array([[1.0, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> a = RunTable(model="m", task="t", items=tuple("abcd"), runs=tuple("123"), scores=scores)
    >>> spread = pilot_spread(a, rho=0.5)
    >>> round(spread.sigma_b2, 4), round(spread.sigma_wa2, 4), spread.rho
    (0.1389, 0.1667, 0.5)
    """
    checks.fraction("conf", conf)
    pilot = pilot_of(a, b)
    bounds: Bounds
    if pilot.b is None:
        first = second = run_noise(pilot.a, blocks=pilot.blocks)
        rho = _alike_rho(pilot, first, rho)
        raw = 2 * (1 - rho) * first.task2_raw
        bounds = partial(_like_bounds, pilot.a, rho, conf)
    else:
        found = gap_noise(pilot.a, pilot.b, blocks=pilot.blocks)
        first, second, raw = found.a, found.b, found.between2_raw
        bounds, rho = partial(_bounds, pilot, conf), None
    models = [first] if pilot.b is None else [first, second]
    shared = bool(first.run2 or second.run2)
    return Spread(
        sigma_b2=max(raw, 0.0),
        sigma_wa2=first.within2 or 0.0,
        sigma_wb2=second.within2 or 0.0,
        sigma_run_a2=first.run2,
        sigma_run_b2=second.run2,
        sigma_b2_raw=raw,
        pilot=PilotSummary(
            models=pilot.names, tasks=pilot.tasks, runs=tuple(float(m.n) for m in models)
        ),
        bounds=None if shared else bounds,
        conf=None if shared else conf,
        split=first.within2 is not None and second.within2 is not None,
        apart_b2=first.task2 + second.task2,
        rho=rho,
        baseline=pilot.success_rate,
        groups=group_noise(pilot.difference, pilot.groups),
    )
