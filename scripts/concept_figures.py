"""Figures and numbers of docs/concepts: writes docs/figures/concept-*.svg and parts of the pages.

python scripts/concept_figures.py            write them
python scripts/concept_figures.py --check    exit 1 if any is stale
"""

import sys
from collections.abc import Callable

import _concept_boards as boards
import _concept_gap as gap
import _concept_noise as noise
from _concept_charts import Concept
from _concept_peeking import peeking
from _section import DOCS, keep

PAGES: dict[str, Callable[[], Concept]] = {
    "pairing": gap.pairing,
    "mde-and-n-star": gap.mde,
    "q": gap.q,
    "strata-or-clusters": noise.groups,
    "runs": noise.runs,
    "ranks": boards.ranks,
    "many-comparisons": boards.families,
    "peeking": peeking,
}


def main() -> int:
    stale = 0
    for page, made in PAGES.items():
        concept = made()
        path = DOCS / "figures" / f"concept-{page}.svg"
        new = concept.figure.render(".svg")
        if not path.exists() or path.read_bytes() != new:
            if "--check" in sys.argv:
                print(f"docs/figures/{path.name} is stale")
                stale += 1
            else:
                path.write_bytes(new)
        for section, text in concept.sections.items():
            stale += keep(f"concepts/{page}.md", section, text)
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
