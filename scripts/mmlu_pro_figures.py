"""Write the sentences and the table of the documentation that quote figures of MMLU-Pro.

python scripts/mmlu_pro_figures.py            rewrite them
python scripts/mmlu_pro_figures.py --check    exit 1 if one is stale

It needs ../shared/data/mmlu_pro.parquet; without it they stay as they are.
"""

import sys
import textwrap
from typing import Any

import nstar
from _section import DOCS, keep

DATA = DOCS.parents[1] / "shared" / "data" / "mmlu_pro.parquet"
INCOMPLETE = "DeepSeek-Coder-V2"
"""Lacks 1,681 of 12,032 items."""
TOPS = (28, 16, 8, 4, 2)
LEADERS = "gemini-1.5-pro-002", "gemini-1.5-flash-002"


def wrap(text: str) -> str:
    """The lines of a paragraph."""
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


def readings(scores: nstar.ScoreMatrix) -> str:
    """How many pairs of adjacent models are unresolved under each reading."""
    board = nstar.audit(scores, exclude=INCOMPLETE, items="common")
    count = {s.assumption: s.n_unresolved for s in board.sensitivity if s.family == "adjacent"}
    return wrap(
        f"On MMLU-Pro ({len(board)} models, {board.n_items:,} items that all of them answered), "
        f"{count['independent']} of {len(board) - 1} adjacent pairs are not resolved for "
        f"independent items, {count['strata:subject']} with subjects as strata, and "
        f"{count['cluster:subject']} with subjects as clusters."
    )


def leaders(scores: nstar.ScoreMatrix) -> str:
    """The statistic of the two best models under each reading."""
    a, b = LEADERS
    designs: tuple[dict[str, Any], ...] = ({}, {"strata": "subject"}, {"cluster": "subject"})
    one, *_ = comparisons = [nstar.compare(scores, a=a, b=b, **d).tasks[0] for d in designs]
    items, strata, clusters = (f"{r.t:.3g}" for r in comparisons)
    return wrap(
        f"On MMLU-Pro, {a} leads {b} by {100 * one.gap:.1f} pp on {one.n_items:,} items. T is "
        f"{items} for independent items, {strata} with subjects as strata, and {clusters} with "
        "subjects as clusters. Each value is right for its own question."
    )


def non_discriminating(scores: nstar.ScoreMatrix) -> str:
    """A row for each cohort, and the sentences below the table."""
    head = "| among | all correct | all wrong | non-discriminating | discriminating items |"
    rows = [head, "|---" * 5 + "|"]
    for top in TOPS:
        result = nstar.items(scores, exclude=INCOMPLETE, items="common", top=top)
        c = result.item_counts_top
        cohort = "all 28 models" if top == c.n_models == len(result.models) else f"the top {top}"
        rows.append(
            f"| {cohort} | {100 * c.n_all_correct / c.n_items:.1f}% | "
            f"{100 * c.n_all_wrong / c.n_items:.1f}% "
            f"| {100 * c.n_non_discriminating / c.n_items:.1f}% | {c.n_discriminating:,} |"
        )
    r, item_counts, rel = result.revival, result.item_counts, result.reliability
    assert r is not None
    assert rel is not None
    below = (
        f"Of {item_counts.n_items:,} items, {100 * result.negative_share:.1f}% have a negative "
        f"item-rest correlation (median {result.median_r:.2f}); "
        f"{100 * result.low_share:.1f}% are below −0.2.\n"
        f"One more model would get {100 * r.all_wrong_share:.1f}% of the items right that all "
        f"others got wrong (at most {100 * r.all_wrong_share_max:.0f}%),\n"
        f"and {100 * r.all_correct_share:.1f}% of those wrong that all others got right "
        f"(at most {100 * r.all_correct_share_max:.0f}%). KR-20 is {rel.cronbach_alpha:.4f}."
    )
    return "\n".join([*rows, "", below])


def main() -> int:
    """Write them, if the data are there."""
    if not DATA.exists():
        return 0
    scores = nstar.matrices(nstar.read(str(DATA)))[0]
    return (
        keep("audit.md", "mmlu-pro-readings", readings(scores))
        | keep("concepts/strata-or-clusters.md", "mmlu-pro-leaders", leaders(scores))
        | keep("items.md", "items-dead", non_discriminating(scores))
    )


if __name__ == "__main__":
    sys.exit(main())
