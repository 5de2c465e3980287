"""``audit``: a whole leaderboard, every pair of it, with ranks and tiers that are guaranteed."""

from nstar._verbs.audit.result import Audit, TaskAudit
from nstar._verbs.audit.tables import (
    GapBin,
    ItemsFactor,
    LeaveOneGroupOut,
    LeftOutGroup,
    MedianRange,
    OrderFlip,
    PairTable,
    RankTable,
    SensitivityRow,
    ShortcutCheck,
)
from nstar._verbs.audit.tasks import audit_board

__all__ = [
    "Audit",
    "GapBin",
    "ItemsFactor",
    "LeaveOneGroupOut",
    "LeftOutGroup",
    "MedianRange",
    "OrderFlip",
    "PairTable",
    "RankTable",
    "SensitivityRow",
    "ShortcutCheck",
    "TaskAudit",
    "audit_board",
]
