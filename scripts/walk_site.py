"""Walk through pages of a built site: run their commands literally, and compare the output.

python scripts/walk_site.py SITE_DIR BIN_DIR [PAGE…]

BIN_DIR, such as that of an environment with nothing but the wheel, comes first on the PATH. Each
page is one shell in an empty folder. A transcript is printed; exit status 1 if a page shows
anything else than what its commands print.
"""

import difflib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from console_blocks import PAGES, ROOT, TYPED, is_walked, tidy, typed


class _Blocks(HTMLParser):
    """The text of every console block of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self._depth = 0
        self._code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag == "div" and (self._depth or "language-console" in classes):
            self._depth += 1
        if tag == "code" and self._depth:
            self._code = True
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "div" and self._depth:
            self._depth -= 1
        if tag == "code":
            self._code = False

    def handle_data(self, data: str) -> None:
        if self._code:
            self.blocks[-1] += data


@dataclass(frozen=True)
class Step:
    """A command of a page and what the page says it prints."""

    command: str
    shown: str


def steps(page: str) -> Iterator[Step]:
    """The commands of a page, in order."""
    parser = _Blocks()
    parser.feed(page)
    for block in parser.blocks:
        matches = list(TYPED.finditer(block))
        ends = [m.start() for m in matches[1:]] + [len(block)]
        for match, end in zip(matches, ends, strict=True):
            yield Step(match[1], tidy(block[match.end() : end]).strip("\n"))


def differences(planned: list[Step], printed: list[str]) -> int:
    """Tell what happened; the number of commands that print something else than is shown."""
    wrong = 0
    for step, text in zip(planned, printed, strict=True):
        print(f"$ {step.command}", text, "", sep="\n")
        if text.strip("\n") != step.shown:
            wrong += 1
            lines = difflib.unified_diff(
                step.shown.splitlines(), text.splitlines(), "on the page", "printed", lineterm=""
            )
            print(*lines, "", sep="\n")
    return wrong


def walked_pages() -> list[str]:
    """The addresses of all pages that start from an empty folder."""
    docs = ROOT / "docs"
    pages = [p.relative_to(docs) for p in PAGES if p.is_relative_to(docs) and is_walked(p)]
    return [p.with_suffix("").as_posix() if p.name != "index.md" else "." for p in pages]


def main() -> int:
    """Walk through the requested pages, by default all that start from an empty folder."""
    site, programs = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    names = sys.argv[3:] or walked_pages()
    planned = {
        n: list(steps((site / n / "index.html").read_text(encoding="utf-8"))) for n in names
    }
    if empty := [name for name, walk in planned.items() if not walk]:
        print(f"no commands on {', '.join(empty)}")
        return 1
    wrong = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        walks = [pool.submit(typed, [s.command for s in p], programs) for p in planned.values()]
        for (name, walk), printed in zip(planned.items(), walks, strict=True):
            print(f"=== {name}: {len(walk)} commands\n")
            if differences(walk, printed.result()):
                wrong.append(name)
    status_text = f"differ: {', '.join(wrong)}" if wrong else "all as shown"
    print(f"{len(names)} pages, {sum(map(len, planned.values()))} commands; {status_text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
