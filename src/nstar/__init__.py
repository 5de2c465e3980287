"""Can this evaluation tell these two models apart?

logs → Table → ScoreMatrix → Gram → PairStats → Verdict → report

Names are loaded on first use, so that ``import nstar`` and ``nstar --help`` stay instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nstar._base.result import Result
from nstar._base.version import __version__

if TYPE_CHECKING:
    from nstar import stats
    from nstar._base.types import Interval
    from nstar._data.align import matrices
    from nstar._data.findings import Finding
    from nstar._data.limits import Limits
    from nstar._data.matrix import Grouping, ScoreMatrix
    from nstar._data.pack import open_pack, pack
    from nstar._data.table import Source, Table
    from nstar._verbs.audit import Audit, Leaderboard, audit, audit_tasks
    from nstar._verbs.benchmarks import BENCHMARKS, TypicalRho
    from nstar._verbs.budget import BudgetPlan, PilotPower, Spread, plan_budget
    from nstar._verbs.budget.pilot import pilot_spread
    from nstar._verbs.budget.prices import Price, log_costs
    from nstar._verbs.budget.resample import pilot_power
    from nstar._verbs.claim import Claim, Printed, claim
    from nstar._verbs.compare import Comparison, Pair, compare, compare_tasks
    from nstar._verbs.coverage import Coverage, coverage
    from nstar._verbs.gate import Gate, History, gate
    from nstar._verbs.plan import (
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
    from nstar._verbs.plan.sequential import plan_sequential
    from nstar._verbs.plan.sequential_result import SequentialPlan
    from nstar._verbs.runs import Runs, RunTable, run_tables, runs
    from nstar._verbs.selfcheck import Selfcheck, selfcheck
    from nstar._verbs.simulate import (
        INTERVALS,
        SCENARIOS,
        TESTS,
        Board,
        Counts,
        Scores,
        Simulation,
        simulate,
    )
    from nstar._verbs.validate import Validation, validate
    from nstar._verbs.verdict import Criteria
    from nstar._verbs.watch import Decision, Watch, Watched
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
    "Watched",
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
    "Audit": "nstar._verbs.audit",
    "BENCHMARKS": "nstar._verbs.benchmarks",
    "Board": "nstar._verbs.simulate",
    "BudgetPlan": "nstar._verbs.budget",
    "Claim": "nstar._verbs.claim",
    "Comparison": "nstar._verbs.compare",
    "Counts": "nstar._verbs.simulate",
    "Coverage": "nstar._verbs.coverage",
    "Criteria": "nstar._verbs.verdict",
    "Decision": "nstar._verbs.watch",
    "Design": "nstar._verbs.plan",
    "Figure": "nstar.report.charts",
    "Finding": "nstar._data.findings",
    "Gate": "nstar._verbs.gate",
    "Graded": "nstar._verbs.plan",
    "Grouping": "nstar._data.matrix",
    "History": "nstar._verbs.gate",
    "INTERVALS": "nstar._verbs.simulate",
    "Interval": "nstar._base.types",
    "Leaderboard": "nstar._verbs.audit",
    "Limits": "nstar._data.limits",
    "Options": "nstar.readers",
    "Pair": "nstar._verbs.compare",
    "PairedPsi": "nstar._verbs.plan",
    "PairedRho": "nstar._verbs.plan",
    "PilotPower": "nstar._verbs.budget",
    "Plan": "nstar._verbs.plan",
    "Price": "nstar._verbs.budget.prices",
    "Printed": "nstar._verbs.claim",
    "RunTable": "nstar._verbs.runs",
    "Runs": "nstar._verbs.runs",
    "SCENARIOS": "nstar._verbs.simulate",
    "ScoreMatrix": "nstar._data.matrix",
    "Scores": "nstar._verbs.simulate",
    "Selfcheck": "nstar._verbs.selfcheck",
    "SequentialPlan": "nstar._verbs.plan.sequential_result",
    "Simulation": "nstar._verbs.simulate",
    "Source": "nstar._data.table",
    "Spread": "nstar._verbs.budget",
    "TESTS": "nstar._verbs.simulate",
    "Table": "nstar._data.table",
    "TypicalRho": "nstar._verbs.benchmarks",
    "Unpaired": "nstar._verbs.plan",
    "Validation": "nstar._verbs.validate",
    "Watch": "nstar._verbs.watch",
    "Watched": "nstar._verbs.watch",
    "audit": "nstar._verbs.audit",
    "audit_tasks": "nstar._verbs.audit",
    "claim": "nstar._verbs.claim",
    "compare": "nstar._verbs.compare",
    "compare_tasks": "nstar._verbs.compare",
    "coverage": "nstar._verbs.coverage",
    "figure": "nstar.report.charts",
    "log_costs": "nstar._verbs.budget.prices",
    "gate": "nstar._verbs.gate",
    "matrices": "nstar._data.align",
    "open_pack": "nstar._data.pack",
    "pack": "nstar._data.pack",
    "page": "nstar.report.page",
    "pilot_power": "nstar._verbs.budget.resample",
    "pilot_spread": "nstar._verbs.budget.pilot",
    "plan": "nstar._verbs.plan",
    "plan_budget": "nstar._verbs.budget",
    "plan_margin": "nstar._verbs.plan",
    "plan_precision": "nstar._verbs.plan",
    "plan_sequential": "nstar._verbs.plan.sequential",
    "read": "nstar.readers",
    "render": "nstar.report",
    "run_tables": "nstar._verbs.runs",
    "runs": "nstar._verbs.runs",
    "selfcheck": "nstar._verbs.selfcheck",
    "simulate": "nstar._verbs.simulate",
    "validate": "nstar._verbs.validate",
}


Result._report = staticmethod(lambda: import_module("nstar.report"))  # noqa: SLF001


def __getattr__(name: str) -> Any:
    if name == "stats":
        return import_module("nstar.stats")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    msg = f"module 'nstar' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
