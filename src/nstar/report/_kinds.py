"""Every kind of result, declared once: its command, the heading of its page, its sentences."""

from importlib import import_module
from typing import Any, NamedTuple

from nstar._base.result import Result


class ResultKind(NamedTuple):
    """Declaration of one kind of result."""

    printed_by: str
    """Command that reports it, and when."""
    title: str = ""
    """Heading of its page, if the page has no script and no heading of its own."""
    words: str = ""
    """Module of ``report/prose`` with its sentences, if not that of its name."""


KINDS = {
    "FalseAlarms": ResultKind("gate aa", "How often does this gate cry wolf?", "false_alarms"),
    "Audit": ResultKind("audit"),
    "Battles": ResultKind("battles"),
    "BoardPlan": ResultKind("plan board", "What these items can tell of a board", "board_plan"),
    "TaskPlan": ResultKind("plan runs", "What this budget can detect", "task_plan"),
    "Claim": ResultKind("claim", "What two printed numbers can say"),
    "Comparison": ResultKind("compare"),
    "Coverage": ResultKind("read", "What is in these logs"),
    "Gate": ResultKind("gate", "Is the candidate good enough?"),
    "Items": ResultKind("items", "Which items decide?"),
    "Judged": ResultKind("compare judged", "What a judge and its labels can tell"),
    "LabelPlan": ResultKind("plan labels", "How many labels a judge needs", "label_plan"),
    "Judges": ResultKind("judges", "Which judge can be trusted?"),
    "Known": ResultKind("compare known", "A new model on some items, and models known on all"),
    "GateFeasibility": ResultKind("gate plan", "What this gate will need", "gate_feasibility"),
    "Plan": ResultKind("plan", "What this evaluation can detect"),
    "PlanGrid": ResultKind(
        "plan, of several values", "What these evaluations can detect", "plan_grid"
    ),
    "RaceResult": ResultKind("watch race", "Which model is the best?", "race"),
    "Runs": ResultKind("runs", "How repeatable is this?"),
    "ScoreClaim": ResultKind(
        "claim scores", "What two printed scores and their errors can say", "claim.scores"
    ),
    "Selfcheck": ResultKind("selfcheck", "Does this installation compute right?"),
    "SequentialPlan": ResultKind("plan looks", "Looking while it runs", "sequential"),
    "Simulation": ResultKind("simulate", "What these procedures really do"),
    "Study": ResultKind("simulate study", "A published study, simulated anew"),
    "Subset": ResultKind("shrink", "Which items are enough?"),
    "TableClaim": ResultKind(
        "claim table", "Which best values of a printed table are supported", "claim.table"
    ),
    "UnpairedClaim": ResultKind(
        "claim unpaired", "What two numbers on different items can say", "claim.unpaired"
    ),
    "VotePlan": ResultKind("plan votes", "What these votes can tell", "vote_plan"),
    "WatchResult": ResultKind("watch", "The result so far", "watch"),
    "WinsClaim": ResultKind(
        "claim wins", "What being best on some benchmarks can say", "claim.wins"
    ),
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
