"""Write the table of group-sequential designs into docs/methods.md.

python scripts/looks_table.py            rewrite the page
python scripts/looks_table.py --check    exit 1 if it is stale
"""

import sys
from pathlib import Path
from typing import get_args

from nstar import stats
from nstar.stats.looks import Spending

PAGE = Path(__file__).parents[1] / "docs" / "methods.md"
BEGIN, END = "<!-- looks:begin -->", "<!-- looks:end -->"
MULTIPLES = (0.0, 1.0, 1.5, 2.0)


def table() -> str:
    effects = " | ".join("equal models" if m == 0 else f"{m:g} × effect" for m in MULTIPLES)
    rows = [f"| design | \\|Z\\| at each look | at most | {effects} |", "|---|---|" + "---|" * 5]
    for spending in get_args(Spending):
        design = stats.group_sequential(5, spending=spending)
        bounds = ", ".join(f"{z:.3f}" for z in design.bounds)
        costs = " | ".join(f"{design.cost(m):.3f}" for m in MULTIPLES)
        rows.append(f"| `{spending}` | {bounds} | {design.inflation:.3f} | {costs} |")
    return "\n".join(rows)


def main() -> int:
    old = PAGE.read_text(encoding="utf-8")
    head, _, rest = old.partition(BEGIN)
    _, _, tail = rest.partition(END)
    new = f"{head}{BEGIN}\n{table()}\n{END}{tail}"
    if new == old:
        return 0
    if "--check" in sys.argv:
        print("docs/methods.md: the table of looks is stale")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
