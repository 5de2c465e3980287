"""Simulate all cells of a grid, batch by batch, until they are precise enough."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from nstar._base.types import JsonScalar
from nstar._engine.work import Execution, Progress, WorkerPool, one_thread
from nstar._verbs.simulate.batch import BatchTally, RequestedProcedures
from nstar._verbs.simulate.board_sums import power_of
from nstar._verbs.simulate.grid import Cell, cells
from nstar._verbs.simulate.procedures import TESTS
from nstar._verbs.simulate.question import SimulateQuestion
from nstar._verbs.simulate.quota import CellQuota, PortionSizer, Task, open_batches, run_portion
from nstar._verbs.simulate.result import Rate, Simulation
from nstar._verbs.simulate.scenarios import SCENARIOS

_FIRST = 1000
"""Number of replications before the first check of precision."""


class SimulationJournal(Protocol):
    """Store of completed work, from which an interrupted simulation resumes."""

    def finished(self, cell: int) -> tuple[int, BatchTally] | None:
        """Return the number of completed batches of a cell, and their tally."""

    def keep(self, cell: int, batches: int, tally: BatchTally) -> None:
        """Store the completed batches of a cell."""


def _round(
    quotas: Sequence[CellQuota],
    workers: WorkerPool,
    task: Task,
    journal: SimulationJournal | None,
    progress: Progress | None,
) -> None:
    """Run all batches that are needed now."""
    by_number = {q.number: q for q in quotas}
    cut = PortionSizer(workers.grain, max_count=sum(q.open for q in quotas) // (2 * workers.width))
    jobs = ((task, portion) for portion in cut(open_batches(quotas)))
    total = sum(max(q.wanted, q.reps) for q in quotas)
    n_done = sum(q.reps for q in quotas)
    for tallies, seconds in workers.ordered(run_portion, jobs):
        cut.took(len(tallies), seconds)
        for number, tally in tallies:
            quota = by_number[number]
            quota.add(tally)
            if journal is not None and quota.tally is not None:
                journal.keep(number, quota.batches, quota.tally)
            n_done += tally.reps
        if progress is not None:
            progress(n_done, total)


def simulate(  # noqa: PLR0913 one verb, one call
    scenario: str,
    *,
    items: int | Sequence[int],
    tests: Sequence[str] = (),
    intervals: Sequence[str] = (),
    values: Mapping[str, Sequence[Any]] | None = None,
    reps: int = 1000,
    precision: float | None = None,
    max_reps: int = 10_000_000,
    alpha: float = 0.05,
    seed: int = 0,
    common: bool = False,
    execution: Execution | None = None,
    journal: SimulationJournal | None = None,
) -> Simulation:
    """Estimate rejection rates of tests and coverage of intervals by simulation.

    Parameters
    ----------
    scenario : str
        Name of the scenario that generates scores; see :data:`SCENARIOS`.
    items : int or sequence of int
        Number of items of an evaluation, one or several values.
    tests, intervals : sequence of str, default ()
        Names of procedures. For tests, rejections of a zero gap are counted; for intervals,
        coverage of the true gap.
    values : mapping from str to sequence, optional
        Several values of each parameter of the scenario. All combinations are simulated.
    reps : int, default 1000
        Number of replications of each cell, or the initial number with ``precision``, at least
        1,000.
    precision : float, optional
        Monte Carlo standard error of every rate at which the simulation stops.
    max_reps : int, default 10000000
        Maximum number of replications of a cell.
    alpha : float, default 0.05
        Level.
    seed : int, default 0
        Random seed. The same seed gives the same results for any number of workers.
    common : bool, default False
        Whether cells with the same items use the same random numbers. Differences between cells
        are then more precise, but their errors are correlated.
    execution : Execution, optional
        Workers, cluster, and progress; see :class:`Execution`. Results do not depend on it.
    journal : SimulationJournal, optional
        Store of completed work.

    Examples
    --------
    >>> simulation = simulate("bernoulli", items=200, tests=["midp"], values={"delta": [0.0, 0.1]})
    >>> [round(r.rate, 2) for r in simulation.rates]
    [0.04, 0.84]
    """
    question = SimulateQuestion(
        scenario=scenario,
        items=(items,) if isinstance(items, int) else tuple(items),
        tests=tuple(tests),
        intervals=tuple(intervals),
        values={name: tuple(choices) for name, choices in (values or {}).items()},
        reps=reps,
        precision=precision,
        most=max_reps,
        alpha=alpha,
        seed=seed,
        common=common,
    )
    return simulated(question, execution or Execution(), journal)


def simulated(
    question: SimulateQuestion, execution: Execution, journal: SimulationJournal | None = None
) -> Simulation:
    """Return the result of :func:`simulate` for a question."""
    request = RequestedProcedures(
        tests=question.tests,
        intervals=question.intervals,
        alpha=question.alpha,
        seed=question.seed,
        common=question.common,
    )
    precision, reps = question.precision, question.reps
    grid = cells(SCENARIOS, question.scenario, question.items, question.values)
    min_reps = reps if precision is None else max(reps, _FIRST)
    quotas = [CellQuota(k, cell, min_reps, common=request.common) for k, cell in enumerate(grid)]
    for quota in quotas:
        if precision is not None:
            quota.want(min_reps)
        checkpoint = None if journal is None else journal.finished(quota.number)
        if checkpoint is not None:
            quota.batches, quota.tally = checkpoint
    with one_thread(), execution.crew() as workers:
        until = (precision, question.most)
        _fill(quotas, workers, _shared(workers, grid, request), until, journal, execution.progress)
    return _result(quotas, request, grid, question.scenario, precision)


def _shared(workers: WorkerPool, grid: Sequence[Cell], request: RequestedProcedures) -> Task:
    """Return the cells and the question, which all jobs share."""
    for cell in grid:
        cell.stream(common=request.common)
    return workers.share((grid, request))


def _fill(
    quotas: Sequence[CellQuota],
    workers: WorkerPool,
    task: Task,
    until: tuple[float | None, int],
    journal: SimulationJournal | None,
    progress: Progress | None,
) -> None:
    """Run rounds until every cell has the batches that it needs."""
    precision, max_reps = until
    _round(quotas, workers, task, journal, progress)
    if precision is None:
        return
    while open_ := [q for q in quotas if q.more(precision, max_reps) > q.reps]:
        for quota in open_:
            quota.want(quota.more(precision, max_reps))
        _round(open_, workers, task, journal, progress)


def _margin(test: str) -> float | None:
    """Return the parameter ``margin`` of an equivalence test."""
    return {**TESTS.parameters(test), **TESTS.given(test)}.get("margin")


def _plain(value: Any) -> Any:
    """Return a parameter as in results: Python numbers, and tuples instead of lists and arrays."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    return value if isinstance(value, JsonScalar | None) else str(value)


def _result(
    quotas: Sequence[CellQuota],
    request: RequestedProcedures,
    grid: Sequence[Cell],
    scenario: str,
    precision: float | None,
) -> Simulation:
    rates, kinds = [], request.kinds
    for quota in quotas:
        tally = quota.tally
        assert tally is not None  # noqa: S101 every cell has had its first round
        parameters = {n: _plain(v) for n, v in quota.cell.parameters.items()}
        for k, name in enumerate(request.names):
            rates.append(
                Rate(
                    scenario=quota.cell.scenario,
                    n_items=quota.cell.items,
                    parameters=parameters,
                    truth=tally.truth,
                    procedure=name,
                    kind=kinds[k],
                    n_reps=tally.reps,
                    n_events=tally.events[k],
                    margin=_margin(name) if kinds[k] == "equivalence" else None,
                    board=power_of(tally.sums[k], tally.reps) if tally.sums else None,
                )
            )
    varied = ["items"] if len({c.items for c in grid}) > 1 else []
    varied += [n for n in grid[0].parameters if len({repr(c.parameters[n]) for c in grid}) > 1]
    return Simulation(
        scenario=scenario,
        alpha=request.alpha,
        seed=request.seed,
        common=request.common,
        precision=precision,
        varied=tuple(varied),
        rates=tuple(rates),
    )
