"""Pilots: the variance of the difference on one task, its uncertainty, and power by resampling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.benchmarks import TYPICAL
from nstar._verbs.budget.groups import group_noise, kept_groups
from nstar._verbs.budget.result import PilotPower, ResampledTestPower
from nstar._verbs.budget.spread import Bounds, PilotSummary, TaskVariances
from nstar._verbs.runs.model import RunNoise, gap_noise, run_noise
from nstar._verbs.runs.table import RunTable
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, ParameterError, arg
from nstar.stats.spread import alike_spread_interval

ALIKE_RHO = TYPICAL.mean
"""Assumed correlation over tasks with an unknown second model."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pilot:
    """Scores of one or two models on the same tasks, tasks x runs; NaN where missing."""

    a: Array
    """First model."""
    b: Array | None
    """Second model; None if it is assumed to be like the first."""
    blocks: bool
    """Whether a column is one run over all tasks, so that effects of a run can be estimated."""
    names: tuple[str, ...]
    """Names of the models."""
    groups: Mapping[str, IntArray] = field(default_factory=dict)
    """Group of each task, by column."""

    @property
    def difference(self) -> Array | None:
        """Return first minus second on every task; None for one model."""
        if self.b is None:
            return None
        return np.asarray(np.nanmean(self.a, axis=1) - np.nanmean(self.b, axis=1))

    @property
    def tasks(self) -> int:
        """Return the number of tasks that every model has."""
        return len(self.a)

    @property
    def tables(self) -> tuple[Array, ...]:
        """Return the tables of the models, one or two."""
        return (self.a,) if self.b is None else (self.a, self.b)

    @property
    def is_binary(self) -> bool:
        """Return whether all scores are 0 or 1."""
        return all(np.isin(t[~np.isnan(t)], (0.0, 1.0)).all() for t in self.tables)

    @property
    def success_rate(self) -> float | None:
        """Return the mean of 0/1 scores over models, tasks, and runs.

        Return None if scores are graded or constant.
        """
        means = [float(np.nanmean(t, axis=1).mean()) for t in self.tables]
        rate = sum(means) / len(means)
        return rate if self.is_binary and 0 < rate < 1 else None


def _pilot_of(a: RunTable, b: RunTable | None) -> Pilot:
    """Return the tasks with a score of every model.

    Raise DataError if there are fewer than two.
    """
    tables = (a,) if b is None else (a, b)
    if b is not None and a.items != b.items:
        msg = "Both tables of a pilot must have the same items in the same order."
        raise DataError(msg)
    complete_tasks: BoolArray = np.logical_and.reduce([t.answered for t in tables])
    if complete_tasks.sum() < 2:
        msg = (
            "A pilot needs at least two tasks with scores of every model; found "
            f"{complete_tasks.sum()}."
        )
        raise DataError(msg)
    complete_scores = [t.scores[complete_tasks] for t in tables]
    return Pilot(
        a=complete_scores[0],
        b=complete_scores[1] if b is not None else None,
        blocks=all(t.blocks for t in tables),
        names=tuple(t.model for t in tables),
        groups=kept_groups(a.groups, complete_tasks),
    )


def _like_bounds(
    table: Array, rho: float, conf: float, runs_a: float, runs_b: float
) -> tuple[float, float]:
    """Return the interval of the variance against a model like the first."""
    interval = alike_spread_interval(table, rho=rho, runs_a=runs_a, runs_b=runs_b, conf=conf)
    return float(interval.low), float(interval.high)


def _bounds(pilot: Pilot, conf: float, runs_a: float, runs_b: float) -> tuple[float, float]:
    """Return the interval of the variance between the two models of the pilot."""
    assert pilot.b is not None  # noqa: S101 the other case has bounds of its own
    interval = stats.spread_interval(pilot.a, pilot.b, runs_a=runs_a, runs_b=runs_b, conf=conf)
    return float(interval.low), float(interval.high)


def _alike_rho(pilot: Pilot, first: RunNoise, rho: float | None) -> float:
    """Return the correlation with a second model like the first.

    Raise an error if it is unknown.
    """
    if rho is None and first.within2 is None:
        msg = (
            f"The pilot has one model ({pilot.names[0]}) with one run per task, so run noise "
            f"cannot be separated. Set {arg('rho')} (correlation over tasks of single-run "
            "scores), "
            "or add logs of more runs or of the other model."
        )
        raise ParameterError(msg)
    known = ALIKE_RHO if rho is None else rho
    checks.correlation("rho", known)
    return known


def pilot_spread(
    a: RunTable, b: RunTable | None = None, *, rho: float | None = None, conf: float = 0.95
) -> TaskVariances:
    """Estimate the variances of one task's difference from a pilot.

    Parameters
    ----------
    a, b : RunTable
        Runs of the two models on the same items. Without ``b``, the second model is assumed to be
        as noisy as the first, within a task and over tasks.
    rho : float, optional
        Correlation over tasks of the two models' true scores, for use without ``b``. Default: 0.5.
        If no task has two runs, it is the correlation of single runs, which has no default.
    conf : float, default 0.95
        Confidence level of the interval in the result.

    Notes
    -----
    For a model with one run per task, sigma_b² includes its run-to-run noise. The plan is then
    valid only for one run of it. An effect that a run shares over all tasks, such as a seed or a
    server, is included only if its test has p <= 0.01. More tasks do not reduce such an effect,
    and its estimate from a few runs is so imprecise that it would dominate half of all plans. If
    the effect is included, the result has no interval, because an interval over tasks would omit
    the largest part of the error.

    Examples
    --------
    >>> scores = np.array([[1.0, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> a = RunTable(model="m", task="t", items=tuple("abcd"), runs=tuple("123"), scores=scores)
    >>> spread = pilot_spread(a, rho=0.5)
    >>> round(spread.sigma_b2, 4), round(spread.sigma_wa2, 4), spread.rho
    (0.1389, 0.1667, 0.5)
    """
    checks.fraction("conf", conf)
    pilot = _pilot_of(a, b)
    bounds: Bounds
    if pilot.b is None:
        first = second = run_noise(pilot.a, blocks=pilot.blocks)
        rho = _alike_rho(pilot, first, rho)
        raw = 2 * (1 - rho) * first.task2_raw
        bounds = partial(_like_bounds, pilot.a, rho, conf)
    else:
        noise = gap_noise(pilot.a, pilot.b, blocks=pilot.blocks)
        first, second, raw = noise.a, noise.b, noise.between2_raw
        bounds, rho = partial(_bounds, pilot, conf), None
    models = [first] if pilot.b is None else [first, second]
    shared = bool(first.run2 or second.run2)
    return TaskVariances(
        sigma_b2=max(raw, 0.0),
        sigma_wa2=first.within2 or 0.0,
        sigma_wb2=second.within2 or 0.0,
        sigma_run_a2=first.run2,
        sigma_run_b2=second.run2,
        sigma_b2_raw=raw,
        pilot=PilotSummary(
            models=pilot.names, n_tasks=pilot.tasks, n_runs=tuple(float(m.n) for m in models)
        ),
        bounds=None if shared else bounds,
        confidence_level=None if shared else conf,
        is_split=first.within2 is not None and second.within2 is not None,
        sigma_b2_unpaired=first.task2 + second.task2,
        rho=rho,
        baseline=pilot.success_rate,
        groups=group_noise(pilot.difference, pilot.groups),
    )


_REPS = 4000
"""Number of replications for a design of at most 1,000 tasks."""


def _nested(table: Array) -> tuple[tuple[float | None, ...], ...]:
    """Return a table in the format of the scenario."""
    return tuple(tuple(None if x != x else x for x in row) for row in table.tolist())  # noqa: PLR0124


def _is_stretched(pilot: Pilot, runs: Sequence[int]) -> bool:
    """Return whether a task has fewer runs than planned."""
    shared = 2 if pilot.b is None else 1
    min_runs = [int((~np.isnan(t)).sum(axis=1).min()) // shared for t in pilot.tables]
    return any(r > have for r, have in zip(runs, (min_runs[0], min_runs[-1]), strict=True))


def pilot_power(  # noqa: PLR0913 one verb, one call
    a: RunTable,
    b: RunTable | None = None,
    *,
    delta: float,
    tasks: int,
    runs_a: int = 1,
    runs_b: int = 1,
    rho: float | None = None,
    tests: Sequence[str] = ("t", "sign-flip"),
    criteria: Criteria | None = None,
    reps: int | None = None,
    seed: int = 0,
) -> PilotPower:
    """Estimate the power of a design by resampling the pilot's tasks.

    Parameters
    ----------
    a, b : RunTable
        Runs of the two models on the same items. Without ``b``, the second model is like the
        first; see ``rho``.
    delta : float
        True gap to detect, first minus second.
    tasks, runs_a, runs_b : int
        Numbers of tasks and runs in the design.
    rho : float, optional
        Share of tasks on which the second model is exactly as good as the first, in [0, 1], for
        use without ``b``. On other tasks, its success rate is that of another task. Default: 0.5.
    tests : sequence of str, default ('t', 'sign-flip')
        Names of tests on tasks, as in ``nstar simulate --list``.
    criteria : Criteria, optional
        Level and alternative. A one-sided test is run as a two-sided test at twice its level.
    reps : int, optional
        Number of replications. Default: 4,000, or fewer (at least 1,000) for more than 1,000
        tasks. The Monte Carlo error of a power near 80% is then 0.6%, and at most 1.3%.
    seed : int, default 0
        Random seed. The same seed gives the same result on every machine.

    Notes
    -----
    Tasks are drawn with replacement, and runs within a task without replacement. Drawing runs with
    replacement would count their noise twice: in the task's observed mean and in the draw. With
    four runs in the pilot and four planned runs, the noise of runs would be 1.75 times too large.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> rate = rng.beta(1, 1, (80, 1))
    >>> names = tuple(map(str, range(80)))
    >>> table = {"task": "t", "items": names, "runs": tuple("123")}
    >>> a, b = (
    ...     RunTable(model=m, scores=(rng.random((80, 3)) < rate) * 1.0, **table) for m in "ab"
    ... )
    >>> result = pilot_power(a, b, delta=0.1, tasks=100, runs_a=3, runs_b=3, tests=["t"])
    >>> abs(result.tests[0].power - result.power_formula) < 0.05
    True
    """
    from nstar._verbs.simulate import simulate  # noqa: PLC0415 half a second few plans need

    criteria = criteria or Criteria()
    pilot = _pilot_of(a, b)
    checks.require(tasks >= 2, "tasks", "at least 2", tasks)
    spread = pilot_spread(a, b, rho=rho)
    if spread.has_shared:
        msg = (
            "The pilot has an effect that all tasks of a run share. Resampling tasks would ignore "
            "it and overstate the power, so only the formula can be used."
        )
        raise DataError(msg)
    values: dict[str, Any] = {"a": _nested(pilot.a), "runs_a": runs_a, "runs_b": runs_b}
    values |= {"delta": float(delta)}
    if pilot.b is not None:
        values["b"] = _nested(pilot.b)
    else:
        values["rho"] = ALIKE_RHO if rho is None else rho
    alpha = criteria.alpha * (1 if criteria.sides == 2 else 2)
    simulation = simulate(
        "pilot-runs",
        items=[int(tasks)],
        tests=tests,
        values={name: (value,) for name, value in values.items()},
        reps=reps or max(_REPS // 4, min(_REPS, _REPS * 1000 // int(tasks))),
        alpha=alpha,
        seed=seed,
    )
    sigma = np.sqrt(spread.total(runs_a, runs_b))
    closed = stats.t_power(
        abs(delta), sigma=sigma, n=tasks, alpha=criteria.alpha, sides=criteria.sides
    )
    return PilotPower(
        delta=float(delta),
        n_tasks=int(tasks),
        n_runs_a=int(runs_a),
        n_runs_b=int(runs_b),
        n_pilot_tasks=pilot.tasks,
        tests=tuple(
            ResampledTestPower(test=r.procedure, power=r.rate, se=r.se, n_draws=r.n_reps)
            for r in simulation.rates
        ),
        power_formula=float(closed),
        gap=0.0 if pilot.b is None else float(stats.variance_components(pilot.a, pilot.b).delta),
        is_binary=pilot.is_binary,
        is_extrapolated=_is_stretched(pilot, (runs_a, runs_b)),
        is_same_model=pilot.b is None,
        criteria=criteria,
    )
