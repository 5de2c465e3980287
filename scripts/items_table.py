"""Write the table of docs/items.md: dead items of MMLU-Pro, by cohort.

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
    """A row for each cohort, and what stands below."""
    rows = ["| among | all right | all wrong | dead | live items |", "|---" * 5 + "|"]
    for top in TOPS:
        found = nstar.items(str(DATA), exclude=LEFT_OUT, items="common", top=top)
        c = found.item_counts_top
        who = "all 28 models" if top == c.n_models == len(found.models) else f"the top {top}"
        rows.append(
            f"| {who} | {100 * c.n_all_correct / c.n_items:.1f}% | "
            f"{100 * c.n_all_wrong / c.n_items:.1f}% "
            f"| {100 * c.n_non_discriminating / c.n_items:.1f}% | {c.n_discriminating:,} |"
        )
    r, again, rel = found.revival, found.item_counts, found.reliability
    assert r is not None
    assert rel is not None
    below = (
        f"Of {again.n_items:,} items {100 * found.negative_share:.1f}% have a negative item-rest "
        f"correlation (median {found.median_r:.2f}), {100 * found.low_share:.1f}% one below "
        "−0.2.\n"
        f"One more model revives {100 * r.all_wrong_share:.1f}% of the items that all others got "
        "wrong "
        f"(at most {100 * r.all_wrong_share_max:.0f}%)\nand {100 * r.all_correct_share:.1f}% of "
        "those all got right "
        f"(at most {100 * r.all_correct_share_max:.0f}%). KR-20 is {rel.cronbach_alpha:.4f}."
    )
    return "\n".join([*rows, "", below])


def main() -> int:
    """The table, if the data are there."""
    return keep("items.md", "items-dead", dead()) if DATA.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
