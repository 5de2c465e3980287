"""``compare``: whether per-item scores tell two models apart, and what would if they do not."""

from nstar._verbs.compare.comparison import compare_board, compare_samples
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
    "compare_board",
    "compare_samples",
]
