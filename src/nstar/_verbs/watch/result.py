"""Result of a watch after the items so far, and the smallest gap that it detects by its end."""

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
"""Number of expected discordant items up to which the e-process is computed exactly."""


@cache
def detectable_gap(question: WatchQuestion) -> float | None:
    """Return the gap detected by the end with looks after every item; None if unknown.

    Return None for graded scores. The result is exact up to steps of psi / 4096. Above 20,000
    discordant items, it is scaled by 1/√n, because the evidence is tuned to the end.

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

    def power_at(delta: float) -> float:
        return e_process_power(
            delta, psi=psi, n=question.items, alpha=question.alpha, a=question.mixture
        )

    low, high = 0.0, psi
    if power_at(high) < question.power:
        return None
    for _ in range(_STEPS):
        midpoint = (low + high) / 2
        low, high = (low, midpoint) if power_at(midpoint) >= question.power else (midpoint, high)
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Verdict of a watch, with its evidence. Gaps are first minus second."""

    verdict: WatchWord
    """``better``, ``worse``, ``noninferior``, ``equivalent``, ``futile`` or ``open``."""
    n_items: int
    """Number of items so far."""
    n_items_planned: int
    """Planned number of items."""
    n_items_left: int
    """Planned items that are not in the logs yet."""
    decided_at: int | None
    """Number of items at the decision. None without one."""
    gap: FloatOrNan
    """Mean difference so far. NaN before the first item."""
    confidence_sequence: Interval
    """Confidence sequence of the gap, valid at every look."""
    log_e_value: float
    """Log e-value against "the gap is 0" now."""
    pvalue: float
    """p-value, valid at every look: 1 / the largest e-value so far."""
    log_e_value_margin: float | None
    """Log e-value against "worse by the margin" ("apart by it" for equivalence), or None."""
    pvalue_margin: float | None
    """p-value for the margin, valid at every look."""
    decision_probability: float | None
    """Probability of a decision by the last item, averaged over the true gaps that are still
    likely (flat prior). None if unknown. It is too high for equal models."""
    decision_probability_at_gap: float | None
    """The same, if the true gap equals the observed gap."""
    decision_probability_at_zero: float | None
    """The same, if the true gap is 0. Without a margin, an upper bound."""
    more_items: int | None
    """Items until a decision, if the gap stays the same. None if decided or out of reach."""
    n_items_saved: int
    """Planned items that need not be run. 0 without a verdict."""
    cost_saved: float | None
    """Cost of the saved items, at the mean cost so far. None without costs."""

    @property
    def should_stop(self) -> bool:
        """Return whether there is a reason to stop."""
        return self.verdict != "open"


class Moment(NamedTuple):
    """State of a watch after some item; gaps are first minus second."""

    n_items: int
    """Number of items."""
    gap: float
    """Mean difference."""
    confidence_sequence: Interval
    """Confidence sequence of the gap; from the decision on, no wider than then."""
    log_e_value: float
    """Log e-value against "the gap is 0"."""
    log_e_value_margin: float | None
    """Log e-value for the margin; None without one."""

    @property
    def low(self) -> float:
        """Return the lower limit of the sequence."""
        return float(self.confidence_sequence.low)

    @property
    def high(self) -> float:
        """Return the upper limit of the sequence."""
        return float(self.confidence_sequence.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalOrder:
    """Order in which the items came."""

    sorted_by: Sorted | None
    """Key that the items are sorted by. None if their order looks random."""
    n_groups: int
    """Number of groups so far. 0 if the logs have none."""
    n_blocks: int
    """Number of blocks of successive items of one group."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class WatchResult(Result, Decision):
    """State of a watch: the decision, the question, and the path of the evidence."""

    question: WatchQuestion
    """Question of the watch."""
    n_items_unscored: int
    """Items that are excluded because a model has no score for them."""
    score_range: tuple[float, float]
    """0 and 1, or the worst and best score so far if they lie outside."""
    order: ArrivalOrder
    """Whether the items come in random order."""
    moments: tuple[Moment, ...]
    """Gap, sequence, and e-values at up to 66 items on the way."""

    @derived
    def mde(self) -> float | None:
        """Return the smallest gap detected by the last item with the target power.

        None if unknown.
        """
        return detectable_gap(self.question)

    @property
    def lower_is_better(self) -> bool:
        """Return whether a positive gap is a loss."""
        return self.question.lower_is_better
