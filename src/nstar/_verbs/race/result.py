"""Result of a race after the items so far."""

from dataclasses import dataclass

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrNan, Interval
from nstar._verbs.race.question import RaceQuestion
from nstar._verbs.verdict import RaceWord
from nstar._verbs.watch.result import ArrivalOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class EliminatedModel:
    """A model that another one was shown to beat."""

    model: str
    """Name of the model."""
    beaten_by: str
    """The model that was shown to be better."""
    n_items: int
    """Number of items at that moment."""
    gap: float
    """Mean score of this model minus that of the other, at that moment."""
    log_e_value: float
    """Log e-value for "the other is better" at that moment."""
    pvalue: float
    """p-value adjusted for all rivals and valid at every look."""
    n_answers: int
    """Number of its answers, including those after it was eliminated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveModel:
    """A model that is still in the race."""

    model: str
    """Name of the model."""
    mean: FloatOrNan
    """Mean score so far. NaN before the first."""
    gap: float | None
    """Mean score of it minus the leader's, on the items of both. None for the leader."""
    confidence_sequence: Interval | None
    """Confidence sequence of that gap, at the level that drops models; None for the leader, and
    where scores are graded."""
    rival: str | None
    """The model that has the most evidence against it; None before the first item."""
    log_e_value: float
    """Log e-value for "that rival is better" now."""
    more_items: int | None
    """Items until the leader drops it at the current rates; None if that is out of reach, for the
    leader, and for graded scores."""
    n_answers: int
    """Number of its answers."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RaceResult(Result):
    """State of a race: remaining models, eliminated models, and the number of answers used."""

    question: RaceQuestion
    """Question of the race."""
    verdict: RaceWord
    """``winner``: one model is left; ``within``: all remaining models are within the margin;
    ``tied``: the items are used up and several models are left; ``open``: none of these yet."""
    n_items: int
    """Number of items that every active model has answered."""
    n_items_left: int
    """Number of planned items that are not in the logs yet."""
    active_models: tuple[ActiveModel, ...]
    """Remaining models, the leader first."""
    eliminated_models: tuple[EliminatedModel, ...]
    """Models that were eliminated, the last one first."""
    n_answers_used: int
    """Number of answers that the race needed: those of active models to counted items."""
    n_answers: int
    """Number of all answers."""
    n_answers_saved: int
    """Number of answers that are no longer needed."""
    cost_saved: float | None
    """Cost of the saved answers, at the mean cost so far. None without costs."""
    n_items_waiting: int
    """Number of items that wait for the answer of an active model."""
    n_answers_unscored: int
    """Number of answers without a score."""
    order: ArrivalOrder
    """Whether the items come in random order."""

    @derived
    def leader(self) -> str:
        """Return the model that is ahead, or the one that is left."""
        return self.active_models[0].model

    @derived
    def n_answers_planned(self) -> int:
        """Return the answers of all models to all items."""
        return self.question.n_answers_planned

    @property
    def score_range(self) -> tuple[float, float]:
        """Return the range of scores, from 0 to 1."""
        return 0.0, 1.0

    @property
    def lower_is_better(self) -> bool:
        """Return whether lower scores are better."""
        return self.question.lower_is_better

    @property
    def should_stop(self) -> bool:
        """Return whether the race has ended."""
        return self.verdict != "open"
