"""Draw a subset of a benchmark by difficulty, and compute the gaps that it can detect."""

from nstar._verbs.shrink.draw_subset import shrunk
from nstar._verbs.shrink.pool import ShrinkQuestion
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
