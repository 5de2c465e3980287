"""What a race says after the items so far."""

from dataclasses import dataclass

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrNan, Interval
from nstar._verbs.race.question import RaceQuestion
from nstar._verbs.verdict import RaceWord
from nstar._verbs.watch.result import ArrivalOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class EliminatedModel:
    """A model that is out of the race."""

    model: str
    """Its name."""
    by: str
    """The model that was shown to be better."""
    at: int
    """Items after which that was shown."""
    delta: float
    """Mean score of the dropped model minus that of the other, then."""
    log_e: float
    """Log e-value for "the other is better", then."""
    p: float
    """Its p-value, adjusted for all rivals: valid whenever one looks, never 0."""
    answers: int
    """Answers of it that have come, those after it was dropped too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveModel:
    """A model that is still in the race."""

    model: str
    """Its name."""
    score: FloatOrNan
    """Mean score so far; no number (NaN) before the first."""
    delta: float | None
    """Mean score of it minus the leader's, on the items of both; None for the leader."""
    sequence: Interval | None
    """Confidence sequence of that gap, at the level that drops models; None for the leader, and
    where scores are graded."""
    rival: str | None
    """The model that has the most evidence against it; None before the first item."""
    log_e: float
    """Log e-value for "that rival is better" now."""
    more_items: int | None
    """Items until the leader drops it if all goes as so far; None if that is out of sight, for the
    leader, and where scores are graded."""
    answers: int
    """Answers of it that have come."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Raced(Result):
    """A race at some moment: who is left, who was dropped by whom, and what it took."""

    question: RaceQuestion
    """What is asked."""
    state: RaceWord
    """``winner``: one model is left; ``within``: all that are left are within the margin;
    ``tied``: the items are out and several are left; ``open``: none of these yet."""
    n: int
    """Items that were counted: every model that was running has answered them."""
    left: int
    """Items of the benchmark that have not come."""
    survivors: tuple[ActiveModel, ...]
    """Models that are left, the leader first."""
    dropped: tuple[EliminatedModel, ...]
    """Models that are out, the last one first."""
    used: int
    """Answers that the race needed: those to items that were counted, of models then running."""
    spent: int
    """Answers that have come, needed or not."""
    saved: int
    """Answers that have not come and need not: of dropped models, and of all once it has ended."""
    money_saved: float | None
    """Their price at the mean cost so far; None without costs."""
    waiting: int
    """Items that some model has answered, and another that is running has not."""
    unscored: int
    """Answers without a score; they say nothing of their model's pairs."""
    order: ArrivalOrder
    """Whether the items come in random order."""

    @derived
    def leader(self) -> str:
        """The model that is ahead, or the one that is left."""
        return self.survivors[0].model

    @derived
    def grid(self) -> int:
        """Answers that all models would give to all items."""
        return self.question.grid

    @property
    def limits(self) -> tuple[float, float]:
        """Scores lie from 0 to 1."""
        return 0.0, 1.0

    @property
    def lower_is_better(self) -> bool:
        """Whether less is better."""
        return self.question.lower_is_better

    @property
    def stop(self) -> bool:
        """Whether the race has ended."""
        return self.state != "open"
