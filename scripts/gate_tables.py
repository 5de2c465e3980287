"""Two tables of docs/evidence/gate.md: how often candidates worse by the margin get a PASS.

python scripts/gate_tables.py            rewrite the page
python scripts/gate_tables.py --check    exit 1 if it is stale

The rates for clusters are those of docs/validation.json.
"""

import sys
from functools import partial

import numpy as np
from scipy import special

from _section import keep
from nstar import stats
from validation_page import stored_validation

DRAWS, NOISE = 20_000, 0.01
SIZES = {0.01: (30, 100, 300, 1000), 0.05: (20, 60, 200)}
"""Items by margin."""


def points(gap: bool | float | str) -> str:
    return f"{100 * float(gap):g} pp"


def passes(margin: float, n: int) -> tuple[float, float]:
    """How often the lower limit of Student's interval, and of a gate, is above the margin."""
    rng = np.random.default_rng(n)
    d = rng.normal(0, NOISE, (DRAWS, n))
    d[rng.random((DRAWS, n)) < margin] = -1
    mean, se = d.mean(axis=1), d.std(axis=1, ddof=1) / n**0.5
    quantile = float(special.stdtrit(n - 1, 0.95))
    low = stats.margin_bound(mean, se, n, width=1.0, quantile=quantile)
    return float((mean - quantile * se > -margin).mean()), float((low > -margin).mean())


def losses() -> str:
    """Whole losses of just enough items."""
    rows = ["| margin | items | t interval | this gate |", "|---|---|---|---|"]
    for margin, sizes in SIZES.items():
        for n in sizes:
            t, bound = passes(margin, n)
            rows.append(f"| {points(margin)} | {n:,} | {100 * t:.1f}% | {100 * bound:.1f}% |")
    return "\n".join(rows)


def clusters() -> str:
    """Whole losses of clusters."""
    cells = [c for c in stored_validation().cells if c.claim == "gate-clusters"]
    names = ("clusters", "sizes", "margin", "others gain")
    rows = ["| clusters | sizes | margin | other clusters gain | PASS |", "|---|---|---|---|---|"]
    for cell in cells:
        count, sizes, margin, gain = (cell.setting[name] for name in names)
        if gain == 0:
            rows.append(f"| {count} | {sizes} | {points(margin)} | 0 | {100 * cell.rate:.1f}% |")
    worst = max(cells, key=lambda c: c.rate)
    cell_text = f"{worst.setting['clusters']} clusters, margin {points(worst.setting['margin'])}"
    below = (
        f"The largest of {len(cells)} rates is {100 * worst.rate:.1f}% ({cell_text}, other "
        "clusters "
        f"gain {points(worst.setting['others gain'])})."
    )
    return "\n".join([*rows, "", below])


if __name__ == "__main__":
    write = partial(keep, "evidence/gate.md")
    sys.exit(write("losses", losses()) | write("clusters", clusters()))
