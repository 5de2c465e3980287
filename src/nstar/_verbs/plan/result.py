"""The solution of a plan, with every assumption it rests on."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nstar._base.result import Result
from nstar._base.types import Array
from nstar._verbs.plan.design import Design
from nstar._verbs.verdict import Criteria

Question: TypeAlias = Literal["difference", "equivalence", "non-inferiority", "precision"]
SolvedFor: TypeAlias = Literal["items", "mde", "power", "half_width"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """The plan under one alternative assumption or gap."""

    name: str
    """What varies: ``"rho"``, ``"psi"`` or ``"delta"``."""
    value: float
    """Its value."""
    chosen: bool = False
    """Whether this is the assumption of the headline."""
    psi: float | None = None
    """Discordance implied, for 0/1 scores."""
    n_star: float | None = None
    """Items needed."""
    mde: float | None = None
    """Detectable gain with the given items."""
    mde_down: float | None = None
    """Detectable loss with the given items, a positive size."""
    power: float | None = None
    """Probability of detecting the given gap with the given items."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """Power along one axis."""

    axis: Literal["items", "delta"]
    """What the horizontal axis counts."""
    x: Array = field(repr=False)
    """Items, or gaps as proportions."""
    power: Array = field(repr=False)
    """Probability of detection at each."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Plan(Result):
    """What a benchmark needs, or what it can do, with every assumption it rests on."""

    question: Question
    """What is to be shown."""
    solved_for: SolvedFor
    """The quantity that was not given."""
    criteria: Criteria
    """Level, power, sides."""
    design: Design
    """Noise, family, clusters."""
    items: int | None
    """Items given."""
    delta: float | None
    """Gap given (true gap assumed, for equivalence), a proportion."""
    margin: float | None
    """Margin given."""
    half_width: float | None
    """Half-width given, or reached."""
    n_star: float | None
    """Items needed; ``inf`` when no number suffices."""
    mde: float | None
    """Smallest detectable gain; ``inf`` when none is."""
    mde_down: float | None
    """Smallest detectable loss, a positive size."""
    power: float | None
    """Probability of success: computed when it was solved for, else the one asked for; None
    for a question of precision."""
    q: float | None
    """Resolution ratio items / n_star, when both are known."""
    floor: float | None
    """Gap below which no number of items helps, when the clusters are fixed."""
    n_steady: float | None = None
    """For a margin: items from which on power stays; ``n_star`` is where it is first reached."""
    margin_least: float | None = None
    """Smallest margin that the given items can show."""
    exact_power: float | None = None
    """Enumerated power of the mid-p test for the gap and items of the headline, where that
    test applies."""
    rows: tuple[PlanRow, ...] = field(default=(), repr=False)
    """The same under other assumptions."""
    curve: Curve | None = field(default=None, repr=False)
    """Power curve."""
