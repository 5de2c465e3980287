"""Write tables of docs/evidence/fewer-items.md: subsets of real benchmarks and all items.

python scripts/shrink_validation.py            draw (a minute or two), write the table
python scripts/shrink_validation.py --check    exit 1 if sizes or the first row are stale

Each model in turn is new: items are drawn by what the others find hard, as ``nstar shrink`` draws
them, and its score on all items is known. Neighbors in the ranking are new together. Needs
../shared/data; without it the table stays as it is.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

import nstar
from _section import DOCS, keep
from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._verbs.shrink.pool import ItemPool, pooled
from nstar.stats._subset import STRATA, difficulty_strata, draw_positions, proportional
from nstar.stats._weights import weighted_scores

DATA = DOCS.parents[1] / "shared" / "data"
BOARDS = {
    "MMLU-Pro": ("mmlu_pro.parquet", ("DeepSeek-Coder-V2",), (100, 300, 1000, 7846)),
    "AlpacaEval 2": ("alpaca_eval_2.parquet", ("gpt4_1106_preview",), (100, 300)),
}
"""File, models left out (too few items; the reference, which always scores 0.5), sizes."""
REPEATS = 200
CONF = 0.95
HEADER = (
    "| benchmark | items | score: items saved | coverage | lowest | gap of adjacent models: items "
    "saved | coverage | interval of `compare`: coverage | width |"
)


def samples(strata: IntArray, n: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Items drawn, and how many of each stratum."""
    counts = proportional(np.bincount(strata), n)
    for seed in range(REPEATS):
        yield draw_positions(strata, counts, seed), counts


def tried(values: Array, others: Array, n: int) -> tuple[float, ...]:
    """Items saved, coverage, coverage by ``compare --weights``, and its width over ours."""
    strata = difficulty_strata(others, STRATA)
    totals, truth = np.bincount(strata), float(values.mean())
    z = float(stats.t_quantile((1 + CONF) / 2, n - STRATA))
    error, covered, plain, wide = [], [], [], []
    for sample, counts in samples(strata, n):
        y, h = values[sample], strata[sample]
        sums = stats.cluster_sums(y, h)
        mean = stats.stratified_mean(sums.sums, sums.squares, sums.sizes, totals)
        off, se = abs(float(mean.estimate) - truth), float(mean.se)
        flat = weighted_scores(y, (totals / counts)[h])
        usual = float(flat.std(ddof=1)) / np.sqrt(n)
        error.append(off**2)
        covered.append(off <= z * se)
        plain.append(off <= z * usual)
        wide.append(usual / se)
    random = (1 - n / values.size) * float(values.var(ddof=1)) / n
    return random / float(np.mean(error)), *(float(np.mean(x)) for x in (covered, plain, wide))


def scores_of(pool: ItemPool, n: int) -> Array:
    """Each model in turn new."""
    x = pool.scores
    return np.array([tried(y, (pool.total - y) / (len(x) - 1), n) for y in x])


def gaps_of(pool: ItemPool, n: int) -> Array:
    """Neighbors new together."""
    x = pool.scores
    return np.array([tried(b - a, (pool.total - a - b) / (len(x) - 2), n) for a, b in pairwise(x)])


def sizes_for(delta: float) -> str:
    """Items that a gap takes on the first board, as measured and with rounded inputs."""
    file, left_out, _ = BOARDS["MMLU-Pro"]
    subset = nstar.shrink(str(DATA / file), exclude=left_out, resolve=delta)
    spread = subset.variances
    sd, factor = round(spread.sd, 3), round(spread.known_factor, 2)
    rounded = {"sigma": sd, "total": subset.n_items_total}
    known = {**rounded, "r2": 1 - 1 / factor}
    by_hand = (
        stats.items_needed(delta, **rounded),
        stats.items_needed(delta, **known),
        stats.items_for_claim(delta, **rounded),
    )
    readings = (("new", "benchmark"), ("known", "benchmark"), ("new", "questions"))
    needed = [subset.resolution(against, scope).n_star for against, scope in readings]  # type: ignore[arg-type]
    return "\n".join(
        [
            f"| of {subset.n_items_total:,} items | two new models | against a known one | "
            "two new models, such questions |",
            "|---|---|---|---|",
            f"| σ = {spread.sd:.5f}, variance ÷ {spread.known_factor:.4f}, as measured | "
            + " | ".join(f"{n:,}" for n in needed)
            + " |",
            f"| the same with σ = {sd} and ÷ {factor}, before rounding up | "
            + " | ".join(f"{float(n):,.1f}" for n in by_hand)
            + " |",
        ]
    )


def rows() -> Iterator[str]:
    """Of the table, one by one: the first takes a few seconds."""
    for name, (file, left_out, sizes) in BOARDS.items():
        table_read = nstar.read(str(DATA / file))
        matrix = nstar.matrices(table_read)[0]
        pool = pooled([matrix], [m for m in matrix.models if m not in left_out])
        models, total = pool.scores.shape
        for n in sizes:
            one, two = scores_of(pool, n), gaps_of(pool, n)
            low, high = one[:, 0].min(), one[:, 0].max()
            yield (
                f"| {name}, {models} × {total:,} | {n:,} "
                f"| {np.median(one[:, 0]):.2f} ({low:.2f} to {high:.2f}) "
                f"| {100 * one[:, 1].mean():.1f}% | {100 * one[:, 1].min():.1f}% "
                f"| {np.median(two[:, 0]):.2f} | {100 * two[:, 1].mean():.1f}% "
                f"| {100 * two[:, 2].mean():.1f}% | {np.median(two[:, 3]):.2f} |"
            )


def main() -> int:
    if not all((DATA / file).exists() for file, *_ in BOARDS.values()):
        print("no data: the tables of docs/evidence/fewer-items.md stay as they are")
        return 0
    stale = keep("evidence/fewer-items.md", "sizes", sizes_for(0.01))
    if "--check" in sys.argv:
        first = next(rows())
        is_quoted = first in (DOCS / "evidence/fewer-items.md").read_text(encoding="utf-8")
        if not is_quoted:
            print(f"docs/evidence/fewer-items.md lacks {first}")
        return max(stale, int(not is_quoted))
    table = "\n".join([HEADER, "|---" * 9 + "|", *rows()])
    return max(stale, keep("evidence/fewer-items.md", "validation", table))


if __name__ == "__main__":
    sys.exit(main())
