"""What a simulation holds: one rate for every cell and procedure, with its own error."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from nstar._base.result import Result
from nstar._verbs.simulate.grid import Cell

Kind: TypeAlias = Literal["test", "equivalence", "family", "interval", "resolution", "ranks"]
"""What is counted.

``test``: rejections of "no gap"; ``equivalence``: findings that the gap is within a margin;
``family``: boards of which anything false is said; ``interval``: intervals that hold the true
gap; ``resolution``: intervals that hold the true q; ``ranks``: boards all of whose ranks are held.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often one procedure did something in one cell."""

    cell: Cell
    """The scenario and its parameters."""
    truth: float
    """True gap in it; of a board, that between its best and its worst model."""
    procedure: str
    """Test or interval, by name."""
    kind: Kind
    """What is counted."""
    reps: int
    """Replications."""
    events: int
    """How many of them did."""
    margin: float | None = None
    """Gap at which a finding of equivalence becomes false; None for all else."""

    @property
    def rate(self) -> float:
        """Share of replications: an error, power or coverage; see :data:`Kind`."""
        return self.events / self.reps

    @property
    def se(self) -> float:
        """Monte Carlo standard error, never 0: one event and one failure are added."""
        p = (self.events + 1) / (self.reps + 2)
        return math.sqrt(p * (1 - p) / self.reps)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Simulation(Result):
    """Every cell of a grid, simulated."""

    scenario: str
    """How scores come about."""
    alpha: float
    """Level of tests; intervals cover 1 - alpha."""
    seed: int
    """Of all random numbers."""
    common: bool
    """Cells with the same items share their random numbers, so their errors are correlated."""
    precision: float | None
    """Standard error at which a cell was left; None if replications were given."""
    varied: tuple[str, ...]
    """Parameters that differ between cells."""
    rates: tuple[Rate, ...]
    """Cell by cell, procedures in the order asked for."""

    def __len__(self) -> int:
        """Rates."""
        return len(self.rates)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dictionary per rate."""
        for r in self.rates:
            yield {
                "scenario": r.cell.scenario,
                "items": r.cell.items,
                **r.cell.parameters,
                "truth": r.truth,
                "procedure": r.procedure,
                "kind": r.kind,
                "reps": r.reps,
                "events": r.events,
                "rate": r.rate,
                "se": r.se,
            }

    def columns(self) -> dict[str, list[Any]]:
        """The same as columns, for pandas, Polars or pyarrow."""
        every = list(self.rows())
        return {name: [row[name] for row in every] for name in every[0]} if every else {}
