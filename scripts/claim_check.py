"""Write into docs/evidence/claims.md how many wrong p-values and intervals the checks find, and
the verdicts on a printed table, beside the same figures without nstar. The table is printed here
from outputs of MMLU-Pro (examples/printed.csv); without them it stays.

python scripts/claim_check.py            rewrite the page
python scripts/claim_check.py --check    exit 1 if it is stale
"""

import math
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import nstar
from _section import keep, keep_page
from nstar import stats
from nstar._verbs.benchmarks import BENCHMARKS
from nstar.stats._feasible import Feasible, feasible
from nstar.stats._printed_matches import (
    RoundingInterval,
    matching_intervals,
    matching_tests,
    overlap,
)

ITEMS = (200, 1000, 5000)
GAPS = (0.01, 0.02, 0.05)
BETTER, RHO = 0.75, 0.5
PRINTED = np.arange(1, 99, 4) / 100
"""p-values as printed, evenly spread."""
MOVES = np.concatenate([np.arange(-10, 0), np.arange(1, 11)]) / 10
"""By how much one limit of an interval is moved, in halves of its width."""


def counts(n: int, gap: float) -> Feasible:
    """Counts that print as the two accuracies do, in percent with one decimal."""
    first, second = (stats.grim(p, n, decimals=3) for p in (BETTER, BETTER - gap))
    return feasible((first.low, first.high), (second.low, second.high), n)


def tango(n: int, gap: float) -> tuple[float, float]:
    """Tango's interval at a typical correlation."""
    psi = float(stats.psi_from_rho(BETTER, BETTER - gap, RHO))
    lost = round((psi - gap) * n / 2)
    low, high = stats.paired_interval(lost + round(gap * n), lost, n)
    return float(low), float(high)


def interval(limits: tuple[float, float]) -> tuple[RoundingInterval, RoundingInterval]:
    """Numbers that print as two limits do, in percent with one decimal."""
    low, high = (RoundingInterval(round(x, 3) - 5e-4, round(x, 3) + 5e-4) for x in limits)
    return low, high


def wrong_intervals(n: int, gap: float) -> list[tuple[float, float]]:
    """The interval with one limit moved, as by a slip or from another pair of models."""
    low, high = tango(n, gap)
    moves = MOVES * (high - low) / 2
    return [(low + x, high) for x in moves] + [(low, high + x) for x in moves]


def row(n: int, gap: float) -> str:
    tables = counts(n, gap)
    beside = [f for f in matching_intervals(tables, *interval(tango(n, gap))) if f.any]
    wrong = [limits for limits in wrong_intervals(n, gap) if limits[0] < limits[1]]
    odd = [not any(f.any for f in matching_intervals(tables, *interval(x))) for x in wrong]
    none = n_disjoint = 0
    for p in PRINTED:
        matches = [
            f for f in matching_tests(tables, RoundingInterval(p - 0.005, p + 0.005)) if f.any
        ]
        none += not matches
        n_disjoint += not any(overlap(f, i) for f in matches for i in beside)
    share_without, share_disjoint = (f"{100 * k / PRINTED.size:.0f}%" for k in (none, n_disjoint))
    caught = f"{100 * np.mean(odd):.0f}%"
    return f"| {n:,} | {100 * gap:g} pp | {share_without} | {caught} | {share_disjoint} |"


def table() -> str:
    rows = [
        "| items | reported gap | `--p` | `--ci` | `--p` and `--ci` |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*rows, *(row(n, gap) for n in ITEMS for gap in GAPS)])


# --- typical correlations ---------------------------------------------------------------------

DATA = Path(__file__).parents[2] / "shared" / "data" / "mmlu_pro.parquet"


def scored() -> tuple[list[str], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Models with nearly all items of MMLU-Pro, scores on those all have, their subjects."""
    rows = pq.read_table(DATA, columns=["model", "item", "subject", "score"])
    (models, m), (items, i) = (
        np.unique(rows[name].to_numpy(), return_inverse=True) for name in ("model", "item")
    )
    scores, subjects = np.full((models.size, items.size), np.nan), np.empty(items.size, object)
    scores[m, i] = rows["score"].to_numpy()
    subjects[i] = rows["subject"].to_numpy()
    is_covered = np.count_nonzero(~np.isnan(scores), axis=1) > 12_000
    shared = ~np.isnan(scores[is_covered]).any(axis=0)
    return models[is_covered].tolist(), scores[is_covered][:, shared], subjects[shared]


def measured() -> tuple[int, int, np.ndarray[Any, Any]]:
    """Number of these models and items, correlations of all pairs."""
    _, shared, _ = scored()
    rho = np.corrcoef(shared)[np.triu_indices(len(shared), 1)]
    return len(shared), shared.shape[1], rho


def check_measured() -> None:
    """What nstar has for MMLU-Pro is what the outputs give; not checked without them."""
    if not DATA.exists():
        return
    models, items, rho = measured()
    stored = BENCHMARKS["mmlu-pro"]
    low, high = np.quantile(rho, [0.25, 0.75])
    assert f"{rho.size} pairs of {models} models on {items:,} items" in stored.source
    rhos = tuple(round(float(x), 2) for x in (rho.mean(), low, high))
    assert rhos == (stored.mean, stored.low, stored.high), rhos


def typical() -> str:
    check_measured()
    head = ["| `--rho` | mean rho | quartiles | source |", "|---|---|---|---|"]
    rows = (
        f"| `{key}` | {t.mean:.2f} | {t.low:.2f}–{t.high:.2f} | {t.source} |"
        for key, t in BENCHMARKS.items()
    )
    return "\n".join([*head, *rows])


# --- a printed table ---------------------------------------------------------------------------

EXAMPLES = Path(__file__).parents[1] / "examples"
FIVE = (
    *("gemini-1.5-pro-002", "gemini-1.5-flash-002", "Meta-Llama-3_1-70B-Instruct"),
    *("jamba-1.5-large", "Qwen1.5-72B-Chat"),
)
SIX = ("math", "physics", "engineering", "law", "biology", "history")


def check_close(one: float, other: float, rel: float = 1e-9) -> None:
    """What nstar says is what was computed without it."""
    if not math.isclose(one, other, rel_tol=rel):
        msg = f"claim says {one!r}, the independent computation {other!r}"
        raise AssertionError(msg)


def printed_table() -> tuple[dict[str, dict[str, str]], dict[str, int]]:
    """Accuracies by subject as a paper prints them, and the items of each."""
    models, scores, subjects = scored()
    names = sorted(set(subjects))
    means = {s: 100 * scores[:, subjects == s].mean(axis=1) for s in names}
    rows = {m: {s: f"{means[s][k]:.1f}" for s in names} for k, m in enumerate(models)}
    return rows, {s: int(np.count_nonzero(subjects == s)) for s in names}


def keep_examples() -> int:
    """Five models on six subjects, as files."""
    if not DATA.exists():
        return 0
    rows, items = printed_table()
    lines = [",".join((m, *(rows[m][s] for s in SIX))) for m in FIVE]
    sizes = [f"{s},{items[s]}" for s in SIX]
    files = {"printed.csv": [",".join(("model", *SIX)), *lines]}
    files["printed_items.csv"] = ["benchmark,items", *sizes]
    return max(keep_page(EXAMPLES / name, "\n".join(x) + "\n") for name, x in files.items())


def mid_p(won: int, lost: int, n: int) -> float:
    """McNemar's mid-p in whole numbers; exact where more than 80% of the items are discordant."""
    if won <= lost:
        return 1.0
    d, term, tail = won + lost, 1, 0
    for k in range(lost + 1):
        tail += 2 * term if k < lost or d > 0.8 * n else term
        term = term * (d - k) // (k + 1)
    return min(tail / 2**d, 1.0)


def own_bounds(first: str, second: str, n: int) -> tuple[float, float]:
    """Smallest and largest p over all counts that print so and all that they may share."""
    tenths = (int(x.replace(".", "")) for x in (first, second))  # of a percent
    right = [
        [k for k in range(max(t * n // 1000 - 2, 0), n + 1)[:6] if abs(1000 * k - t * n) <= n / 2]
        for t in tenths
    ]
    ps = [
        mid_p(a - n_both, b - n_both, n)
        for a, b in product(*right)
        for n_both in (min(a, b), max(0, a + b - n))  # p falls with every item they share
    ]
    return min(ps), max(ps)


def by_items(best: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """p of two models, item by item."""
    return mid_p(int(np.sum(best > other)), int(np.sum(best < other)), best.size)


def judged_table() -> str:
    """All subjects and models: what the printed table allows, and what the items say."""
    (rows, items), (models, scores, subjects) = printed_table(), scored()
    table_claim, lines = nstar.claim_table(rows, items=items), []
    for column in table_claim.columns:
        name, best = column.benchmark, column.best[0]
        rivals = [m for m in models if m != best]
        family = len(table_claim.columns) * len(rivals)
        ends = [own_bounds(rows[best][name], rows[m][name], items[name]) for m in rivals]
        low, high = (min(max(p) * family, 1.0) for p in zip(*ends, strict=True))
        check_close(float(column.pvalue.low), low, rel=1e-6)
        check_close(float(column.pvalue.high), high, rel=1e-6)
        subject_scores = scores[:, subjects == name]
        k = models.index(best)
        p = min(
            max(by_items(subject_scores[k], subject_scores[models.index(m)]) for m in rivals)
            * family,
            1.0,
        )
        # what the print rules out the items must not show, and the other way round
        assert p <= table_claim.alpha or column.verdict != "supported"
        assert p > table_claim.alpha or column.verdict != "not_supported"
        claim_text = f"{column.verdict}; p {column.pvalue.low:.2g} to {column.pvalue.high:.2g}"
        items_text = "supported" if p <= table_claim.alpha else "not supported"
        lines.append(
            f"| {name} | {items[name]:,} | {best} | {claim_text} | {low:.2g} to {high:.2g} | "
            f"{items_text}; p = {p:.2g} |"
        )
    head = (
        "| subject | items | best model | `nstar claim` | independent computation | "
        "from item scores |"
    )
    return "\n".join([head, "|---|---|---|---|---|---|", *lines])


if __name__ == "__main__":
    pages = {"worth": table}
    if DATA.exists():
        pages["table"] = judged_table
    stale = max(keep_examples(), keep("plan.md", "typical", typical()))
    sys.exit(
        max(stale, *(keep("evidence/claims.md", name, text()) for name, text in pages.items()))
    )
