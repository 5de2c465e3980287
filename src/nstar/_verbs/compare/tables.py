"""The parts of a Pair: counts, readings of the items, groups, runs, equivalence."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.types import Endless, Interval

Kind: TypeAlias = Literal["items", "strata", "cluster"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Two 0/1 scores per item, first model first."""

    n11: int
    """Items both got right."""
    n10: int
    """Items only the first got right."""
    n01: int
    """Items only the second got right."""
    n00: int
    """Items neither got right."""

    @property
    def n(self) -> int:
        """Items."""
        return self.n11 + self.n10 + self.n01 + self.n00

    @property
    def psi(self) -> float:
        """Share of items on which exactly one model is right."""
        return (self.n10 + self.n01) / self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The gap under one reading of the items: independent, in strata, or in clusters."""

    kind: Kind
    """``items``: independent draws; ``strata``: groups define the benchmark; ``cluster``: groups
    are a sample of those that could have been in it."""
    column: str | None = None
    """Group column; None for independent items."""
    groups: int | None = None
    """Groups with items; None for independent items."""
    se: float
    """Standard error of the gap; 0 when all differences are equal, which measures no error."""
    t: Endless
    """Gap in standard errors; infinite when the error is 0 and the gap is not."""
    df: Endless
    """Degrees of freedom of the interval, infinite for a normal one."""
    lost: float = 1.0
    """Units that carry no degree of freedom: 1 for a mean, one for each stratum."""
    ci: Interval
    """Interval of the gap."""
    ci_method: str
    """How it was made."""
    p: float
    """p-value of a zero gap."""
    p_method: str
    """Its test."""
    icc: float | None = None
    """Intraclass correlation of the difference by analysis of variance; None unless the groups
    are clusters."""
    design_effect: float | None = None
    """Variance over that of independent items; None unless the groups are clusters."""
    cluster_size: float | None = None
    """Mean size of a cluster as an item sees it, Σm²/N; None unless the groups are clusters."""
    icc_plan: float | None = None
    """The intraclass correlation that has this design effect in clusters of that size, for
    ``nstar plan --icc … --cluster-size …``; None where there is none above 0."""
    caution: str | None = None
    """Why these numbers are a rough guide, if they are."""

    @property
    def name(self) -> str:
        """``items``, ``strata:COLUMN`` or ``cluster:COLUMN``."""
        return self.kind if self.column is None else f"{self.kind}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """The two models on one group of items."""

    label: str
    """Group."""
    n: int
    """Common items in it."""
    mean_a: float
    """First model's mean there."""
    mean_b: float
    """Second model's mean there."""
    delta: float
    """Gap there, first minus second."""
    ci: Interval | None
    """Its own interval, items independent, one comparison; None for one graded item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """The gap with one group left out at a time."""

    low: float
    """Smallest gap with one group left out."""
    high: float
    """Largest gap with one group left out."""
    flips: int
    """Groups whose omission alone turns the sign of the gap, or makes it 0."""
    most: str
    """Group whose omission moves the gap furthest."""
    without_most: float
    """Gap without that group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """The gap over the groups of one column."""

    column: str
    """Group column."""
    rows: tuple[GroupRow, ...]
    """Every group, in order of appearance."""
    left_out: LeftOut
    """The gap with one group left out at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSplit:
    """Where the variance of the gap comes from when cells have several runs.

    The part between items remains however often each item is run again.
    """

    runs_a: tuple[int, int]
    """Fewest and most runs per item of the first model."""
    runs_b: tuple[int, int]
    """Fewest and most runs per item of the second model."""
    variance: float
    """Squared standard error of the gap, items independent."""
    part_a: float | None
    """Its run-to-run part from the first model; None without repeated runs of it."""
    part_b: float | None
    """Its run-to-run part from the second model; None without repeated runs of it."""
    data_part: float | None
    """The rest, between items; estimated without bias, so possibly negative."""
    sigma_wa2: float | None
    """Run-to-run variance within an item, first model."""
    sigma_wb2: float | None
    """Run-to-run variance within an item, second model."""
    sigma_b2: float | None
    """Between-item variance of the true difference, floored at 0."""
    removable: float | None
    """Share of the variance that ever more runs would remove, in [0, 1]."""
    mde_floor: float | None
    """Gap detectable on these items with endless runs; None when not identified."""
    assumed: int
    """Cells with one run, whose run-to-run variance is taken from the other items."""

    @property
    def identified(self) -> bool:
        """Both models have items with several runs, so that the parts can be told apart."""
        return self.data_part is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Whether the gap is smaller than a margin declared in advance."""

    margin: float
    """Largest gap that does not matter."""
    conf: float
    """Coverage of the interval: two one-sided tests at alpha are 1 - 2 alpha."""
    ci: Interval
    """Interval of the gap at that coverage; where counts do not decide, it allows for losses and
    gains of the whole scale that are too rare to have shown."""
    p: float
    """p-value of "the gap is at least the margin"."""
    equivalent: bool
    """The interval lies inside (-margin, margin)."""
    p_noninferior: float
    """p-value of "the first model is behind by the margin or more"."""
    noninferior: bool
    """The interval lies above -margin."""
    n_star: Endless
    """Items that would show equivalence with the wanted power were the models truly equal, of
    the same kind and noise; infinite if none would."""
