"""``compare``: whether per-item scores tell two models apart, and what would if they do not."""

from nstar._verbs.compare.comparison import compare, compare_tasks
from nstar._verbs.compare.result import Comparison, Pair
from nstar._verbs.compare.tables import (
    Breakdown,
    Counts,
    Equivalence,
    GroupRow,
    LeftOut,
    Reading,
    RunSplit,
)

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
