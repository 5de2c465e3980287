"""Plan evaluations: a design, a question, and its solution."""

from nstar._verbs.plan.design import BoardGoal, Design
from nstar._verbs.plan.margin import plan_margin
from nstar._verbs.plan.noise import Graded, Noise, NoiseLevel, PairedPsi, PairedRho, Unpaired
from nstar._verbs.plan.precision import plan_precision
from nstar._verbs.plan.result import Plan, PlanGoal, PlanScenario, PowerCurve
from nstar._verbs.plan.solve import plan

__all__ = [
    "BoardGoal",
    "Design",
    "Graded",
    "Noise",
    "NoiseLevel",
    "PairedPsi",
    "PairedRho",
    "Plan",
    "PlanGoal",
    "PlanScenario",
    "PowerCurve",
    "Unpaired",
    "plan",
    "plan_margin",
    "plan_precision",
]
