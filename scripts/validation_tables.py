"""Tables of evidence pages whose rates are cells of docs/validation.json.

python scripts/validation_tables.py            rewrite the pages
python scripts/validation_tables.py --check    exit 1 if one is stale
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from scipy import special

import nstar
from _section import keep
from nstar import stats
from validation import CellVerdict
from validation_page import stored_validation, today

CELLS = today(stored_validation()).cells


def cells_of(*claims: str) -> list[CellVerdict]:
    return [cell for cell in CELLS if cell.claim in claims]


def points(gap: bool | float | str) -> str:
    return f"{100 * float(gap):g} pp"


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}%"


def bold_if(is_bold: bool, text: str) -> str:
    return f"**{text}**" if is_bold else text


def table(head: str, rows: Iterable[Sequence[str]]) -> str:
    columns = head.count("|") + 1
    lines = (f"| {' | '.join(cells)} |" for cells in rows)
    return "\n".join([f"| {head} |", "|---" * columns + "|", *lines])


# --- gate ---------------------------------------------------------------------------------

DRAWS, NOISE = 20_000, 0.01
SIZES = {0.01: (30, 100, 300, 1000), 0.05: (20, 60, 200)}
"""Items by margin."""


def passes(margin: float, n: int) -> tuple[float, float]:
    """How often the lower limit of Student's interval, and of a gate, is above the margin."""
    rng = np.random.default_rng(n)
    d = rng.normal(0, NOISE, (DRAWS, n))
    d[rng.random((DRAWS, n)) < margin] = -1
    mean, se = d.mean(axis=1), d.std(axis=1, ddof=1) / n**0.5
    quantile = float(special.stdtrit(n - 1, 0.95))
    low = stats.margin_bound(mean, se, n, width=1.0, quantile=quantile)
    return float((mean - quantile * se > -margin).mean()), float((low > -margin).mean())


def gate_losses() -> str:
    """Whole losses of just enough items."""
    rows = []
    for margin, sizes in SIZES.items():
        for n in sizes:
            t, bound = passes(margin, n)
            rows.append((points(margin), f"{n:,}", percent(t), percent(bound)))
    return table("margin | items | t interval | this gate", rows)


def gate_clusters() -> str:
    """Whole losses of clusters."""
    cells = cells_of("gate-clusters")
    rows = [
        (
            f"{c.setting['clusters']}",
            f"{c.setting['sizes']}",
            points(c.setting["margin"]),
            "0",
            percent(c.rate),
        )
        for c in cells
        if c.setting["others gain"] == 0
    ]
    worst = max(cells, key=lambda c: c.rate)
    return "\n".join(
        [
            table("clusters | sizes | margin | other clusters gain | PASS", rows),
            "",
            f"The largest of {len(cells)} rates is {percent(worst.rate)} "
            f"({worst.setting['clusters']} clusters, margin {points(worst.setting['margin'])}, "
            f"other clusters gain {points(worst.setting['others gain'])}).",
        ]
    )


# --- pilots -------------------------------------------------------------------------------


def _span(cells: Sequence[CellVerdict]) -> str:
    rates = sorted(f"{100 * c.rate:5.1f}" for c in cells)
    low, high = rates[0].strip(), rates[-1].strip()
    return f"{low}%" if low == high else f"{low} to {high}%"


def _pilot_kind(cell: CellVerdict) -> str:
    """What the items are, and of independent ones how many."""
    if "true spread" in cell.setting:
        return "equal models"
    groups = [kind for kind in ("clusters", "strata") if kind in cell.setting]
    return f"in {groups[0]}" if groups else f"{cell.setting['items']} items"


def _pilot_text(cell: CellVerdict) -> str:
    setting = [f"{v} {k}" for k, v in cell.setting.items() if (k, v) != ("runs", 1)]
    return f"- {percent(cell.rate)}: {cell.procedure} ({', '.join(setting)})"


def pilots() -> str:
    """Rates by kind of pilot, and every cell that is below the stated rate."""
    cells = cells_of("board-pilots")
    by_kind: dict[str, dict[str, list[CellVerdict]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        by_kind[_pilot_kind(cell)][cell.procedure].append(cell)
    lines = ["| pilot | cells | coverage of the 95% interval | sufficient items, stated at 90% |"]
    lines.append("|---|---:|---:|---:|")
    for kind, of in by_kind.items():
        cover, sufficient = of["95% interval"], of["enough with 90%"]
        lines.append(f"| {kind} | {len(cover)} | {_span(cover)} | {_span(sufficient)} |")
    short = sorted((c for c in cells if c.outcome == "exceeds"), key=lambda c: -c.excess)
    if not short:
        return "\n".join([*lines, "", "No cell is significantly below the stated rate."])
    text = f"{len(short)} of {len(cells)} cells are significantly below the stated rate:"
    return "\n".join([*lines, "", text, "", *map(_pilot_text, short)])


# --- votes --------------------------------------------------------------------------------

GAPS = ((50, 0.4), (20, 0.0), (20, 0.2), (20, 0.4), (10, 0.4))
"""Elo and share of ties."""


def _votes_needed(elo: float, ties: float, scale: stats.EloScale) -> str:
    """Connor's number, and the one that is printed, where power is enumerated."""
    formula = stats.battles_n_star(elo, ties=ties, scale=scale)
    planned = nstar.plan_votes(elo=elo, ties=ties, elo_scale=scale)
    return f"{round(float(formula)):,} | {planned.n_star:,}"


def votes_needed() -> str:
    head = "Elo | ties | expected score: formula | planned | decisive votes: formula | planned"
    rows = [
        (
            str(elo),
            f"{100 * ties:.0f}%",
            *(_votes_needed(elo, ties, scale) for scale in ("score", "decisive")),
        )
        for elo, ties in GAPS
    ]
    return table(head, rows)


READ = {"": "", ", davidson": ", Davidson's ties", ", prompts not declared": ", *not declared*"}
"""How votes are read, by the end of a procedure's name."""


def _vote_rate(cell: CellVerdict | None) -> str:
    if cell is None:
        return "–"
    return bold_if(cell.outcome == "exceeds", f"{percent(cell.rate)} ± {100 * cell.se:.1f}")


def votes_checked() -> str:
    """A row for each kind of votes; what exceeds its tolerance is bold."""
    by_row: dict[str, dict[str, CellVerdict]] = defaultdict(dict)
    for cell in cells_of("vote-ladders", "equal-votes"):
        suffix = next(e for e in reversed(READ) if cell.procedure.endswith(e))
        models, votes, kind = (cell.setting[k] for k in ("models", "votes", "kind"))
        row = f"{models} models, {votes:,} votes: {kind}{READ[suffix]}"
        by_row[row][cell.procedure.removesuffix(suffix)] = cell
    rows = []
    for row, of in by_row.items():
        covers = of.get("interval of a gap", of.get("interval of a newcomer's gap"))
        cells = (covers, of.get("all rank sets"), of.get("any pair significant"))
        rows.append((row, *map(_vote_rate, cells)))
    head = "votes | intervals cover the gap | rank ranges correct | false positive, equal models"
    return table(head, rows)


# --- judges -------------------------------------------------------------------------------


def _judge_rate(cell: CellVerdict) -> str:
    is_bold = cell.outcome == "exceeds" and cell.role != "warning"
    return bold_if(is_bold, f"{100 * cell.rate:.1f} %")


def judges_checked() -> str:
    """Coverage of each method by judge, gap, and labels; what exceeds its tolerance is bold."""
    by_row: dict[tuple[str, ...], dict[str, CellVerdict]] = defaultdict(dict)
    for cell in cells_of("judge-coverage"):
        setting = cell.setting
        if "judge" in setting and setting["judged"] != 100:
            gap = 100 * float(setting["gap"])
            gap_text = f"{gap:+.0f} pp" if gap else "none"
            row = (str(setting["judge"]), gap_text, f"{setting['judged']:,}")
            by_row[(*row, str(setting["labels"]))][cell.procedure] = cell
    methods = ("judge-alone", "judge-labels", "judge-corrected")
    rows = ((*row, *(_judge_rate(of[m]) for m in methods)) for row, of in by_row.items())
    head = "judge | true gap | judged | labels | judge alone | labels alone | judge and labels"
    return table(head, rows)


# --- races --------------------------------------------------------------------------------

DROPPED, CHOSEN = "the best dropped", "one of equals called the best"
EVENTS = {
    DROPPED: "best model eliminated",
    CHOSEN: "one of the equal models declared the winner",
    "any of the equals dropped": "any equal model eliminated",
}
"""Procedures of the validation, and their texts."""
EQUAL: dict[str, tuple[Sequence[str], Callable[[int], int]]] = {
    "one": ((DROPPED,), lambda _: 1),
    "two": ((DROPPED, CHOSEN), lambda _: 2),
    "all": (tuple(EVENTS), lambda models: models),
}
"""Events for so many equally good models, and their number by the number of models."""


def races() -> str:
    cells = cells_of("races")
    rates = {
        (c.procedure, *(c.setting[k] for k in ("order", "models", "equally good"))): c.rate
        for c in cells
    }
    models = sorted({int(c.setting["models"]) for c in cells})
    lines = [
        f"| items | equally good models | event | {' | '.join(f'{m} models' for m in models)} |",
        "|---|---|---|" + "---:|" * len(models),
    ]
    for order in dict.fromkeys(c.setting["order"] for c in cells):
        for good, (events, n_good) in EQUAL.items():
            for event in events:
                row = (rates.get((event, order, m, n_good(m))) for m in models)
                texts = ("–" if rate is None else f"{100 * rate:.1f}" for rate in row)
                lines.append(f"| {order} | {good} | {EVENTS[event]} | {' | '.join(texts)} |")
    return "\n".join(lines)


def race_margins() -> str:
    return "\n".join(
        f"- {c.setting['models']} models, {c.setting['items']} items: {percent(c.rate)} of "
        f"{c.reps:,} races."
        for c in cells_of("race-margins")
    )


TABLES = {
    "gate": {"losses": gate_losses, "clusters": gate_clusters},
    "pilots": {"pilots": pilots},
    "votes": {"votes": votes_needed, "votes-checked": votes_checked},
    "judges": {"judges-checked": judges_checked},
    "races": {"grid": races, "margins": race_margins},
}
"""Functions by page and section."""

if __name__ == "__main__":
    sys.exit(
        max(
            keep(f"evidence/{page}.md", section, text())
            for page, sections in TABLES.items()
            for section, text in sections.items()
        )
    )
