"""Can this evaluation tell these two models apart?

logs → Table → ScoreMatrix → Gram → PairStats → Verdict → report

Names are loaded on first use, so that importing nstar and asking for help stay instant.
"""

from importlib import import_module
from typing import Any

from nstar._base.result import Result
from nstar._base.version import __version__

_HOMES = {
    "_api.audit": "audit",
    "_api.battles": "battles",
    "_api.claim": "claim",
    "_api.claim_gap": "claim_gap",
    "_api.claim_list": "claim_list",
    "_api.claim_scores": "claim_scores",
    "_api.claim_table": "claim_table",
    "_api.claim_unpaired": "claim_unpaired",
    "_api.claim_wins": "claim_wins",
    "_api.compare": "compare",
    "_api.gate": "gate",
    "_api.gate_aa": "gate_aa",
    "_api.gate_looks": "gate_looks",
    "_api.gate_plan": "gate_plan",
    "_api.gate_runs": "gate_runs",
    "_api.items": "items",
    "_api.judged": "compare_judged",
    "_api.known": "compare_known",
    "_api.judges": "judges",
    "_api.plan.board": "plan_board",
    "_api.plan.items": "plan",
    "_api.plan.labels": "plan_labels",
    "_api.plan.looks": "plan_looks",
    "_api.plan.margin": "plan_margin",
    "_api.plan.runs": "plan_runs",
    "_api.plan.single": "plan_single",
    "_api.plan.votes": "plan_votes",
    "_api.read": "coverage matrices read",
    "_api.runs": "runs",
    "_api.shrink": "shrink",
    "_api.simulate": "simulate simulate_study",
    "_base.result": "Result",
    "_data.matrix": "ScoreMatrix",
    "_data.pack": "open_pack pack",
    "_data.table": "Table",
    "_verbs.audit": "Audit TaskAudit",
    "_verbs.battles": "Battles",
    "_verbs.budget": "TaskPlan",
    "_verbs.claim": "Claim ClaimList GapClaim ScoreClaim TableClaim UnpairedClaim WinsClaim",
    "_verbs.compare": "Comparison TaskComparison",
    "_verbs.data_summary": "Coverage",
    "_verbs.gate": "Gate",
    "_verbs.items": "Items",
    "_verbs.judged": "Judged",
    "_verbs.judged.plan_result": "LabelPlan",
    "_verbs.reference": "Known",
    "_verbs.judges": "Judges",
    "_verbs.plan": "Design Graded PairedPsi PairedRho Plan Unpaired",
    "_verbs.plan.votes_result": "VotePlan",
    "_verbs.plan.board_result": "BoardPlan",
    "_verbs.plan.result": "PlanGrid",
    "_verbs.plan.sequential_result": "SequentialPlan",
    "_verbs.plan.single": "SinglePlan",
    "_verbs.runs": "RunTable Runs",
    "_verbs.race": "Race RaceResult",
    "_verbs.selfcheck": "Selfcheck selfcheck",
    "_verbs.shrink": "Subset",
    "_verbs.simulate": "Simulation Study",
    "_verbs.watch": "Watch WatchResult",
}
"""Every public name, by where it lives; scripts/names_stub.py tells type checkers."""

_MODULES = {name: f"nstar.{home}" for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", "errors", "report", "stats", "types", *_MODULES]  # noqa: PLE0604

Result._report = staticmethod(lambda: import_module("nstar.report"))  # noqa: SLF001


def __getattr__(name: str) -> Any:
    if name in {"errors", "report", "stats", "types"}:
        return import_module(f"nstar.{name}")
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    msg = f"module 'nstar' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
