"""Write the table of findings into docs/read.md, from nstar._findings.KINDS.

python scripts/findings_table.py            rewrite the page
python scripts/findings_table.py --check    exit 1 if it is stale
"""

import sys
from pathlib import Path

from nstar._findings import KINDS

PAGE = Path(__file__).parents[1] / "docs" / "read.md"
BEGIN, END = "<!-- findings:begin -->", "<!-- findings:end -->"


def table() -> str:
    rows = ["| level | code | what it says | what to do |", "|---|---|---|---|"]
    rows += [f"| {k.level} | `{code}` | {k.meaning} | {k.mend} |" for code, k in KINDS.items()]
    return "\n".join(line.replace("first|last|mean", "first\\|last\\|mean") for line in rows)


def main() -> int:
    old = PAGE.read_text(encoding="utf-8")
    head, _, rest = old.partition(BEGIN)
    _, _, tail = rest.partition(END)
    new = f"{head}{BEGIN}\n{table()}\n{END}{tail}"
    if new == old:
        return 0
    if "--check" in sys.argv:
        print("docs/read.md: the table of findings is stale")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
