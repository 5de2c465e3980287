"""Whether labeled items look chosen: every way in which the judge's scores could show it."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from nstar._base.types import Array, BoolArray
from nstar.stats.judge import LabelChoice, label_choice

Look: TypeAlias = Literal["mean", "spread", "difference"]
"""Mean score of the models, squared spread between them, difference of two."""


class LabelLooks(NamedTuple):
    """The look in which labeled items differ most from the others."""

    p: float
    """p-value of items labeled at random, Bonferroni over the looks."""
    look: Look
    choice: LabelChoice


def label_looks(said: Array, known: BoolArray) -> LabelLooks | None:
    """Compare labeled items with the others by the judge's scores of all models, (M, T).

    Labels collected where the judge sees a difference change neither the mean nor, for equal
    models, the signed difference; the spread shows them. None where fewer than 2 items are
    labeled, or fewer than 2 are not.

    Examples
    --------
    >>> said = np.array([[1.0, 0, 1, 0] * 50, [0.0, 1, 1, 0] * 50])
    >>> found = label_looks(said, said[0] != said[1])
    >>> found.look, found.p < 1e-6
    ('spread', True)
    """
    labels = np.count_nonzero(known)
    if min(labels, known.size - labels) < 2:
        return None
    mean = said.mean(axis=0)
    looks: dict[Look, Array] = {"mean": mean}
    if len(said) > 1:
        looks["spread"] = np.square(said - mean).sum(axis=0)
    if len(said) == 2:
        looks["difference"] = said[0] - said[1]
    truth = np.where(known, 0.0, np.nan)
    every = {look: label_choice(truth, values) for look, values in looks.items()}
    look = min(every, key=lambda x: every[x].p)
    return LabelLooks(min(1.0, len(every) * every[look].p), look, every[look])
