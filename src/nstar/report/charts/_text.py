"""Clean, escape, measure, and shorten the text in figures."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from nstar._base.visible import all_visible

_STACKED = 2
"""Maximum number of accents on one letter. More would reach into the row above."""
_MAX_CHARACTERS = 120
"""Number of characters beyond which a text fits nowhere in a figure."""
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_CUTS = (0.9, 0.1, 0.7, 0.3, 1.0)
"""Positions of the cut in a shortened name, tried if a cut in the middle makes names equal."""
_WORDS = re.compile(r"\S*\d (?:pp|Elo)\b\S*|\S+")
"""Words; a number and its unit count as one."""
BOLD = 1.16
"""Ratio of the widths of bold and regular letters."""
_NARROW = frozenset("iljtfrI.,:;|!'()[]{}/\\-–·` ")
_BROAD = frozenset("mwMWGOQ%@&—→<>")


def clean(text: str) -> str:
    r"""Remove control, bidirectional, and unprintable characters, and stacks of accents.

    Examples
    --------
    >>> clean("a\x1b[31m\u202eb\ud800")
    'a?[31m?b?'
    """
    out, stacked = [], 0
    for c in text:
        stacked = stacked + 1 if unicodedata.combining(c) else 0
        if stacked <= _STACKED:
            out.append(c if all_visible(c) else "?")
    return "".join(out)


def escape(text: str) -> str:
    """Escape text for XML and HTML. All text in a figure passes through this function.

    Examples
    --------
    >>> escape("<img src=x onerror='a()'> ]]>")
    '&lt;img src=x onerror=&#39;a()&#39;&gt; ]]&gt;'
    """
    return "".join(_ESCAPES.get(c, c) for c in clean(text))


def _em(c: str) -> float:
    """Return the width of a character in a wide sans-serif font, in units of the font size."""
    if unicodedata.combining(c):
        return 0.0
    if c in _NARROW:
        return 0.36
    if c in _BROAD or ord(c) > 0x2E7F or unicodedata.east_asian_width(c) in "WF":
        return 1.0
    if c.isdigit():
        return 0.62
    return 0.7 if c.isupper() else 0.56


@lru_cache(maxsize=4096)
def width(text: str, size: float = 13) -> float:
    """Return an approximate upper limit of the width of a text."""
    return size * sum(_em(c) for c in text)


def shorten(text: str, max_width: float, size: float = 13, *, head: float = 0.5) -> str:
    """Return a cleaned name that fits.

    The cut is in the middle, because both ends of a name matter.

    Examples
    --------
    >>> shorten("Meta-Llama-3_1-70B-Instruct", 120)
    'Meta-Lla…-Instruct'
    """
    text = clean(text)
    if width(text, size) <= max_width:
        return text
    for keep in range(min(len(text) - 1, _MAX_CHARACTERS), 1, -1):
        front = round(head * keep)
        short = f"{text[:front]}…{text[len(text) - keep + front :]}"
        if width(short, size) <= max_width:
            return short
    return "…"


def shorten_all(texts: Sequence[str], max_width: float, size: float = 13) -> list[str]:
    """Shorten several names, with a different cut if two of them would look the same.

    Examples
    --------
    >>> shorten_all(["Llama-3.1-70B-Instruct", "Llama-3.1-8B-Instruct"], 110)
    ['Llama-3.1-70B…t', 'Llama-3.1-8B-I…t']
    """
    out = [shorten(t, max_width, size) for t in texts]
    for head in _CUTS:
        counts = Counter(dict(zip(texts, out, strict=True)).values())
        if len(counts) == len(set(texts)):
            break
        out = [
            short if counts[short] == 1 else shorten(text, max_width, size, head=head)
            for text, short in zip(texts, out, strict=True)
        ]
    return out


def wrap(text: str, max_width: float, size: float = 13) -> list[str]:
    """Split text into lines that fit. No line begins with a unit.

    A long word is shortened.
    """
    lines: list[str] = []
    for word in _WORDS.findall(clean(text)):
        longer = f"{lines[-1]} {word}" if lines else ""
        if lines and width(longer, size) <= max_width:
            lines[-1] = longer
        else:
            lines.append(shorten(word, max_width, size))
    return lines
