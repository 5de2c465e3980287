"""Write the table of votes that a gap in Elo takes into docs/methods/votes.md.

python scripts/votes_table.py            rewrite the page
python scripts/votes_table.py --check    exit 1 if it is stale
"""

import sys

import nstar
from _section import keep
from nstar import stats

GAPS = ((50, 0.4), (20, 0.0), (20, 0.2), (20, 0.4), (10, 0.4))
"""Elo and share of ties."""


def _cell(elo: float, ties: float, scale: stats.EloScale) -> str:
    """Connor's number, and the one that is printed, where power is enumerated."""
    formula = stats.battles_n_star(elo, ties=ties, scale=scale)
    planned = nstar.plan(battles=True, elo=elo, ties=ties, elo_scale=scale)
    return f"{round(float(formula)):,} | {planned.n_star:,}"


def table() -> str:
    rows = [
        "| Elo | ties | expected score: formula | planned | decisive votes: formula | planned |",
        "|---|---|---|---|---|---|",
    ]
    for elo, ties in GAPS:
        both = " | ".join(_cell(elo, ties, scale) for scale in ("score", "decisive"))
        rows.append(f"| {elo} | {100 * ties:.0f} % | {both} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(keep("methods/votes.md", "votes", table()))
