"""Every kind of result, declared once: its command, the heading of its page, its sentences."""

from importlib import import_module
from typing import Any, NamedTuple

from nstar._base.result import Result


class ResultKind(NamedTuple):
    """Declaration of one kind of result."""

    printed_by: str
    """Command that reports it, and when."""
    title: str = ""
    """Kind of result, which stands above the title of a page without a script."""
    words: str = ""
    """Module of ``report/prose`` with its sentences, if not that of its name."""


KINDS = {
    "FalseAlarms": ResultKind("gate aa", "False alarms of a gate", "false_alarms"),
    "Audit": ResultKind("audit"),
    "Battles": ResultKind("battles"),
    "BoardPlan": ResultKind("plan board", "Leaderboard plan", "board_plan"),
    "TaskPlan": ResultKind("plan runs", "Plan of tasks and runs", "task_plan"),
    "Checklist": ResultKind("compare --checklist", "Reporting checklist"),
    "Claim": ResultKind("claim", "Claim check"),
    "ClaimList": ResultKind("claim list", "Claim check of a list", "claim.listing"),
    "Comparison": ResultKind("compare"),
    "Coverage": ResultKind("read", "Data check"),
    "Gate": ResultKind("gate"),
    "GapClaim": ResultKind("claim gap", "Claim check of a gap", "claim.gap"),
    "Items": ResultKind("items", "Item analysis"),
    "Judged": ResultKind("compare judged", "Comparison with a corrected judge"),
    "LabelPlan": ResultKind("plan labels", "Plan of labels", "label_plan"),
    "Judges": ResultKind("judges", "Judges and human labels"),
    "Known": ResultKind("compare known", "Comparison with a known model"),
    "GateFeasibility": ResultKind("gate plan", "Gate plan", "gate_feasibility"),
    "Plan": ResultKind("plan", "Plan"),
    "PlanGrid": ResultKind("plan, of several values", "Plans", "plan_grid"),
    "RaceResult": ResultKind("watch race", "Race of several models", "race"),
    "Runs": ResultKind("runs", "Repeated runs"),
    "ScoreClaim": ResultKind("claim scores", "Claim check", "claim.scores"),
    "Selfcheck": ResultKind("selfcheck", "Self-check"),
    "SequentialPlan": ResultKind("plan looks", "Plan with interim looks", "sequential"),
    "SinglePlan": ResultKind("plan single", "Plan for one model", "single"),
    "Simulation": ResultKind("simulate", "Simulation"),
    "Study": ResultKind("simulate study", "Simulation study"),
    "Subset": ResultKind("shrink", "Subset of a benchmark"),
    "TableClaim": ResultKind("claim table", "Claim check of a table", "claim.table"),
    "UnpairedClaim": ResultKind("claim unpaired", "Claim check, separate items", "claim.unpaired"),
    "VotePlan": ResultKind("plan votes", "Plan of votes", "vote_plan"),
    "WatchResult": ResultKind("watch", "Monitored evaluation", "watch"),
    "WinsClaim": ResultKind("claim wins", "Claim check of wins", "claim.wins"),
}
"""Kinds of results by the name of the class."""


def words_of(name: str) -> Any:
    """Return the module of sentences for a kind of result."""
    return import_module(f"nstar.report.prose.{KINDS[name].words or name.lower()}")


def result_class(name: str) -> type[Result]:
    """Return the class of a result by its name."""
    kind: type[Result] = getattr(words_of(name), name)
    return kind


def printed_by(command: str) -> tuple[str, ...]:
    """Return the kinds of result that a command reports."""
    return tuple(
        name for name, kind in KINDS.items() if kind.printed_by.split()[0].rstrip(",") == command
    )
