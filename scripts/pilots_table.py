"""The table of docs/evidence/pilots.md: how well plans from pilots estimate their noise.

python -m validation --claim board-pilots --thorough --format json > RUN.json
python scripts/validation_page.py --keep RUN.json    store the rates in docs/validation.json
python scripts/pilots_table.py                       rewrite the table
python scripts/pilots_table.py --check               exit 1 if it is stale
"""

import sys
from collections.abc import Sequence

from _section import keep
from validation import CellVerdict
from validation_page import stored_validation, today

PROMISES = ("95% interval", "enough with 90%")


def _span(cells: Sequence[CellVerdict]) -> str:
    rates = [f"{100 * c.rate:.1f}" for c in sorted(cells, key=lambda c: c.rate)]
    return rates[0] if rates[0] == rates[-1] else f"{rates[0]} to {rates[-1]}"


def _kinds(cells: Sequence[CellVerdict]) -> dict[str, list[CellVerdict]]:
    """Cells by what the items are, and of plain ones by how many."""
    by_kind: dict[str, list[CellVerdict]] = {}
    for c in cells:
        grouped = [kind for kind in ("clusters", "strata") if kind in c.setting]
        group = f"{c.setting['items']} items" if not grouped else f"in {grouped[0]}"
        group = "equal models" if "true spread" in c.setting else group
        by_kind.setdefault(group, []).append(c)
    return by_kind


def _told(cell: CellVerdict) -> str:
    setting = {k: v for k, v in cell.setting.items() if (k, v) != ("runs", 1)}
    setting_text = ", ".join(f"{value} {name}" for name, value in setting.items())
    return f"{100 * cell.rate:.1f}%: {cell.procedure} ({setting_text})"


def table(cells: Sequence[CellVerdict]) -> str:
    """Rates by kind of pilot, and every cell that falls short."""
    lines = ["| pilot | cells | coverage of the 95% interval | sufficient items, stated at 90% |"]
    lines.append("|---|---:|---:|---:|")
    for kind, kind_cells in _kinds(cells).items():
        by = [[c for c in kind_cells if c.procedure == p] for p in PROMISES]
        lines.append(f"| {kind} | {len(by[0])} | {_span(by[0])}% | {_span(by[1])}% |")
    short = [c for c in cells if c.outcome == "exceeds"]
    lines.append("")
    if not short:
        lines.append("No cell is significantly below the stated rate.")
    else:
        lines.append(
            f"{len(short)} of {len(cells)} cells are significantly below the stated rate:"
        )
        lines += ["", *(f"- {_told(c)}" for c in sorted(short, key=lambda c: -c.excess))]
    return "\n".join(lines)


def main() -> int:
    cells = [c for c in today(stored_validation()).cells if c.claim == "board-pilots"]
    return keep("evidence/pilots.md", "pilots", table(cells)) if cells else 0


if __name__ == "__main__":
    sys.exit(main())
