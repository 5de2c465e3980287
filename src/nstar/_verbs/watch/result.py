"""What a watch says after the items so far, and the smallest gap that it finds by its end."""

from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrNan, Interval
from nstar._verbs.verdict import WatchWord
from nstar._verbs.watch.order import Sorted
from nstar._verbs.watch.question import WatchQuestion
from nstar.stats.eprocess_plan import e_process_power

_STEPS = 12
_FOLLOWED = 20_000
"""Expected discordant items that are followed exactly."""


@cache
def detectable_gap(question: WatchQuestion) -> float | None:
    """Gap found by the end, looked at after every item; None if none is, or scores are graded.

    Exact but for steps of psi / 4096; beyond 20,000 discordant items scaled from there by
    1/√n, as the evidence is tuned to the end.

    Examples
    --------
    >>> round(detectable_gap(WatchQuestion(items=1000, psi=0.2)), 3)
    0.05
    """
    psi = question.planned_psi
    if question.scale != "binary":
        return None
    if psi * question.items > _FOLLOWED:
        nearer = replace(question, items=int(_FOLLOWED / psi))
        gap = detectable_gap(nearer)
        return None if gap is None else gap * (nearer.items / question.items) ** 0.5

    def found(delta: float) -> float:
        return e_process_power(
            delta, psi=psi, n=question.items, alpha=question.alpha, a=question.mixture
        )

    low, high = 0.0, psi
    if found(high) < question.power:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= question.power else (middle, high)
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The word, and the evidence behind it; gaps are first minus second."""

    state: WatchWord
    """``better``, ``worse``, ``not worse``, ``equivalent``, ``futile`` or ``open``."""
    n: int
    """Items so far."""
    items: int
    """Items of the benchmark."""
    left: int
    """Items of it that have not come, with or without a score."""
    decided_at: int | None
    """Items after which the word was found; None if it was not."""
    delta: FloatOrNan
    """Mean difference so far; no number (NaN) before the first item."""
    sequence: Interval
    """Confidence sequence of the gap: what neither this look nor the deciding one excludes."""
    log_e: float
    """Log e-value against "the gap is 0" now."""
    p: float
    """1 / the largest e-value so far: valid whenever one looks, never 0."""
    log_e_margin: float | None
    """Log e-value against "worse by the margin" ("apart by it" for equivalence), or None."""
    p_margin: float | None
    """1 / the largest of those."""
    chance: float | None
    """Probability of a decision at the last item, averaged over the true gaps that the items so
    far leave open (a flat prior); None where it is not known. Of equal models it is too high."""
    chance_as_seen: float | None
    """The same, if the true gap is the one seen so far."""
    chance_if_none: float | None
    """The same if there is no true gap; without a margin, the most it can be."""
    more_items: int | None
    """Items until a decision if the gap stays as it is; None if decided or out of sight."""
    saved: int
    """Items of the benchmark that were not run and need not be; 0 while open."""
    money_saved: float | None
    """Their price at the mean cost so far; None without costs."""

    @property
    def stop(self) -> bool:
        """Whether there is a reason to stop."""
        return self.state != "open"


class Moment(NamedTuple):
    """What a watch showed after some item; gaps are first minus second."""

    n: int
    """Items."""
    delta: float
    """Mean difference."""
    sequence: Interval
    """Confidence sequence of it; from the decision on, no wider than then."""
    log_e: float
    """Log e-value against "the gap is 0"."""
    log_e_margin: float | None
    """Log e-value for the margin; None without one."""

    @property
    def low(self) -> float:
        """Lower end of the sequence."""
        return float(self.sequence.low)

    @property
    def high(self) -> float:
        """Upper end of the sequence."""
        return float(self.sequence.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalOrder:
    """In what order the items came."""

    sorted_by: Sorted | None
    """What they are sorted by, if chance does not explain their order; None if it does."""
    groups: int
    """Groups so far; 0 if none are known."""
    stretches: int
    """Stretches of items of one group."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Watched(Result, Decision):
    """A watch at some moment: the decision, what was asked, and the way there."""

    question: WatchQuestion
    """What is asked."""
    unscored: int
    """Items that were left out because one model has no score for them."""
    limits: tuple[float, float]
    """0 and 1, or the worst and best score so far where they lie farther apart."""
    order: ArrivalOrder
    """Whether the items come in random order."""
    moments: tuple[Moment, ...]
    """Gap, sequence and e-values at up to 66 items on the way."""

    @derived
    def detectable(self) -> float | None:
        """Smallest gap found by the end with the wanted power; None if none is, or not known."""
        return detectable_gap(self.question)

    @property
    def lower_is_better(self) -> bool:
        """Whether a positive gap is a loss."""
        return self.question.lower_is_better
