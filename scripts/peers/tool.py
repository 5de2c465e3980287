"""What is tried with a tool, and what follows from it."""

from dataclasses import dataclass

__all__ = ["LATE", "NO", "QUESTIONS", "STOPPED", "Cell", "Probe", "Tool", "no", "partly", "yes"]

YES, PARTLY, NO = "yes", "partly", "no"
LATE = 124
STOPPED = (LATE, 137, 152, -9, -24)
"""Exit statuses of commands that took too long: by the clock, by the processor's time."""

QUESTIONS = {
    "paired": "Does A beat B?",
    "plan": "Items needed?",
    "tell": "Detectable gap?",
    "clusters": "Clustered items?",
    "runs": "Repeated runs?",
    "many": "Rank ranges?",
    "peek": "Early looks?",
    "missing": "Missing items?",
    "gate": "Non-inferiority?",
    "readers": "Reads logs?",
    "html": "HTML report?",
    "big": "200 × 10,000 in 5 min?",
    "judge": "Corrects a judge?",
    "votes": "Rates votes?",
    "evaluates": "Runs the evaluation?",
}


@dataclass(frozen=True)
class Probe:
    """A command, run in the folder of inputs with the tool's own environment first in PATH."""

    name: str
    command: str
    reading: str
    keep: tuple[str, ...] = ()
    """Lines of the output in which one of these is found; none: all of it."""
    first: int = 0
    """The first lines are kept too, this many."""
    seconds: int = 300


@dataclass(frozen=True)
class Cell:
    """Yes, partly or no, to one question."""

    word: str
    note: str = ""
    shown: tuple[str, ...] = ()
    """Probes that show it; none: read in the documentation or the source."""


def yes(*probes: str, note: str = "") -> Cell:
    return Cell(YES, note, probes)


def partly(*probes: str, note: str = "") -> Cell:
    return Cell(PARTLY, note, probes)


def no(*probes: str, note: str = "") -> Cell:
    return Cell(NO, note, probes)


@dataclass(frozen=True)
class Tool:
    """A tool in an environment of its own."""

    name: str
    package: str
    """As pip wants it, with its version; "." is this repository."""
    what: str
    better: str
    """Where it does more, or better, than nstar."""
    probes: tuple[Probe, ...]
    cells: dict[str, Cell]
    extra: tuple[str, ...] = ()
    """Other packages that the probes need."""
