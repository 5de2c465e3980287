"""Result of a self-check."""

from dataclasses import dataclass

from nstar._base.codec import derived
from nstar._base.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A number that differs from the reference."""

    id: str
    """Name of the reference value."""
    path: str
    """Position in the value, such as ``tango[0]``; empty if the value is one number."""
    actual: float | None
    """Number that nstar computed; None if it is not finite."""
    reason: str | None
    """Reason why there is no number, such as ``infinite`` or an error; None if there is one."""
    expected: float | None
    """Reference number; None if it is infinite."""
    tolerance: float
    """Largest absolute difference that is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyResult:
    """Agreement with the reference values on one subject."""

    name: str
    """Subject, which is the first part of the names of its values."""
    n_values: int
    """Number of reference values, each of which has one or several numbers."""
    n_agree: int
    """Number of values whose numbers all agree."""
    n_exact: int
    """Number of references with an accuracy of 1e-6 or better, for which digits are reported."""
    n_approximate: int
    """Number of references that are rounded or approximate."""
    digits_min: float | None
    """Smallest number of correct significant digits (log relative error, at most 15); None if no
    reference is exact.
    """
    digits_median: float | None
    """Median number of correct significant digits."""
    mismatches: tuple[Mismatch, ...]
    """Numbers that differ by more than their tolerance."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Selfcheck(Result):
    """Result of a self-check, with the versions needed to repeat it."""

    families: tuple[FamilyResult, ...]
    """Results by subject, in the order of the reference file."""
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
        """Return the number of reference values."""
        return sum(family.n_values for family in self.families)

    @derived
    def n_agree(self) -> int:
        """Return the number of reference values whose numbers all agree."""
        return sum(family.n_agree for family in self.families)

    @derived
    def passed(self) -> bool:
        """Return whether all values agree."""
        return self.n_agree == self.n_values
