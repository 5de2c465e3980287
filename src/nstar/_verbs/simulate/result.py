"""Result of a simulation: one rate for each cell and procedure, with its standard error.

Error rates are compared with their nominal level.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from scipy.special import bdtr, bdtrc, ndtri

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import JsonScalar


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPower:
    """Power on a leaderboard: its winner, its adjacent pairs, its tiers, and its rank ranges."""

    scores: tuple[float, ...]
    """True accuracies, best model first."""
    winner: float | None
    """Probability that a truly best model is ranked first, with ties in random order; None if all
    models are equally good.
    """
    winner_se: float | None
    """Monte Carlo standard error of ``winner``."""
    winner_proved: float | None
    """Probability that the best model is significantly better than every other model; None if two
    are equally good.
    """
    winner_proved_se: float | None
    """Monte Carlo standard error of ``winner_proved``."""
    neighbors: float | None
    """Share of truly adjacent pairs that are significant in the right order; None if all models
    are equal.
    """
    neighbors_se: float | None
    """Monte Carlo standard error of ``neighbors``."""
    all_neighbors: float | None
    """Probability that all adjacent pairs are significant in the right order."""
    all_neighbors_se: float | None
    """Monte Carlo standard error of ``all_neighbors``."""
    each: tuple[float | None, ...]
    """Probability for each model and the next, best first; None for equal models."""
    each_se: tuple[float | None, ...]
    """Monte Carlo standard errors of ``each``."""
    tiers: float
    """Mean number of tiers."""
    tiers_se: float
    """Monte Carlo standard error of ``tiers``."""
    rank_low: tuple[float, ...]
    """Mean best rank of each model's rank range, best model first."""
    rank_high: tuple[float, ...]
    """Mean worst rank of each model's rank range."""
    rank_width: float
    """Mean width of the rank ranges."""
    rank_width_se: float
    """Monte Carlo standard error of ``rank_width``."""


ProcedureKind: TypeAlias = Literal[
    "test", "equivalence", "family", "interval", "resolution", "ranks"
]
"""Kind of event that is counted.

``test`` counts rejections of a zero gap, ``equivalence`` findings that the gap is within a margin,
``family`` leaderboards with any false statement, ``interval`` intervals that contain the true gap,
``resolution`` intervals that contain the true q, and ``ranks`` leaderboards whose rank ranges all
contain the true rank.
"""
Meaning: TypeAlias = Literal["type I error", "family-wise error", "power", "coverage"]
LevelWord: TypeAlias = Literal["holds", "errs more", "errs less"]
Parameter: TypeAlias = (
    JsonScalar | tuple[JsonScalar | tuple[JsonScalar | None, ...] | None, ...] | None
)
"""Value of a scenario's parameter. Lists and arrays are tuples, and tables are tuples of tuples.
"""

_NO_GAP = 1e-12
"""True gap below which it counts as zero."""
FAMILY = 0.05
"""Probability of any mark in a simulation of procedures that hold their level exactly."""


def promised(meaning: Meaning, alpha: float) -> float | None:
    """Return the rate that a level implies; None for power."""
    if meaning == "power":
        return None
    return 1 - alpha if meaning == "coverage" else alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often an event occurred for one procedure in one cell."""

    scenario: str
    """Name of the scenario."""
    n_items: int
    """Number of items of each replication."""
    parameters: Mapping[str, Parameter]
    """Parameters of the scenario, by name."""
    truth: float
    """True gap in the scenario; for a leaderboard, the gap between its best and its worst model.
    """
    procedure: str
    """Name of the test or interval."""
    kind: ProcedureKind
    """Kind of event that is counted."""
    n_reps: int
    """Number of replications."""
    n_events: int
    """Number of replications with the event."""
    margin: float | None = None
    """Gap at which a finding of equivalence becomes false; None for other kinds."""
    board: BoardPower | None = None
    """Power on leaderboards; None except for tests of all pairs."""

    @derived
    def rate(self) -> float:
        """Return the share of replications with the event; see ``meaning``."""
        return self.n_events / self.n_reps

    @derived
    def se(self) -> float:
        """Return the Monte Carlo standard error, never 0: one event and one failure are added."""
        p = (self.n_events + 1) / (self.n_reps + 2)
        return math.sqrt(p * (1 - p) / self.n_reps)

    @derived
    def meaning(self) -> Meaning:
        """Return the meaning of the rate."""
        if self.kind in ("interval", "resolution", "ranks"):
            return "coverage"
        if self.kind == "family":
            return "family-wise error"
        if self.margin is not None:
            return "type I error" if abs(self.truth) > self.margin - _NO_GAP else "power"
        return "type I error" if abs(self.truth) < _NO_GAP else "power"

    @property
    def n_errors(self) -> int | None:
        """Return the number of replications with an error; None for power."""
        if self.meaning == "power":
            return None
        return self.n_reps - self.n_events if self.meaning == "coverage" else self.n_events


def _level(rate: Rate, alpha: float, share: float) -> LevelWord | None:
    """Return the verdict on a rate from binomial tails, at its share of the family's level."""
    errors = rate.n_errors
    if errors is None:
        return None
    if float(bdtrc(errors - 1, rate.n_reps, alpha)) < share and errors > 0:
        return "errs more"
    return "errs less" if float(bdtr(errors, rate.n_reps, alpha)) < share else "holds"


_BOARD_EVENTS = ("winner", "winner_proved", "neighbors", "all_neighbors", "tiers", "rank_width")


def _shown(board: BoardPower | None) -> dict[str, float | None]:
    """Return the outcomes of leaderboards as columns."""
    return {name: None if board is None else getattr(board, name) for name in _BOARD_EVENTS}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Simulation(Result):
    """Results of all cells of a grid."""

    scenario: str
    """Name of the scenario."""
    alpha: float
    """Level of tests. Intervals have coverage 1 - alpha."""
    seed: int
    """Random seed."""
    common: bool
    """Whether cells with the same items share random numbers, so that their errors are correlated.
    """
    precision: float | None
    """Standard error at which a cell was complete; None if replications were set."""
    varied: tuple[str, ...]
    """Parameters that differ between cells."""
    rates: tuple[Rate, ...]
    """Rates by cell, with procedures in the requested order."""

    @derived
    def levels(self) -> tuple[LevelWord | None, ...]:
        """Return a verdict on every error rate; None for power.

        ``holds`` means that the rate is within Monte Carlo error of the level. The exact binomial
        tails are compared with a level divided by the number of rates. If all procedures have
        exactly their nominal level, the probability of any other result is at most :data:`FAMILY`,
        whether or not cells share random numbers.
        """
        share = FAMILY / (2 * max(1, sum(r.meaning != "power" for r in self.rates)))
        return tuple(_level(r, self.alpha, share) for r in self.rates)

    @property
    def unseen(self) -> float | None:
        """Return how far an error rate may be from its level within Monte Carlo error."""
        rep_counts = [r.n_reps for r in self.rates if r.meaning != "power"]
        if not rep_counts:
            return None
        z = -float(ndtri(FAMILY / (2 * len(rep_counts))))
        return z * math.sqrt(self.alpha * (1 - self.alpha) / min(rep_counts))

    def __len__(self) -> int:
        """Return the number of rates."""
        return len(self.rates)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per rate."""
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
        """Return the rates as columns, for pandas, Polars, or pyarrow."""
        rows = list(self.rows())
        return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
