"""``compare``: whether per-item scores tell two models apart, and what would if they do not."""

from nstar._compare.comparison import compare, compare_tasks
from nstar._compare.parts import (
    Breakdown,
    Counts,
    Equivalence,
    GroupRow,
    LeftOut,
    Reading,
    RunSplit,
)
from nstar._compare.result import Comparison, Pair

__all__ = [
    "Breakdown",
    "Comparison",
    "Counts",
    "Equivalence",
    "GroupRow",
    "LeftOut",
    "Pair",
    "Reading",
    "RunSplit",
    "compare",
    "compare_tasks",
]
