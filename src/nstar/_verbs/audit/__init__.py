"""Rank the models of a leaderboard, with simultaneous rank ranges and tiers."""

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
