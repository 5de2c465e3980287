"""Write a table of docs/evidence/races.md from docs/race.json: races on real scores.

python scripts/race_figures.py                 rewrite the table
python scripts/race_figures.py --check         exit 1 if it is stale
python scripts/race_figures.py --run           race the models of MMLU-Pro first, in random orders

--run takes a few minutes, and needs the scores as ``../shared/data/mmlu_pro.parquet``.
"""

import json
import sys
import time
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
    matrix = nstar.matrices(nstar.read(str(DATA)))[0]
    rows = {name: matrix.row(name) for name in sorted(matrix.models)}
    names = [name for name, row in rows.items() if np.count_nonzero(~np.isnan(row)) > FULL]
    scores = np.stack([rows[name] for name in names], axis=1)
    return scores[~np.isnan(scores).any(axis=1)], names


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


# -- Telling ------------------------------------------------------------------------------

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


def main() -> int:
    if "--run" in sys.argv:
        RECORD.write_text(json.dumps(run(), indent=1) + "\n", encoding="utf-8")
    return keep(PAGE, "mmlu-pro", mmlu(json.loads(RECORD.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    sys.exit(main())
