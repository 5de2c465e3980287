"""What every published figure is compared by: rows, documents, verdicts and tolerances."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar import stats

__all__ = [
    "ABOUT",
    "P_VALUE",
    "SIMULATION",
    "SIZE",
    "Check",
    "Document",
    "Row",
    "Verdict",
    "attributed",
    "between",
    "claim",
    "coherent",
    "items",
    "points",
    "possible",
    "rounds",
    "same",
    "sigma_at",
    "simulated",
]

Fault: TypeAlias = Literal["wrong", "inconsistent", "impossible", "misattributed"]
Verdict: TypeAlias = Literal["right", "wrong", "inconsistent", "impossible", "misattributed"]

SIZE = 0.01
"""Relative tolerance for a printed number of items."""
ABOUT = 0.1
"""Relative tolerance for a figure printed as "about" or with a plus sign."""
SIMULATION = 3.0
"""Standard errors that a simulated figure may be off."""
P_VALUE = 0.05
"""What a p-value may differ from the one its printed interval implies."""


@dataclass(frozen=True, slots=True)
class Check:
    """Outcome of one comparison; the kind of comparison fixes the word for a failure."""

    holds: bool
    fault: Fault

    @property
    def verdict(self) -> Verdict:
        return "right" if self.holds else self.fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One printed figure."""

    source: str
    """Where in the document."""
    quantity: str
    printed: str
    nstar: str
    check: Check
    expect: Verdict
    why: str
    values: tuple[float, ...]
    """What the kernel returned, unrounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One publication."""

    key: str
    title: str
    summary: str
    """One sentence: what went wrong."""
    rows: tuple[Row, ...]


# --- comparisons --------------------------------------------------------------------------


def same(printed: float, got: float, *, rel: float = SIZE) -> Check:
    return Check(abs(printed - got) <= rel * abs(got), "wrong")


def rounds(printed: float, got: float, unit: float) -> Check:
    """Agree to half a unit of the last printed digit."""
    return Check(abs(printed - got) <= unit / 2 * (1 + 1e-9), "wrong")


def between(got: float, low: float, high: float) -> Check:
    return Check(low <= got <= high, "wrong")


def simulated(printed: Iterable[float], got: Iterable[float], reps: int) -> tuple[Check, float]:
    """Also how far off the worst cell is, in simulation errors (rounding apart)."""
    worst = 0.0
    for x, p in zip(printed, got, strict=True):
        off = max(abs(x - p) - 5e-4, 0.0)
        worst = max(worst, off / math.sqrt(max(p * (1 - p), 1e-9) / reps))
    return Check(worst <= SIMULATION, "wrong"), worst


def claim(holds: bool) -> Check:
    return Check(bool(holds), "wrong")


def coherent(holds: bool) -> Check:
    """Two figures of one document agree."""
    return Check(bool(holds), "inconsistent")


def possible(holds: bool) -> Check:
    """Some data could give the printed figure."""
    return Check(bool(holds), "impossible")


def attributed(holds: bool) -> Check:
    """The figure belongs to the case that it is printed for."""
    return Check(bool(holds), "misattributed")


# --- helpers ------------------------------------------------------------------------------


def items(n: float) -> str:
    return f"{n:,.0f}"


def points(gap: float, digits: int = 1) -> str:
    return f"{100 * gap:.{digits}f} pp"


def sigma_at(p: float, rho: float) -> float:
    """Sd of the difference of two 0/1 scores, both right on a share p of the items."""
    sd = math.sqrt(p * (1 - p))
    return float(stats.sigma_from_sds(sd, sd, rho))
