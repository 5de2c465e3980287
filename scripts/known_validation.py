"""Measure what ``nstar compare known`` states, on real results: docs/evidence/fewer-items.md.

python scripts/known_validation.py            write the tables from docs/known.json
python scripts/known_validation.py --measure  measure anew first, a few minutes
python scripts/known_validation.py --check    exit 1 if the page is stale

Each model in turn is new: random samples of its items, the product's own estimator, and its gap
over all items for the truth. Each model is compared with the one next above it in rank (the best
with the one below). The score of the new model is the known mean plus this gap, with the same
error. For claims about such questions
all items are the questions there are, and a benchmark of 2,000 is drawn from them each time, with
replacement, before the sample. ``--measure`` needs
../shared/data, MMLU-Pro and AlpacaEval 2; without them what was measured stays.
"""

import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from _section import DOCS, json_lines, keep, rounded
from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._verbs.reference.compare import estimate_gap
from nstar._verbs.reference.sample import KnownSample

DATA = DOCS.parents[1] / "shared" / "data"
KEPT = DOCS / "known.json"
PAGE = "evidence/fewer-items.md"
BOARDS = {
    "MMLU-Pro": ("mmlu_pro.parquet", ("DeepSeek-Coder-V2",), (100, 300, 1000)),
    "MMLU-Pro, easy": ("mmlu_pro.parquet", ("DeepSeek-Coder-V2",), (50, 100, 300)),
    "AlpacaEval 2": ("alpaca_eval_2.parquet", (), (50, 100, 300)),
}
"""File, models left out for lack of items, sizes of samples."""
SAMPLES = 3_000
"""Of each row, shared among its models: ±0.0080 on a coverage of 0.95, twice its error."""
BENCHMARK = 2_000
"""Items of a benchmark that is itself drawn."""
STRATA = 20
EASY = 0.8
"""Share of models that answer an easy item correctly."""

Draw = Callable[[np.random.Generator, int], IntArray]


def scores(file: str, without: tuple[str, ...]) -> tuple[list[str], Array]:
    """Models and their scores on the items that all have, (M, N); constant models left out."""
    import pyarrow.parquet as pq  # noqa: PLC0415 only with the data

    table = pq.read_table(DATA / file, columns=["model", "item", "score"]).to_pydict()
    models = sorted(set(table["model"]) - set(without))
    items = {x: k for k, x in enumerate(dict.fromkeys(table["item"]))}
    rows = {x: k for k, x in enumerate(models)}
    matrix = np.full((len(models), len(items)), np.nan)
    for model, item, score in zip(table["model"], table["item"], table["score"], strict=True):
        if model in rows:
            matrix[rows[model], items[item]] = score
    matrix = matrix[:, ~np.isnan(matrix).any(axis=0)]
    varies = np.ptp(matrix, axis=1) > 0
    return [m for m, keep_ in zip(models, varies, strict=True) if keep_], matrix[varies]


def simple(total: int) -> Draw:
    """Simple random samples."""
    return lambda rng, n: np.asarray(rng.choice(total, n, replace=False, shuffle=False))


def stratified(known: Array) -> Draw:
    """Samples of strata of equal size by the known models' mean, in proportion."""
    order = np.argsort(known.mean(axis=0), kind="stable")
    parts = np.array_split(order, STRATA)
    sizes = np.array([p.size for p in parts])

    def draw(rng: np.random.Generator, n: int) -> IntArray:
        exact = n * sizes / sizes.sum()
        each = np.floor(exact).astype(int)
        short = n - each.sum()
        each[rng.permutation(STRATA)[:short]] += 1
        draws = [
            rng.choice(p, k, replace=False, shuffle=False)
            for p, k in zip(parts, each, strict=True)
        ]
        return np.concatenate(draws)

    return draw


def estimated(new: Array, others: Array, against: int, sampled: IntArray) -> stats.RegressionMean:
    """The product's estimate from the items drawn."""
    sample = np.full(new.size, np.nan)
    sample[sampled] = new[sampled]
    return estimate_gap(
        KnownSample(b="", new=sample, old=others[against], others=others, at=against)
    )


def _held(
    estimate: stats.RegressionMean, truth: float, se: float, share: float
) -> tuple[float, bool, bool]:
    """The error, whether the interval holds, and whether that of the sample alone does."""
    error, plain = estimate.estimate - truth, estimate.sample_mean - truth
    sample_se = estimate.sample_se * (1 - share) ** 0.5
    holds = abs(plain) <= _far(estimate.sampled - 1) * sample_se
    return error, abs(error) <= _far(estimate.df) * se, holds


@cache
def _far(df: int) -> float:
    return float(stats.t_quantile(0.975, df))


def of_these(
    new: Array, others: Array, against: int, draw: Draw, n: int, times: int, seed: int
) -> Array:
    """Errors about these items, and whether intervals hold, (times, 3)."""
    rng, truth = np.random.default_rng(seed), float(new.mean() - others[against].mean())
    out = np.full((times, 3), np.nan)
    for k in range(times):
        sampled = draw(rng, n)
        if np.ptp((new - others[against])[sampled]) > 0:  # else refused
            estimate = estimated(new, others, against, sampled)
            out[k] = _held(estimate, truth, estimate.se_own, n / new.size)
    return out


def of_such(new: Array, others: Array, against: int, n: int, times: int, seed: int) -> Array:
    """The same about such questions: the benchmark is drawn too."""
    rng, truth = np.random.default_rng(seed), float(new.mean() - others[against].mean())
    out = np.empty((times, 3))
    for k in range(times):
        bench = rng.integers(new.size, size=BENCHMARK)
        sampled = simple(BENCHMARK)(rng, n)
        estimate = estimated(new[bench], others[:, bench], against, sampled)
        out[k] = _held(estimate, truth, estimate.se, 0.0)
    return out


def _rival(board: Array, new: int) -> int:
    """The model next above in rank; for the best, the one below."""
    order = np.argsort(-board.mean(axis=1), kind="stable").tolist()
    place = order.index(new)
    return int(order[place - 1 if place else 1])


def tried(name: str, models: list[str], board: Array, n: int, kind: str, times: int) -> Any:
    """One row: every model in turn new, its gap, by one kind of samples."""
    total, per = board.shape[1], []
    for new in range(len(models)):
        others, rival = np.delete(board, new, axis=0), _rival(board, new)
        y, against = board[new] - board[rival], rival - (rival > new)
        seed, plain = 1_000_003 * n + new, float(y.var(ddof=1)) * (1 / n - 1 / total)
        if kind == "questions":
            outcomes = of_such(board[new], others, against, n, times, seed)
            plain = float(y.var()) / n
        else:
            draw = stratified(others) if kind == "stratified" else simple(total)
            outcomes = of_these(board[new], others, against, draw, n, times, seed)
        per.append(
            {
                "model": models[new],
                "against": models[rival],
                "coverage": float(np.nanmean(outcomes[:, 1])),
                "alone": float(np.nanmean(outcomes[:, 2])),
                "factor": plain / float(np.nanmean(np.square(outcomes[:, 0]))),
                "bias": float(np.nanmean(outcomes[:, 0])),
                "bias_se": float(np.nanstd(outcomes[:, 0], ddof=1)) / times**0.5,
            }
        )
    print(name, kind, n, file=sys.stderr)
    return {"board": name, "items": total, "kind": kind, "n": n, "times": times, "models": per}


def measured() -> Iterator[Any]:
    """Row by row."""
    for name, (file, without, sizes) in BOARDS.items():
        models, board = scores(file, without)
        if name.endswith("easy"):
            board = board[:, board.mean(axis=0) > EASY]
        times = -(-SAMPLES // len(models))
        for kind in ("gap", "stratified"):
            chosen_sizes = sizes[1:2] if kind == "stratified" else sizes
            yield from (tried(name, models, board, n, kind, times) for n in chosen_sizes)
        if board.shape[1] > BENCHMARK:  # otherwise it is drawn from too few
            yield tried(name, models, board, 300, "questions", times)


KINDS = {
    "stratified": "that gap, 20 strata",
    "gap": "gap to the next better model",
    "questions": "that gap on such questions",
}


def table(rows: list[Any]) -> str:
    """A row for each board, claim and size."""
    out = [
        "| benchmark | sampled of | estimate | coverage of 95% intervals | of the sample alone "
        "| lowest model | items saved, factor | range |",
        "|---" * 8 + "|",
    ]
    for row in rows:
        per = row["models"]
        cover, share_alone = (
            float(np.mean([m[key] for m in per])) for key in ("coverage", "alone")
        )
        worst = min(per, key=lambda m: m["coverage"])
        factor = [m["factor"] for m in per]
        mark = "**" if cover < _MIN_COVERAGE else ""
        out.append(
            f"| {row['board']} | {row['n']:,} of {_total(row):,} | {KINDS[row['kind']]} "
            f"| {mark}{100 * cover:.1f} %{mark} | {100 * share_alone:.1f}% "
            f"| {100 * worst['coverage']:.1f}% {worst['model']} "
            f"| {np.median(factor):.2f} | {min(factor):.2f}–{max(factor):.2f} |"
        )
    return "\n".join(out)


def _total(row: Any) -> int:
    return BENCHMARK if row["kind"] == "questions" else int(row["items"])


_MIN_COVERAGE = 0.94
"""Coverage below which a row is a failure."""


def failures(rows: list[Any]) -> str:
    """What did not hold: rows below 94%, and single models far below beyond chance."""
    out = []
    for row in rows:
        cover = float(np.mean([m["coverage"] for m in row["models"]]))
        share_alone = float(np.mean([m["alone"] for m in row["models"]]))
        row_text = f"{row['board']}, {row['n']:,} items, {KINDS[row['kind']]}"
        if cover < _MIN_COVERAGE:
            out.append(
                f"- {row_text}: {100 * cover:.1f}% of all intervals hold, not 95%; of the "
                f"sample alone {100 * share_alone:.1f}%."
            )
        limit = 0.95 - _z(len(row["models"])) * (0.95 * 0.05 / row["times"]) ** 0.5
        bad = sorted((m["coverage"], m["model"]) for m in row["models"] if m["coverage"] < limit)
        if bad:
            names = ", ".join(f"{model} {100 * c:.1f}%" for c, model in bad[:5])
            rest = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
            out.append(
                f"- {row_text}: {len(bad)} of {len(row['models'])} models below 95% beyond "
                "chance: "
                f"{names}{rest}."
            )
    return "\n".join(out) or "None."


def _z(models: int) -> float:
    """Limit of the worst of so many, crossed once in a hundred by chance."""
    return float(stats.z_alpha(0.01 / models, sides=1))


def main() -> int:
    """Status."""
    if "--measure" in sys.argv and DATA.exists():
        rows_done = []
        for row in measured():
            rows_done.append(row)
            KEPT.write_text(json_lines(rounded(rows_done)) + "\n", encoding="utf-8")
    rows = json.loads(KEPT.read_text(encoding="utf-8"))
    return max(keep(PAGE, "known", table(rows)), keep(PAGE, "failures", failures(rows)))


if __name__ == "__main__":
    sys.exit(main())
