"""What a simulation holds: one rate for every cell and procedure, with its own error.

Rates of error are held against their level: does a procedure err as often as it says?
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from scipy.special import bdtr, bdtrc, ndtri

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import JsonScalar
from nstar._verbs.simulate.board_power import BoardPower

ProcedureKind: TypeAlias = Literal[
    "test", "equivalence", "family", "interval", "resolution", "ranks"
]
"""What is counted.

``test``: rejections of "no gap"; ``equivalence``: findings that the gap is within a margin;
``family``: boards of which anything false is said; ``interval``: intervals that hold the true
gap; ``resolution``: intervals that hold the true q; ``ranks``: boards all of whose ranks are held.
"""
Meaning: TypeAlias = Literal["type I error", "family-wise error", "power", "coverage"]
LevelWord: TypeAlias = Literal["holds", "errs more", "errs less"]
Parameter: TypeAlias = (
    JsonScalar | tuple[JsonScalar | tuple[JsonScalar | None, ...] | None, ...] | None
)
"""A value of a scenario's parameter; lists and arrays are tuples, tables tuples of tuples."""

_NO_GAP = 1e-12
"""A true gap below this is none."""
FAMILY = 0.05
"""Chance of any mark in a simulation of procedures that keep their level exactly."""


def promised(meaning: Meaning, alpha: float) -> float | None:
    """The rate that a level promises; None for power."""
    if meaning == "power":
        return None
    return 1 - alpha if meaning == "coverage" else alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often one procedure did something in one cell."""

    scenario: str
    """How scores came about."""
    n_items: int
    """Items of each replication."""
    parameters: Mapping[str, Parameter]
    """Those of the scenario, by name."""
    truth: float
    """True gap in it; of a board, that between its best and its worst model."""
    procedure: str
    """Test or interval, by name."""
    kind: ProcedureKind
    """What is counted."""
    n_reps: int
    """Replications."""
    n_events: int
    """How many of them did."""
    margin: float | None = None
    """Gap at which a finding of equivalence becomes false; None for all else."""
    board: BoardPower | None = None
    """What boards showed by this procedure; None for all but tests of all their pairs."""

    @derived
    def rate(self) -> float:
        """Share of replications: an error, power or coverage, as ``meaning`` says."""
        return self.n_events / self.n_reps

    @derived
    def se(self) -> float:
        """Monte Carlo standard error, never 0: one event and one failure are added."""
        p = (self.n_events + 1) / (self.n_reps + 2)
        return math.sqrt(p * (1 - p) / self.n_reps)

    @derived
    def meaning(self) -> Meaning:
        """What it is the rate of."""
        if self.kind in ("interval", "resolution", "ranks"):
            return "coverage"
        if self.kind == "family":
            return "family-wise error"
        if self.margin is not None:
            return "type I error" if abs(self.truth) > self.margin - _NO_GAP else "power"
        return "type I error" if abs(self.truth) < _NO_GAP else "power"

    @property
    def n_errors(self) -> int | None:
        """Replications in which the procedure erred; None for power, of which none is promised."""
        if self.meaning == "power":
            return None
        return self.n_reps - self.n_events if self.meaning == "coverage" else self.n_events


def _level(rate: Rate, alpha: float, share: float) -> LevelWord | None:
    """Binomial tails, each held against its share of the chance of a mark."""
    errors = rate.n_errors
    if errors is None:
        return None
    if float(bdtrc(errors - 1, rate.n_reps, alpha)) < share and errors > 0:
        return "errs more"
    return "errs less" if float(bdtr(errors, rate.n_reps, alpha)) < share else "holds"


_BOARD_EVENTS = ("winner", "winner_proved", "neighbors", "all_neighbors", "tiers", "rank_width")


def _shown(board: BoardPower | None) -> dict[str, float | None]:
    """What boards showed, as columns."""
    return {name: None if board is None else getattr(board, name) for name in _BOARD_EVENTS}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Simulation(Result):
    """Simulated rates for every cell of a grid."""

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

    @derived
    def levels(self) -> tuple[LevelWord | None, ...]:
        """A word for every rate of error; None for power.

        ``holds`` means within Monte Carlo error of the level. The exact binomial tails are held
        against a level divided by the number of rates, so that procedures which err exactly as
        often as they say get any other word with a chance of at most :data:`FAMILY`, whether or
        not cells share their random numbers.
        """
        share = FAMILY / (2 * max(1, sum(r.meaning != "power" for r in self.rates)))
        return tuple(_level(r, self.alpha, share) for r in self.rates)

    @property
    def unseen(self) -> float | None:
        """How far a rate of error may be from its level and still be within Monte Carlo error."""
        rep_counts = [r.n_reps for r in self.rates if r.meaning != "power"]
        if not rep_counts:
            return None
        z = -float(ndtri(FAMILY / (2 * len(rep_counts))))
        return z * math.sqrt(self.alpha * (1 - self.alpha) / min(rep_counts))

    def __len__(self) -> int:
        """Rates."""
        return len(self.rates)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dictionary per rate."""
        boards = any(r.board is not None for r in self.rates)
        for r in self.rates:
            board_columns = {} if not boards else _shown(r.board)
            yield {
                "scenario": r.scenario,
                "n_items": r.n_items,
                **r.parameters,
                "truth": r.truth,
                "procedure": r.procedure,
                "kind": r.kind,
                "n_reps": r.n_reps,
                "n_events": r.n_events,
                "rate": r.rate,
                "se": r.se,
                **board_columns,
            }

    def columns(self) -> dict[str, list[Any]]:
        """The same as columns, for pandas, Polars or pyarrow."""
        rows = list(self.rows())
        return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
