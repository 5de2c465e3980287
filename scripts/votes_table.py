"""Write the tables of docs/evidence/votes.md: votes that a gap in Elo takes, and promises kept.

python scripts/votes_table.py            rewrite the page
python scripts/votes_table.py --check    exit 1 if it is stale

The second table is of docs/validation.json, the kept run of ``python -m validation --thorough``.
"""

import sys

import nstar
from _section import DOCS, keep
from nstar import stats
from validation import CellVerdict, Validation

GAPS = ((50, 0.4), (20, 0.0), (20, 0.2), (20, 0.4), (10, 0.4))
"""Elo and share of ties."""


def _cell(elo: float, ties: float, scale: stats.EloScale) -> str:
    """Connor's number, and the one that is printed, where power is enumerated."""
    formula = stats.battles_n_star(elo, ties=ties, scale=scale)
    planned = nstar.plan_votes(elo=elo, ties=ties, elo_scale=scale)
    return f"{round(float(formula)):,} | {planned.n_star:,}"


def table() -> str:
    rows = [
        "| Elo | ties | expected score: formula | planned | decisive votes: formula | planned |",
        "|---|---|---|---|---|---|",
    ]
    for elo, ties in GAPS:
        cells_text = " | ".join(_cell(elo, ties, scale) for scale in ("score", "decisive"))
        rows.append(f"| {elo} | {100 * ties:.0f}% | {cells_text} |")
    return "\n".join(rows)


READ = {"": "", ", davidson": ", Davidson's ties", ", prompts not declared": ", *not declared*"}
"""How votes are read, by the end of a procedure's name."""


def _told(cell: CellVerdict | None) -> str:
    if cell is None:
        return "–"
    mark = "**" if cell.outcome == "exceeds" else ""
    return f"{mark}{100 * cell.rate:.1f}% ± {100 * cell.se:.1f}{mark}"


def checked() -> str:
    """A row for each kind of votes; what exceeds its tolerance is bold."""
    validation = Validation.from_json((DOCS / "validation.json").read_bytes())
    cells_by_row: dict[str, dict[str, CellVerdict]] = {}
    for cell in validation.cells:
        if cell.claim in {"vote-ladders", "equal-votes"}:
            suffix = next(e for e in reversed(READ) if cell.procedure.endswith(e))
            setting = cell.setting
            row = (
                f"{setting['models']} models, {setting['votes']:,} votes: "
                f"{setting['kind']}{READ[suffix]}"
            )
            cells_by_row.setdefault(row, {})[cell.procedure.removesuffix(suffix)] = cell
    rows = [
        "| votes | intervals cover the gap | rank ranges correct | false positive, equal models |",
        "|---" * 4 + "|",
    ]
    for row, cells in cells_by_row.items():
        holds = cells.get("interval of a gap", cells.get("interval of a newcomer's gap"))
        each = (holds, cells.get("all rank sets"), cells.get("any pair told apart"))
        rows.append(f"| {row} | {' | '.join(map(_told, each))} |")
    return "\n".join(rows)


if __name__ == "__main__":
    pages = {"votes": table(), "votes-checked": checked()}
    sys.exit(max(keep("evidence/votes.md", name, text) for name, text in pages.items()))
