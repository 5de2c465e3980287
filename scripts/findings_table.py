"""Write the table of findings into docs/read.md, from nstar._data.findings.KINDS.

python scripts/findings_table.py            rewrite the page
python scripts/findings_table.py --check    exit 1 if it is stale
"""

import sys

from _section import keep
from nstar._data.findings import KINDS


def table() -> str:
    rows = ["| level | code | what it says | what to do |", "|---|---|---|---|"]
    rows += [f"| {k.level} | `{code}` | {k.meaning} | {k.mend} |" for code, k in KINDS.items()]
    return "\n".join(line.replace("first|last|mean", "first\\|last\\|mean") for line in rows)


if __name__ == "__main__":
    sys.exit(keep("read.md", "findings", table()))
