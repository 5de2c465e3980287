"""``runs``: variation of repeated runs of the same tasks, for one model or two."""

from nstar._verbs.runs.analyze import analyzed
from nstar._verbs.runs.costs_result import (
    CostSummary,
    ModelCosts,
    MoreRuns,
    MoreTasks,
    PrecisionCost,
)
from nstar._verbs.runs.result import ModelRuns, RunGap, Runs, RunStep, TaskRow
from nstar._verbs.runs.rule import TaskRule
from nstar._verbs.runs.rule_result import PassRule, TaskRuleRow
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
