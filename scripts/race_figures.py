"""Write docs/evidence/races.md from docs/race.json: races on real and on simulated scores.

python scripts/race_figures.py                 rewrite the tables
python scripts/race_figures.py --check         exit 1 if one is stale
python scripts/race_figures.py --run           race the models of MMLU-Pro first, in random orders
python scripts/race_figures.py --grid FILE     take the grid from a run of
    python -m validation --claim races,race-margins --thorough --format json > FILE

--run takes a few minutes, and needs the scores as ``../shared/data/mmlu_pro.parquet``.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import nstar
from _section import DOCS, keep

RECORD = DOCS / "race.json"
DATA = DOCS.parents[1] / "shared" / "data" / "mmlu_pro.parquet"
PAGE = "evidence/races.md"
FULL = 11_000
"""Items that a model must have; one of 29 has fewer."""
ORDERS = {"all": 100, "top 10": 100, "without the leader": 40}

Record = dict[str, Any]


# -- Running ------------------------------------------------------------------------------


def read() -> tuple[np.ndarray, list[str]]:
    """Scores of the models that have nearly all items, on the items of all of them."""
    import pyarrow.parquet as pq  # noqa: PLC0415 a page needs no data

    table = pq.read_table(DATA, columns=["model", "item", "score"])
    names, m = np.unique(table["model"].to_numpy(), return_inverse=True)
    items, k = np.unique(table["item"].to_numpy(), return_inverse=True)
    scores = np.full((len(items), len(names)), np.nan)
    scores[k, m] = table["score"].to_numpy()
    many = (~np.isnan(scores)).sum(axis=0) > FULL
    scores, model_names = scores[:, many], [str(n) for n in names[many]]
    return scores[~np.isnan(scores).any(axis=1)], model_names


def race(scores: np.ndarray, names: list[str], order: np.ndarray) -> nstar.RaceResult:
    """One race; models that were dropped are not asked any more."""
    run = nstar.Race(names, items=len(order))
    at = {name: k for k, name in enumerate(names)}
    for item in run.stream(order.tolist()):
        run.update({name: scores[item, at[name]] for name in run.running}, item=item)
    return run.result


def measured(scores: np.ndarray, names: list[str], orders: int) -> Record:
    """Many races, each in an order of its own."""
    rng, means = np.random.default_rng(26), scores.mean(axis=0)
    best, second = np.argsort(-means)[:2]
    began = time.monotonic()
    races = [race(scores, names, rng.permutation(len(scores))) for _ in range(orders)]
    left = [{r.model for r in f.active_models} for f in races]
    return {
        "models": len(names),
        "items": len(scores),
        "leader": names[best],
        "gap": float(means[best] - means[second]),
        "orders": orders,
        "winner": sum(f.verdict == "winner" for f in races),
        "kept": sum(names[best] in remaining for remaining in left),
        "median_items": float(np.median([f.n_items for f in races])),
        "share": float(np.mean([f.n_answers_used / f.n_answers_planned for f in races])),
        "shares": [
            float(q)
            for q in np.quantile(
                [f.n_answers_used / f.n_answers_planned for f in races], (0.05, 0.95)
            )
        ],
        "left": float(np.mean([len(remaining) for remaining in left])),
        "seconds": round(time.monotonic() - began, 1),
    }


def run() -> Record:
    scores, names = read()
    ranked = np.argsort(-scores.mean(axis=0))
    cohorts = {"all": ranked, "top 10": ranked[:10], "without the leader": ranked[1:]}
    return {
        label: measured(scores[:, ranks], [names[k] for k in ranks], ORDERS[label])
        for label, ranks in cohorts.items()
    }


def grid(path: str) -> list[Record]:
    """Cells of the two claims."""
    validation = json.loads(Path(path).read_text(encoding="utf-8"))
    keys = ("claim", "procedure", "setting", "rate", "promised", "reps", "role")
    return [{k: cell[k] for k in keys} for cell in validation["cells"]]


# -- Telling ------------------------------------------------------------------------------

_EVENTS = {
    "the best dropped": "best model eliminated",
    "one of equals called the best": "one of the equal models declared the winner",
    "any of the equals dropped": "any equal model eliminated",
}
"""Procedures of the validation, in words."""
_LABELS = {
    "all": "all {models}",
    "top 10": "the ten best",
    "without the leader": "all but the leader",
}


def mmlu(record: Record) -> str:
    lines = [
        "| models | lead of the best | orders | with a winner | best model kept | median items | "
        "share of all answers (5th to 95th percentile) |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, r in record.items():
        low, high = (f"{100 * q:.1f}" for q in r["shares"])
        lines.append(
            f"| {_LABELS[kind].format(**r)} | {100 * r['gap']:.2f} pp | {r['orders']} | "
            f"{r['winner']} | {r['kept']} | {r['median_items']:,.0f} of {r['items']:,} | "
            f"{100 * r['share']:.1f}% ({low} to {high}) |"
        )
    return "\n".join(lines)


def _of(cells: list[Record], procedure: str, **setting: Any) -> str:
    for cell in cells:
        same = all(cell["setting"].get(k) == v for k, v in setting.items())
        if cell["procedure"] == procedure and same:
            return f"{100 * cell['rate']:.1f}"
    return "–"


def simulated(cells: list[Record]) -> str:
    races = [c for c in cells if c["claim"] == "races"]
    orders = list(dict.fromkeys(c["setting"]["order"] for c in races))
    models = sorted({c["setting"]["models"] for c in races})
    head = " | ".join(f"{m} models" for m in models)
    rule = "|---|---|---|" + "---:|" * len(models)
    lines = [f"| items | equally good models | event | {head} |", rule]
    tables: dict[str, tuple[tuple[str, Callable[[int], int]], ...]] = {
        "one": (("the best dropped", lambda _: 1),),
        "two": (("the best dropped", lambda _: 2), ("one of equals called the best", lambda _: 2)),
        "all": (
            ("the best dropped", lambda m: m),
            ("one of equals called the best", lambda m: m),
            ("any of the equals dropped", lambda m: m),
        ),
    }
    for order in orders:
        for good, rows in tables.items():
            for event, best in rows:
                rates = (
                    _of(races, event, order=order, models=m, **{"equally good": best(m)})
                    for m in models
                )
                lines.append(f"| {order} | {good} | {_EVENTS[event]} | {' | '.join(rates)} |")
    return "\n".join(lines)


def margins(cells: list[Record]) -> str:
    return "\n".join(
        f"- {c['setting']['models']} models, {c['setting']['items']} items: "
        f"{100 * c['rate']:.1f}% of {c['reps']:,} races."
        for c in cells
        if c["claim"] == "race-margins"
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--grid")
    options = parser.parse_args()
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if options.run:
        record["mmlu_pro"] = run()
    if options.grid:
        record["grid"] = grid(options.grid)
    if options.run or options.grid:
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    stale = 0
    if "mmlu_pro" in record:
        stale |= keep(PAGE, "mmlu-pro", mmlu(record["mmlu_pro"]))
    if "grid" in record:
        stale |= keep(PAGE, "grid", simulated(record["grid"]))
        stale |= keep(PAGE, "margins", margins(record["grid"]))
    return stale


if __name__ == "__main__":
    sys.exit(main())
