"""A page that a script writes, or the part of one between two markers."""

import sys
from pathlib import Path

__all__ = ["keep", "keep_page"]

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.append(str(ROOT))  # scripts import the package validation


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


def keep_page(path: Path, text: str) -> int:
    """Write the whole page; with ``--check`` only tell, by status 1, that it is another."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return 0
    if "--check" in sys.argv:
        script = Path(sys.argv[0]).name
        print(f"{path.relative_to(DOCS.parent)} is stale: run python scripts/{script}")
        return 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return 0
