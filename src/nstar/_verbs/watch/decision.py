"""What a watch says after the items so far."""

from dataclasses import dataclass

from nstar._base.types import Interval
from nstar._verbs.verdict import WatchWord


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The word, and the evidence behind it; gaps are first minus second."""

    state: WatchWord
    """``better``, ``worse``, ``not worse``, ``equivalent``, ``futile`` or ``open``."""
    n: int
    """Items so far."""
    horizon: int
    """Items of the benchmark."""
    left: int
    """Items of it that have not come, with or without a score."""
    decided_at: int | None
    """Items after which the word was found; None if it was not."""
    gap: float
    """Mean difference so far."""
    sequence: Interval
    """Confidence sequence of the gap: what neither this look nor the deciding one excludes."""
    log_e: float
    """Log e-value against "the gap is 0" now."""
    p_value: float
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
    more: int | None
    """Items until a decision if the gap stays as it is; None if decided or out of sight."""
    saved: int
    """Items of the benchmark that were not run and need not be; 0 while open."""
    money_saved: float | None
    """Their price at the mean cost so far; None without costs."""

    @property
    def stop(self) -> bool:
        """Whether there is a reason to stop."""
        return self.state != "open"
