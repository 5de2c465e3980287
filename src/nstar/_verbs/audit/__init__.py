"""Rank the models of a leaderboard, with simultaneous rank ranges and tiers."""

from nstar._verbs.audit.result import Audit, TaskAudit
from nstar._verbs.audit.tables import (
    GapBin,
    ItemNoise,
    ItemsFactor,
    LeaveOneGroupOut,
    LeftOutGroup,
    MedianRange,
    OrderFlip,
    PairTable,
    RankTable,
    SensitivityRow,
    ShortcutCheck,
    TaskRanks,
    TaskSample,
)
from nstar._verbs.audit.task_sample import TaskScores, audit_tasks
from nstar._verbs.audit.tasks import audit_board

__all__ = [
    "Audit",
    "GapBin",
    "ItemNoise",
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
    "TaskRanks",
    "TaskSample",
    "TaskScores",
    "audit_board",
    "audit_tasks",
]
