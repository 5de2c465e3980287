"""What a validation holds."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nstar._base.result import Result
from nstar._verbs.validate.claim import Checked
from nstar._verbs.validate.judge import Judged, judged
from nstar._verbs.validate.reading import Outcome, Reading


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Validation(Result):
    """Every claim with every cell."""

    effort: str
    """``fast`` or ``full``."""
    seed: int
    """Of all random numbers."""
    claims: tuple[Checked, ...]
    """What was checked."""
    nstar: str
    """Version of nstar."""
    numpy: str
    """Version of numpy."""
    seconds: float
    """How long it took."""
    data: str | None = None
    """Which real scores items were drawn from."""
    cells: tuple[Judged, ...] = field(init=False)
    """Every reading with its outcome."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", judged(self.claims))

    def __len__(self) -> int:
        """Cells, without warning examples."""
        return len(self.own)

    @property
    def own(self) -> tuple[Judged, ...]:
        """Cells in which nstar promises something."""
        return tuple(c for c in self.cells if c.reading.role != "warning")

    @property
    def warnings(self) -> tuple[Judged, ...]:
        """Cells that show what happens to those who do it wrong."""
        return tuple(c for c in self.cells if c.reading.role == "warning")

    @property
    def outcomes(self) -> Counter[Outcome]:
        """How many cells came out how."""
        return Counter(c.outcome for c in self.own)

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
        for cell in self.cells:
            r = cell.reading
            yield {
                "claim": cell.claim.name,
                "group": cell.claim.group,
                "procedure": r.procedure,
                "role": r.role,
                "setting": ", ".join(f"{k} {v}" for k, v in r.setting.items()),
                "bound": cell.claim.bound,
                "promised": r.promised,
                "rate": r.rate,
                "reps": r.reps,
                "tolerance": cell.tolerance,
                "outcome": cell.outcome,
            }


def _claim(data: Mapping[str, Any]) -> Checked:
    readings = tuple(
        Reading(
            procedure=r["procedure"],
            role=r["role"],
            setting=r["setting"],
            promised=r["promised"],
            rate=r["rate"],
            reps=r["reps"],
        )
        for r in data["readings"]
    )
    same = ("name", "group", "says", "bound", "slack", "advice")
    return Checked(**{k: data[k] for k in same}, readings=readings)


def restored(data: Mapping[str, Any]) -> Validation:
    """A Validation from its JSON."""
    same = ("effort", "seed", "nstar", "numpy", "seconds", "data")
    return Validation(
        claims=tuple(_claim(c) for c in data["claims"]), **{k: data[k] for k in same}
    )
