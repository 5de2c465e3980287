"""Votes: ratings of ten million of them beside bare numpy, in processes of their own, in turns.

The votes are made up: a thousand models of normal strengths, three million prompts, a third ties.
The bare side does what the numbers need and nothing else: cells by ``bincount``, Newton's method
on them, votes sorted by prompt and added up as a sparse matrix of prompts by models, the sandwich.
Our side is ``battles(votes, cluster="prompt")``: that, and which models can be rated, ranks and
verdicts of all pairs, votes needed, lack of fit, every grouping found. Both begin with votes in
memory. Gaps and errors must agree; the answer must be the same, to the last bit, for each number
of workers.

    python benchmarks/votes.py                       10⁷ votes × 1,000 models × 3·10⁶ prompts
    python benchmarks/votes.py --votes 300000 --models 100 --prompts 90000 --repeat 1
    python benchmarks/votes.py --write               into docs/evidence/performance.md

Limit: 2 × bare.
"""

# ruff: noqa: D103, PLC0415, S603, T201
import argparse
import hashlib
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse, special

from figures import show

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

SIZES = {"votes": 10_000_000, "models": 1000, "prompts": 3_000_000}
SIDES = ("bare", "1 worker", "2 workers")
LIMIT = 2.0


def ballots(votes: int, models: int, prompts: int) -> dict[str, Any]:
    """Columns of made-up votes."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 0.6, models)
    first = rng.integers(0, models, votes, dtype=np.int32)
    second = (first + rng.integers(1, models, votes, dtype=np.int32)) % models
    chance = special.expit(strength[first] - strength[second])
    luck = rng.random(votes)
    tie = 0.6 * np.minimum(chance, 1 - chance)
    score = np.where(luck < chance - tie / 2, 1.0, np.where(luck < chance + tie / 2, 0.5, 0.0))
    prompt = rng.integers(0, prompts, votes, dtype=np.int32)
    return {"first": first, "second": second, "score": score, "prompt": prompt}


def bare(made: dict[str, Any], models: int) -> tuple[Any, Any]:
    """Strengths, and their covariance for votes that share prompts; position estimated."""
    first, second, score = made["first"].astype(np.int64), made["second"], made["score"]
    place = first * models + second
    n = np.bincount(place, minlength=models * models).reshape(models, models)
    won = np.bincount(place, weights=score, minlength=models * models).reshape(models, models)
    theta, side = np.zeros(models), 0.0
    h = np.ones((models + 1, models + 1))
    for _ in range(30):
        p = special.expit(theta[:, None] - theta + side)
        residual, spread = won - n * p, n * p * (1 - p)
        h[:models, :models] = np.diag(spread.sum(axis=0) + spread.sum(axis=1)) - spread - spread.T
        h[models, :models] = h[:models, models] = spread.sum(axis=1) - spread.sum(axis=0)
        h[models, models] = spread.sum()
        gradient = np.append(residual.sum(axis=1) - residual.sum(axis=0), residual.sum())
        lift = np.pad(np.ones((models, models)), (0, 1))
        step = np.linalg.solve(h + lift, gradient)
        theta, side = theta + step[:models], side + step[models]
        if np.abs(step).max() < 1e-11:
            break
    e = score - special.expit(theta[first] - theta[second] + side)
    order = np.argsort(made["prompt"], kind="stable")
    prompt, e = made["prompt"][order], e[order]
    rows = np.cumsum(np.diff(prompt, prepend=prompt[0]) != 0)
    shape = (int(rows[-1]) + 1, models + 1)
    columns = (first[order], second[order], np.full(e.size, models))
    s = sum(
        sparse.csr_array((sign * e, (rows, column)), shape=shape)
        for sign, column in zip((1, -1, 1), columns, strict=True)
    )
    meat = (s.T @ s).toarray() * (shape[0] / (shape[0] - 1))
    bread = np.linalg.inv(h + lift)
    return theta, (bread @ meat @ bread)[:models, :models]


def ours(made: dict[str, Any], models: int, prompts: int, workers: int) -> Any:
    from nstar import battles
    from nstar._data.votes import VoteGrouping, Votes
    from nstar.types import Execution

    labels = pa.array(np.arange(prompts)).cast(pa.string())
    votes = Votes(
        models=tuple(f"model-{k:05d}" for k in range(models)),
        first=made["first"],
        second=made["second"],
        score=made["score"],
        groups={"prompt": VoteGrouping(codes=made["prompt"], names=labels)},
    )
    return battles(votes, cluster="prompt", execution=Execution(workers=workers))


def side(name: str, given: argparse.Namespace) -> None:
    """One side's seconds and memory, and what it found, as JSON."""
    import nstar

    _ = nstar.battles
    made = ballots(given.votes, given.models, given.prompts)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    wall, cpu = time.perf_counter(), time.process_time()
    if name == "bare":
        theta, cov = bare(made, given.models)
        digest = ""
    else:
        found = ours(made, given.models, given.prompts, int(name[0]))
        digest = hashlib.blake2b(found.to_json().encode(), digest_size=8).hexdigest()
        back = np.argsort([int(n[6:]) for n in found.ratings.name])
        theta, cov = found.strengths[back], found.covariance[np.ix_(back, back)]
    taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    gaps = (theta[:-1] - theta[1:]).tolist()
    d = np.diagonal(cov)
    se = np.sqrt(d[:-1] + d[1:] - 2 * np.diagonal(cov, 1)).tolist()
    print(
        json.dumps(
            taken | {"mb": peak, "votes_mb": before, "digest": digest, "gaps": gaps, "se": se}
        )
    )


def measured(given: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in SIDES}
    size = [f"--{name}={getattr(given, name)}" for name in SIZES]
    for _ in range(given.repeat):
        for name, results in taken.items():
            command = [sys.executable, __file__, "--side", name, *size]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            results.append(json.loads(done.stdout))
    return taken


def lines(given: argparse.Namespace) -> Iterator[str]:
    taken = measured(given)
    sizes = ", ".join(f"{getattr(given, name):,} {name}" for name in SIZES)
    yield ""
    yield f"{sizes}; medians of {given.repeat}."
    yield ""
    yield "| | wall, s | CPU, s | peak, MB | of these the votes |"
    yield "|---|---|---|---|---|"
    cpu = {}
    for name, results in taken.items():
        wall, cpu[name], mb, own = (
            statistics.median(r[k] for r in results) for k in ("wall", "cpu", "mb", "votes_mb")
        )
        yield f"| {name} | {wall:.1f} | {cpu[name]:.1f} | {mb:,.0f} | {own:,.0f} |"
    yield ""
    plain, one, two = (taken[name][0] for name in SIDES)
    gap, se = (float(np.abs(np.subtract(plain[k], one[k])).max()) for k in ("gaps", "se"))
    same = "the same" if one["digest"] == two["digest"] else "DIFFERENT"
    yield (
        f"{cpu['1 worker'] / cpu['bare']:.2f} × bare in CPU. Gaps agree with it to {gap:.0e} and "
        f"their errors to {se:.0e} log odds; 1 and 2 workers give {same} answers to the last "
        "bit."
    )
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, size in SIZES.items():
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--side", choices=SIDES)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.side:
        side(given.side, given)
    else:
        show(lines(given), key="votes", title="Votes", write=given.write)


if __name__ == "__main__":
    main()
