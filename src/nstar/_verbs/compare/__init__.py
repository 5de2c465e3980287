"""``compare``: whether per-item scores tell two models apart, and what would if they do not."""

from nstar._verbs.compare.comparison import compare, compare_tasks
from nstar._verbs.compare.result import (
    Breakdown,
    Comparison,
    Equivalence,
    GroupRow,
    LeftOut,
    Pair,
    PairedCounts,
    Reading,
    RunRange,
    RunSplit,
)

__all__ = [
    "Breakdown",
    "Comparison",
    "Equivalence",
    "GroupRow",
    "LeftOut",
    "Pair",
    "PairedCounts",
    "Reading",
    "RunRange",
    "RunSplit",
    "compare",
    "compare_tasks",
]
