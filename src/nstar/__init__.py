"""Can this evaluation tell these two models apart?

logs → Table → ScoreMatrix → Gram → PairStats → Verdict → report

Names are loaded on first use, so that ``import nstar`` and ``nstar --help`` stay instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nstar._version import __version__

if TYPE_CHECKING:
    from nstar import stats
    from nstar._align import matrices
    from nstar._audit import Audit, Leaderboard, audit, audit_tasks
    from nstar._benchmarks import BENCHMARKS, TypicalRho
    from nstar._budget import BudgetPlan, PilotPower, Spread, plan_budget
    from nstar._budget.pilot import pilot_spread
    from nstar._budget.prices import Price, log_costs
    from nstar._budget.resample import pilot_power
    from nstar._claim import Claim, Printed, claim
    from nstar._compare import Comparison, Pair, compare, compare_tasks
    from nstar._coverage import Coverage, coverage
    from nstar._findings import Finding
    from nstar._gate import Gate, History, gate
    from nstar._limits import Limits
    from nstar._matrix import Grouping, ScoreMatrix
    from nstar._pack import open_pack, pack
    from nstar._plan import (
        Design,
        Graded,
        PairedPsi,
        PairedRho,
        Plan,
        Unpaired,
        plan,
        plan_margin,
        plan_precision,
    )
    from nstar._plan.sequential import plan_sequential
    from nstar._plan.sequential_result import SequentialPlan
    from nstar._runs import Runs, RunTable, run_tables, runs
    from nstar._selfcheck import Selfcheck, selfcheck
    from nstar._simulate import (
        INTERVALS,
        SCENARIOS,
        TESTS,
        Board,
        Counts,
        Scores,
        Simulation,
        simulate,
    )
    from nstar._table import Source, Table
    from nstar._typing import Interval
    from nstar._validate import Validation, validate
    from nstar._verdict import Criteria
    from nstar._watch import Decision, Watch
    from nstar.readers import Options, read
    from nstar.report import render
    from nstar.report.charts import Figure, figure
    from nstar.report.page import page

__all__ = [
    "BENCHMARKS",
    "INTERVALS",
    "SCENARIOS",
    "TESTS",
    "Audit",
    "Board",
    "BudgetPlan",
    "Claim",
    "Comparison",
    "Counts",
    "Coverage",
    "Criteria",
    "Decision",
    "Design",
    "Figure",
    "Finding",
    "Gate",
    "Graded",
    "Grouping",
    "History",
    "Interval",
    "Leaderboard",
    "Limits",
    "Options",
    "Pair",
    "PairedPsi",
    "PairedRho",
    "PilotPower",
    "Plan",
    "Price",
    "Printed",
    "RunTable",
    "Runs",
    "ScoreMatrix",
    "Scores",
    "Selfcheck",
    "SequentialPlan",
    "Simulation",
    "Source",
    "Spread",
    "Table",
    "TypicalRho",
    "Unpaired",
    "Validation",
    "Watch",
    "__version__",
    "audit",
    "audit_tasks",
    "claim",
    "compare",
    "compare_tasks",
    "coverage",
    "figure",
    "gate",
    "log_costs",
    "matrices",
    "open_pack",
    "pack",
    "page",
    "pilot_power",
    "pilot_spread",
    "plan",
    "plan_budget",
    "plan_margin",
    "plan_precision",
    "plan_sequential",
    "read",
    "render",
    "run_tables",
    "runs",
    "selfcheck",
    "simulate",
    "stats",
    "validate",
]

_HOMES = {
    "Audit": "nstar._audit",
    "BENCHMARKS": "nstar._benchmarks",
    "Board": "nstar._simulate",
    "BudgetPlan": "nstar._budget",
    "Claim": "nstar._claim",
    "Comparison": "nstar._compare",
    "Counts": "nstar._simulate",
    "Coverage": "nstar._coverage",
    "Criteria": "nstar._verdict",
    "Decision": "nstar._watch",
    "Design": "nstar._plan",
    "Figure": "nstar.report.charts",
    "Finding": "nstar._findings",
    "Gate": "nstar._gate",
    "Graded": "nstar._plan",
    "Grouping": "nstar._matrix",
    "History": "nstar._gate",
    "INTERVALS": "nstar._simulate",
    "Interval": "nstar._typing",
    "Leaderboard": "nstar._audit",
    "Limits": "nstar._limits",
    "Options": "nstar.readers",
    "Pair": "nstar._compare",
    "PairedPsi": "nstar._plan",
    "PairedRho": "nstar._plan",
    "PilotPower": "nstar._budget",
    "Plan": "nstar._plan",
    "Price": "nstar._budget.prices",
    "Printed": "nstar._claim",
    "RunTable": "nstar._runs",
    "Runs": "nstar._runs",
    "SCENARIOS": "nstar._simulate",
    "ScoreMatrix": "nstar._matrix",
    "Scores": "nstar._simulate",
    "Selfcheck": "nstar._selfcheck",
    "SequentialPlan": "nstar._plan.sequential_result",
    "Simulation": "nstar._simulate",
    "Source": "nstar._table",
    "Spread": "nstar._budget",
    "TESTS": "nstar._simulate",
    "Table": "nstar._table",
    "TypicalRho": "nstar._benchmarks",
    "Unpaired": "nstar._plan",
    "Validation": "nstar._validate",
    "Watch": "nstar._watch",
    "audit": "nstar._audit",
    "audit_tasks": "nstar._audit",
    "claim": "nstar._claim",
    "compare": "nstar._compare",
    "compare_tasks": "nstar._compare",
    "coverage": "nstar._coverage",
    "figure": "nstar.report.charts",
    "log_costs": "nstar._budget.prices",
    "gate": "nstar._gate",
    "matrices": "nstar._align",
    "open_pack": "nstar._pack",
    "pack": "nstar._pack",
    "page": "nstar.report.page",
    "pilot_power": "nstar._budget.resample",
    "pilot_spread": "nstar._budget.pilot",
    "plan": "nstar._plan",
    "plan_budget": "nstar._budget",
    "plan_margin": "nstar._plan",
    "plan_precision": "nstar._plan",
    "plan_sequential": "nstar._plan.sequential",
    "read": "nstar.readers",
    "render": "nstar.report",
    "run_tables": "nstar._runs",
    "runs": "nstar._runs",
    "selfcheck": "nstar._selfcheck",
    "simulate": "nstar._simulate",
    "validate": "nstar._validate",
}


def __getattr__(name: str) -> Any:
    if name == "stats":
        return import_module("nstar.stats")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    msg = f"module 'nstar' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
