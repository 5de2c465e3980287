"""Plan budgets: numbers of tasks and runs, and the gap that they can detect.

Pilots, prices, and resampling are in separate modules, which read tables and simulate. A plan
without a pilot does not load them.
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
