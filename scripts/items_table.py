"""Write the table of docs/items.md: non-discriminating items of MMLU-Pro, by cohort.

python scripts/items_table.py            rewrite the page
python scripts/items_table.py --check    exit 1 if it is stale

It needs ../shared/data/mmlu_pro.parquet; without it the table stays as it is.
"""

import sys

import nstar
from _section import DOCS, keep

DATA = DOCS.parents[1] / "shared" / "data" / "mmlu_pro.parquet"
LEFT_OUT = "DeepSeek-Coder-V2"
"""Has 10,351 of the items only."""
TOPS = (28, 16, 8, 4, 2)


def dead() -> str:
    """A row for each cohort, and the sentences below the table."""
    head = "| among | all correct | all wrong | non-discriminating | discriminating items |"
    rows = [head, "|---" * 5 + "|"]
    for top in TOPS:
        result = nstar.items(str(DATA), exclude=LEFT_OUT, items="common", top=top)
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
    """The table, if the data are there."""
    return keep("items.md", "items-dead", dead()) if DATA.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
