"""Every kind of result: where its class lives, where its words are, which command prints it."""

from importlib import import_module
from typing import Any

from nstar._base.result import Result

HOMES = {
    "Alarms": "gate",
    "Audit": "audit",
    "Battles": "battles",
    "BattlesPlan": "plan.battles_result",
    "BoardPlan": "plan.board_result",
    "BudgetPlan": "budget",
    "Claim": "claim",
    "Comparison": "compare",
    "Coverage": "coverage",
    "Gate": "gate",
    "Items": "items",
    "Judged": "judged",
    "JudgedPlan": "judged.plan_result",
    "Judges": "judges",
    "Known": "known",
    "Leaderboard": "audit",
    "Outlook": "gate",
    "Plan": "plan",
    "Raced": "race",
    "Runs": "runs",
    "ScoreClaim": "claim",
    "Selfcheck": "selfcheck",
    "SequentialPlan": "plan.sequential_result",
    "Simulation": "simulate",
    "Study": "simulate",
    "Subset": "shrink",
    "TableClaim": "claim",
    "UnpairedClaim": "claim",
    "Validation": "validate",
    "Watched": "watch",
    "WinsClaim": "claim",
}
"""Classes, and the verb that makes them."""

_WORDS = {
    "BattlesPlan": "battles_plan",
    "BoardPlan": "board_plan",
    "BudgetPlan": "budget",
    "JudgedPlan": "judged_plan",
    "Raced": "race",
    "ScoreClaim": "claim.scores",
    "SequentialPlan": "sequential",
    "TableClaim": "claim.table",
    "UnpairedClaim": "claim.unpaired",
    "Watched": "watch",
    "WinsClaim": "claim.wins",
}
"""Results whose words stand under another name than their own."""


def result_class(name: str) -> type[Result]:
    """The class of a result by its name."""
    kind: type[Result] = getattr(import_module(f"nstar._verbs.{HOMES[name]}"), name)
    return kind


def words_of(name: str) -> Any:
    """The module that speaks for a kind of result."""
    return import_module(f"nstar.report.words.{_WORDS.get(name, name.lower())}")
