"""Whether a promise holds: rates against what chance explains, over all cells together."""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import bdtr, bdtrc, ndtri

from nstar._verbs.validate.claim import Checked
from nstar._verbs.validate.reading import EXACT_ALLOWANCE, Outcome, Reading

FAMILY = 0.05
"""Chance that any simulated cell is marked although all promises hold exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A reading of a claim, with its outcome."""

    claim: Checked
    reading: Reading
    tolerance: float
    """How far from its promise the rate may be."""
    outcome: Outcome

    @property
    def excess(self) -> float:
        """How far the rate is on the wrong side of its promise; negative on the safe side."""
        off = self.reading.rate - self.reading.promised
        return off if self.claim.bound == "at most" else -off

    @property
    def beyond(self) -> float:
        """How far it is outside its tolerance, on the wrong side."""
        return self.excess - self.tolerance


def _tails(reading: Reading) -> tuple[float, float]:
    """Chances of so few events or fewer, and of so many or more, if the promise holds."""
    n, k, p = reading.reps or 0, reading.events, reading.promised
    return float(bdtr(k, n, p)), float(bdtrc(k - 1, n, p)) if k > 0 else 1.0


def _outcome(claim: Checked, reading: Reading, tolerance: float, share: float) -> Outcome:
    off = reading.rate - reading.promised
    wrong = off if claim.bound == "at most" else -off
    if reading.exact or claim.slack:
        if abs(off) <= tolerance:
            return "holds"
        return "exceeds" if wrong > 0 else "errs on the safe side"
    few, many = _tails(reading)
    if min(few, many) >= share:
        return "holds"
    return "exceeds" if wrong > 0 else "errs on the safe side"


def judged(claims: Sequence[Checked]) -> tuple[Judged, ...]:
    """Every reading with its outcome.

    Simulated rates are held against exact binomial tails, each of them against its share of
    :data:`FAMILY`: the Bonferroni bound over all simulated cells and both tails. Exact rates have
    a fixed allowance.
    """
    simulated = sum(not r.exact for c in claims for r in c.readings)
    share = FAMILY / (2 * max(simulated, 1))
    z = -float(ndtri(share))
    out = []
    for claim in claims:
        for reading in claim.readings:
            chance = EXACT_ALLOWANCE if reading.exact else z * reading.se
            tolerance = claim.slack + chance
            outcome = _outcome(claim, reading, tolerance, share)
            out.append(Judged(claim=claim, reading=reading, tolerance=tolerance, outcome=outcome))
    return tuple(out)
