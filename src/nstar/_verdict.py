"""Criteria and the few places where a threshold becomes a word."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from nstar._typing import BoolArray, Sides
from nstar.stats import _check
from nstar.stats.critical import z_alpha

__all__ = [
    "ABSURD",
    "AUDIT_WORDS",
    "BORDERLINE",
    "FEW_ITEMS",
    "AuditWord",
    "ClaimWord",
    "Criteria",
    "PairWord",
    "Significance",
    "is_resolved",
    "judge_against_mde",
    "judge_discordance",
    "judge_pair",
    "judge_pairs",
]

ClaimWord: TypeAlias = Literal["below", "borderline", "above"]
Significance: TypeAlias = Literal["always", "never", "depends"]

BORDERLINE = (0.5, 1.5)
"""A gap between these multiples of the MDE is borderline: within 50 % of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What counts as detected; stored in every result.

    Examples
    --------
    >>> Criteria(alpha=0.01).power
    0.8
    """

    alpha: float = 0.05
    """Level of the test, over both tails when ``sides`` is 2."""
    power: float = 0.8
    """Wanted probability of detecting a gap that is really there."""
    sides: Sides = 2
    """2: either model may win; 1: only "A is better" is of interest."""

    def __post_init__(self) -> None:
        _check.fraction("alpha", self.alpha)
        _check.fraction("power", self.power)
        _check.require(self.power > self.alpha, "power", "above alpha", self.power)
        _check.choice("sides", self.sides, (1, 2))

    @property
    def z(self) -> float:
        """Critical value of the test."""
        return float(z_alpha(self.alpha, sides=self.sides))


def judge_against_mde(delta: float, mde_low: float, mde_high: float) -> ClaimWord:
    """Place a gap against the MDE, which is known only to lie in [mde_low, mde_high].

    ``"below"`` and ``"above"`` need the whole range to agree; anything else is borderline.

    Examples
    --------
    >>> judge_against_mde(0.008, 0.031, 0.044)
    'below'
    """
    size = abs(delta)
    if size < BORDERLINE[0] * mde_low:
        return "below"
    if size > BORDERLINE[1] * mde_high:
        return "above"
    return "borderline"


def judge_discordance(largest: int | None, least: int, most: int) -> Significance:
    """Whether a test rejects for every, for no, or for some feasible discordant count.

    Parameters
    ----------
    largest
        Largest discordant count at which it rejects; None if it never does.
    least, most
        Feasible discordant counts.

    Examples
    --------
    >>> judge_discordance(2412, 96, 5318)
    'depends'
    """
    if largest is None or largest < least:
        return "never"
    return "always" if largest >= most else "depends"


AuditWord: TypeAlias = Literal["resolved", "significant only", "equivalent", "unresolved"]

AUDIT_WORDS: tuple[AuditWord, ...] = ("resolved", "significant only", "equivalent", "unresolved")
"""What an audit can say of a pair, in the order of the codes of :func:`judge_pairs`."""

PairWord: TypeAlias = Literal["better", "worse", "equivalent", "borderline", "inconclusive"]

FEW_ITEMS = 10
"""Below this many items a comparison is hardly one, whatever the test says."""

ABSURD = 1e9
"""More items than this is no advice."""


def is_resolved(q: float | None) -> bool:
    """Whether the items at hand are at least those a replication would need: q ≥ 1.

    Examples
    --------
    >>> is_resolved(1.2), is_resolved(None)
    (True, False)
    """
    return q is not None and q >= 1


def judge_pair(
    delta: float,
    *,
    p: float,
    alpha: float,
    excludes_zero: bool,
    p_adjusted: float | None = None,
    equivalent: bool = False,
) -> PairWord:
    """What a paired comparison has shown about the first model.

    ``"better"`` and ``"worse"`` need the test and the interval; where only one of them speaks
    the word is borderline. Not significant and inside a declared margin is equivalent; anything
    else is inconclusive, never "no difference".

    Parameters
    ----------
    delta
        Gap, first minus second.
    p
        p-value of this comparison alone, to be set beside its interval.
    alpha
        Level.
    excludes_zero
        Whether the interval leaves out 0, on the side of interest if the test has one side.
    p_adjusted
        p-value adjusted for a family of comparisons, if there is one; it decides.
    equivalent
        Whether the gap was shown to lie inside a margin declared in advance.

    Examples
    --------
    >>> judge_pair(0.06, p=1e-9, alpha=0.05, excludes_zero=True)
    'better'
    >>> judge_pair(0.02, p=0.03, alpha=0.05, excludes_zero=True, p_adjusted=0.12)
    'inconclusive'
    """
    significant = (p if p_adjusted is None else p_adjusted) <= alpha
    if significant and excludes_zero:
        return "better" if delta > 0 else "worse"
    if equivalent and not significant:
        return "equivalent"
    return "borderline" if (p <= alpha) != excludes_zero else "inconclusive"


def judge_pairs(
    *, significant: BoolArray, resolved: BoolArray, equivalent: BoolArray | None = None
) -> npt.NDArray[np.uint8]:
    """One word for each of many pairs, as a code into ``AUDIT_WORDS``.

    Parameters
    ----------
    significant
        Whether the gap is significant in its family.
    resolved
        Whether q ≥ 1 with the critical value of that family.
    equivalent
        Whether the gap was shown to lie inside a margin declared in advance.

    Examples
    --------
    >>> codes = judge_pairs(significant=np.array([1, 1, 0]) > 0, resolved=np.array([1, 0, 0]) > 0)
    >>> [AUDIT_WORDS[k] for k in codes]
    ['resolved', 'significant only', 'unresolved']
    """
    code = np.full(significant.shape, 3, dtype=np.uint8)
    if equivalent is not None:
        code[equivalent] = 2
    code[significant] = 1
    code[significant & resolved] = 0
    return code
