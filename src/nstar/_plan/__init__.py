"""Planning: a design, a question, a solution."""

from nstar._plan.design import Design, Family
from nstar._plan.noise import Graded, Level, Noise, PairedPsi, PairedRho, Unpaired
from nstar._plan.solve import Curve, Plan, PlanRow, Question, plan, plan_margin, plan_precision

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
