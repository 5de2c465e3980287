"""Write the tables of docs/evidence/looks.md: group-sequential designs, and limits of peeking.

python scripts/looks_tables.py            rewrite the page
python scripts/looks_tables.py --check    exit 1 if it is stale

The tests of the second table are written out here once more, from their formulas and not from
nstar's code.
"""

import sys
from collections.abc import Callable
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from _section import keep
from nstar import stats
from nstar.stats.looks import Spending

Array = NDArray[np.float64]
Law = Callable[[np.random.Generator, int], Array]
ALPHA = 0.05
LIMIT = np.log(1 / ALPHA)


# --- designs ------------------------------------------------------------------------------

MULTIPLES = (0.0, 1.0, 1.5, 2.0)


def designs() -> str:
    effects = " | ".join("equal models" if m == 0 else f"{m:g} × effect" for m in MULTIPLES)
    rows = [f"| design | \\|Z\\| at each look | at most | {effects} |", "|---|---|" + "---|" * 5]
    for spending in get_args(Spending):
        design = stats.group_sequential(5, spending=spending)
        bounds = ", ".join(f"{z:.3f}" for z in design.bounds)
        costs = " | ".join(f"{design.cost(m):.3f}" for m in MULTIPLES)
        rows.append(f"| `{spending}` | {bounds} | {design.inflation:.3f} | {costs} |")
    return "\n".join(rows)


# --- peeking ------------------------------------------------------------------------------


def log_e(wins: Array, losses: Array, a: float) -> Array:
    """McNemar's e-process."""
    mixed = betaln(a + wins, a + losses) - betaln(a, a)
    return np.asarray((wins + losses) * np.log(2) + mixed)


def copies(each: int, discordant: int, runs: int, *, shuffled: bool) -> float:
    """How often equal models are told apart by item `discordant` if items come `each` times."""
    rng = np.random.default_rng(each)
    a = (0.122 * discordant - 1) / 2
    sign = rng.choice([-1.0, 1.0], (runs, discordant // each))
    repeated = np.repeat(sign, each, axis=1)
    if shuffled:
        repeated = rng.permuted(repeated, axis=1)
    lead, n = np.cumsum(repeated, axis=1), np.arange(1, repeated.shape[1] + 1)
    return float((log_e((n + lead) / 2, (n - lead) / 2, a) >= LIMIT).any(axis=1).mean())


def bets(law: Law, items: int, runs: int) -> list[float]:
    """How often bets tell equal models apart by a tenth, a half and all of so many items."""
    rng = np.random.default_rng(1)
    total, squares, above, below = np.zeros((4, runs))
    hit, out = np.zeros(runs, dtype=np.bool_), []
    for t in range(1, items + 1):
        x = (law(rng, runs) + 1) / 2
        variance = (0.25 + squares) / t
        stake = np.sqrt(2 * np.log(2 / ALPHA) / (variance * t * np.log(t + 1)))
        stake = np.minimum(stake, 1.0)  # half of the capital at most, at mean 1/2
        above += np.log1p(stake * (x - 0.5))
        below += np.log1p(-stake * (x - 0.5))
        hit |= np.maximum(above, below) - np.log(2) >= LIMIT
        total += x
        squares += (x - (0.5 + total) / (t + 1)) ** 2
        if t in (items // 10, items // 2, items):
            out.append(float(hit.mean()))
    return out


def two(up: float, down: float) -> Law:
    """Differences of +up or -down, with mean 0."""
    return lambda rng, n: np.where(rng.random(n) < down / (up + down), up, -down)


LAWS: dict[str, Law] = {
    "+1 or -1": two(1, 1),
    "+1 or -0.5": two(1, 0.5),
    "+1 or -0.1": two(1, 0.1),
    "+0.5 or -0.5": two(0.5, 0.5),
    "+1, 0 or -1": lambda rng, n: rng.integers(-1, 2, n).astype(np.float64),
    "uniform": lambda rng, n: rng.uniform(-1, 1, n),
    "normal, sd 0.3": lambda rng, n: rng.normal(0, 0.3, n).clip(-1, 1),
}


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}%"


def peeking() -> str:
    """Equal models that are told apart: repeated items, and bets on several laws."""
    rows = ["| 400 discordant items | one after the other | mixed |", "|---|---|---|"]
    for each in (1, 2, 5):
        rates = [copies(each, 400, 10_000, shuffled=mixed) for mixed in (False, True)]
        rows.append(f"| every item {each}× | {' | '.join(map(percent, rates))} |")
    rows += [
        "",
        "| bets on differences | 200 items | 1,000 items | 2,000 items |",
        "|---|---|---|---|",
    ]
    for name, law in LAWS.items():
        rows.append(f"| {name} | {' | '.join(map(percent, bets(law, 2000, 20_000)))} |")
    return "\n".join(rows)


if __name__ == "__main__":
    page = "evidence/looks.md"
    sys.exit(keep(page, "looks", designs()) | keep(page, "peeking-limits", peeking()))
