"""Evaluate a list of claims, and count the verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import IntervalOrInf
from nstar._verbs.claim.result import Claim
from nstar._verbs.verdict import ClaimVerdict, Criteria, GapSize, PrintedWord


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedClaim:
    """One claim of a list, as ``claim`` evaluates it."""

    paper: str
    """Name of the claim."""
    mean_a: float
    """Reported accuracy of the first model."""
    mean_b: float
    """Reported accuracy of the second model."""
    n_items: int
    """Number of items that both models answered."""
    gap: float
    """Gap, first minus second."""
    mde: IntervalOrInf
    """Range of the detectable gap over the assumed correlations."""
    n_star: IntervalOrInf
    """Range of the items that would detect the claimed gap."""
    gap_vs_mde: GapSize
    """Size of the gap compared with the MDE: below, borderline (within 50%), or above."""
    verdict: ClaimVerdict
    """Whether all, some, or no feasible numbers of discordant items make the gap significant."""
    reported_pvalue: str | None
    """Reported p-value; None without one."""
    pvalue_verdict: PrintedWord | None
    """Whether a usual test gives the reported p-value; None without one."""
    ci_verdict: PrintedWord | None
    """Whether a usual method gives the reported interval; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedClaim:
    """Claim that was not evaluated."""

    paper: str
    """Name of the claim."""
    reason: str
    """Reason why it was skipped."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ClaimList(Result):
    """Check of several claims, each about two reported accuracies on the same items."""

    claims: tuple[ListedClaim, ...]
    """Claims in their order."""
    skipped: tuple[SkippedClaim, ...]
    """Claims that were not evaluated."""
    rho_assumed: str
    """Item correlations that are assumed as typical, such as ``0.4–0.7``."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""

    def count(self, word: ClaimVerdict | GapSize) -> int:
        """Return the number of claims with this verdict or this size compared with the MDE."""
        return sum(word in (claim.verdict, claim.gap_vs_mde) for claim in self.claims)

    @derived
    def n_below(self) -> int:
        """Return the number of gaps that are below the MDE."""
        return self.count("below")

    @derived
    def n_borderline(self) -> int:
        """Return the number of gaps within 50% of the MDE."""
        return self.count("borderline")

    @derived
    def n_above(self) -> int:
        """Return the number of gaps that are above the MDE."""
        return self.count("above")


def listed(paper: str, claim: Claim) -> ListedClaim:
    """Return the row of a claim in a list."""
    p, ci = claim.pvalue_check, claim.ci_check
    return ListedClaim(
        paper=paper,
        mean_a=claim.mean_a,
        mean_b=claim.mean_b,
        n_items=claim.n_items,
        gap=claim.gap,
        mde=claim.mde,
        n_star=claim.n_star,
        gap_vs_mde=claim.gap_vs_mde,
        verdict=claim.verdict,
        reported_pvalue=None if p is None else p.printed,
        pvalue_verdict=None if p is None else p.verdict,
        ci_verdict=None if ci is None else ci.verdict,
    )


def claim_tally(
    claims: Sequence[ListedClaim],
    skipped: Sequence[SkippedClaim],
    *,
    rhos: Sequence[tuple[float, float]],
    criteria: Criteria,
) -> ClaimList:
    """Return the list with the assumed range of correlations."""
    low, high = min(r[0] for r in rhos), max(r[1] for r in rhos)
    return ClaimList(
        claims=tuple(claims),
        skipped=tuple(skipped),
        rho_assumed=f"{low:g}" if low == high else f"{low:g}–{high:g}",
        criteria=criteria,
    )
