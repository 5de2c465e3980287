"""``shrink``: draw a subset of a benchmark by difficulty, and compute what it resolves."""

from nstar._verbs.shrink.draw_subset import shrunk
from nstar._verbs.shrink.question import ShrinkQuestion
from nstar._verbs.shrink.result import (
    Against,
    ChosenItem,
    ModelVariances,
    Scope,
    Subset,
    SubsetResolution,
)

__all__ = [
    "Against",
    "ChosenItem",
    "ModelVariances",
    "Scope",
    "ShrinkQuestion",
    "Subset",
    "SubsetResolution",
    "shrunk",
]
