"""Write into docs/claim.md how many wrong p-values the check of a printed p finds.

python scripts/claim_check.py            rewrite the page
python scripts/claim_check.py --check    exit 1 if it is stale
"""

import sys

import numpy as np

from _section import keep
from nstar import stats
from nstar.stats._feasible import Feasible, feasible
from nstar.stats._reprint import Window, matching_intervals, matching_tests, overlap

ITEMS = (200, 1000, 5000)
GAPS = (0.01, 0.02, 0.05)
BETTER, RHO = 0.75, 0.5
PRINTED = np.arange(1, 99, 4) / 100
"""p-values as printed, evenly spread."""


def counts(n: int, gap: float) -> Feasible:
    """Counts that print as the two accuracies do, in percent with one decimal."""
    first, second = (stats.grim(p, n, decimals=3) for p in (BETTER, BETTER - gap))
    return feasible((first.low, first.high), (second.low, second.high), n)


def interval(n: int, gap: float) -> tuple[Window, Window]:
    """Tango's interval at a typical correlation, printed with one decimal."""
    psi = float(stats.psi_from_rho(BETTER, BETTER - gap, RHO))
    lost = round((psi - gap) * n / 2)
    ends = stats.paired_interval(lost + round(gap * n), lost, n)
    low, high = (Window(round(float(e), 3) - 5e-4, round(float(e), 3) + 5e-4) for e in ends)
    return low, high


def row(n: int, gap: float) -> str:
    tables = counts(n, gap)
    beside = [f for f in matching_intervals(tables, *interval(n, gap)) if f.any]
    none = apart = 0
    for p in PRINTED:
        found = [f for f in matching_tests(tables, Window(p - 0.005, p + 0.005)) if f.any]
        none += not found
        apart += not any(overlap(f, i) for f in found for i in beside)
    alone, both = (f"{100 * k / PRINTED.size:.0f} %" for k in (none, apart))
    return f"| {n:,} | {100 * gap:g} pp | {alone} | {both} |"


def table() -> str:
    rows = ["| items | printed gap | `--p` alone | beside `--ci` |", "|---|---|---|---|"]
    return "\n".join([*rows, *(row(n, gap) for n in ITEMS for gap in GAPS)])


if __name__ == "__main__":
    sys.exit(keep("claim.md", "worth", table()))
