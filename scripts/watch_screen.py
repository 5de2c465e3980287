"""Fill the live screen of docs/watch.md with what nstar draws.

python scripts/watch_screen.py            rewrite the page
python scripts/watch_screen.py --check    exit 1 if it is stale
"""

import re
import sys
from io import StringIO
from pathlib import Path

import numpy as np
from rich.console import Console, RenderableType

import nstar
from nstar.report.formats.live import LiveScreen

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "watch.md"
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


def main() -> int:
    """Write the screen into the page."""
    old = PAGE.read_text(encoding="utf-8")
    screen = screen_markup(LiveScreen("nstar watch new.jsonl old.jsonl").view(watched()))
    new, n_replaced = BLOCK.subn(lambda _: screen, old)
    if n_replaced == 1 and new == old:
        return 0
    if "--check" in sys.argv:
        print(f"{PAGE.name}: the live screen is stale")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
