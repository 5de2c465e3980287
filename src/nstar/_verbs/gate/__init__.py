"""``gate``: decide whether a candidate can replace a baseline."""

from nstar._verbs.gate.aa_test import AnswerCounts, FalseAlarms, false_alarms
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
    GateFeasibility,
    PilotNoise,
    PilotStep,
    chances,
    gate_feasibility,
)
from nstar._verbs.gate.history import History, RecordedEvaluation
from nstar._verbs.gate.item_changes import ChangedItem, ItemChanges, ItemTotals
from nstar._verbs.gate.pilot_feasibility import rehearsed
from nstar._verbs.gate.question import (
    MISSING_MOST,
    PSI_PLANNED,
    GateGoal,
    GateMonitoring,
    GateQuestion,
    gate_criteria,
)
from nstar._verbs.gate.result import Gate, NeededToDecide, PooledEvidence, TaskGate
from nstar._verbs.gate.task_rule import FlippedTask, RuleFlips

__all__ = [
    "MISSING_MOST",
    "PSI_PLANNED",
    "AnswerCounts",
    "AnswerProbabilities",
    "ChangedItem",
    "FalseAlarms",
    "FlippedTask",
    "Gate",
    "GateEvidence",
    "GateFeasibility",
    "GateGoal",
    "GateMonitoring",
    "GateQuestion",
    "History",
    "ItemChanges",
    "ItemTotals",
    "LogEValues",
    "NeededToDecide",
    "PilotNoise",
    "PilotStep",
    "PooledEvidence",
    "RecordedEvaluation",
    "RuleFlips",
    "TaskGate",
    "chances",
    "check_scales",
    "false_alarms",
    "gate_criteria",
    "gate_feasibility",
    "invalid",
    "judge",
    "judge_scores",
    "of_matrices",
    "of_sample",
    "rehearsed",
]
