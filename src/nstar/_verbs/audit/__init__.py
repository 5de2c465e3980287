"""``audit``: a whole leaderboard, every pair of it, with ranks and tiers that are guaranteed."""

from nstar._verbs.audit.result import Audit, Leaderboard
from nstar._verbs.audit.tables import (
    Flip,
    GapBin,
    LeftOutGroup,
    MedianRange,
    Need,
    Pairs,
    Ranks,
    Shortcut,
    Stability,
    Stress,
)
from nstar._verbs.audit.tasks import audit_board

__all__ = [
    "Audit",
    "Flip",
    "GapBin",
    "Leaderboard",
    "LeftOutGroup",
    "MedianRange",
    "Need",
    "Pairs",
    "Ranks",
    "Shortcut",
    "Stability",
    "Stress",
    "audit_board",
]
