"""A page that a script writes, or the part of one between two markers."""

import json
import re
import sys
from collections.abc import Iterable
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any
from xml.etree import ElementTree as ET

__all__ = [
    "json_lines",
    "keep",
    "keep_figure_words",
    "keep_page",
    "rounded",
    "with_figure_words",
]

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


def rounded(value: Any) -> Any:
    """All numbers in it to six decimals."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return round(value, 6) if isinstance(value, float) else value


def json_lines(rows: Iterable[Any]) -> str:
    """A JSON array with a line for each element."""
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    return "[\n" + ",\n".join(lines) + "\n]"


SVG = "{http://www.w3.org/2000/svg}"
FIGURE = r"(?:docs/|\.\./)?figures/(?P<name>[\w-]+)\.svg"
IMAGE = re.compile(rf"!\[[^\]]*\](?P<path>\({FIGURE}\))")
TAG = re.compile(rf'(?P<tag><img src="{FIGURE}" alt=")[^"]*')
CAPTION = re.compile(rf"(?P<image>{FIGURE}[^\n]*(?:\n</picture>)?\n\n)\*[^*]+\*\n")


def words_of(name: str, tag: str) -> str:
    """What a figure of docs/figures says in one of its elements."""
    return str(ET.parse(DOCS / "figures" / f"{name}.svg").getroot().findtext(f"{SVG}{tag}"))


def with_figure_words(text: str) -> str:
    """A page whose figures have the alternative texts and captions that their drawings have."""

    def image(match: re.Match[str]) -> str:
        alt = words_of(match["name"], "desc").replace("[", "(").replace("]", ")")
        return f"![{alt}]{match['path']}"

    def tag(match: re.Match[str]) -> str:
        return match["tag"] + escape(words_of(match["name"], "desc"))

    def caption(match: re.Match[str]) -> str:
        below = fill(words_of(match["name"], "metadata"), 118, break_on_hyphens=False)
        return f"{match['image']}*{below}*\n"

    return CAPTION.sub(caption, TAG.sub(tag, IMAGE.sub(image, text)))


def keep_figure_words() -> int:
    """Put the words of all figures into the pages that show them."""
    pages = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return sum(keep_page(p, with_figure_words(p.read_text(encoding="utf-8"))) for p in pages)
