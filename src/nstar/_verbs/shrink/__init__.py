"""``shrink``: some items of a benchmark, drawn by difficulty, and what they will resolve."""

from nstar._verbs.shrink.draw_subset import shrunk
from nstar._verbs.shrink.question import ShrinkQuestion
from nstar._verbs.shrink.result import (
    About,
    Against,
    ChosenItem,
    ModelVariances,
    Subset,
    SubsetResolution,
)

__all__ = [
    "About",
    "Against",
    "ChosenItem",
    "ModelVariances",
    "ShrinkQuestion",
    "Subset",
    "SubsetResolution",
    "shrunk",
]
