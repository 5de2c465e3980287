"""``runs``: variation of repeated runs of the same tasks, for one model or two."""

from nstar._verbs.runs.analyze import analyzed
from nstar._verbs.runs.result import (
    CostSummary,
    ModelCosts,
    ModelRuns,
    MoreRuns,
    MoreTasks,
    PassRule,
    PrecisionCost,
    RunGap,
    Runs,
    RunStep,
    TaskRow,
    TaskRuleRow,
)
from nstar._verbs.runs.rule import TaskRule
from nstar._verbs.runs.table import RunTable, run_tables, table_of

__all__ = [
    "CostSummary",
    "ModelCosts",
    "ModelRuns",
    "MoreRuns",
    "MoreTasks",
    "PassRule",
    "PrecisionCost",
    "RunGap",
    "RunStep",
    "RunTable",
    "Runs",
    "TaskRow",
    "TaskRule",
    "TaskRuleRow",
    "analyzed",
    "run_tables",
    "table_of",
]
