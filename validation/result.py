"""What a validation holds: every cell, and whether its promise holds there.

Rates are held against what chance explains, over all cells together.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module

from scipy.special import bdtr, bdtrc, ndtri

from nstar._base.codec import derived
from nstar._base.result import Result
from validation.promise import (
    EXACT_ALLOWANCE,
    OUTCOMES,
    Bound,
    CellRate,
    EffortName,
    Outcome,
    Promise,
)

FAMILY = 0.05
"""Chance that any simulated cell is marked although all promises hold exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellVerdict(CellRate):
    """A reading of a claim, with its outcome."""

    claim: str
    """Name of the claim."""
    group: str
    """What kind of promise it is."""
    bound: Bound
    """Whether the rate may be at most or must be at least what is promised."""
    tolerance: float
    """How far from its promise the rate may be."""
    outcome: Outcome
    """Whether the promise holds there."""

    @property
    def excess(self) -> float:
        """How far the rate is on the wrong side of its promise; negative on the safe side."""
        off = self.rate - self.promised
        return off if self.bound == "at most" else -off

    @property
    def beyond(self) -> float:
        """How far it is outside its tolerance, on the wrong side."""
        return self.excess - self.tolerance


def _tails(reading: CellRate) -> tuple[float, float]:
    """Chances of so few events or fewer, and of so many or more, if the promise holds."""
    n, k, p = reading.reps or 0, reading.events, reading.promised
    return float(bdtr(k, n, p)), float(bdtrc(k - 1, n, p)) if k > 0 else 1.0


def _outcome(claim: Promise, reading: CellRate, tolerance: float, share: float) -> Outcome:
    off = reading.rate - reading.promised
    wrong = off if claim.bound == "at most" else -off
    if reading.exact or claim.slack or reading.spread is not None:
        if abs(off) <= tolerance:
            return "holds"
        return "exceeds" if wrong > 0 else "errs on the safe side"
    lower_tail, many = _tails(reading)
    if min(lower_tail, many) >= share:
        return "holds"
    return "exceeds" if wrong > 0 else "errs on the safe side"


def judged(readings: Sequence[tuple[Promise, CellRate]]) -> tuple[CellVerdict, ...]:
    """Every reading with its outcome; one that was judged before is judged anew.

    Simulated rates are held against exact binomial tails, each of them against its share of
    :data:`FAMILY`: the Bonferroni bound over all simulated cells and both tails; means of shares
    against normal ones. Exact rates have a fixed allowance.
    """
    simulated = sum(not reading.exact for _, reading in readings)
    share = FAMILY / (2 * max(simulated, 1))
    z = -float(ndtri(share))
    out = []
    for claim, reading in readings:
        chance = EXACT_ALLOWANCE if reading.exact else z * reading.se
        tolerance = claim.slack + chance
        out.append(
            CellVerdict(
                **{f.name: getattr(reading, f.name) for f in fields(CellRate)},
                claim=claim.name,
                group=claim.group,
                bound=claim.bound,
                tolerance=tolerance,
                outcome=_outcome(claim, reading, tolerance, share),
            )
        )
    return tuple(out)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Validation(Result):
    """Every claim with every cell."""

    effort: EffortName
    """``fast`` or ``full``."""
    seed: int
    """Of all random numbers."""
    claims: tuple[Promise, ...]
    """What was checked."""
    cells: tuple[CellVerdict, ...]
    """Every reading of them with its outcome, claim by claim."""
    nstar: str
    """Version of nstar."""
    numpy: str
    """Version of numpy."""
    seconds: float
    """How long it took."""
    data: str | None = None
    """Which real scores items were drawn from."""

    _report = staticmethod(lambda: import_module("validation.report"))

    def __len__(self) -> int:
        """Cells, without warning examples."""
        return len(self.own)

    @property
    def own(self) -> tuple[CellVerdict, ...]:
        """Cells in which nstar promises something."""
        return tuple(c for c in self.cells if c.role != "warning")

    @property
    def warnings(self) -> tuple[CellVerdict, ...]:
        """Cells that show what happens to those who do it wrong."""
        return tuple(c for c in self.cells if c.role == "warning")

    @derived
    def outcomes(self) -> Mapping[str, int]:
        """How many cells came out how, without warning examples."""
        counts = Counter(c.outcome for c in self.own)
        return {outcome: counts[outcome] for outcome in OUTCOMES}

    @property
    def worst(self) -> tuple[CellVerdict, ...]:
        """Cells by how far they are outside their tolerance, the farthest first."""
        return tuple(sorted(self.own, key=lambda c: -c.beyond))

    @property
    def limits(self) -> tuple[CellVerdict, ...]:
        """Cells that promise more than they hold, the worst first."""
        return tuple(c for c in self.worst if c.outcome == "exceeds")
