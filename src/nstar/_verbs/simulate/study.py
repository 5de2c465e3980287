"""Repeat the embedding study: its 150 cells and both tests, next to the published rates.

The study is "How Many Test Pairs Do You Need?", clawRxiv 2604.01075, sections 4.2 to 4.6 and 5.1,
with 1,000 replications of each cell and level 0.05.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._engine.work import Execution
from nstar._verbs.simulate.batch import BatchTally
from nstar._verbs.simulate.result import Rate, Simulation
from nstar._verbs.simulate.run import SimulationJournal, simulate

REPS = 1000
"""Number of replications behind each published rate."""


class PrintedRate(NamedTuple):
    """One published rate."""

    scenario: str
    """Name of the scenario: ``normal`` or ``beta``."""
    n_items: int
    """Number of test pairs, N."""
    delta: float
    """Effect size."""
    rho: float
    """Correlation of the two models."""
    test: str
    """Name of the test: ``t`` or ``wilcoxon``."""
    rate: float
    """Share of replications in which the test rejected."""
    section: str
    """Section of the study with the rate."""


_RHOS = (0.5, 0.8, 0.95)

_POWER = {
    ("4.2", 0.01): {
        50: (0.081, 0.152, 0.432),
        100: (0.134, 0.262, 0.732),
        200: (0.223, 0.463, 0.964),
        500: (0.440, 0.842, 1.000),
        1000: (0.735, 0.989, 1.000),
    },
    ("4.3", 0.02): {
        50: (0.217, 0.437, 0.955),
        100: (0.369, 0.763, 0.999),
        200: (0.653, 0.957, 1.000),
        500: (0.960, 1.000, 1.000),
        1000: (1.000, 1.000, 1.000),
    },
}
"""Power of the t test for normal scores, with a row of rates by rho for each N."""

_OTHERS = {
    ("4.4", 0.05, 50, 0.5): {"normal t": 0.818},
    ("4.5", 0.02, 50, 0.5): {"beta t": 0.217, "normal wilcoxon": 0.223, "beta wilcoxon": 0.204},
    ("4.5", 0.02, 100, 0.8): {"beta t": 0.732, "normal wilcoxon": 0.738, "beta wilcoxon": 0.719},
    ("4.5", 0.02, 200, 0.95): {"beta t": 1.000, "normal wilcoxon": 1.000, "beta wilcoxon": 1.000},
    ("4.5", 0.02, 500, 0.5): {"beta t": 0.958, "normal wilcoxon": 0.955, "beta wilcoxon": 0.952},
    ("4.5", 0.02, 1000, 0.8): {"beta t": 1.000, "normal wilcoxon": 1.000, "beta wilcoxon": 1.000},
    ("4.6", 0.01, 50, 0.8): {"normal wilcoxon": 0.147},
    ("4.6", 0.01, 200, 0.8): {"normal wilcoxon": 0.433, "beta wilcoxon": 0.435},
    ("4.6", 0.01, 500, 0.8): {"normal wilcoxon": 0.815, "beta t": 0.838, "beta wilcoxon": 0.840},
    ("4.6", 0.01, 1000, 0.8): {"normal wilcoxon": 0.982},
}
"""Additional rates in other tables and in the text."""

_NULL_COLUMNS = ("normal t", "normal wilcoxon", "beta t", "beta wilcoxon")
_NULL = {
    (50, 0.5): (0.056, 0.055, 0.057, 0.060),
    (50, 0.8): (0.053, 0.052, 0.048, 0.051),
    (50, 0.95): (0.056, 0.052, 0.050, 0.044),
    (100, 0.5): (0.052, 0.046, 0.061, 0.060),
    (100, 0.8): (0.050, 0.052, 0.060, 0.055),
    (100, 0.95): (0.042, 0.043, 0.056, 0.059),
    (200, 0.5): (0.047, 0.049, 0.056, 0.059),
    (200, 0.8): (0.040, 0.040, 0.051, 0.059),
    (200, 0.95): (0.048, 0.047, 0.047, 0.049),
    (500, 0.5): (0.048, 0.049, 0.039, 0.039),
    (500, 0.8): (0.037, 0.040, 0.058, 0.058),
    (500, 0.95): (0.057, 0.056, 0.045, 0.049),
    (1000, 0.5): (0.048, 0.046, 0.042, 0.041),
    (1000, 0.8): (0.046, 0.043, 0.057, 0.056),
    (1000, 0.95): (0.058, 0.056, 0.056, 0.060),
}
"""Type I errors without an effect, by N and rho."""


def _printed_rates() -> Iterator[PrintedRate]:
    for (section, delta), table in _POWER.items():
        for n, row in table.items():
            for rho, rate in zip(_RHOS, row, strict=True):
                yield PrintedRate("normal", n, delta, rho, "t", rate, section)
    for (section, delta, n, rho), cells in _OTHERS.items():
        for column, rate in cells.items():
            scenario, test = column.split()
            yield PrintedRate(scenario, n, delta, rho, test, rate, section)
    for (n, rho), rates in _NULL.items():
        for column, rate in zip(_NULL_COLUMNS, rates, strict=True):
            scenario, test = column.split()
            yield PrintedRate(scenario, n, 0.0, rho, test, rate, "5.1")


PUBLISHED = tuple(_printed_rates())
"""All published rates, each once."""


_SCENARIOS = ("normal", "beta")
_ASKED: dict[str, Any] = {
    "items": (50, 100, 200, 500, 1000),
    "values": {"delta": (0.0, 0.01, 0.02, 0.05, 0.1), "rho": (0.5, 0.8, 0.95)},
    "tests": ("t", "wilcoxon"),
    "alpha": 0.05,
}
"""Published grid, which is the same for both scenarios."""

_CELLS = 75
"""Number of cells of each scenario."""


def _key(rate: Rate) -> tuple[Any, ...]:
    """Return the cell and test in the format of a published rate."""
    parameters = rate.parameters
    return (rate.scenario, rate.n_items, parameters["delta"], parameters["rho"], rate.procedure)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateComparison:
    """A published rate and the simulated rate of the same cell and test."""

    printed: PrintedRate
    """Published rate."""
    ours: Rate
    """Simulated rate."""

    @derived
    def errors(self) -> float:
        """Difference, simulated minus published, divided by its Monte Carlo standard error."""
        theirs = round(self.printed.rate * REPS)
        n = REPS + self.ours.n_reps
        p = (theirs + self.ours.n_events + 1) / (n + 2)
        se = math.sqrt(p * (1 - p) * (1 / REPS + 1 / self.ours.n_reps))
        return (self.ours.rate - self.printed.rate) / se


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Study(Result):
    """Comparison of a published simulation with its repetition."""

    name: str
    """Name of the study."""
    simulations: tuple[Simulation, ...]
    """Simulation of each scenario."""
    beside: tuple[RateComparison, ...]
    """All published rates with the simulated ones."""

    @derived
    def within(self) -> tuple[int, int, int]:
        """Number of published rates within one, two, and three Monte Carlo standard errors."""
        off = [abs(b.errors) for b in self.beside]
        one, two, three = (sum(x <= errors for x in off) for errors in (1, 2, 3))
        return one, two, three

    @property
    def worst(self) -> RateComparison:
        """Largest difference in standard errors."""
        return max(self.beside, key=lambda b: abs(b.errors))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per rate, with the published rate if there is one."""
        printed = {_key(b.ours): b for b in self.beside}
        for part in self.simulations:
            for rate, row in zip(part.rates, part.rows(), strict=True):
                reference = printed.get(_key(rate))
                yield row | {
                    "printed": None if reference is None else reference.printed.rate,
                    "errors": None if reference is None else reference.errors,
                }

    def columns(self) -> dict[str, list[Any]]:
        """Return the rates as columns. A parameter that a scenario lacks is None."""
        rows = list(self.rows())
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}


class _OffsetJournal:
    """Journal in which the cells of the second scenario follow those of the first."""

    def __init__(self, journal: SimulationJournal, first: int) -> None:
        self._journal, self._first = journal, first

    def finished(self, cell: int) -> tuple[int, BatchTally] | None:
        return self._journal.finished(self._first + cell)

    def keep(self, cell: int, batches: int, tally: BatchTally) -> None:
        self._journal.keep(self._first + cell, batches, tally)


def _beside(parts: tuple[Simulation, ...]) -> tuple[RateComparison, ...]:
    ours = {_key(r): r for part in parts for r in part.rates}
    return tuple(RateComparison(printed=p, ours=ours[p[:5]]) for p in PUBLISHED)


def embedding_study(
    *,
    reps: int = REPS,
    seed: int = 0,
    common: bool = False,
    execution: Execution | None = None,
    journal: SimulationJournal | None = None,
) -> Study:
    """Repeat the embedding study: 150 cells, t and Wilcoxon tests, next to the published rates.

    ``common`` says whether cells with the same items use the same random numbers, as in
    :func:`simulate`. ``journal`` is the store of completed work, from which an interrupted study
    resumes.
    """
    total = reps * _CELLS * len(_SCENARIOS)
    run_options = execution or Execution()

    def part(k: int, scenario: str) -> Simulation:
        def on_done(n_done: int, _: int) -> None:
            if run_options.progress is not None:
                run_options.progress(k * _CELLS * reps + n_done, total)

        return simulate(
            scenario,
            **_ASKED,
            reps=reps,
            seed=seed,
            common=common,
            execution=replace(run_options, progress=on_done),
            journal=None if journal is None else _OffsetJournal(journal, k * _CELLS),
        )

    with run_options.crew():  # both scenarios use the same cluster
        parts = tuple(part(k, scenario) for k, scenario in enumerate(_SCENARIOS))
    return Study(name="embedding-study", simulations=parts, beside=_beside(parts))
