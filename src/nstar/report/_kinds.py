"""Every kind of result, declared once: what prints it, its page's heading, who speaks for it."""

from importlib import import_module
from typing import Any, NamedTuple

from nstar._base.result import Result


class Kind(NamedTuple):
    """What nothing but a name can tell of a class of results."""

    printed_by: str
    """Command that prints it, and when."""
    title: str = ""
    """Heading of its page, if that has no script and so no heading of its own."""
    words: str = ""
    """Module of ``report/words`` that speaks for it, if not that of its name."""


KINDS = {
    "Alarms": Kind("gate --aa", "How often does this gate cry wolf?"),
    "Audit": Kind("audit, one task"),
    "Battles": Kind("battles"),
    "BattlesPlan": Kind("plan --battles", "What these votes can tell", "battles_plan"),
    "BoardPlan": Kind(
        "plan --pilot, of many models", "What these items can tell of a board", "board_plan"
    ),
    "BudgetPlan": Kind("plan --budget", "What this budget can detect", "budget"),
    "Claim": Kind("claim", "What two printed numbers can say"),
    "Comparison": Kind("compare"),
    "Coverage": Kind("read", "What is in these logs"),
    "Gate": Kind("gate", "Is the candidate good enough?"),
    "Items": Kind("items", "Which items decide?"),
    "Judged": Kind("compare, with a judge and labels", "What a judge and its labels can tell"),
    "JudgedPlan": Kind(
        "plan, with a judge and labels", "How many labels a judge needs", "judged_plan"
    ),
    "Judges": Kind("runs, with judges", "Which judge can be trusted?"),
    "Known": Kind("compare --known", "A new model on some items, and models known on all"),
    "Leaderboard": Kind("audit, several tasks"),
    "Outlook": Kind("gate --dry-run", "What this gate will need"),
    "Plan": Kind("plan", "What this evaluation can detect"),
    "Raced": Kind("watch, several models", "Which model is the best?", "race"),
    "Runs": Kind("runs", "How repeatable is this?"),
    "ScoreClaim": Kind(
        "claim --pm", "What two printed scores and their errors can say", "claim.scores"
    ),
    "Selfcheck": Kind("selfcheck", "Does this installation compute right?"),
    "SequentialPlan": Kind("plan --sequential", "Looking while it runs", "sequential"),
    "Simulation": Kind("simulate", "What these procedures really do"),
    "Study": Kind("simulate --preset NAME", "A published study, simulated anew"),
    "Subset": Kind("shrink", "Which items are enough?"),
    "TableClaim": Kind(
        "claim table.csv", "Which best values of a printed table are supported", "claim.table"
    ),
    "UnpairedClaim": Kind(
        "claim --unpaired", "What two numbers on different items can say", "claim.unpaired"
    ),
    "Validation": Kind("validate", "Does nstar keep its promises?"),
    "Watched": Kind("watch", "What has been seen so far", "watch"),
    "WinsClaim": Kind(
        "claim --best-on", "What being best on some benchmarks can say", "claim.wins"
    ),
}
"""By the name of the class."""


def words_of(name: str) -> Any:
    """The module that speaks for a kind of result."""
    return import_module(f"nstar.report.words.{KINDS[name].words or name.lower()}")


def result_class(name: str) -> type[Result]:
    """The class of a result by its name, from where its words are."""
    kind: type[Result] = getattr(words_of(name), name)
    return kind


def printed_by(command: str) -> tuple[str, ...]:
    """Kinds of result that a command prints."""
    return tuple(
        name for name, kind in KINDS.items() if kind.printed_by.split()[0].rstrip(",") == command
    )
