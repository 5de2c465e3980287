"""One cell of a check: what was promised there, what happened, and how well that is known."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nstar._base.types import Plain

CellSetting: TypeAlias = Mapping[str, Plain]
"""What a cell is like: names and plain values, in the order to be told."""
Bound: TypeAlias = Literal["at most", "at least"]
CellRole: TypeAlias = Literal["default", "option", "warning"]
Outcome: TypeAlias = Literal["holds", "errs on the safe side", "exceeds"]

OUTCOMES: tuple[Outcome, ...] = ("holds", "errs on the safe side", "exceeds")

EXACT_ALLOWANCE = 0.005
"""How far a rate that is known exactly may be from its promise: tests and intervals of counts
come in steps. A tenth of a level of 5 % (Bradley 1978 calls that stringent), and about what chance
allows the simulated cells of a full run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReading:
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
        """Monte Carlo standard error if the promise holds; 0 for an exact rate."""
        if self.reps is None:
            return 0.0
        return math.sqrt(self.promised * (1 - self.promised) / self.reps)
