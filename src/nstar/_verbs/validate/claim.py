"""What nstar says of itself, each sentence with the cells that put it to the test."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias

from nstar._data.matrix import ScoreMatrix
from nstar._verbs.validate.reading import Bound, CellReading
from nstar.errors import ParameterError


@dataclass(frozen=True, slots=True)
class OnScores:
    """A job that looks at the real scores, which are handed in where it runs."""

    read: Callable[[ScoreMatrix], list[CellReading]]

    def __call__(self, scores: ScoreMatrix) -> list[CellReading]:
        """Its cells."""
        return self.read(scores)


CheckJob: TypeAlias = Callable[..., list[CellReading]]
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
class Ask:
    """What is wanted of a validation."""

    effort: Effort
    seed: int = 0
    ranked: tuple[str, ...] = ()
    """Models of a real leaderboard, best first; none to leave that check out."""


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

    jobs: Callable[[Ask], Iterator[CheckJob]] = field(repr=False)
    """Its cells."""

    @property
    def promise(self) -> Promise:
        """The sentence alone."""
        return Promise(**{f.name: getattr(self, f.name) for f in fields(Promise)})


class Claims(dict[str, TestedPromise]):
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
    ) -> Callable[[Callable[[Ask], Iterator[CheckJob]]], Callable[[Ask], Iterator[CheckJob]]]:
        """Register the cells of a claim; a decorator, the function's name becomes the claim's."""

        def register(
            jobs: Callable[[Ask], Iterator[CheckJob]],
        ) -> Callable[[Ask], Iterator[CheckJob]]:
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
    "Verdicts",
    "Gates",
    "Looking again and again",
    "Real scores",
)
"""Kinds of promises, in the order in which they are told."""

CLAIMS = Claims()
"""Everything that is checked."""
