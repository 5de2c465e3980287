"""Compare all reference values with the kernel."""

import hashlib
import json
import math
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from statistics import median
from typing import Any

import numpy as np
import scipy

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.units import alternatives
from nstar._base.version import __version__
from nstar._verbs.selfcheck import (
    binary,
    gates,
    graded,
    items,
    judges,
    multiplicity,
    votes,
)
from nstar._verbs.selfcheck.reference import Evaluator, agrees, digits, leaves
from nstar.errors import ParameterError


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


_EXACT = 1e-6
"""Tolerance above which a reference counts as approximate."""
_ODD = {math.inf: "infinite", -math.inf: "minus infinity"}
"""Names of computed values that are not finite numbers."""

EVALUATORS: dict[str, Evaluator] = {
    **binary.EVALUATORS,
    **graded.EVALUATORS,
    **multiplicity.EVALUATORS,
    **judges.EVALUATORS,
    **votes.EVALUATORS,
    **items.EVALUATORS,
    **gates.EVALUATORS,
}
"""Evaluators by the name of the value up to the first space, or by its whole name."""


def _family(name: str) -> str:
    """Return the subject of a reference value."""
    return name.split(".", 1)[0]


FAMILIES: tuple[str, ...] = tuple(sorted({_family(name) for name in EVALUATORS}))
"""Subjects that have reference values."""


def evaluator(name: str) -> Evaluator | None:
    """Return the function for a reference value, found by its whole name or its stem.

    Return None if there is none.

    >>> evaluator("paired.K")({"alpha": 0.05, "power": 0.8}).round(6)
    np.float64(2.801585)
    """
    return EVALUATORS.get(name) or EVALUATORS.get(name.split(" ", 1)[0])


def reference() -> bytes:
    """Return the reference file of this installation."""
    return resources.files("nstar._verbs.selfcheck").joinpath("golden.json").read_bytes()


def _evaluate(item: dict[str, Any]) -> Any:
    """Return the computed value, or a description of an error, so that a check never crashes."""
    func = evaluator(item["id"])
    if func is None:
        return "no function computes this value"
    try:
        return func(item["inputs"])
    except Exception as error:  # any failure is reported
        return f"{type(error).__name__}: {error}"


def _miss(item: dict[str, Any], path: str, got: float | str, want: float) -> Mismatch:
    reason = got if isinstance(got, str) else _ODD.get(got, "not a number")
    number = got if not isinstance(got, str) and math.isfinite(got) else None
    return Mismatch(
        id=item["id"],
        path=path,
        actual=number,
        reason=None if number is not None else reason,
        expected=want if math.isfinite(want) else None,
        tolerance=item["tol"],
    )


def _check_family(name: str, items: list[dict[str, Any]]) -> FamilyResult:
    misses: list[Mismatch] = []
    correct: list[float] = []
    loose = 0
    for item in items:
        tol = item["tol"]
        for path, got, want in leaves(_evaluate(item), item["value"]):
            if tol <= _EXACT:
                correct.append(digits(got, want))
            else:
                loose += 1
            if not agrees(got, want, tol):
                misses.append(_miss(item, path, got, want))
    return FamilyResult(
        name=name,
        n_values=len(items),
        n_agree=len(items) - len({miss.id for miss in misses}),
        n_exact=len(correct),
        n_approximate=loose,
        digits_min=min(correct, default=None),
        digits_median=median(correct) if correct else None,
        mismatches=tuple(misses),
    )


def selfcheck(families: Iterable[str] | None = None) -> Selfcheck:
    """Compare this installation with reference values that were computed by other means.

    Parameters
    ----------
    families : iterable of str, optional
        Subjects to check, from ``nstar._verbs.selfcheck.FAMILIES``; all by default.

    Examples
    --------
    >>> result = selfcheck(["lemma"])
    >>> result.passed, result.families[0].mismatches
    (True, ())
    """
    names = FAMILIES if families is None else tuple(families)
    for name in names:
        if name not in FAMILIES:
            msg = f"family must be {alternatives(FAMILIES)}; got {name!r}"
            raise ParameterError(msg)
    raw = reference()
    groups: dict[str, list[dict[str, Any]]] = {}
    for item in json.loads(raw)["items"]:
        groups.setdefault(_family(item["id"]), []).append(item)
    return Selfcheck(
        families=tuple(_check_family(n, items) for n, items in groups.items() if n in names),
        nstar=__version__,
        python=platform.python_version(),
        numpy=np.__version__,
        scipy=scipy.__version__,
        sha256=hashlib.sha256(raw).hexdigest(),
    )
