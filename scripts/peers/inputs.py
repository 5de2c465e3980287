"""The inputs that every tool gets, made from counts and seeds.

python scripts/peers/inputs.py DIR

p1.csv        two models, 1,000 items: 628 both right, 86 only A, 78 only B, 208 neither
clustered.csv two models, 50 passages of 20 questions, a gap that depends on the passage
missing.csv   p1.csv without 100 of the items that B failed, in B alone
runs.csv      two models, 100 tasks, 5 runs of each
ten.csv       ten models, 2,000 items
big.csv       200 models, 10,000 items
judged.csv    two models, 400 items scored by a judge that favors A; 100 items have a human label
votes.csv     six models, 5,000 votes between two of them
X-wide.csv    the same, one row per item and one column per model
X-A.csv       one model of two, as evalci reads it; X-A.json, as evalsig does
logs/         p1 as Inspect and lm-eval write it: made by those two themselves, see docs/peers.json
"""

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["write"]

CELLS = {(1, 1): 628, (1, 0): 86, (0, 1): 78, (0, 0): 208}
LOST = 100
SEED = 20261115


def p1() -> NDArray[np.int8]:
    """Items × models, in an order drawn once."""
    rows = np.repeat(np.array(list(CELLS), np.int8), list(CELLS.values()), axis=0)
    return np.random.default_rng(SEED).permutation(rows)


def clustered(passages: int = 50, each: int = 20) -> NDArray[np.int8]:
    """A leads by some points, in some passages; which ones decides more than how many items."""
    rng = np.random.default_rng(SEED)
    level = np.repeat(rng.normal(0.7, 0.9, passages), each)
    lead = np.repeat(rng.normal(0.0, 0.6, passages), each)
    hard = rng.logistic(size=passages * each)
    return np.stack([level + lead > hard, level - lead > hard], axis=1).astype(np.int8)


def leaderboard(models: int, items: int) -> NDArray[np.int8]:
    """Abilities evenly spread, items that all find hard or easy, and chance."""
    rng = np.random.default_rng(SEED)
    ability = np.linspace(1.2, 0.2, models)
    hard = 1.5 * rng.normal(size=(items, 1))
    return (ability - hard > rng.logistic(size=(items, models))).astype(np.int8)


def repeated(tasks: int = 100, runs: int = 5) -> NDArray[np.int8]:
    """Tasks × models × runs; a task has a chance of its own under each model."""
    rng = np.random.default_rng(SEED)
    task = 2 * rng.normal(size=(tasks, 1, 1))
    skill = np.array([0.5, 0.2])[:, None] + 0.5 * rng.normal(size=(tasks, 2, 1))
    chance = 1 / (1 + np.exp(task - skill))
    return (rng.random((tasks, 2, runs)) < chance).astype(np.int8)


def names(models: int) -> list[str]:
    return ["A", "B"] if models == 2 else [f"m{k + 1:03d}" for k in range(models)]


def table(folder: Path, name: str, scores: NDArray[np.int8], group: int = 0) -> None:
    """The long table, the wide one and, of two models, one for each."""
    items, models = scores.shape
    model_names, item_names = names(models), [f"q{k + 1:05d}" for k in range(items)]
    extra = [f",p{k // group + 1:02d}" if group else "" for k in range(items)]
    head = ",passage" if group else ""
    rows = {
        m: [f"{q}{x},{s}" for q, x, s in zip(item_names, extra, column, strict=True)]
        for m, column in zip(model_names, scores.T, strict=True)
    }
    long = [f"{m},{row}" for m in model_names for row in rows[m]]
    _lines(folder / f"{name}.csv", f"model,item{head},score", long)
    wide = [",".join([q, *map(str, row)]) for q, row in zip(item_names, scores, strict=True)]
    _lines(folder / f"{name}-wide.csv", ",".join(["item", *model_names]), wide)
    if models == 2:
        for m in model_names:
            one_model(folder / f"{name}-{m}", f"item_id{head},score", rows[m])


def one_model(path: Path, head: str, rows: list[str]) -> None:
    _lines(path.with_suffix(".csv"), head, rows)
    fields = head.replace("passage", "cluster_id").split(",")
    items = [dict(zip(fields, row.split(","), strict=True)) for row in rows]
    header = {"run_id": path.name, "model_id": path.name[-1], "task_id": "t"}
    scored = [item | {"score": int(item["score"])} for item in items]
    frame = header | {"metric_name": "accuracy", "items": scored}
    path.with_suffix(".json").write_text(json.dumps(frame), encoding="utf-8")


def without_failures(folder: Path) -> None:
    """p1 after B's run lost some of the items that it failed: as a crash on long answers does."""
    scores = p1()
    lost = set(np.flatnonzero(scores[:, 1] == 0)[:LOST].tolist())
    rows = {
        m: [f"q{k + 1:05d},{s}" for k, s in enumerate(column) if m == "A" or k not in lost]
        for m, column in zip("AB", scores.T, strict=True)
    }
    _lines(folder / "missing.csv", "model,item,score", [f"{m},{r}" for m in "AB" for r in rows[m]])
    for m in "AB":
        one_model(folder / f"missing-{m}", "item_id,score", rows[m])


def with_runs(folder: Path) -> None:
    scores = repeated()
    rows = [
        f"{m},t{t + 1:03d},{r + 1},{scores[t, k, r]}"
        for k, m in enumerate("AB")
        for t in range(scores.shape[0])
        for r in range(scores.shape[2])
    ]
    _lines(folder / "runs.csv", "model,item,run,score", rows)


def judged(items: int = 400, labeled: int = 100) -> list[str]:
    """Right in 60% both; a judge that misses 10% of what is right, and lets A's faults pass."""
    rng = np.random.default_rng(SEED)
    passes = {"A": 0.35, "B": 0.1}
    chosen = set(rng.permutation(items)[:labeled].tolist())
    rows = []
    for model, kind in passes.items():
        for k, right in enumerate(rng.random(items) < 0.6):
            judgment = int(rng.random() < (0.9 if right else kind))
            rows.append(f"{model},q{k + 1:05d},{judgment},{int(right) if k in chosen else ''}")
    return rows


def votes(models: int = 6, battles: int = 5000) -> list[str]:
    """Bradley-Terry, strengths evenly spread."""
    rng = np.random.default_rng(SEED)
    strength = np.linspace(0.6, 0.0, models)
    rows = []
    for _ in range(battles):
        i, j = rng.choice(models, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(strength[j] - strength[i]))
        rows.append(f"m{i + 1},m{j + 1},{'model_a' if won else 'model_b'}")
    return rows


def _lines(path: Path, head: str, rows: list[str]) -> None:
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    table(folder, "p1", p1())
    table(folder, "clustered", clustered(), group=20)
    table(folder, "ten", leaderboard(10, 2000))
    table(folder, "big", leaderboard(200, 10_000))
    without_failures(folder)
    with_runs(folder)
    _lines(folder / "judged.csv", "model,item,judge,human", judged())
    _lines(folder / "votes.csv", "model_a,model_b,winner", votes())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
