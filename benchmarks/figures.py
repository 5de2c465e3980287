"""Figures of a benchmark: printed, and written into docs/evidence/performance.md if requested."""

# ruff: noqa: T201
import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["show"]

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "performance.md"


def show(lines: Iterable[str], *, key: str, title: str, write: bool) -> None:
    """Print lines; with ``write`` they replace those between the marks of ``key`` in the page."""
    shown = []
    for line in lines:
        print(line, flush=True)
        shown.append(line)
    if write:
        _write(shown, key, title)


def _write(lines: list[str], key: str, title: str) -> None:
    begin, end = (f"<!-- {key}:{side} -->" for side in ("begin", "end"))
    page = PAGE.read_text(encoding="utf-8")
    if begin not in page:
        page += f"\n## {title}\n\n{begin}\n{end}\n"
    body = "\n".join([begin, *lines, end])
    page = re.sub(f"{begin}.*{end}", lambda _: body, page, flags=re.DOTALL)
    PAGE.write_text(page, encoding="utf-8")
