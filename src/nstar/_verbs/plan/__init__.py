"""Planning: a design, a question, a solution."""

from nstar._verbs.plan.design import Design, Family
from nstar._verbs.plan.margin import plan_margin
from nstar._verbs.plan.noise import Graded, Level, Noise, PairedPsi, PairedRho, Unpaired
from nstar._verbs.plan.precision import plan_precision
from nstar._verbs.plan.result import Curve, Plan, PlanRow, Question
from nstar._verbs.plan.solve import plan

__all__ = [
    "Curve",
    "Design",
    "Family",
    "Graded",
    "Level",
    "Noise",
    "PairedPsi",
    "PairedRho",
    "Plan",
    "PlanRow",
    "Question",
    "Unpaired",
    "plan",
    "plan_margin",
    "plan_precision",
]
