"""What a self-check found."""

from dataclasses import dataclass

from nstar._base.codec import derived
from nstar._base.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A number that is not what the reference says."""

    id: str
    """Name of the reference value."""
    path: str
    """Where in the value, as in ``tango[0]``; empty if the value is one number."""
    actual: float | None
    """What nstar computed; None if that is not a finite number."""
    reason: str | None
    """Why there is none, such as ``infinite`` or an error; None if there is one."""
    expected: float | None
    """The reference; None if it is infinite."""
    tolerance: float
    """Largest absolute difference allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyResult:
    """Agreement over the reference values of one subject."""

    name: str
    """Subject, the first part of the names of its values."""
    n_values: int
    """Reference values, each of one or several numbers."""
    n_agree: int
    """Values of which every number agrees."""
    n_exact: int
    """Numbers whose reference is good to 1e-6 or better; digits are taken over these."""
    n_approximate: int
    """Other numbers: their reference is rounded or approximate, so digits would mislead."""
    digits_min: float | None
    """Fewest correct significant digits (log relative error, at most 15); None if no number
    is exact."""
    digits_median: float | None
    """Median of the same."""
    mismatches: tuple[Mismatch, ...]
    """Every number that differs by more than its tolerance."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Selfcheck(Result):
    """Outcome of a self-check, with what is needed to repeat it."""

    families: tuple[FamilyResult, ...]
    """One per subject, in the order of the reference file."""
    nstar: str
    """Version of nstar."""
    python: str
    """Version of Python."""
    numpy: str
    """Version of numpy."""
    scipy: str
    """Version of scipy."""
    sha256: str
    """SHA-256 of the reference file, in hexadecimal."""

    @derived
    def n_values(self) -> int:
        """Reference values compared."""
        return sum(family.n_values for family in self.families)

    @derived
    def n_agree(self) -> int:
        """Reference values of which every number agrees."""
        return sum(family.n_agree for family in self.families)

    @derived
    def passed(self) -> bool:
        """Whether all values agree."""
        return self.n_agree == self.n_values
