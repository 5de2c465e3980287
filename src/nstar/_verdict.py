"""Criteria and the few places where a threshold becomes a word."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._typing import Sides
from nstar.stats import _check
from nstar.stats.critical import z_alpha

__all__ = [
    "BORDERLINE",
    "ClaimWord",
    "Criteria",
    "Significance",
    "judge_against_mde",
    "judge_discordance",
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
