"""`nstar items` beside bare numpy: unpack the scores and multiply them once by the models' means.

python benchmarks/items.py [MODELS ITEMS]

Random 0/1 scores with abilities and difficulties; processor seconds, one thread of BLAS, so that
a busy machine tells the same.
"""

# ruff: noqa: T201
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import nstar
from nstar._engine.work import one_thread


def made(models: int, items: int) -> nstar.ScoreMatrix:
    """Packed scores, made model by model."""
    rng = np.random.default_rng(0)
    ability, hard = rng.normal(0, 1, models), rng.normal(0, 1.5, items)
    bits = [
        np.packbits(rng.random(items) < 1 / (1 + np.exp(hard - a)), bitorder="little")
        for a in ability
    ]
    return nstar.ScoreMatrix(
        models=tuple(f"m{k}" for k in range(models)),
        items=tuple(f"q{k}" for k in range(items)),
        bits=np.stack(bits),
    )


def bare(bits: Any) -> None:
    """One product of scores and a number for each model, some items at a time."""
    means = np.linspace(0, 1, len(bits))
    for start in range(0, bits.shape[1], 32):
        cells = np.unpackbits(bits[:, start : start + 32], axis=1, bitorder="little")
        means @ cells.astype(np.float64)


def seconds(work: Callable[[], Any]) -> float:
    """Processor time, the best of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Print both and their ratio."""
    models, items = map(int, sys.argv[1:3] or (4576, 21606))
    matrix = made(models, items)
    with one_thread():
        plain = seconds(lambda: bare(matrix.bits))
        whole = seconds(lambda: nstar.items(matrix))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{models:,} models, {items:,} items")
    print(f"bare numpy    {plain:7.2f} s")
    print(f"nstar.items   {whole:7.2f} s   {whole / plain:.1f} times")
    print(f"memory, at most {memory:,.0f} MB")


if __name__ == "__main__":
    main()
