"""What a validation holds."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._verbs.validate.claim import EffortName, Promise
from nstar._verbs.validate.judge import Judged
from nstar._verbs.validate.reading import OUTCOMES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Validation(Result):
    """Every claim with every cell."""

    effort: EffortName
    """``fast`` or ``full``."""
    seed: int
    """Of all random numbers."""
    claims: tuple[Promise, ...]
    """What was checked."""
    cells: tuple[Judged, ...]
    """Every reading of them with its outcome, claim by claim."""
    nstar: str
    """Version of nstar."""
    numpy: str
    """Version of numpy."""
    seconds: float
    """How long it took."""
    data: str | None = None
    """Which real scores items were drawn from."""

    def __len__(self) -> int:
        """Cells, without warning examples."""
        return len(self.own)

    @property
    def own(self) -> tuple[Judged, ...]:
        """Cells in which nstar promises something."""
        return tuple(c for c in self.cells if c.role != "warning")

    @property
    def warnings(self) -> tuple[Judged, ...]:
        """Cells that show what happens to those who do it wrong."""
        return tuple(c for c in self.cells if c.role == "warning")

    @derived
    def outcomes(self) -> Mapping[str, int]:
        """How many cells came out how, without warning examples."""
        seen = Counter(c.outcome for c in self.own)
        return {outcome: seen[outcome] for outcome in OUTCOMES}

    @property
    def worst(self) -> tuple[Judged, ...]:
        """Cells by how far they are outside their tolerance, the farthest first."""
        return tuple(sorted(self.own, key=lambda c: -c.beyond))

    @property
    def limits(self) -> tuple[Judged, ...]:
        """Cells that promise more than they hold, the worst first."""
        return tuple(c for c in self.worst if c.outcome == "exceeds")

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dictionary per cell."""
        for c in self.cells:
            yield {
                "claim": c.claim,
                "group": c.group,
                "procedure": c.procedure,
                "role": c.role,
                "setting": ", ".join(f"{k} {v}" for k, v in c.setting.items()),
                "bound": c.bound,
                "promised": c.promised,
                "rate": c.rate,
                "reps": c.reps,
                "tolerance": c.tolerance,
                "outcome": c.outcome,
            }
