"""What nstar says of itself, each sentence with the cells that put it to the test.

A cell is read: what was promised there, what happened, and how well that is known.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias

from nstar._base.types import JsonScalar
from nstar._data.matrix import ScoreMatrix
from nstar.errors import ParameterError

CellSetting: TypeAlias = Mapping[str, JsonScalar]
"""What a cell is like: names and plain values, in the order to be told."""
Bound: TypeAlias = Literal["at most", "at least"]
CellRole: TypeAlias = Literal["default", "option", "warning"]
Outcome: TypeAlias = Literal["holds", "errs on the safe side", "exceeds"]

OUTCOMES: tuple[Outcome, ...] = ("holds", "errs on the safe side", "exceeds")

EXACT_ALLOWANCE = 0.005
"""How far a rate that is known exactly may be from its promise: tests and intervals of counts
come in steps. A tenth of a level of 5% (Bradley 1978 calls that stringent), and about what chance
allows the simulated cells of a full run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRate:
    """How often a procedure did something in one cell."""

    procedure: str
    """Test, interval or verb."""
    setting: CellSetting = field(default_factory=dict)
    """What the cell is like, by name, in the order to be told."""
    rate: float
    """Share of evaluations in which it happened."""
    promised: float
    """What nstar says of that share."""
    reps: int | None = None
    """Simulated evaluations; None if all possible ones were weighed, so the rate is exact."""
    spread: float | None = None
    """Standard deviation over evaluations, where each gives a share (of the pairs of a board) and
    the rate is their mean; None where each gives yes or no."""
    role: CellRole = "default"
    """``default``: what nstar does unless told otherwise; ``option``: what it also offers;
    ``warning``: what nobody should do, shown for its consequences."""

    @property
    def exact(self) -> bool:
        """Whether the rate has no Monte Carlo error."""
        return self.reps is None

    @property
    def events(self) -> int:
        """How many of the simulated evaluations."""
        return round(self.rate * (self.reps or 0))

    @property
    def se(self) -> float:
        """Monte Carlo standard error, of yes or no if the promise holds; 0 for an exact rate."""
        if self.reps is None:
            return 0.0
        if self.spread is not None:
            return self.spread / math.sqrt(self.reps)
        return math.sqrt(self.promised * (1 - self.promised) / self.reps)


def counted_reading(
    procedure: str, setting: CellSetting, events: int, reps: int, *, promised: float
) -> CellRate:
    """A cell in which something happened in so many of the simulated evaluations."""
    return CellRate(
        procedure=procedure, setting=setting, rate=events / reps, promised=promised, reps=reps
    )


@dataclass(frozen=True, slots=True)
class RealScoresJob:
    """A job that looks at the real scores, which are handed in where it runs."""

    read: Callable[[ScoreMatrix], list[CellRate]]

    def __call__(self, scores: ScoreMatrix) -> list[CellRate]:
        """Its cells."""
        return self.read(scores)


CheckJob: TypeAlias = Callable[..., list[CellRate]]
"""A few cells; a pure function that can be sent away, so that it runs anywhere, in any order."""


EffortName: TypeAlias = Literal["fast", "full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is simulated."""

    name: EffortName
    """``fast`` or ``full``."""
    reps: int
    """Simulated evaluations of a cell."""
    boards: int
    """Simulated leaderboards of a cell."""
    compared: int
    """Evaluations of a cell that ``compare`` is asked about in full."""

    @property
    def full(self) -> bool:
        """Whether every cell of a grid is wanted, or a few of each."""
        return self.name == "full"


FAST = Effort(name="fast", reps=2000, boards=40, compared=100)
FULL = Effort(name="full", reps=20_000, boards=2000, compared=2000)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValidationRequest:
    """What is wanted of a validation."""

    effort: Effort
    seed: int = 0
    ranked: tuple[str, ...] = ()
    """Models of a real leaderboard, best first; none to leave that check out."""


ClaimJobs: TypeAlias = Callable[[ValidationRequest], Iterator[CheckJob]]
"""The cells of a claim, by how much is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A sentence that nstar says of itself."""

    name: str
    """Short name."""
    group: str
    """What kind of promise it is."""
    says: str
    """The sentence."""
    bound: Bound
    """Whether rates may be at most or must be at least what is promised."""
    slack: float = 0.0
    """How far off nstar itself says an approximation may be."""
    advice: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What to do where a procedure promises too much, by its name; "" for all others."""

    def advise(self, procedure: str) -> str | None:
        """What to do where it promises too much."""
        return self.advice.get(procedure, self.advice.get(""))


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedPromise(Promise):
    """A promise, and how it is checked."""

    jobs: ClaimJobs = field(repr=False)
    """Its cells."""

    @property
    def promise(self) -> Promise:
        """The sentence alone."""
        return Promise(**{f.name: getattr(self, f.name) for f in fields(Promise)})


class PromiseRegistry(dict[str, TestedPromise]):
    """Claims by name, in the order in which they were made."""

    def __missing__(self, name: str) -> TestedPromise:
        """A message that lists all."""
        msg = f"no claim {name!r}; there are {', '.join(self)}"
        raise ParameterError(msg)

    def add(
        self,
        group: str,
        says: str,
        bound: Bound,
        *,
        slack: float = 0.0,
        advice: Mapping[str, str] | None = None,
    ) -> Callable[[ClaimJobs], ClaimJobs]:
        """Register the cells of a claim; a decorator, the function's name becomes the claim's."""

        def register(jobs: ClaimJobs) -> ClaimJobs:
            name = jobs.__name__.replace("_", "-")
            self[name] = TestedPromise(
                name=name,
                group=group,
                says=says,
                bound=bound,
                jobs=jobs,
                slack=slack,
                advice=advice or {},
            )
            return jobs

        return register


GROUPS = (
    "Type I error",
    "Coverage",
    "Power",
    "Leaderboards",
    "Votes",
    "Judges",
    "Verdicts",
    "Gates",
    "Interim looks",
    "Real scores",
)
"""Kinds of promises, in the order in which they are told."""

CLAIMS = PromiseRegistry()
"""Everything that is checked."""
