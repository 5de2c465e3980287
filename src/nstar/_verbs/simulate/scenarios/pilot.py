"""Scenarios that resample a pilot: its items, or its tasks and their runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, IntArray
from nstar._data.series import aligned
from nstar._verbs.simulate.sample import Counts, Scores, SimulatedSample
from nstar._verbs.simulate.scenarios.base import SCENARIOS, UNBOUNDED
from nstar._verbs.simulate.scenarios.binary import table
from nstar.errors import ParameterError


def _counts(
    rng: np.random.Generator, reps: int, items: int, values: Array, delta: float | None
) -> Counts:
    psi = float(np.count_nonzero(values) / values.size)
    return table(rng, reps, items, psi, float(values.mean()) if delta is None else delta)


@SCENARIOS.add
def pilot(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    d: Sequence[float] = (),
    delta: float | None = None,
) -> SimulatedSample:
    """Items drawn with replacement from a pilot, shifted to the requested gap.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    d : sequence of float, default ()
        Differences of the pilot, one per item, first minus second; at least 2.
    delta : float, optional
        True gap; the pilot's own if None. Graded differences are all moved by the same amount.
        If all are -1, 0 or 1, the share of discordant items stays and wins are drawn among them.
    """
    values = np.asarray(d, dtype=np.float64)
    if values.ndim != 1 or values.size < 2:
        msg = (
            "The scenario pilot needs d, the per-item differences of a pilot with at least 2 "
            "items."
        )
        raise ParameterError(msg)
    checks.finite("d", values)
    if np.isin(values, (-1.0, 0.0, 1.0)).all():
        return _counts(rng, reps, items, values, delta)
    pilot_gap = float(values.mean())
    truth = pilot_gap if delta is None else float(delta)
    differences = (values + (truth - pilot_gap)).take(
        rng.integers(0, values.size, size=(reps, items))
    )
    return Scores(d=differences, truth=truth, limits=UNBOUNDED, sigma=float(values.std()))


PilotTable: TypeAlias = Sequence[Sequence[float | None]]
"""Scores, tasks x runs; None for missing ones."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PilotModel:
    """One model: its pilot, and the runs that are drawn of each task."""

    table: Array
    """Scores, tasks x runs, with existing runs first."""
    count: IntArray
    """Number of runs of each task."""
    drawn: IntArray
    """Number of runs drawn of each task, without replacement."""

    @classmethod
    def of(cls, name: str, table: PilotTable, planned: int, shared: int = 1) -> "_PilotModel":
        """Return the model from a pilot that a number of models share."""
        scores = np.asarray(table, dtype=np.float64)
        if scores.ndim != 2 or len(scores) < 2:
            msg = (
                f"The scenario pilot-runs needs {name}, the scores of a pilot (tasks × runs) with "
                "at least 2 tasks."
            )
            raise ParameterError(msg)
        is_valid = planned >= 1 and planned == int(planned)
        checks.require(is_valid, f"runs_{name}", "a whole number of at least 1", planned)
        absent = np.isnan(scores)
        checks.require(~absent.all(axis=1), f"runs of each task of {name}", "at least 1", 0)
        count = (~absent).sum(axis=1)
        if count.min() < shared:
            msg = "A second model like the first needs at least two runs of every task."
            raise ParameterError(msg)
        order = np.argsort(absent, axis=1, kind="stable")
        return cls(
            table=np.take_along_axis(scores, order, axis=1),
            count=count,
            drawn=np.minimum(int(planned), count // shared),
        )

    @property
    def width(self) -> int:
        return self.table.shape[1]

    @property
    def harmonic(self) -> float:
        """Return the harmonic mean of the runs drawn of a task."""
        return float(self.drawn.size / (1 / self.drawn).sum())

    @property
    def is_binary(self) -> bool:
        known = self.table[~np.isnan(self.table)]
        return bool(np.isin(known, (0.0, 1.0)).all())

    def shuffled(self, task: IntArray, keys: Array) -> Array:
        """Return the runs of the tasks in random order, with missing ones last."""
        present = np.arange(self.width) < self.count[task][..., None]
        order = np.argsort(np.where(present, keys, 2.0), axis=-1)
        return np.asarray(np.take_along_axis(self.table[task], order, axis=-1))

    def mean(self, runs: Array, task: IntArray, skip: IntArray | int = 0) -> Array:
        """Return the mean of the runs drawn, after skipping some."""
        place = np.arange(runs.shape[-1])
        first = np.asarray(skip)[..., None]
        in_range = (place >= first) & (place < first + self.drawn[task][..., None])
        return np.asarray(np.where(in_range, runs, 0.0).sum(axis=-1) / self.drawn[task])


@dataclass(frozen=True, slots=True, kw_only=True)
class _GapShift:
    """Change of the first model's scores that moves its gap to the requested one."""

    own: float
    truth: float
    share: float | None
    """For 0/1 scores, the share of failures that become successes, or of successes that become
    failures if negative; None for graded scores, which all shift equally.
    """

    @classmethod
    def of(
        cls, a: _PilotModel, pilot_gap: float, delta: float | None, *, is_binary: bool
    ) -> "_GapShift":
        truth = pilot_gap if delta is None else float(delta)
        if not is_binary:
            return cls(own=pilot_gap, truth=truth, share=None)
        rate = float(np.nanmean(a.table, axis=1).mean())
        shift = truth - pilot_gap
        max_shift = 1 - rate if shift > 0 else rate
        checks.feasible(
            abs(shift) <= max_shift * (1 + 1e-12),
            f"a gap of {truth:.6g} is out of reach: the first model succeeds in {rate:.6g} of its "
            f"runs, and its own gap is {pilot_gap:.6g}",
        )
        return cls(own=pilot_gap, truth=truth, share=shift / max_shift if shift else 0.0)

    def turned(self, runs: Array, luck: Array) -> Array:
        """Return 0/1 scores after the change, with the same share in every task."""
        if not self.share:
            return runs
        if self.share > 0:
            return np.where((runs == 0) & (luck < self.share), 1.0, runs)
        return np.where((runs == 1) & (luck < -self.share), 0.0, runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PilotVariances:
    """Variances of the difference on one task, and the gap of the pilot."""

    observed: float
    """Variance of task means over all runs of the pilot."""
    between: float | None
    within: tuple[float | None, float | None]
    n: tuple[float, float]
    """Runs of a task in the pilot."""
    own: float

    @classmethod
    def of(cls, first: _PilotModel, second: _PilotModel) -> "_PilotVariances":
        components = stats.variance_components(first.table, second.table)
        return cls(
            observed=components.k * components.var_delta,
            between=components.sigma_b2,
            within=(components.sigma_wa2, components.sigma_wb2),
            n=(components.n_a, components.n_b),
            own=components.delta,
        )

    @classmethod
    def alike(cls, first: _PilotModel, rho: float) -> "_PilotVariances":
        """Return the variances for a second model like the first."""
        one = stats.variance_components(first.table, np.zeros((len(first.table), 1)))
        observed, within = one.k * one.var_delta, one.sigma_wa2 or 0.0
        return cls(
            observed=2 * (1 - rho) * observed,
            between=2 * (1 - rho) * max(observed - within / one.n_a, 0.0),
            within=(within, within),
            n=(one.n_a / (1 - rho), one.n_a / (1 - rho)) if rho < 1 else (np.inf, np.inf),
            own=0.0,
        )

    def factor(
        self, planned: tuple[int, int], drawn_runs: tuple[float, float], tasks: int
    ) -> float:
        """Return the factor from the SD of drawn differences to that of planned ones."""
        needs_more = [p > d * (1 + 1e-12) for p, d in zip(planned, drawn_runs, strict=True)]
        if any(m and w is None for m, w in zip(needs_more, self.within, strict=True)):
            msg = "More runs than in the pilot need a pilot with at least two runs of a task."
            raise ParameterError(msg)
        noise = np.array([w or 0.0 for w in self.within])
        now = self.observed + float(noise @ (1 / np.array(drawn_runs) - 1 / np.array(self.n)))
        if not now > 0:
            return 1.0
        stretch = now / (now - self.observed / tasks)
        if any(needs_more):
            ends = [noise @ (1 / np.array(runs)) for runs in (planned, drawn_runs)]
            planned_variance, drawn_variance = (float((self.between or 0.0) + end) for end in ends)
            stretch *= planned_variance / drawn_variance if drawn_variance > 0 else 1.0
        return float(np.sqrt(stretch))


def _tasks(u: Array, tasks: int) -> IntArray:
    return np.minimum((u * tasks).astype(np.int64), tasks - 1)


@SCENARIOS.add
def pilot_runs(  # noqa: PLR0913 one keyword per parameter
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    a: PilotTable = (),
    b: PilotTable = (),
    runs_a: int = 1,
    runs_b: int = 1,
    rho: float = 0.5,
    delta: float | None = None,
) -> Scores:
    """Tasks of a pilot drawn with replacement, their runs without, moved to the gap asked for.

    Drawing runs with replacement would count their noise twice: in a task's observed mean and in
    the draw. If more runs are planned than the pilot has, all runs are used, and the differences
    are shrunk by the factor from the variance components. They are also scaled up slightly,
    because the variance of k resampled tasks is (k - 1) / k of its estimate.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of tasks.
    a, b : PilotTable, default ()
        Scores of the pilot, the same tasks x runs; None where there is none. Without ``b`` the
        second model is one like the first.
    runs_a, runs_b : int, default 1
        Runs of each task.
    rho : float, default 0.5
        Without ``b``: share of tasks on which the second model is exactly as good as the first;
        on the others it is as on some other task. So it is the correlation of their true scores.
    delta : float, optional
        True gap; the pilot's own if None. Graded scores of the first model all move alike. Of 0/1
        scores a share of the first model's failures turns into successes, the same share in every
        task, or of its successes into failures.
    """
    a, b = aligned({"a": a, "b": b}).values() if len(b) else (a, b)
    is_single = len(b) == 0
    first = _PilotModel.of("a", a, runs_a, 2 if is_single else 1)
    second = _PilotModel.of("a", a, runs_b, 2) if is_single else _PilotModel.of("b", b, runs_b)
    tasks = len(first.table)
    checks.require(len(second.table) == tasks, "tasks of b", f"{tasks}", len(second.table))
    checks.probability("rho", rho)
    parts = _PilotVariances.alike(first, rho) if is_single else _PilotVariances.of(first, second)
    move = _GapShift.of(first, parts.own, delta, is_binary=first.is_binary and second.is_binary)
    factor = parts.factor((runs_a, runs_b), (first.harmonic, second.harmonic), tasks)
    u = rng.random((reps, items, 3 + 2 * first.width + second.width))
    keys_a, luck, keys_b = np.split(u[..., 3:], [first.width, 2 * first.width], axis=-1)
    task = _tasks(u[..., 0], tasks)
    runs = first.shuffled(task, keys_a)
    if is_single:
        same, other = u[..., 1] < rho, _tasks(u[..., 2], tasks)
        theirs = np.where(same[..., None], runs, second.shuffled(other, keys_b))
        skip = np.where(same, first.drawn[task], 0)  # runs already used by the first model
        minus = second.mean(theirs, np.where(same, task, other), skip)
    else:
        minus = second.mean(second.shuffled(task, keys_b), task)
    d = first.mean(move.turned(runs, luck), task) - minus
    if move.share is None:
        d += move.truth - move.own
    d = move.truth + factor * (d - move.truth)
    return Scores(d=d, truth=move.truth, limits=UNBOUNDED)
