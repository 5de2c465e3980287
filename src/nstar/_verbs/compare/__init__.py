"""``compare``: whether per-item scores tell two models apart, and what would if they do not."""

from nstar._verbs.compare.comparison import compare_board, compare_samples
from nstar._verbs.compare.result import (
    AverageGap,
    Comparison,
    Equivalence,
    GapEstimate,
    GroupBreakdown,
    GroupInfluence,
    GroupRow,
    Pair,
    PairedCounts,
    RunRange,
    RunVariance,
)

__all__ = [
    "AverageGap",
    "Comparison",
    "Equivalence",
    "GapEstimate",
    "GroupBreakdown",
    "GroupInfluence",
    "GroupRow",
    "Pair",
    "PairedCounts",
    "RunRange",
    "RunVariance",
    "compare_board",
    "compare_samples",
]
