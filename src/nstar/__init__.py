"""Can this evaluation tell these two models apart?

logs → Table → ScoreMatrix → Gram → PairStats → Verdict → report

Names are loaded on first use, so that importing nstar and asking for help stay instant.
"""

from importlib import import_module
from typing import Any

from nstar._base.result import Result
from nstar._base.version import __version__

_HOMES = {
    "_base.result": "Result",
    "_base.types": "Interval",
    "_data.align": "matrices",
    "_data.findings": "Finding",
    "_data.limits": "Limits",
    "_data.matrix": "Grouping ScoreMatrix",
    "_data.pack": "open_pack pack",
    "_data.table": "Source Table",
    "_engine.work": "Execution",
    "_verbs.audit": "Audit Leaderboard audit audit_tasks",
    "_verbs.benchmarks": "BENCHMARKS TypicalRho",
    "_verbs.budget": "BudgetPlan PilotPower Spread plan_budget",
    "_verbs.budget.pilot": "pilot_power pilot_spread",
    "_verbs.budget.prices": "Price log_costs",
    "_verbs.claim": "Claim Printed claim",
    "_verbs.compare": "Comparison Pair compare compare_tasks",
    "_verbs.coverage": "Coverage coverage",
    "_verbs.gate": "Gate History gate",
    "_verbs.plan": "Design Graded PairedPsi PairedRho Plan Unpaired plan",
    "_verbs.plan.margin": "plan_margin",
    "_verbs.plan.precision": "plan_precision",
    "_verbs.plan.sequential": "plan_sequential",
    "_verbs.plan.sequential_result": "SequentialPlan",
    "_verbs.runs": "RunTable Runs run_tables runs",
    "_verbs.selfcheck": "Selfcheck selfcheck",
    "_verbs.simulate": "Board Counts INTERVALS SCENARIOS Scores Simulation TESTS simulate",
    "_verbs.validate": "Validation validate",
    "_verbs.verdict": "Criteria",
    "_verbs.watch": "Decision Watch Watched",
    "readers": "Options read",
    "report": "render",
    "report.charts": "Figure figure",
    "report.page": "page",
}
"""Every public name, by where it lives; scripts/names_stub.py tells type checkers."""

_MODULES = {name: f"nstar.{home}" for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", "stats", *_MODULES]  # noqa: PLE0604

Result._report = staticmethod(lambda: import_module("nstar.report"))  # noqa: SLF001


def __getattr__(name: str) -> Any:
    if name == "stats":
        return import_module("nstar.stats")
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    msg = f"module 'nstar' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
