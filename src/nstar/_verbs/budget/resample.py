"""Power of a plan by resampling a pilot: no law assumed, its Monte Carlo error told."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.budget.pilot import ALIKE_RHO, Pilot, pilot_of, pilot_spread
from nstar._verbs.budget.result import DrawnPower, PilotPower
from nstar._verbs.runs.table import RunTable
from nstar._verbs.simulate import simulate
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError

_REPS = 4000
"""Replications of a design of at most 1,000 tasks."""


def _nested(table: Array) -> tuple[tuple[float | None, ...], ...]:
    """As the scenario takes it."""
    return tuple(tuple(None if x != x else x for x in row) for row in table.tolist())  # noqa: PLR0124


def _is_stretched(pilot: Pilot, runs: Sequence[int]) -> bool:
    """Whether some task has fewer runs to draw than are planned."""
    shared = 2 if pilot.b is None else 1
    least = [int((~np.isnan(t)).sum(axis=1).min()) // shared for t in pilot.tables]
    return any(r > have for r, have in zip(runs, (least[0], least[-1]), strict=True))


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
    """Power of a design by drawing the pilot's tasks again and again.

    Parameters
    ----------
    a, b
        Runs of the two models on the same items; without ``b`` the second model is one like the
        first, see ``rho``.
    delta
        True gap to be found, first minus second.
    tasks, runs_a, runs_b
        The design.
    rho
        Without ``b``: share of tasks on which the second model is exactly as good as the first, in
        [0, 1]; elsewhere it is as on another task. 0.5 if None.
    tests
        Tests on tasks by name, as ``nstar simulate --list`` shows them.
    criteria
        Level and sides; a one-sided test counts as a two-sided one at twice its level.
    reps
        Replications; if None 4,000, or fewer for more than 1,000 tasks but at least 1,000. The
        Monte Carlo error of a power near 80 % is then 0.6 %, at worst 1.3 %.
    seed
        The same seed gives the same answer on every machine.

    Notes
    -----
    Tasks are drawn with replacement, runs within a task without. Drawing runs with replacement
    too would count their noise twice, once in the task's observed mean and once in the draw: with
    four runs in the pilot and four planned, the noise of runs would be 1.75 times too large.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> rate = rng.beta(1, 1, (80, 1))
    >>> names = tuple(map(str, range(80)))
    >>> table = {"task": "t", "items": names, "runs": tuple("123")}
    >>> a, b = (
    ...     RunTable(model=m, scores=(rng.random((80, 3)) < rate) * 1.0, **table) for m in "ab"
    ... )
    >>> found = pilot_power(a, b, delta=0.1, tasks=100, runs_a=3, runs_b=3, tests=["t"])
    >>> abs(found.powers[0].power - found.closed) < 0.05
    True
    """
    criteria = criteria or Criteria()
    pilot = pilot_of(a, b)
    checks.require(tasks >= 2, "tasks", "at least 2", tasks)
    spread = pilot_spread(a, b, rho=rho)
    if spread.has_shared:
        msg = (
            "an effect that a run shares over all tasks was seen in this pilot; drawing its tasks "
            "leaves that out and would promise too much, so the formula has to do"
        )
        raise DataError(msg)
    values: dict[str, Any] = {"a": _nested(pilot.a), "runs_a": runs_a, "runs_b": runs_b}
    values |= {"delta": float(delta)}
    if pilot.b is not None:
        values["b"] = _nested(pilot.b)
    else:
        values["rho"] = ALIKE_RHO if rho is None else rho
    alpha = criteria.alpha * (1 if criteria.sides == 2 else 2)
    found = simulate(
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
        tasks=int(tasks),
        runs_a=int(runs_a),
        runs_b=int(runs_b),
        pilot_tasks=pilot.tasks,
        powers=tuple(
            DrawnPower(test=r.procedure, power=r.rate, se=r.se, reps=r.reps) for r in found.rates
        ),
        closed=float(closed),
        own=0.0 if pilot.b is None else float(stats.variance_components(pilot.a, pilot.b).delta),
        is_binary=pilot.is_binary,
        stretched=_is_stretched(pilot, (runs_a, runs_b)),
        alike=pilot.b is None,
        criteria=criteria,
    )
