"""``gate``: may the candidate replace the baseline, and could this benchmark tell?"""

from nstar._verbs.gate.aa_test import Alarms, AnswerCounts, false_alarms
from nstar._verbs.gate.claims import GateEvidence, LogEValues
from nstar._verbs.gate.decide import (
    check_scales,
    invalid,
    judge,
    judge_scores,
    of_matrices,
    of_sample,
)
from nstar._verbs.gate.feasibility import (
    AnswerProbabilities,
    Outlook,
    PilotNoise,
    PilotStep,
    chances,
    outlook,
)
from nstar._verbs.gate.history import History, RecordedEvaluation
from nstar._verbs.gate.item_changes import ChangedItem, ItemChanges, ItemTotals
from nstar._verbs.gate.pilot_feasibility import rehearsed
from nstar._verbs.gate.question import (
    MISSING_MOST,
    PSI_PLANNED,
    Aim,
    Basis,
    GateQuestion,
    gate_criteria,
)
from nstar._verbs.gate.result import Check, Gate, NeededToDecide, PooledEvidence
from nstar._verbs.gate.task_rule import FlippedTask, RuleFlips

__all__ = [
    "MISSING_MOST",
    "PSI_PLANNED",
    "Aim",
    "Alarms",
    "AnswerCounts",
    "AnswerProbabilities",
    "Basis",
    "ChangedItem",
    "Check",
    "FlippedTask",
    "Gate",
    "GateEvidence",
    "GateQuestion",
    "History",
    "ItemChanges",
    "ItemTotals",
    "LogEValues",
    "NeededToDecide",
    "Outlook",
    "PilotNoise",
    "PilotStep",
    "PooledEvidence",
    "RecordedEvaluation",
    "RuleFlips",
    "chances",
    "check_scales",
    "false_alarms",
    "gate_criteria",
    "invalid",
    "judge",
    "judge_scores",
    "of_matrices",
    "of_sample",
    "outlook",
    "rehearsed",
]
