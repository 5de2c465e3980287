"""A part of a page between two markers, written by a script."""

import sys
from pathlib import Path

__all__ = ["keep"]

DOCS = Path(__file__).parents[1] / "docs"


def keep(page: str, section: str, text: str) -> int:
    """Put the text there; with ``--check`` only tell, by status 1, that it is not there."""
    path = DOCS / page
    begin, end = f"<!-- {section}:begin -->", f"<!-- {section}:end -->"
    old = path.read_text(encoding="utf-8")
    head, _, rest = old.partition(begin)
    _, _, tail = rest.partition(end)
    new = f"{head}{begin}\n{text}\n{end}{tail}"
    if new == old:
        return 0
    if "--check" in sys.argv:
        print(f"docs/{page}: the table of {section} is stale")
        return 1
    path.write_text(new, encoding="utf-8")
    return 0
