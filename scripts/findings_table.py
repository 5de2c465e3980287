"""Write the table of findings into docs/reference/messages.md, from nstar._data.findings.KINDS.

python scripts/findings_table.py            rewrite the page
python scripts/findings_table.py --check    exit 1 if it is stale
"""

import sys

from _section import keep
from nstar._data.findings import KINDS
from nstar.errors import Speller, fill_parameters, spelling


class _MarkdownSpeller(Speller):
    """Spells parameters as options of the command line, set as code."""

    is_python = False

    def spell(self, name: str, value: str | None) -> str:
        option = f"--{name.replace('_', '-')}"
        return f"`{option}`" if value is None else f"`{option} {value}`"


def table() -> str:
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


if __name__ == "__main__":
    sys.exit(keep("reference/messages.md", "findings", table()))
