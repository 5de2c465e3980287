"""Figures and numbers of concepts: writes docs/figures/concept-*.svg and parts of the pages.

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
from _section import DOCS, keep, keep_figure_words

PAGES: dict[str, tuple[str, Callable[[], Concept]]] = {
    "start/reading-a-report": ("mde", gap.mde),
    "concepts/pairing": ("pairing", gap.pairing),
    "concepts/strata-or-clusters": ("strata-or-clusters", noise.groups),
    "concepts/noise": ("noise", noise.runs),
    "concepts/ranks": ("ranks", boards.ranks),
    "concepts/peeking": ("peeking", peeking),
}
"""The figure of each page, and the function that computes it."""


def main() -> int:
    """Write the figures and the generated parts of the pages."""
    stale = 0
    for page, (name, concept_of) in PAGES.items():
        concept = concept_of()
        path = DOCS / "figures" / f"concept-{name}.svg"
        new = concept.figure.render(".svg")
        if not path.exists() or path.read_bytes() != new:
            if "--check" in sys.argv:
                print(f"docs/figures/{path.name} is stale")
                stale += 1
            else:
                path.write_bytes(new)
        for section, text in concept.sections.items():
            stale += keep(f"{page}.md", section, text)
    stale += keep_figure_words()
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
