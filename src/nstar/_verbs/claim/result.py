"""Result of a claim, and of the checks of its reported figures."""

from dataclasses import dataclass
from typing import NamedTuple

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrInf, Interval, IntervalOrInf
from nstar._verbs.benchmarks import TypicalRho
from nstar._verbs.claim.printed import PrintedFigures
from nstar._verbs.verdict import ClaimVerdict, Criteria, GapSize, PrintedWord
from nstar.stats.printed import Grim
from nstar.stats.shortcut import FormulaMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """Claim at one item correlation."""

    rho: float
    """Item correlation."""
    psi: float
    """Share of items that exactly one model answers correctly."""
    t: float
    """Gap divided by its standard error."""
    pvalue: float
    """p-value by the default test of a comparison, at the nearest integer counts."""
    mde: FloatOrInf
    """Smallest gap that this benchmark can detect, in the direction of the claim."""
    n_star: FloatOrInf
    """Number of items that would detect the claimed gap."""


class CountRange(NamedTuple):
    """Range of a number of items."""

    least: int
    """Minimum."""
    most: int
    """Maximum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodMatch:
    """Test or interval that reproduces the reported figure for some counts."""

    method: str
    """Name of the method."""
    sides: int
    """Number of sides: 1 or 2; 2 for an interval."""
    is_paired: bool
    """Whether the method uses that both models answered the same items."""
    n_discordant: CountRange | None
    """Number of items on which the models then disagree; None for an unpaired method, which does
    not determine it.
    """
    at_gap: CountRange | None
    """The same range if the gap equals the reported gap rather than rounds to it; None if no table
    fits.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class PValueCheck:
    """Check of a reported p-value against all tables that round to the accuracies."""

    printed: str
    """Reported text: ``"= 0.04"``, ``"< 0.05"``."""
    low: float
    """Smallest p-value that rounds to the reported one."""
    high: float
    """Largest p-value that rounds to the reported one."""
    verdict: PrintedWord
    """Whether a usual test gives the p-value."""
    tests: tuple[MethodMatch, ...]
    """Tests that give the p-value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointMatch:
    """Test and interval that give the reported p-value and interval at the same counts."""

    test: str
    """Name of the test."""
    sides: int
    """Number of sides of the test: 1 or 2."""
    is_test_paired: bool
    """Whether the test uses the pairing."""
    interval: str
    """Name of the interval."""
    is_interval_paired: bool
    """Whether the interval uses the pairing."""
    n_discordant: CountRange
    """Number of items on which the models then disagree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalCheck:
    """Check of a reported interval against the same tables, and against the reported p-value."""

    se: float
    """Standard error that the width of the interval implies (normal theory)."""
    pvalue: float
    """Two-sided p-value that the width and the gap imply (normal theory)."""
    contains_gap: bool
    """Whether the interval contains the gap, given rounding."""
    verdict: PrintedWord
    """Whether a usual method gives the interval."""
    methods: tuple[MethodMatch, ...]
    """Methods that give the interval."""
    contradicts_p: bool | None
    """Whether p-value and interval each fit, but never at the same counts; None if not both were
    checked.
    """
    joint_match: JointMatch | None
    """Simplest combination of methods that gives both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCheck:
    """Check of a reported sample size against common formulas."""

    printed: float
    """Reported sample size."""
    rho: float
    """Item correlation for the formulas."""
    n_star: float
    """Sample size by the paired formula at this correlation."""
    rho_right: float | None
    """Item correlation at which the reported size is right; None if there is none."""
    rho_half: float | None
    """Item correlation at which the reported size is half of the required size."""
    matches: tuple[FormulaMatch, ...]
    """Formulas that give the reported size at ``rho``, closest first."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Claim(Result):
    """Check of a gap between two reported accuracies on the same items."""

    mean_a: float
    """Reported accuracy of the first model."""
    mean_b: float
    """Reported accuracy of the second model."""
    n_items: int
    """Number of items that both models answered."""
    gap: float
    """Gap, first minus second."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    rho_assumed: TypicalRho
    """Item correlations that are assumed as typical."""
    rho_bounds: Interval | None
    """Range of feasible item correlations; None if an accuracy is 0 or 1."""
    t_min: FloatOrInf
    """Smallest |T| over correlations and counts that round to the reported accuracies."""
    t_max: FloatOrInf
    """Largest |T| over correlations and counts that round to the reported accuracies."""
    t_independent: FloatOrInf
    """Value of |T| if the models answered different items."""
    gap_items: CountRange
    """Smallest and largest gap in items that rounds to these accuracies."""
    n_discordant: CountRange
    """Smallest and largest number of items on which the models can disagree."""
    n_discordant_significant: int | None
    """Largest number of discordant items at which the mid-p test is significant; None if it never
    is.
    """
    rho_significant: float | None
    """Item correlation at that number; None if none or all are significant."""
    verdict: ClaimVerdict
    """Whether all, some, or no feasible numbers of discordant items make the gap significant."""
    mde: IntervalOrInf
    """Range of the detectable gap over the typical correlations."""
    n_star: IntervalOrInf
    """Range of the items that would detect the claimed gap, over the typical correlations."""
    gap_vs_mde: GapSize
    """Size of the gap compared with the MDE: below, borderline (within 50%), or above."""
    scenarios: tuple[ClaimRow, ...]
    """Claim at several correlations."""
    grim: tuple[Grim, Grim] | None
    """Whether each accuracy can be an integer number of correct answers."""
    pvalue_check: PValueCheck | None
    """Check of the reported p-value."""
    ci_check: IntervalCheck | None
    """Check of the reported interval."""
    printed: PrintedFigures
    """Reported figures."""
    n_check: SizeCheck | None
    """Check of the reported sample size."""

    @derived
    def needs_per_item_data(self) -> bool:
        """Return whether the verdict depends on how often the models disagree."""
        return self.verdict == "depends"
