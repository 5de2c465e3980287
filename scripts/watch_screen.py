"""Fill the live screen of docs/watch.md with what nstar draws.

python scripts/watch_screen.py            rewrite the page
python scripts/watch_screen.py --check    exit 1 if it is stale
"""

import re
import sys
from io import StringIO

import numpy as np
from rich.console import Console, RenderableType

import nstar
from _section import DOCS, keep_page
from nstar.report.formats.live import LiveScreen

PAGE = DOCS / "watch.md"
BLOCK = re.compile(r"(?<=```text\n)nstar watch .*?(?=```)", re.DOTALL)


def watched(items: int = 139) -> nstar.Watch:
    """Part of a run of 500 items, of which one model alone gets 17% right, the other 10%."""
    rng = np.random.default_rng(4)
    watch = nstar.Watch(items=500, a="alpha", b="beta")
    names = rng.permutation(500)[:items].tolist()
    for item, u in zip(names, rng.random(items), strict=True):
        watch.update(u < 0.17, 0.17 <= u < 0.27, item=item)
    return watch


def screen_markup(view: RenderableType) -> str:
    out = StringIO()
    Console(file=out, width=96, color_system=None).print(view)
    return re.sub(r"[ \t]+$", "", out.getvalue(), flags=re.MULTILINE)


if __name__ == "__main__":
    screen = screen_markup(LiveScreen("nstar watch new.jsonl old.jsonl").view(watched()))
    sys.exit(keep_page(PAGE, BLOCK.sub(lambda _: screen, PAGE.read_text(encoding="utf-8"))))
