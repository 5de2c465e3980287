"""The embedding study again: its 150 cells and both tests, beside the rates it printed."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._engine.work import Execution
from nstar._verbs.simulate.batch import BatchTally
from nstar._verbs.simulate.published import PUBLISHED, REPS, PrintedRate
from nstar._verbs.simulate.result import Rate, Simulation
from nstar._verbs.simulate.run import SimulationJournal, simulate

SCENARIOS_ASKED = ("normal", "beta")
ASKED: dict[str, Any] = {
    "items": (50, 100, 200, 500, 1000),
    "values": {"delta": (0.0, 0.01, 0.02, 0.05, 0.1), "rho": (0.5, 0.8, 0.95)},
    "tests": ("t", "wilcoxon"),
    "alpha": 0.05,
}
"""The published grid, the same for either scenario."""

_CELLS = 75
"""Cells of each scenario."""


def _place(rate: Rate) -> tuple[Any, ...]:
    """Cell and test, as the first five fields of what was printed."""
    given = rate.parameters
    return (rate.scenario, rate.items, given["delta"], given["rho"], rate.procedure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A printed rate and ours of the same cell and test."""

    printed: PrintedRate
    """What the study printed."""
    ours: Rate
    """What was simulated here."""

    @derived
    def errors(self) -> float:
        """Ours minus printed in Monte Carlo standard errors of that difference."""
        theirs = round(self.printed.rate * REPS)
        n = REPS + self.ours.reps
        p = (theirs + self.ours.events + 1) / (n + 2)
        se = math.sqrt(p * (1 - p) * (1 / REPS + 1 / self.ours.reps))
        return (self.ours.rate - self.printed.rate) / se


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Study(Result):
    """A published simulation, repeated."""

    name: str
    """Of the preset."""
    simulations: tuple[Simulation, ...]
    """One per scenario."""
    beside: tuple[Beside, ...]
    """Every printed rate with ours."""

    @derived
    def within(self) -> tuple[int, int, int]:
        """Printed rates that ours are at most one, two, three Monte Carlo standard errors from."""
        off = [abs(b.errors) for b in self.beside]
        one, two, three = (sum(x <= errors for x in off) for errors in (1, 2, 3))
        return one, two, three

    @property
    def worst(self) -> Beside:
        """The largest difference in standard errors."""
        return max(self.beside, key=lambda b: abs(b.errors))

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dictionary per rate, with the printed one where there is one."""
        printed = {_place(b.ours): b for b in self.beside}
        for part in self.simulations:
            for rate, row in zip(part.rates, part.rows(), strict=True):
                found = printed.get(_place(rate))
                yield row | {
                    "printed": None if found is None else found.printed.rate,
                    "errors": None if found is None else found.errors,
                }

    def columns(self) -> dict[str, list[Any]]:
        """The same as columns; a parameter that a scenario lacks is None."""
        every = list(self.rows())
        names = dict.fromkeys(name for row in every for name in row)
        return {name: [row.get(name) for row in every] for name in names}


class _Shifted:
    """A journal in which the cells of the second scenario follow those of the first."""

    def __init__(self, journal: SimulationJournal, first: int) -> None:
        self._journal, self._first = journal, first

    def finished(self, cell: int) -> tuple[int, BatchTally] | None:
        return self._journal.finished(self._first + cell)

    def keep(self, cell: int, batches: int, tally: BatchTally) -> None:
        self._journal.keep(self._first + cell, batches, tally)


def _beside(parts: tuple[Simulation, ...]) -> tuple[Beside, ...]:
    ours = {_place(r): r for part in parts for r in part.rates}
    return tuple(Beside(printed=p, ours=ours[p[:5]]) for p in PUBLISHED)


def embedding_study(
    *,
    reps: int = REPS,
    seed: int = 0,
    common: bool = False,
    execution: Execution | None = None,
    journal: SimulationJournal | None = None,
) -> Study:
    """The embedding study: 150 cells, t and Wilcoxon, beside the rates it printed.

    Parameters
    ----------
    reps
        Replications of each cell; the study had 1,000.
    seed, common, execution, journal
        As for :func:`simulate`.
    """
    total = reps * _CELLS * len(SCENARIOS_ASKED)
    how = execution or Execution()

    def part(k: int, scenario: str) -> Simulation:
        def told(done: int, _: int) -> None:
            if how.progress is not None:
                how.progress(k * _CELLS * reps + done, total)

        return simulate(
            scenario,
            **ASKED,
            reps=reps,
            seed=seed,
            common=common,
            execution=replace(how, progress=told),
            journal=None if journal is None else _Shifted(journal, k * _CELLS),
        )

    with how.crew():  # a cluster is started once, and stays for both
        parts = tuple(part(k, scenario) for k, scenario in enumerate(SCENARIOS_ASKED))
    return Study(name="embedding-study", simulations=parts, beside=_beside(parts))
