"""Keep phrases that no native editor would leave out of code, messages and pages.

python scripts/retired_words.py            list each with what to write instead
python scripts/retired_words.py --check    the same, and exit 1 if there is any

What commands printed into ```console blocks is not read: their words stand in ``src``.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "docs", "scripts", "changelog.d")
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "SKILL.md", "llms.txt")
SUFFIXES = (".py", ".pyi", ".md", ".txt", ".js", ".css", ".html", ".toml")
QUOTED = ("docs/peers.md", "scripts/retired_words.py")
"""Other people's words, and these."""

_VERB = r"(?:is|are|was|were|has|have|had|may|might|can|could|would|will|must|does|do|decides?)"
_NOUN = r"(?:the|an?|no|this|these|such|one|its)"
_NAMED = r"(?:(?!\b(?:that|which|who|where)\b)[\w*`'\x20-]){1,40}?"
_FINE = (
    "longer|more|less|fewer|such|better|worse|faster|slower|smaller|larger|wider|different|doubt|"
    "need|use|harm|evidence|proof|reason|other|way|gain"
)
"""What may follow “is no”."""

RETIRED = {
    r"\b(?:can(?:not)?|could) be had\b(?! the)": "is available",
    r"\b(?:not|is|are|none) to be had\b": "available",
    r"\b(?:is|are) none of (?!the(?:se|m|ir)?\b)": "is not one of",
    r"\b(?:that|what|which|it|they|who) (?:is|are) none\b": "is not a …",
    rf"(?<!here\x20)\b(?:is|are|was|were) no (?!(?:{_FINE})\b)[a-z]": "is not a …",
    r"\blines part\b": "lines separate",
    r"\bpart ways\b": "diverge",
    r"\bhangs? together\b": "are correlated",
    r"\bno mere\b": "not just",
    r"\bwhose neighbor\b": "neighbors are chosen by the data",
    r"\bbefore any work\b": "before work starts",
    r"\bin spite of\b": "despite",
    r"\bso too\b": "also",
    r"\bgo(?:es)? on from\b": "resume from",
    r"\bnone such\b": "no such …",
    r"\bin the place of\b": "in place of",
    r", for (?:it|they|there|nobody|nothing|then|we|you|neither)\b": "because",
    rf", for {_NOUN} {_NAMED}\x20{_VERB}\b": "because",
}
"""Regular expressions, each with what to write instead."""

_GAP = r'(?:\x20(?:"\n\x20*f?")?|\n\x20*(?:(?:\#|//|\*)\x20)?)'
"""A space, or the end of a line of prose, of a comment or of a text in quotes."""
_PATTERNS = {re.compile(key.replace(" ", _GAP)): better for key, better in RETIRED.items()}
_CONSOLE = re.compile(r"^ *```console\n.*?^ *```", re.M | re.S)


class Hit(NamedTuple):
    """A retired phrase and where it stands."""

    place: str
    phrase: str
    better: str


def _files() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from (p for p in sorted((ROOT / folder).rglob("*")) if p.suffix in SUFFIXES)
    yield from (ROOT / name for name in PAGES)


def _prose(text: str) -> str:
    """The text without console blocks; lines keep their numbers."""
    return _CONSOLE.sub(lambda block: "\n" * block[0].count("\n"), text)


def hits(text: str, name: str) -> Iterator[Hit]:
    """Every retired phrase; one that is broken over two lines counts too."""
    prose = _prose(text)
    for pattern, better in _PATTERNS.items():
        for match in pattern.finditer(prose):
            line = prose.count("\n", 0, match.start()) + 1
            yield Hit(f"{name}:{line}", " ".join(match[0].split()).strip(" ,"), better)


def main() -> int:
    """List every hit."""
    all_hits = [
        hit
        for path in _files()
        if (name := path.relative_to(ROOT).as_posix()) not in QUOTED
        for hit in hits(path.read_text(encoding="utf-8"), name)
    ]
    for hit in sorted(all_hits):
        print(f"{hit.place}: “{hit.phrase}”: {hit.better}")
    return 1 if all_hits and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
