"""All pairs of a leaderboard: our stages beside the bare engine, float32 BLAS and what peers do.

The leaderboard is made up: models have an ability, items a difficulty, answers are 0 or 1. All
stages go through the same tiles of 256 × 256 models in turns in one process, with as many
threads as the audit uses; the figures are medians of wall and CPU seconds. The whole audit and
BLAS follow. Integers of 1,000 random pairs are counted again by brute force. What peers do is
measured on a few hundred pairs and extrapolated. Peak memory is that of a process that makes the
answers, a model at a time, and runs the whole audit, imports included.

    python benchmarks/audit.py                            4,576 models × 21,606 items
    python benchmarks/audit.py --large --write            and 20,000 × 50,000, into the page
    python benchmarks/audit.py --models 400 --items 2000 --repeat 1

The whole audit is done again without what it keeps between its passes, at 1,001 models, here and
with --large, and must be the same to the last bit; and with numpy instead of NumKong.

Limits: the Gram 1.25 × bare NumKong, all verdicts 4 ×, the whole audit 1.6 × all verdicts; the
Gram by numpy 1.2 × float32 BLAS; 600 MB; --large in 2 GB.
"""

# ruff: noqa: D102, D103, PLC0415, S603, T201, TID251
import argparse
import hashlib
import itertools
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from figures import show

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

MODELS, ITEMS = 4576, 21606
LARGE = (20_000, 50_000)
GRAM_LIMIT, VERDICT_LIMIT, AUDIT_LIMIT, NUMPY_LIMIT = 1.25, 4.0, 1.6, 1.2
SMALL = 1001
"""Models of the smallest audit that looks at pairs twice."""
TILE = 256
VERDICTS, AUDIT = "Gram, δ, σ, mid-p, q, verdict", "the whole audit"
BLAS = "float32 BLAS, `X @ X.T`"
CHUNK = 2048
"""Items unpacked at once for float32 BLAS."""

Bits: TypeAlias = npt.NDArray[np.uint8]
Side: TypeAlias = Callable[[], Any]
Taken: TypeAlias = dict[str, float]


# --- a leaderboard ------------------------------------------------------------------------


def answers(models: int, items: int, seed: int = 0) -> Bits:
    """Right answers as bits, a model at a time: logistic in ability less difficulty."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0.3, 0.75, models).astype(np.float32)
    difficulty = rng.normal(0, 1.5, items).astype(np.float32)
    bits = np.empty((models, -(-items // 8)), dtype=np.uint8)
    for i in range(models):
        chance = 1 / (1 + np.exp(difficulty - ability[i]))
        bits[i] = np.packbits(rng.random(items, dtype=np.float32) < chance, bitorder="little")
    return bits


def score_matrix(bits: Bits, items: int) -> Any:
    from nstar._data.matrix import ScoreMatrix

    return ScoreMatrix(
        models=tuple(f"model-{k}" for k in range(len(bits))),
        items=tuple(map(str, range(items))),
        bits=bits,
    )


def ranked_panel(bits: Bits, items: int) -> Any:
    """All models from best to worst, as an audit has them."""
    from nstar._engine.pairs import panel

    right = np.array([int(np.bitwise_count(row).sum()) for row in bits])
    return panel(score_matrix(bits, items), np.argsort(-right).tolist(), np.arange(items))


# --- our side -----------------------------------------------------------------------------


class Tiles:
    """The tiles on and above the diagonal, columns packed in advance."""

    def __init__(self, panel: Any, workers: int) -> None:
        self.panel, self.workers = panel, workers
        _ = panel.block.sums
        self.parts = [panel[i : i + TILE] for i in range(0, len(panel), TILE)]
        for part in self.parts:
            part.block.packed("bits")
        self.order = list(itertools.combinations_with_replacement(range(len(self.parts)), 2))

    def each(self, work: Callable[[int, int], Any]) -> None:
        """Do some work on every tile and drop what comes of it."""
        if self.workers == 1:
            for ij in self.order:
                work(*ij)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            for _ in pool.map(lambda ij: work(*ij) is None, self.order):
                pass

    def bare(self) -> None:
        """NumKong's dot products of bits and nothing else."""
        import numkong

        blocks = [part.block for part in self.parts]
        self.each(lambda i, j: numkong.dots_packed(blocks[i].bits, blocks[j].packed("bits")))

    def gram(self) -> None:
        from nstar._engine.gram import gram

        self.each(lambda i, j: gram(self.parts[i].block, self.parts[j].block))

    def verdicts(self, *, bound: bool = True) -> Any:
        """Gap, error, mid-p, q and a word for each pair, as the audit judges them.

        With ``bound``, as in the audit, p-values below 2e-19 are only told to be so.
        """
        from nstar._engine.work import ThreadWorkers
        from nstar._verbs.audit.tile_grid import TileGrid
        from nstar._verbs.audit.tiles import table_here
        from nstar._verbs.verdict import PAIR_STATES, Criteria, judge_pairs
        from nstar.stats import k_factor

        rule = Criteria()
        scale = 1 / float(k_factor(rule.alpha, rule.power)) ** 2

        def words(tile: Any, _: None) -> Any:
            q = np.square(tile.pairs.t)
            q *= scale
            codes = judge_pairs(significant=tile.p <= rule.alpha, resolved=q >= 1)
            return np.bincount(codes.reshape(-1), minlength=len(PAIR_STATES))

        table_here.cache_clear()
        return TileGrid(self.panel, ThreadWorkers(self.workers)).reduced(
            words, None, np.add, bound=bound
        )

    def without_numkong(self) -> Any:
        """The Gram stage on a machine where NumKong is not used, as an audit does it."""
        from nstar._engine.gram import popcount
        from nstar._engine.work import ThreadWorkers, one_thread
        from nstar._verbs.audit.tile_grid import TileGrid

        with patch.object(popcount, "_numkong", lambda: None), one_thread():
            mosaic = TileGrid(self.panel, ThreadWorkers(self.workers))
            return mosaic.reduced(
                lambda tile, _: tile.gram.gap2.size, None, int.__add__, counted=True
            )


def blas(bits: Bits, items: int) -> Any:
    """Float32 X @ X.T (SYRK), a chunk of items at a time."""
    total = np.zeros((len(bits), len(bits)), dtype=np.float32)
    for start in range(0, -(-items // 8), CHUNK // 8):
        part = bits[:, start : start + CHUNK // 8]
        x = np.unpackbits(part, axis=1, bitorder="little").astype(np.float32)
        total += x @ x.T
    return total


def whole_audit(bits: Bits, items: int, workers: int, memory: int | None = None) -> Any:
    from nstar import audit
    from nstar._engine.work import Execution
    from nstar._verbs.audit.tiles import table_here

    table_here.cache_clear()
    how = Execution(workers=workers, memory=memory)
    return audit(score_matrix(bits, items), execution=how)


def numpy_audit(bits: Bits, items: int, workers: int) -> Any:
    """The whole audit on a machine where NumKong is not used."""
    from nstar._engine.gram import popcount

    with patch.object(popcount, "_numkong", lambda: None):
        return whole_audit(bits, items, workers)


def digest(found: Any) -> str:
    """Of everything that an audit says, to the last bit."""
    return hashlib.blake2b(found.to_json().encode(), digest_size=8).hexdigest()


def check(tiles: Tiles, items: int, pairs: int = 1000) -> int:
    """Counts of random pairs against unpacked answers; how many agree."""
    from nstar._engine.gram import gram

    rng = np.random.default_rng(1)
    m = len(tiles.panel)
    chosen = rng.integers(0, m, (pairs, 2)).tolist()
    bits = tiles.panel.block.bits
    agree = 0
    for i, j in chosen:
        a, b = (np.unpackbits(bits[k], count=items, bitorder="little") for k in (i, j))
        n10, n01 = int(np.sum((a == 1) & (b == 0))), int(np.sum((a == 0) & (b == 1)))
        row, column = i % TILE, j % TILE
        g = gram(tiles.parts[i // TILE].block, tiles.parts[j // TILE].block)
        found = int(g.gap2[row, column]), int(g.gap[row, column])
        both = int(g.cross[row, column]) == int(np.sum(a & b))
        agree += both and found == (n10 + n01, n10 - n01)
    return agree


# --- taking time --------------------------------------------------------------------------


def warm_up(workers: int) -> None:
    """Imports are no counting."""
    bits = answers(8, 64)
    Tiles(ranked_panel(bits, 64), workers).verdicts()
    whole_audit(bits, 64, workers)


def timed(side: Side) -> Taken:
    wall, cpu = time.perf_counter(), time.process_time()
    side()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def in_turns(sides: dict[str, Side], repeat: int) -> dict[str, Taken]:
    """Medians of every side, one after the other and again."""
    taken: dict[str, list[Taken]] = {name: [] for name in sides}
    for _ in range(repeat):
        for name, side in sides.items():
            taken[name].append(timed(side))
    return {
        name: {k: statistics.median(t[k] for t in runs) for k in ("wall", "cpu")}
        for name, runs in taken.items()
    }


def stages(given: argparse.Namespace) -> dict[str, Any]:
    """Every stage in turns, and the check by brute force."""
    bits = answers(given.models, given.items)
    warm_up(given.workers)
    tiles = Tiles(ranked_panel(bits, given.items), given.workers)
    agree = check(tiles, given.items)
    sides: dict[str, Side] = {
        "bare NumKong": tiles.bare,
        "Gram": tiles.gram,
        VERDICTS: tiles.verdicts,
        "the same, p-values below 2e-19 too": lambda: tiles.verdicts(bound=False),
    }
    after: dict[str, Side] = {
        AUDIT: lambda: whole_audit(bits, given.items, given.workers),
        BLAS: lambda: blas(bits, given.items),
    }
    taken = in_turns(sides, given.repeat)
    # threads of BLAS spin on after their work, so BLAS stays out of the turns of the others
    for name, side in after.items():
        taken |= in_turns({name: side}, given.repeat)
    plain = {"Gram by numpy": tiles.without_numkong}
    taken |= in_turns({**plain, BLAS: after[BLAS]}, given.repeat)
    name = "the whole audit by numpy"
    taken[name] = timed(lambda: numpy_audit(bits, given.items, given.workers))
    return {"agree": agree, "taken": taken}


def equality(given: argparse.Namespace) -> bool:
    """Whether audits are the same with and without what they keep between passes."""
    bits = answers(given.models, given.items)
    kept, again = (
        digest(whole_audit(bits, given.items, given.workers, memory)) for memory in (None, 0)
    )
    return kept == again


def memory(given: argparse.Namespace) -> Taken:
    """The whole audit and nothing else."""
    bits = answers(given.models, given.items)
    taken = timed(lambda: whole_audit(bits, given.items, given.workers))
    return {**taken, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


# --- what peers do ------------------------------------------------------------------------


def loop_mcnemar(x: Bits, pairs: list[tuple[int, int]]) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    for i, j in pairs:
        a, b = x[i], x[j]
        n11, n10 = np.sum(a & b), np.sum(a & (1 - b))
        n01 = np.sum((1 - a) & b)
        mcnemar([[n11, n10], [n01, a.size - n11 - n10 - n01]], exact=True)


def loop_t_test(x: Bits, pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import ttest_rel

    for i, j in pairs:
        ttest_rel(x[i].astype(np.float64), x[j].astype(np.float64))


def peers(given: argparse.Namespace) -> Taken:
    """CPU seconds per pair."""
    some = min(given.models, 25)
    bits = answers(some, given.items)
    x = np.unpackbits(bits, axis=1, count=given.items, bitorder="little")
    pairs = list(itertools.combinations(range(some), 2))
    sides: dict[str, Callable[[Bits, list[tuple[int, int]]], None]] = {
        "statsmodels `mcnemar` in a loop": loop_mcnemar,
        "`scipy.stats.ttest_rel` in a loop": loop_t_test,
    }
    out = {}
    for name, side in sides.items():
        side(x, pairs[:1])
        out[name] = timed(partial(side, x, pairs))["cpu"] / len(pairs)
    return out


# --- the report ---------------------------------------------------------------------------

PARTS: dict[str, Callable[[argparse.Namespace], Any]] = {
    "stages": stages,
    "memory": memory,
    "equality": equality,
    "peers": peers,
}


def child(part: str, given: argparse.Namespace, **other: Any) -> Any:
    """One part in a process of its own."""
    options = {**vars(given), **other}
    command = [sys.executable, __file__, "--part", part]
    for name in ("models", "items", "repeat", "workers"):
        command += [f"--{name}", str(options[name])]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _over(taken: dict[str, Taken], one: str, other: str) -> str:
    return f"{taken[one]['cpu'] / taken[other]['cpu']:.2f}"


def stage_lines(found: dict[str, Any], others: Taken, pairs: int) -> Iterator[str]:
    taken = found["taken"]
    bare = taken["bare NumKong"]
    limits = {
        "Gram": GRAM_LIMIT,
        VERDICTS: VERDICT_LIMIT,
        AUDIT: f"{AUDIT_LIMIT} × verdicts: {_over(taken, AUDIT, VERDICTS)}",
        "Gram by numpy": f"{NUMPY_LIMIT} × BLAS: {_over(taken, 'Gram by numpy', BLAS)}",
    }
    yield "| what | wall s | CPU s | × bare, wall | × bare, CPU | limit |"
    yield "|---|---|---|---|---|---|"
    for name, t in taken.items():
        ratio = " | ".join(f"{t[k] / bare[k]:.2f}" for k in ("wall", "cpu"))
        yield f"| {name} | {t['wall']:.2f} | {t['cpu']:.2f} | {ratio} | {limits.get(name, '–')} |"
    for name, each in others.items():
        total = each * pairs
        ratio = f"– | {total / bare['cpu']:,.0f}"
        yield f"| {name}, extrapolated | – | {seconds(total)} | {ratio} | – |"


def audit_line(models: int, items: int, taken: Taken) -> str:
    pairs = models * (models - 1) // 2
    return (
        f"| {models:,} × {items:,} | {pairs:,} | {taken['wall']:.1f} | {taken['cpu']:.1f} | "
        f"{taken['mb']:,.0f} |"
    )


def report(given: argparse.Namespace) -> Iterator[str]:
    pairs = given.models * (given.models - 1) // 2
    yield (
        f"{given.models:,} models × {given.items:,} items, {pairs:,} pairs; Python "
        f"{platform.python_version()}, numpy {np.__version__}, {platform.machine()}, "
        f"{os.cpu_count()} cores, {given.workers} threads. Medians of {given.repeat} in turns."
    )
    found = child("stages", given)
    yield f"Counts of 1,000 random pairs: {found['agree']:,} as by brute force."
    yield ""
    yield from stage_lines(found, child("peers", given), pairs)
    yield ""
    yield "| the whole audit, alone in a process | pairs | wall s | CPU s | peak MB |"
    yield "|---|---|---|---|---|"
    yield audit_line(given.models, given.items, child("memory", given))
    if given.large:
        models, items = LARGE
        yield audit_line(models, items, child("memory", given, models=models, items=items))
    yield ""
    sizes = [(SMALL, given.items), (given.models, given.items), *([LARGE] if given.large else [])]
    for models, items in sizes:
        same = child("equality", given, models=models, items=items)
        yield (
            f"{models:,} × {items:,}, counts kept between passes or counted twice: "
            f"{'the same to the last bit' if same else '**not the same**'}."
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=int, default=MODELS)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--large", action="store_true", help="20,000 × 50,000 too")
    parser.add_argument("--write", action="store_true", help="into docs/evidence/performance.md")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(PARTS[given.part](given)))
        return
    show(report(given), key="audit", title="All pairs of a leaderboard", write=given.write)


if __name__ == "__main__":
    main()
