"""``shrink``: some items of a benchmark, drawn by difficulty, and what they will resolve."""

from nstar._verbs.shrink.choose import shrunk
from nstar._verbs.shrink.question import ShrinkQuestion
from nstar._verbs.shrink.result import About, Against, ChosenItem, Spreads, Subset, SubsetReading

__all__ = [
    "About",
    "Against",
    "ChosenItem",
    "ShrinkQuestion",
    "Spreads",
    "Subset",
    "SubsetReading",
    "shrunk",
]
