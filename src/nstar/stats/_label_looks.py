"""Test whether items were selected for labeling, by several statistics of the judge's scores."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from nstar._base.types import Array, BoolArray
from nstar.stats.judge import LabelChoice, label_choice

Look: TypeAlias = Literal["mean", "spread", "difference"]
"""Mean score of the models, squared spread between them, or difference between two models."""

_ROUNDING = 1e-12


class LabelLooks(NamedTuple):
    """Statistic in which labeled items differ most from the other items."""

    p: float
    """p-value for random labeling, with Bonferroni's adjustment for the number of statistics."""
    look: Look
    choice: LabelChoice


def label_looks(judge_scores: Array, known: BoolArray) -> LabelLooks | None:
    """Compare labeled items with other items by the judge's scores of all models, (M, T).

    If people label items on which the judge sees a difference, the mean does not change. For equal
    models, the signed difference does not change either, but the spread does. Return None if fewer
    than 2 items are labeled, or fewer than 2 are unlabeled.

    >>> scores = np.array([[1.0, 0, 1, 0] * 50, [0.0, 1, 1, 0] * 50])
    >>> looks = label_looks(scores, scores[0] != scores[1])
    >>> looks.look, looks.p < 1e-6
    ('spread', True)
    """
    labels = np.count_nonzero(known)
    if min(labels, known.size - labels) < 2:
        return None
    mean = judge_scores.mean(axis=0)
    looks: dict[Look, Array] = {"mean": mean}
    if len(judge_scores) > 1:
        looks["spread"] = np.square(judge_scores - mean).sum(axis=0)
    if len(judge_scores) == 2:
        looks["difference"] = judge_scores[0] - judge_scores[1]
    truth = np.where(known, 0.0, np.nan)
    for look, values in looks.items():
        if np.ptp(values) < _ROUNDING:  # the same on all items, as in a stratum
            looks[look] = np.zeros_like(values)
    choices = {look: label_choice(truth, values) for look, values in looks.items()}
    look = min(choices, key=lambda x: choices[x].p)
    return LabelLooks(min(1.0, len(choices) * choices[look].p), look, choices[look])
