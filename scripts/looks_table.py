"""Write the table of group-sequential designs into docs/evidence/looks.md.

python scripts/looks_table.py            rewrite the page
python scripts/looks_table.py --check    exit 1 if it is stale
"""

import sys
from typing import get_args

from _section import keep
from nstar import stats
from nstar.stats.looks import Spending

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


if __name__ == "__main__":
    sys.exit(keep("evidence/looks.md", "looks", table()))
