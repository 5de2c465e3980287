"""The numbers of docs/evidence/scale.md and docs/scale.md: a cost model of audits, and its fit.

python scripts/scale_model.py              rewrite the pages from docs/scale.json
python scripts/scale_model.py --check      exit 1 if one is stale
python scripts/scale_model.py --measure    measure here first, into docs/scale.json

Measuring takes some minutes and needs an idle machine. Times are CPU seconds, unless they are
called wall times.
"""

import json
import math
import os
import platform
import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

import nstar
from _section import DOCS, keep
from nstar._data.matrix import Grouping, ScoreMatrix
from nstar._engine.gram import popcount

FIGURES = DOCS / "scale.json"
LOOKS = 2
"""Passes over all pairs that are not in memory: first the family, then the verdicts."""
MODELS, CLUSTERS, REPEATS = 1536, 200, 3
KINDS = {
    "binary": ("0/1 scores, every model on every item", 8_000, 64_000),
    "gaps": ("0/1 scores with missing answers", 8_000, 64_000),
    "clustered": ("0/1 scores in 200 clusters", 8_000, 64_000),
    "graded": ("graded scores", 1_000, 4_000),
}
"""Description, and the two numbers of items at which a pass over a pair is timed."""
GROWTH = ((1024, 20_000), (2048, 20_000), (4096, 20_000), (4096, 5_000), (4096, 80_000))
BOARDS = (
    ("SWE-bench Verified", 134, 500, "SWE-bench/SWE-bench#624"),
    ("Open LLM Leaderboard v2", 4576, 21_600, "models: Every Eval Ever; items: our estimate"),
    ("Open LLM Leaderboard v1", 5000, 28_632, "arXiv 2407.12844; more than 5,000 models"),
    (
        "Every Eval Ever, treated as one task",
        22_235,
        20_000,
        "arXiv 2606.14516; items: our estimate",
    ),
    ("a private collection of checkpoints", 100_000, 1_000_000, "hypothetical, as an upper limit"),
)
"""Name, models, items, source."""
ELSEWHERE = (
    "Not in the table, because the item scores or the number of items is not public: "
    "HELM Lite (90 models, 10 scenarios), MTEB (673 models × 1,564 tasks, task scores only), "
    "DOVE (more than 250 million outputs, arXiv 2503.01622), Arena (votes, not items)."
)


# --- measurements -------------------------------------------------------------------------


def board(kind: str, models: int, items: int) -> ScoreMatrix:
    """Made-up scores of models with an ability on items with a difficulty."""
    rng = np.random.default_rng(0)
    names = tuple(f"model-{k}" for k in range(models))
    labels = tuple(map(str, range(items)))
    ability = np.sort(rng.normal(0.3, 0.75, models))[::-1].astype(np.float32)
    difficulty = rng.normal(0, 1.5, items).astype(np.float32)
    if kind == "graded":
        noise = rng.random((models, items), dtype=np.float32)
        chance = 1 / (1 + np.exp(difficulty - ability[:, None]))
        return ScoreMatrix.from_arrays((chance + noise) / 2, models=names)
    cells = np.empty((models, items), dtype=np.int8)
    for row, able in zip(cells, ability, strict=True):
        row[:] = rng.random(items, dtype=np.float32) < 1 / (1 + np.exp(difficulty - able))
        if kind == "gaps":
            row[rng.integers(0, items, items // 20)] = -1
    codes = np.arange(items, dtype=np.int32) % CLUSTERS
    groups = {"passage": Grouping.from_labels(codes.tolist())} if kind == "clustered" else {}
    return ScoreMatrix.from_cells(cells, models=names, items=labels, groups=groups)


def look(kind: str, items: int) -> float:
    """CPU seconds of one look at a pair: its gap, error, p-value and count, by tiles."""
    points: list[tuple[float, int]] = []

    def progress(n_done: int, _: int) -> None:
        points.append((time.process_time(), n_done))

    nstar.audit(
        board(kind, MODELS, items),
        adjust="holm",
        cluster="passage" if kind == "clustered" else None,
        execution=nstar.types.Execution(workers=1, progress=progress),
    )
    (begun, first), (ended, last) = points[0], points[-1]
    return (ended - begun) / (last - first)


def costs_of(kind: str) -> dict[str, float]:
    """Seconds of a pair, and of an item of a pair, by two sizes."""
    _, n_few, n_many = KINDS[kind]
    short, long = (min(look(kind, n) for _ in range(REPEATS)) for n in (n_few, n_many))
    slope = max(0.0, (long - short) / (n_many - n_few))
    return {"pair": rounded(max(0.0, short - slope * n_few)), "item": rounded(slope)}


def audit_times(models: int, items: int) -> dict[str, float]:
    """The whole audit with two threads, reading left out."""
    matrix = board("binary", models, items)
    wall, cpu = time.perf_counter(), time.process_time()
    nstar.audit(matrix, adjust="holm", execution=nstar.types.Execution(workers=2))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"models": models, "items": items, "cpu": rounded(cpu), "wall": rounded(wall)}


def rounded(value: float) -> float:
    """Three digits of a measured number."""
    return float(f"{value:.3g}")


def measure() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "engine": popcount.name(),
        "kinds": {kind: costs_of(kind) for kind in KINDS},
        "growth": [audit_times(*size) for size in GROWTH],
    }


# --- the model ----------------------------------------------------------------------------


def pairs(models: int) -> int:
    return models * (models - 1) // 2


def cpu_seconds(record: dict[str, Any], models: int, items: int, kind: str = "binary") -> float:
    """CPU seconds of an audit of all pairs, reading left out."""
    costs = record["kinds"][kind]
    return float(LOOKS * pairs(models) * (costs["pair"] + costs["item"] * items))


def number(value: float, figures: int = 2) -> str:
    """So many digits; no zeros after a point."""
    if value == 0:
        return "0"
    digits = figures - 1 - math.floor(math.log10(abs(value)))
    short = round(value, digits)
    return f"{short:,.0f}" if digits <= 0 else f"{short:.{digits}f}".rstrip("0").rstrip(".")


def with_unit(value: float, units: dict[str, float], minimum: float = 1, figures: int = 2) -> str:
    """A number in the largest unit of which it has at least so many."""
    unit = next((u for u, size in units.items() if value >= minimum * size), "")
    unit = unit or list(units)[-1]
    return f"{number(value / units[unit], figures)} {unit}"


def duration(seconds: float) -> str:
    if seconds < 0.1:
        return "under 0.1 s"
    return with_unit(seconds, {"days": 86400, "h": 3600, "min": 60, "s": 1}, minimum=2)


def volume(size: float) -> str:
    return with_unit(size, {"TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3, "bytes": 1}, figures=3)


def tiny(seconds: float) -> str:
    return with_unit(seconds, {"ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15})


# --- the sections -------------------------------------------------------------------------


def table(head: str, rows: Iterable[str]) -> str:
    marks = "|".join("---" for _ in head.split(" | "))
    return "\n".join([f"| {head} |", f"|{marks}|", *rows])


def field(record: dict[str, Any]) -> str:
    rows = (
        f"| {name} | {models:,} | {items:,} | {pairs(models):,} | {volume(models * items / 8)} | "
        f"{duration(cpu_seconds(record, models, items))} | {source} |"
        for name, models, items, source in BOARDS
    )
    listed = table("leaderboard | models | items | pairs | packed | CPU time | source", rows)
    return f"{listed}\n\n{ELSEWHERE}"


def costs(record: dict[str, Any]) -> str:
    rows = (
        f"| {KINDS[kind][0]} | {tiny(cost['pair'])} + {tiny(cost['item'])} an item | "
        f"{duration(cpu_seconds(record, 10_000, 20_000, kind))} |"
        for kind, cost in ((kind, record["kinds"][kind]) for kind in KINDS)
    )
    description = (
        f"CPU time of one thread with Python {record['python']}, numpy {record['numpy']}, "
        f"{record['machine']}, and the engine {record['engine']}, at a load average of "
        f"{record['load']:g} on {record['cores']} cores. An audit of more than 1,000 models "
        f"processes every pair {LOOKS} times."
    )
    head = "scores | one pass over a pair | audit of 10,000 models × 20,000 items"
    return f"{description}\n\n{table(head, rows)}"


def growth(record: dict[str, Any]) -> str:
    rows, ratios = [], []
    for row in record["growth"]:
        models, items = int(row["models"]), int(row["items"])
        predicted = cpu_seconds(record, models, items)
        ratios.append(row["cpu"] / predicted)
        rows.append(
            f"| {models:,} | {items:,} | {row['cpu']:.2f} | {predicted:.2f} | {row['wall']:.2f} |"
        )
    description = (
        f"From {record['growth'][1]['models']:,} models on, measured CPU time is "
        f"{min(ratios[1:]):.2f} to {max(ratios[1:]):.2f} times the CPU time of the model. Wall "
        f"times are from a shared machine (load average {record['load']:g} on {record['cores']} "
        "cores) and less reliable."
    )
    text = table("models | items | CPU s | CPU s by the cost model | wall s, two threads", rows)
    return f"{text}\n\n{description}"


def main() -> int:
    if "--measure" in sys.argv:
        FIGURES.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
    record = json.loads(FIGURES.read_text(encoding="utf-8"))
    return max(
        keep("scale.md", "field", field(record)),
        keep("evidence/scale.md", "costs", costs(record)),
        keep("evidence/scale.md", "growth", growth(record)),
    )


if __name__ == "__main__":
    sys.exit(main())
