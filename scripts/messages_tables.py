"""Write the tables of docs/reference/messages.md: findings, and messages for broken logs.

python scripts/messages_tables.py            rewrite the page
python scripts/messages_tables.py --check    exit 1 if it is stale
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from _section import keep
from helpers.bad_input import CASES, MEMORY, SECONDS, Case, Outcome, run
from helpers.warm import Ending, Warm, warm_program
from nstar._data.findings import KINDS
from nstar.errors import Speller, fill_parameters, spelling

PAGE = "reference/messages.md"


class _MarkdownSpeller(Speller):
    """Spells parameters as options of the command line, set as code."""

    is_python = False

    def spell(self, name: str, value: str | None) -> str:
        # Each use of the option declares one column; the parameter holds them all.
        option = f"--{name.replace('_', '-')}" if name != "columns" else "--column"
        return f"`{option}`" if value is None else f"`{option} {value}`"


def findings() -> str:
    rows = ["| level | code | what it says | what to do |", "|---|---|---|---|"]
    with spelling(_MarkdownSpeller()):
        rows += [
            f"| {k.level} | `{code}` | {fill_parameters(k.meaning)} | {fill_parameters(k.mend)} |"
            for code, k in KINDS.items()
        ]
    return "\n".join(
        line.replace("first|last|mean", "first\\|last\\|mean").replace(
            "missing|zero", "missing\\|zero"
        )
        for line in rows
    )


HEAD = "| input | exit status | printed |\n|---|---|---|\n"


UNREADABLE = "no permission"
"""The case that needs a new process, without the rights of root. The others are forks of one."""


def status_and_sentence(case: Case, warm: Warm) -> str:
    """Exit status and first sentence."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as prints:
        outcome: Outcome | Ending
        if case.name == UNREADABLE:
            outcome = run(case, Path(folder))
        else:
            arguments = ["read", *(case.light or case.make)(Path(folder))]
            outcome = warm.run(arguments, Path(prints), space=MEMORY, seconds=SECONDS)
        text = (outcome.error or outcome.output).replace(folder, "…")
        if not outcome.error:
            first = text.partition("\n\n")[0]
            notes = [s for s in text.split("\n  - ") if s.startswith(("fatal", "warning"))]
            text = " ".join([first, *(n.partition("\n\n")[0] for n in notes)])
    cell = " ".join(text.split()).removeprefix("nstar: ").replace("|", "\\|")
    return f"| {case.name} | {outcome.status} | {cell} |\n"


if __name__ == "__main__":
    with warm_program() as program:
        refusals = HEAD + "".join(status_and_sentence(case, program) for case in CASES)
    sys.exit(keep(PAGE, "findings", findings()) | keep(PAGE, "refusals", refusals.rstrip()))
