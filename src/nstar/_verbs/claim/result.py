"""What a claim amounts to, and what its reported figures do."""

from dataclasses import dataclass
from typing import NamedTuple

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import FloatOrInf, Interval, IntervalOrInf
from nstar._verbs.benchmarks import TypicalRho
from nstar._verbs.claim.printed import PrintedFigures
from nstar._verbs.verdict import ClaimVerdict, Criteria, GapSize, PrintedWord
from nstar.stats.printed import Grim
from nstar.stats.shortcut import FormulaMatch


@record()
class ClaimRow:
    """The claim at one item correlation."""

    rho: float
    """Item correlation."""
    psi: float
    """Share of items on which exactly one model is right."""
    t: float
    """Gap in standard errors."""
    pvalue: float
    """p-value of the nearest whole counts, by the default test of a comparison."""
    mde: FloatOrInf
    """Smallest gap this benchmark detects, in the direction of the claim."""
    n_star: FloatOrInf
    """Items that would detect the claimed gap."""


class CountRange(NamedTuple):
    """A number of items, as far as it is known."""

    least: int
    """Fewest."""
    most: int
    """Most."""


@record()
class MethodMatch:
    """A test or an interval that reproduces the reported figure, for some counts."""

    method: str
    """Which one."""
    sides: int
    """1 or 2; 2 for an interval."""
    is_paired: bool
    """It uses that both models answered the same items."""
    n_discordant: CountRange | None
    """Items on which the models then disagree; None without pairing, which leaves them open."""
    at_gap: CountRange | None
    """The same if the gap is the reported one, not only rounded to it; None if no table fits."""


@record()
class PValueCheck:
    """A reported p-value against every table that rounds to the accuracies."""

    printed: str
    """As printed: ``"= 0.04"``, ``"< 0.05"``."""
    low: float
    """Smallest p-value that rounds to it."""
    high: float
    """Largest."""
    verdict: PrintedWord
    """Whether some usual test gives it."""
    tests: tuple[MethodMatch, ...]
    """The tests that do."""


@record()
class JointMatch:
    """A test and an interval that print p and interval at the same counts."""

    test: str
    """Which test."""
    sides: int
    """1 or 2."""
    is_test_paired: bool
    """The test uses the pairing."""
    interval: str
    """Which interval."""
    is_interval_paired: bool
    """The interval uses it."""
    n_discordant: CountRange
    """Items on which the models then disagree."""


@record()
class IntervalCheck:
    """A reported interval against every such table, and beside the reported p."""

    se: float
    """Standard error that its width implies (normal theory)."""
    pvalue: float
    """Two-sided p-value that width and gap imply (normal theory)."""
    contains_gap: bool
    """Whether it contains the gap, as far as rounding can tell."""
    verdict: PrintedWord
    """Whether some usual interval is this one."""
    methods: tuple[MethodMatch, ...]
    """The intervals that are."""
    contradicts_p: bool | None
    """p and interval fit, but never at the same counts; None if they were not both checked."""
    joint_match: JointMatch | None
    """The plainest way in which both fit."""


@record()
class SizeCheck:
    """A reported sample size against the formulas in circulation."""

    printed: float
    """As reported."""
    rho: float
    """Item correlation at which formulas were tried."""
    n_star: float
    """What the paired formula needs there."""
    rho_right: float | None
    """Item correlation at which the reported size is right; None if there is none."""
    rho_half: float | None
    """Item correlation at which it is half of what is needed."""
    matches: tuple[FormulaMatch, ...]
    """Formulas that reproduce it at ``rho``, the closest first."""


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
    """Item correlations taken as typical."""
    rho_bounds: Interval | None
    """Feasible item correlations; None when an accuracy is 0 or 1."""
    t_min: FloatOrInf
    """|T| at the least favorable correlation and counts that round to the reported values."""
    t_max: FloatOrInf
    """|T| at the most favorable ones."""
    t_independent: FloatOrInf
    """|T| if the models had answered different items."""
    gap_items: CountRange
    """Smallest and largest gap in items that rounds to these accuracies."""
    n_discordant: CountRange
    """Fewest and most items on which the models can disagree."""
    n_discordant_significant: int | None
    """Most of them at which the mid-p test still finds the gap significant; None if never."""
    rho_significant: float | None
    """Item correlation at that count; None if none or all are significant."""
    verdict: ClaimVerdict
    """Whether every, some, or no feasible discordant count makes the gap significant."""
    mde: IntervalOrInf
    """Detectable gap over the typical correlations."""
    n_star: IntervalOrInf
    """Items that would detect the claimed gap, over the typical correlations."""
    gap_vs_mde: GapSize
    """Size of the gap beside the MDE: below, borderline (within 50%) or above."""
    scenarios: tuple[ClaimRow, ...]
    """The claim at several correlations."""
    grim: tuple[Grim, Grim] | None
    """Whether each accuracy can be a whole number of correct answers."""
    pvalue_check: PValueCheck | None
    """Reported p against the accuracies."""
    ci_check: IntervalCheck | None
    """Reported interval against accuracies and p."""
    printed: PrintedFigures
    """The reported figures."""
    n_check: SizeCheck | None
    """Reported sample size against the formulas."""

    @derived
    def needs_per_item_data(self) -> bool:
        """Two accuracies do not settle it: how often the models disagree would."""
        return self.verdict == "depends"
