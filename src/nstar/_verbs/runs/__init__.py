"""``runs``: what repeated runs of the same tasks say about one model or two."""

from nstar._verbs.runs.analyse import analysed
from nstar._verbs.runs.costs_result import Certainty, Costs, MoreRuns, MoreTasks, Spent
from nstar._verbs.runs.result import GapRuns, ModelRuns, Runs, RunStep, TaskRow
from nstar._verbs.runs.rule import TaskRule
from nstar._verbs.runs.rule_result import PassRule, RuleTask
from nstar._verbs.runs.table import RunTable, run_tables, table_of

__all__ = [
    "Certainty",
    "Costs",
    "GapRuns",
    "ModelRuns",
    "MoreRuns",
    "MoreTasks",
    "PassRule",
    "RuleTask",
    "RunStep",
    "RunTable",
    "Runs",
    "Spent",
    "TaskRow",
    "TaskRule",
    "analysed",
    "run_tables",
    "table_of",
]
