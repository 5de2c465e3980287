"""Answers of all models: items that all active models have answered, and counts by model."""

from dataclasses import dataclass, field

import numpy as np

from nstar._base.types import Array


@dataclass(slots=True)
class AnswerStore:
    """All answers, whether the race needed them or not.

    >>> bank = AnswerStore(models=2)
    >>> bank.add(0, "q1", 1.0), bank.add(1, "q1", 0.0)
    (True, True)
    >>> bank.complete({0, 1})
    ['q1']
    """

    models: int
    answers: dict[str, dict[int, float | None]] = field(default_factory=dict)
    """Scores by item and model; None is a missing score."""
    open: dict[str, str | None] = field(default_factory=dict)
    """Items not yet counted, in order of arrival, with their groups."""
    given: list[int] = field(default_factory=list)
    """Number of answers by model."""
    again: int = 0
    """Number of repeated answers; the first one counts."""
    unscored: int = 0
    """Number of answers without a score."""
    paid: float = 0.0
    """Total cost of the answers with a known cost."""
    priced: int = 0
    """Number of answers with a known cost."""

    def __post_init__(self) -> None:
        self.given = self.given or [0] * self.models

    def add(self, model: int, item: str, score: float | None, group: str | None = None) -> bool:
        """Store an answer; return whether it is new."""
        item_answers = self.answers.get(item)
        if item_answers is None:
            item_answers = self.answers[item] = {}
            self.open[item] = group
        if model in item_answers:
            self.again += 1
            return False
        item_answers[model] = score
        self.given[model] += 1
        self.unscored += score is None
        if group is not None and self.open.get(item, group) is None:
            self.open[item] = group
        return True

    def pay(self, cost: float) -> None:
        """Add the cost of an answer."""
        self.paid, self.priced = self.paid + cost, self.priced + 1

    def is_complete(self, item: str, running: set[int]) -> bool:
        """Return whether an item not yet counted has answers of all these models."""
        return item in self.open and running <= self.answers[item].keys()

    def complete(self, running: set[int]) -> list[str]:
        """Return uncounted items that all these models have answered, in order of arrival."""
        return [item for item in self.open if self.is_complete(item, running)]

    def take(self, item: str) -> tuple[Array, str | None]:
        """Count an item; return its scores by model, NaN for none, and its group."""
        group, scores = self.open.pop(item), np.full(self.models, np.nan)
        for model, score in self.answers[item].items():
            scores[model] = np.nan if score is None else score
        return scores, group
