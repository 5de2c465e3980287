"""Budgets: how many tasks, how many runs of each, and what they can detect.

Pilots, prices and resampling are in modules of their own, which read tables and simulate: a plan
without a pilot is there before they would be loaded.
"""

from nstar._verbs.budget.design import RunDesign
from nstar._verbs.budget.groups import GroupPlan
from nstar._verbs.budget.result import (
    MdeByBudget,
    PilotPower,
    SequentialDesign,
    TaskPlan,
    TaskPlanScenario,
)
from nstar._verbs.budget.solve import plan_runs
from nstar._verbs.budget.spread import PilotSummary, TaskVariances

__all__ = [
    "GroupPlan",
    "MdeByBudget",
    "PilotPower",
    "PilotSummary",
    "RunDesign",
    "SequentialDesign",
    "TaskPlan",
    "TaskPlanScenario",
    "TaskVariances",
    "plan_runs",
]
