"""``simulate``: every cell of a grid, batch by batch, until it is precise enough."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from multiprocessing import cpu_count
from typing import Any, Protocol, TypeAlias

from nstar._simulate.batch import Asked, Tally, batch_size, run_batch
from nstar._simulate.grid import Cell, cells
from nstar._simulate.procedures import INTERVALS, TESTS
from nstar._simulate.result import Rate, Simulation
from nstar._simulate.scenarios import SCENARIOS
from nstar._work import ordered
from nstar.errors import ParameterError
from nstar.stats import _check

__all__ = ["Journal", "Progress", "simulate"]

Progress: TypeAlias = Callable[[int, int], None]
"""Replications done, and those expected in all."""

_FIRST = 1000
"""Replications before precision is looked at."""


class Journal(Protocol):
    """Where finished work is kept, so that an interrupted simulation goes on."""

    def finished(self, cell: int) -> tuple[int, Tally] | None:
        """Batches done of a cell, and their tally."""

    def keep(self, cell: int, batches: int, tally: Tally) -> None:
        """Remember that."""


class _State:
    """One cell: what is done, and how much is wanted."""

    def __init__(self, number: int, cell: Cell, reps: int) -> None:
        self.number, self.cell, self.wanted, self.least = number, cell, reps, reps
        self.size = batch_size(cell)
        self.batches, self.tally = 0, None  # type: int, Tally | None

    @property
    def reps(self) -> int:
        return 0 if self.tally is None else self.tally.reps

    @property
    def spread(self) -> float:
        """Largest variance of a procedure's event."""
        assert self.tally is not None  # noqa: S101 every cell has had its first round
        return max(_spread(k, self.reps) for k in self.tally.events)

    @property
    def first(self) -> int:
        """Batches of the first round."""
        return -(-self.least // self.size)

    def want(self, reps: int) -> None:
        """At least so many replications, in whole batches."""
        self.wanted = -(-reps // self.size) * self.size

    def jobs(self, ask: Asked) -> "Iterator[Callable[[], tuple[_State, Tally]]]":
        """Batches still to do; whole ones, but for the last of a given number."""
        done = self.reps
        for number in range(self.batches, -(-self.wanted // self.size)):
            few = min(self.size, self.wanted - done)
            done += few
            yield partial(self._batch, number, few, ask)

    def _batch(self, number: int, reps: int, ask: Asked) -> "tuple[_State, Tally]":
        return self, run_batch(self.cell, number, reps, ask)

    def add(self, tally: Tally) -> None:
        self.tally = tally if self.tally is None else self.tally + tally
        self.batches += 1

    def more(self, precision: float, most: int) -> int:
        """Replications at the next look; as many as there are if the error is small enough.

        Looks are at fixed numbers of batches, so that a run which was stopped between two of them
        ends where it would have ended.
        """
        look = self.first
        while look < self.batches:
            look = _next_look(look)
        if look == self.batches:
            if self.spread <= self.reps * precision**2:
                return self.reps
            look = _next_look(look)
        return max(self.reps, min(look * self.size, most))


def _next_look(batches: int) -> int:
    return max(batches + 1, batches * 5 // 4)


def _spread(events: int, reps: int) -> float:
    p = (events + 1) / (reps + 2)
    return p * (1 - p)


def _round(
    states: Sequence[_State],
    ask: Asked,
    workers: int,
    journal: Journal | None,
    progress: Progress | None,
) -> None:
    """Everything that is wanted now."""
    jobs = (job for state in states for job in state.jobs(ask))
    total = sum(max(s.wanted, s.reps) for s in states)
    done = sum(s.reps for s in states)
    for state, tally in ordered(jobs, workers):
        state.add(tally)
        if journal is not None and state.tally is not None:
            journal.keep(state.number, state.batches, state.tally)
        done += tally.reps
        if progress is not None:
            progress(done, total)


def _checked(
    tests: Sequence[str], intervals: Sequence[str], reps: int, precision: float | None
) -> None:
    if not tests and not intervals:
        msg = "give at least one test or interval"
        raise ParameterError(msg)
    for name in tests:
        TESTS[name]
    for name in intervals:
        INTERVALS[name]
    if reps < 1 or reps != int(reps):
        msg = f"reps must be a whole number of at least 1; got {reps!r}"
        raise ParameterError(msg)
    if precision is not None:
        _check.require(0 < precision < 0.5, "precision", "in (0, 0.5)", precision)


def simulate(  # noqa: PLR0913 one verb, one call
    scenario: str,
    *,
    items: Sequence[int],
    tests: Sequence[str] = (),
    intervals: Sequence[str] = (),
    values: Mapping[str, Sequence[Any]] | None = None,
    reps: int = 1000,
    precision: float | None = None,
    most: int = 10_000_000,
    alpha: float = 0.05,
    seed: int = 0,
    common: bool = False,
    workers: int = 0,
    progress: Progress | None = None,
    journal: Journal | None = None,
) -> Simulation:
    """What tests and intervals really do: rates of rejection and coverage by simulation.

    Parameters
    ----------
    scenario
        How scores come about, by name; see :data:`SCENARIOS`.
    items
        Items of an evaluation, one or several numbers.
    tests, intervals
        Procedures by name. A test counts rejections of "no gap", an interval coverage of the
        true one.
    values
        Parameters of the scenario, several values each; all combinations are simulated.
    reps
        Replications of each cell; with ``precision`` those it begins with, at least 1,000.
    precision
        Go on until the Monte Carlo standard error of every rate is at most this.
    most
        Replications at which a cell is left in any case.
    alpha
        Level.
    seed
        Of all random numbers. The same seed gives the same numbers for any number of workers.
    common
        Cells with the same items get the same random numbers: differences between cells are
        then known better than each rate, but their errors are correlated.
    workers
        Threads; 0 for one per processor.
    progress, journal
        Called with replications done and expected; keeps finished work.

    Examples
    --------
    >>> found = simulate("bernoulli", items=[200], tests=["midp"], values={"delta": [0.0, 0.1]})
    >>> [round(r.rate, 2) for r in found.rates]
    [0.04, 0.84]
    """
    _checked(tests, intervals, reps, precision)
    _check.fraction("alpha", alpha)
    ask = Asked(
        tests=tuple(tests), intervals=tuple(intervals), alpha=alpha, seed=seed, common=common
    )
    grid = cells(SCENARIOS, scenario, items, values or {})
    least = reps if precision is None else max(reps, _FIRST)
    states = [_State(k, cell, least) for k, cell in enumerate(grid)]
    for state in states:
        if precision is not None:
            state.want(least)
        found = None if journal is None else journal.finished(state.number)
        if found is not None:
            state.batches, state.tally = found
    threads = workers or cpu_count()
    _round(states, ask, threads, journal, progress)
    if precision is not None:
        while open_ := [s for s in states if s.more(precision, most) > s.reps]:
            for state in open_:
                state.want(state.more(precision, most))
            _round(open_, ask, threads, journal, progress)
    return _result(states, ask, grid, scenario, precision)


def _margin(test: str) -> float | None:
    """Of a test of equivalence, its parameter ``margin``."""
    return {**TESTS.parameters(test), **TESTS.given(test)}.get("margin")


def _result(
    states: Sequence[_State],
    ask: Asked,
    grid: Sequence[Cell],
    scenario: str,
    precision: float | None,
) -> Simulation:
    rates, kinds = [], ask.kinds
    for state in states:
        tally = state.tally
        assert tally is not None  # noqa: S101 every cell has had its first round
        for k, name in enumerate(ask.names):
            rates.append(
                Rate(
                    cell=state.cell,
                    truth=tally.truth,
                    procedure=name,
                    kind=kinds[k],
                    reps=tally.reps,
                    events=tally.events[k],
                    margin=_margin(name) if kinds[k] == "equivalence" else None,
                )
            )
    varied = ["items"] if len({c.items for c in grid}) > 1 else []
    varied += [n for n in grid[0].parameters if len({repr(c.parameters[n]) for c in grid}) > 1]
    return Simulation(
        scenario=scenario,
        alpha=ask.alpha,
        seed=ask.seed,
        common=ask.common,
        precision=precision,
        varied=tuple(varied),
        rates=tuple(rates),
    )
