"""``compare``: test two models on per-item scores, and find what would resolve their gap."""

from nstar._verbs.compare.comparison import compare_board, compare_samples
from nstar._verbs.compare.result import Comparison
from nstar._verbs.compare.task_comparison import (
    AverageGap,
    Equivalence,
    GapEstimate,
    GroupBreakdown,
    GroupInfluence,
    GroupRow,
    PairedCounts,
    RunRange,
    RunVariance,
    TaskComparison,
)

__all__ = [
    "AverageGap",
    "Comparison",
    "Equivalence",
    "GapEstimate",
    "GroupBreakdown",
    "GroupInfluence",
    "GroupRow",
    "PairedCounts",
    "RunRange",
    "RunVariance",
    "TaskComparison",
    "compare_board",
    "compare_samples",
]
