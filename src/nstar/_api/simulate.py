"""``simulate``: estimate error rates, power, and coverage by simulation."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nstar._base.parameter_types import (
    GapLadder,
    GridValues,
    ModelCounts,
    ModelRates,
    Name,
    PilotDifferences,
    Procedures,
    Proportion,
    ReplicationCount,
    ScenarioValues,
    Seed,
    SimulatedItems,
)
from nstar._base.verb import at_most_one, verb
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._engine.work import Execution
    from nstar._verbs.simulate import Simulation, SimulationJournal, Study


@verb(at_most_one("reps", "precision"))
def simulate(
    scenario: Name | None = None,
    *,
    items: SimulatedItems,
    pilot: PilotDifferences | None = None,
    rho: GridValues | None = None,
    delta: GridValues | None = None,
    models: ModelCounts | None = None,
    gaps: GapLadder | None = None,
    rates: ModelRates | None = None,
    values: ScenarioValues | None = None,
    tests: Procedures | None = None,
    intervals: Procedures | None = None,
    reps: ReplicationCount = 1000,
    precision: Proportion | None = None,
    alpha: Proportion = 0.05,
    seed: Seed = 0,
    common: bool = False,
    max_reps: ReplicationCount = 10_000_000,
    execution: "Execution | None" = None,
) -> "Simulation":
    """Simulate evaluations to estimate the rejection rates of tests and the coverage of intervals.

    Each combination of parameter values is a cell. The report shows the type I error, power, or
    coverage in each cell, with its Monte Carlo standard error.

    Parameters
    ----------
    scenario : str, optional
        Name of the scenario that generates the scores, such as bernoulli.
        :data:`nstar.types.SCENARIOS` contains the names, and ``nstar simulate --list`` describes
        them.
    items : int or sequence of int
        Number of items per evaluation, as one number or several numbers.
    pilot : path, paths, or sequence of float, optional
        Draw items from a real evaluation: a log of two models, one log per model, or a column of
        differences. For the scenario board, simulate a leaderboard like that of the logs, which
        can have any number of models.
    rho : float or sequence of float, optional
        Correlation of the models' scores over items.
    delta : float or sequence of float, optional
        True gap between the two models, or between adjacent models of a leaderboard.
    models : int or sequence of int, optional
        Number of models on a leaderboard.
    gaps : float or sequence of float, optional
        True gaps between adjacent models of a leaderboard, from the best model down.
    rates : float or sequence of float, optional
        True accuracies of the models of a leaderboard.
    values : mapping, optional
        Other parameters of the scenario, such as ``{"sd": [0.1, 0.2]}``.
        The parameter maps names to values. A value that consists of several numbers is a tuple. On
        the command line, it contains slashes, as in rates=0.5/0.48/0.47.
    tests : str or sequence of str, optional
        Tests whose rejection rates are estimated, such as t or equivalent:0.02.
    intervals : str or sequence of str, optional
        Confidence intervals whose coverage is estimated, such as tango.
    reps : int, default 1000
        Number of replications per cell.
    precision : float, optional
        Continue until the Monte Carlo standard error of each rate is at most this value.
    alpha : float, default 0.05
        Significance level of the tests.
    seed : int, default 0
        Seed of the random number generator.
        The same seed gives the same numbers for any number of workers.

    Other Parameters
    ----------------
    common : bool, default False
        Use the same random numbers in all cells with the same number of items.
        Differences between cells are then more precise, but their errors are correlated.
    max_reps : int, default 10000000
        Maximum number of replications per cell, even if the precision is not reached.
    execution : Execution, optional
        Workers, cluster, and progress in replications; see :class:`nstar.types.Execution`.
        With ``execution.out``, finished work is stored in that folder, so that a simulation can
        resume.

    Returns
    -------
    Simulation
        A rate for each combination of a cell and a procedure.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or does not exist in the scenario.

    Examples
    --------
    >>> result = simulate("bernoulli", items=200, delta=[0.0, 0.1], tests="midp")
    >>> [round(r.rate, 2) for r in result.rates]
    [0.04, 0.84]
    >>> result = simulate("board", items=1000, gaps=[0.03, 0.01, 0.02], reps=100)
    >>> power = result.rates[0].board
    >>> power.scores, [round(rank, 1) for rank in power.rank_high]
    ((0.73, 0.7, 0.69, 0.67), [2.1, 3.6, 3.9, 4.0])
    """
    from nstar._engine.work import Execution
    from nstar._verbs.simulate.question import SimulateQuestion
    from nstar._verbs.simulate.run import simulated

    board = {name: (value,) for name, value in (("gaps", gaps), ("rates", rates)) if value}
    grid = _grid(values, rho=rho, delta=delta, models=models, **board)
    question = SimulateQuestion(
        scenario=(chosen := _scenario(scenario, grid, pilot)),
        items=_several(items),
        tests=tuple(tests or ()),
        intervals=tuple(intervals or ()),
        values=_with_pilot(grid, pilot, many=chosen == "board"),
        reps=reps,
        precision=precision,
        most=max_reps,
        alpha=alpha,
        seed=seed,
        common=common,
    )
    execution = execution or Execution()
    with _journal(execution.out, question.identity()) as journal:
        return simulated(question, execution, journal)


@verb()
def simulate_study(
    *,
    reps: ReplicationCount = 1000,
    seed: Seed = 0,
    common: bool = False,
    execution: "Execution | None" = None,
) -> "Study":
    """Repeat a published simulation study, and compare the rates.

    The study is "How Many Test Pairs Do You Need?" (clawRxiv 2604.01075). It applies t tests and
    Wilcoxon tests to normal and beta-distributed scores in 150 cells.

    Parameters
    ----------
    reps : int, default 1000
        Number of replications per cell.
    seed : int, default 0
        Seed of the random number generator.
        The same seed gives the same numbers for any number of workers.
    common : bool, default False
        Use the same random numbers in all cells with the same number of items.

    Other Parameters
    ----------------
    execution : Execution, optional
        Workers, cluster, and progress in replications; see :class:`nstar.types.Execution`.
        With ``execution.out``, finished work is stored in that folder, so that a simulation can
        resume.

    Returns
    -------
    Study
        Every published rate, with the simulated rate in ``beside``.
    """
    from nstar._engine.work import Execution
    from nstar._verbs.simulate import embedding_study

    execution = execution or Execution()
    identity = {"preset": "embedding-study", "reps": reps, "seed": seed, "common": common}
    with _journal(execution.out, identity) as journal:
        return embedding_study(
            reps=reps, seed=seed, common=common, execution=execution, journal=journal
        )


def _several(values: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple."""
    return values if isinstance(values, tuple) else (values,)


def _grid(values: Any, **by_name: Any) -> dict[str, tuple[Any, ...]]:
    """Return the values of every parameter of the scenario."""
    grid = dict(values or {})
    for name, choices in by_name.items():
        if choices is not None and name in grid:
            msg = f"{arg(name)} and {arg('values', name)} set the same parameter. Use one of them."
            raise QuestionError(msg)
        if choices is not None:
            grid[name] = _several(choices)
    return grid


def _scenario(scenario: str | None, grid: Mapping[str, Any], pilot: Any) -> str:
    """Return the scenario, which a pilot or a number of models may determine."""
    if pilot is not None and scenario != "board":
        if scenario not in (None, "pilot"):
            msg = f"Use either {arg('scenario')} or {arg('pilot')}, not both."
            raise QuestionError(msg)
        return "pilot"
    if scenario is None and grid.keys() & {"models", "gaps", "rates"}:
        return "board"
    if scenario is None:
        msg = f"Set {arg('scenario')} or {arg('pilot')}."
        raise QuestionError(msg)
    if scenario == "pilot" and "d" not in grid:
        msg = f"The scenario pilot needs {arg('pilot')}, an evaluation whose items are resampled."
        raise QuestionError(msg)
    return scenario


def _with_pilot(
    grid: dict[str, tuple[Any, ...]], pilot: Any, *, many: bool
) -> dict[str, tuple[Any, ...]]:
    """Add the differences of a pilot, or for ``many`` the accuracies and their correlation."""
    if pilot is None:
        return grid
    if many:
        return _with_board(grid, pilot)
    from nstar._api.inputs.pilot_differences import pilot_differences

    if "d" in grid:
        msg = f"{arg('pilot')} and {arg('values', 'd')} set the same parameter. Use one of them."
        raise QuestionError(msg)
    return grid | {"d": (pilot_differences(pilot),)}


def _with_board(grid: dict[str, tuple[Any, ...]], pilot: Any) -> dict[str, tuple[Any, ...]]:
    """Add the accuracies of a pilot of many models, and their correlation."""
    from nstar._api.plan.board import pilot_of_board
    from nstar._verbs.simulate.board_pilot import pilot_board

    for name in ("gaps", "rates", "delta", "models", "mean", "spread", "lead", "tied"):
        if name in grid:
            msg = f"The pilot already determines {arg(name)}. Remove one of the two."
            raise QuestionError(msg)
    rates, rho = pilot_board(pilot_of_board(pilot).scores)
    return {"rho": (rho,), **grid, "rates": (rates,)}


@contextmanager
def _journal(
    folder: str | None, identity: Mapping[str, Any]
) -> "Iterator[SimulationJournal | None]":
    """Open the journal of finished work in a folder."""
    if folder is None:
        yield None
        return
    from nstar._data.export.simulation_log import SimulationLog
    from nstar._verbs.simulate.batch import BatchTally

    with SimulationLog(folder, identity, BatchTally) as log:
        yield log
