"""The numbers of docs/evidence/scale.md: sizes, the cost model, and what follows from it.

python scripts/scale_model.py              rewrite the page from docs/scale.json
python scripts/scale_model.py --check      exit 1 if it is stale
python scripts/scale_model.py --measure    measure here first, into docs/scale.json

Measuring takes some minutes, wants an idle machine and, for what it says of clusters, Ray. What
is under "run" in docs/scale.json, the figures of one long run, is kept.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

from _section import DOCS, keep

FIGURES = DOCS / "scale.json"
LOOKS = 2
"""Passes over all pairs that are not in memory: first the family, then the verdicts."""
GRAIN = 1.0
"""Seconds of a job."""
KINDS = {
    "binary": "0/1 scores, every model on every item",
    "gaps": "0/1 scores with missing answers",
    "clustered": "0/1 scores in 200 clusters",
    "graded": "graded scores",
}
CORES, LINK = 64, 25e9 / 8
"""Processors, and bytes per second, of an assumed node."""
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
"""Name, models, items, where from."""
ELSEWHERE = (
    "Not in the table, because the item scores or the number of items is not public: "
    "HELM Lite (90 models, 10 scenarios), MTEB (673 models × 1,564 tasks, task scores only), "
    "DOVE (more than 250 million outputs, arXiv 2503.01622), Arena (votes, not items)."
)


# --- the model ----------------------------------------------------------------------------


def pairs(models: int) -> int:
    return models * (models - 1) // 2


def cpu(known: dict[str, Any], models: int, items: int, kind: str = "binary") -> float:
    """CPU seconds of an audit of all pairs, reading left out."""
    each = known["kinds"][kind]
    return float(LOOKS * pairs(models) * (each["pair"] + each["item"] * items))


def models_for(known: dict[str, Any], seconds: float, items: int) -> int:
    """Models whose audit takes so many CPU seconds."""
    each = known["kinds"]["binary"]
    one = LOOKS * (each["pair"] + each["item"] * items) / 2
    return int(math.sqrt(seconds / one))


def packed(models: int, items: int, kind: str = "binary") -> float:
    """Bytes of the scores."""
    bits = {"graded": 64, "gaps": 2}.get(kind, 1)
    return models * items * bits / 8


def cluster_wall(known: dict[str, Any], work: float, cores: int, size: float, nodes: int) -> float:
    """Seconds on a cluster that is started for it: start, hand out, share, work."""
    ray = known["ray"]
    handed = max(work / cores, work / GRAIN * ray["job_wall"])
    return float(ray["start_wall"] + handed + size * ray["byte_wall"] + size * (nodes - 1) / LINK)


# --- words --------------------------------------------------------------------------------


def number(value: float, figures: int = 2) -> str:
    """So many digits; no zeros after a point."""
    if value == 0:
        return "0"
    digits = figures - 1 - math.floor(math.log10(abs(value)))
    short = round(value, digits)
    return f"{short:,.0f}" if digits <= 0 else f"{short:.{digits}f}".rstrip("0").rstrip(".")


def lasting(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds)} s" if seconds >= 0.1 else "under 0.1 s"


def volume(size: float) -> str:
    for power, unit in ((12, "TB"), (9, "GB"), (6, "MB"), (3, "kB")):
        if size >= 10**power:
            return f"{number(size / 10**power, 3)} {unit}"
    return f"{number(size, 3)} bytes"


def tiny(seconds: float) -> str:
    for power, unit in ((-3, "ms"), (-6, "µs"), (-9, "ns"), (-12, "ps")):
        if seconds >= 10**power:
            return f"{number(seconds / 10**power)} {unit}"
    return f"{number(seconds / 1e-15)} fs"


def table(head: str, rows: Iterator[str]) -> str:
    marks = "|".join("---" for _ in head.split(" | "))
    return "\n".join([f"| {head} |", f"|{marks}|", *rows])


# --- the sections -------------------------------------------------------------------------


def field(known: dict[str, Any]) -> str:
    def rows() -> Iterator[str]:
        for name, models, items, source in BOARDS:
            yield (
                f"| {name} | {models:,} | {items:,} | {pairs(models):,} | "
                f"{volume(packed(models, items))} | {lasting(cpu(known, models, items))} | "
                f"{source} |"
            )

    listed = table("leaderboard | models | items | pairs | packed | CPU time | source", rows())
    return f"{listed}\n\n{ELSEWHERE}"


def costs(known: dict[str, Any]) -> str:
    def rows() -> Iterator[str]:
        for kind, words in KINDS.items():
            each = known["kinds"][kind]
            yield (
                f"| one pass over a pair: {words} | {tiny(each['pair'])} + {tiny(each['item'])} "
                f"an item | {lasting(cpu(known, 10_000, 20_000, kind))} for 10,000 × 20,000 |"
            )
        draw, boot = known["max_t"], known["bootstrap"]
        yield (
            f"| max-T, a pair in a draw | {tiny(draw)} | "
            f"{lasting(draw * pairs(1000) * 10_000)} for 1,000 models, 10,000 draws |"
        )
        yield (
            f"| bootstrap, an item in a draw | {tiny(boot['item'])} | "
            f"{lasting(boot['item'] * 1e6 * 10_000)} for 1,000,000 items, 10,000 draws |"
        )
        yield (
            f"| bootstrap, a cluster in a draw | {tiny(boot['cluster'])} | "
            f"{lasting(boot['cluster'] * 500 * 10_000)} for 500 clusters, 10,000 draws |"
        )
        one = known["simulation"]
        yield (
            f"| simulation, an item in a replication (t and Wilcoxon) | {tiny(one)} | "
            f"{lasting(one * 1000 * 1e6)} for 1,000,000 replications of 1,000 items |"
        )

    description = (
        f"CPU time of one thread with Python {known['python']}, numpy {known['numpy']}, "
        f"{known['machine']}, and the engine {known['engine']}, at a load average of "
        f"{known['load']:g} on {known['cores']} cores. An audit of more than 1,000 models "
        f"processes every pair {LOOKS} times."
    )
    return description + "\n\n" + table("work | CPU time of each | total", rows())


def growth(known: dict[str, Any]) -> str:
    def rows() -> Iterator[str]:
        for row in known["growth"]:
            models, items = int(row["models"]), int(row["items"])
            yield (
                f"| {models:,} | {items:,} | {row['cpu']:.2f} | "
                f"{cpu(known, models, items):.2f} | {row['wall']:.2f} |"
            )

    def nodes() -> Iterator[str]:
        one = known["nodes"][0]["cpu"]
        for row in known["nodes"]:
            name = row["where"] if row["width"] > 1 else row["where"][:-1]
            times = f"{row['wall']:.1f} | {row['cpu']:.1f} | {row['cpu'] / one:.2f}"
            yield f"| {row['width']} {name} | {times} |"

    ratios = [r["cpu"] / cpu(known, r["models"], r["items"]) for r in known["growth"][1:]]
    description = (
        f"From {known['growth'][1]['models']:,} models on, measured CPU time is {min(ratios):.2f} "
        f"to {max(ratios):.2f} times the CPU time of the model. Wall times are from a shared "
        f"machine (load average {known['load']:g} on {known['cores']} cores) and less reliable."
    )
    text = table("models | items | CPU s | CPU s by the cost model | wall s, two threads", rows())
    text = f"{text}\n\n{description}"
    if "nodes" not in known:
        return text
    models, items = known["nodes_size"]
    description = (
        f"The next table compares threads with a Ray cluster of one or two nodes on the same "
        f"machine, for {models:,} models × {items:,} items. Each node has one processor, so the "
        "table shows the overhead of Ray, not the gain from more machines."
    )
    return f"{text}\n\n{description}\n\n" + table(
        "workers | wall s | CPU s | CPU relative to one thread", nodes()
    )


def crossover(known: dict[str, Any]) -> str:
    ray, items, cores = known["ray"], 20_000, 8

    def rows() -> Iterator[str]:
        for power in range(7):
            work = 10.0**power
            models = models_for(known, work, items)
            size = packed(models, items)
            one_machine = work / cores
            same = cluster_wall(known, work, cores, size, 1)
            others = [cluster_wall(known, work, cores * k, size, k) for k in (4, 16)]
            best = min(one_machine, same, *others)
            walls = [
                f"**{lasting(t)}**" if t == best else lasting(t)
                for t in (one_machine, same, *others)
            ]
            yield f"| {number(work)} | {number(models)} | {' | '.join(walls)} |"

    equal = [ray["start_wall"] * cores * k / (k - 1) for k in (4, 16)]
    description = (
        f"Ray takes {ray['start_wall']:.1f} s to start, {tiny(ray['job_wall'])} to send a job and "
        f"receive its result, and {ray['byte_wall'] * 1e9:.1f} s to share a gigabyte on a node. "
        f"These times were measured at a load average of {ray['load']:.1f} on {known['cores']} "
        f"cores. The model assumes {LINK / 1e9:.1f} GB/s between nodes, {cores} cores per "
        f"machine, and 0/1 scores on {items:,} items."
    )
    head = (
        "CPU seconds | models | one machine, threads | one machine, Ray | 4 machines, Ray | "
        "16 machines, Ray"
    )
    below = (
        f"Four machines are slower than one below {number(equal[0])} CPU seconds (the audit of "
        f"{number(models_for(known, equal[0], items))} models), and sixteen machines below "
        f"{number(equal[1])} CPU seconds."
    )
    fed = GRAIN / ray["job_wall"]
    last = f"One driver can supply about {number(fed)} processors with jobs of {GRAIN:g} s."
    return f"{description}\n\n{table(head, rows())}\n\n{below} {last}"


def run(known: dict[str, Any]) -> str:
    models, items = 100_000, 20_000
    text = (
        f"The cost model predicts {volume(packed(models, items))} of packed scores and "
        f"{lasting(cpu(known, models, items))} of CPU time for {models:,} models × "
        f"{items:,} items."
    )
    run_record = known.get("run")
    if run_record is None:
        return text
    m, n = int(run_record["models"]), int(run_record["items"])
    rows = {
        "models × items": f"{m:,} × {n:,}, {pairs(m):,} pairs",
        "listed": run_record["listed"],
        "wall time": lasting(run_record["wall"]),
        "CPU time": f"{lasting(run_record['cpu'])} (cost model: {lasting(cpu(known, m, n))})",
        "peak memory": f"{volume(run_record['peak'])} in one process with two threads, and "
        f"{volume(run_record['mapped'])} of mapped pages, which the system can reclaim",
        "packed blocks on disk": volume(run_record["disk"]),
        "written": f"{volume(run_record['json'])} of JSON, {volume(run_record['work'])} of "
        "checkpoints",
    }
    cluster = CORES * 4
    ahead = lasting(run_record["cpu"] / cluster)
    after = (
        f"On 4 nodes of {CORES} cores, this work would take {ahead}, without start and reading."
    )
    body = table("what | measured", (f"| {k} | {v} |" for k, v in rows.items()))
    return f"{text}\n\n{body}\n\n{after}"


def write_figure(known: dict[str, Any]) -> int:
    """The figure of the crossover; with ``--check`` whether it is stale."""
    from _scale_figure import crossover_figure  # noqa: PLC0415 loads nstar

    items, cores = 20_000, 8

    def on(nodes: int) -> Callable[[float], float]:
        def wall(work: float) -> float:
            size = packed(models_for(known, work, items), items)
            return cluster_wall(known, work, cores * nodes, size, nodes)

        return wall

    walls: dict[str, Callable[[float], float]] = {
        "threads, one machine": lambda work: work / cores,
        "Ray, 4 machines": on(4),
        "Ray, 16 machines": on(16),
    }
    subtitle = f"Machines of {cores} cores, a cluster started for the work; by the cost model."
    works = [10 ** (k / 4) for k in range(21)]
    figure = crossover_figure(works, walls, subtitle, lasting)
    path = DOCS / "figures" / "crossover.svg"
    if "--check" not in sys.argv:
        figure.save(path)
        return 0
    if path.exists() and path.read_bytes() == figure.render(".svg"):
        return 0
    print("docs/figures/crossover.svg is stale")
    return 1


SECTIONS: dict[str, Callable[[dict[str, Any]], str]] = {
    "field": field,
    "costs": costs,
    "growth": growth,
    "crossover": crossover,
    "run": run,
}


def main() -> int:
    known = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    if "--measure" in sys.argv:
        from _scale_measure import NODES, measured  # noqa: PLC0415 loads everything

        known |= measured() | {"nodes_size": NODES}
        FIGURES.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    statuses = [
        keep("scale.md" if name == "field" else "evidence/scale.md", name, write(known))
        for name, write in SECTIONS.items()
    ]
    return max(*statuses, write_figure(known))


if __name__ == "__main__":
    sys.exit(main())
