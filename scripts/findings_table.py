"""Write the table of findings into docs/read.md, from nstar._data.findings.KINDS.

python scripts/findings_table.py            rewrite the page
python scripts/findings_table.py --check    exit 1 if it is stale
"""

import re
import sys

from _section import keep
from nstar._data.findings import KINDS
from nstar.errors import _ARG


def _flags(text: str) -> str:
    """Parameters as options of the command line, in the type of code."""

    def flag(found: re.Match[str]) -> str:
        name = f"--{found[1].replace('_', '-')}"
        return f"`{name} {found[2]}`" if found[2] else f"`{name}`"

    return _ARG.sub(flag, text)


def table() -> str:
    rows = ["| level | code | what it says | what to do |", "|---|---|---|---|"]
    rows += [
        f"| {k.level} | `{code}` | {_flags(k.meaning)} | {_flags(k.mend)} |"
        for code, k in KINDS.items()
    ]
    return "\n".join(
        line.replace("first|last|mean", "first\\|last\\|mean").replace(
            "missing|zero", "missing\\|zero"
        )
        for line in rows
    )


if __name__ == "__main__":
    sys.exit(keep("read.md", "findings", table()))
