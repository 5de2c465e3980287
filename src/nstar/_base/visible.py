r"""Detect hidden characters, and make every character of a text visible.

There are three sets of hidden characters. The first set contains all characters that Python calls
unprintable: controls, format characters (bidirectional marks, zero-width joiners, tags),
separators other than the space, surrogates, and unassigned code points. The second set contains
printable characters with the Unicode property ``Default_Ignorable_Code_Point``
(DerivedCoreProperties.txt): fillers, variation selectors, and the grapheme joiner. The third set
contains characters with a blank glyph that lack this property.

Reports remove U+200C and U+200D, which join letters in Persian and Indic scripts. Names in reports
must distinguish models, and two names could differ only in a hidden character.
"""

import re
import unicodedata
from collections.abc import Callable

_IGNORABLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef"
)
"""Characters with Default_Ignorable_Code_Point in Unicode 14 to 17 that Python calls printable."""
_BLANK = "\u2800\U00013441\U00013442\U00016fe4\U0001d159"
"""Blank characters: Braille blank, hieroglyphic blanks, Khitan filler, null notehead."""
_UNSEEN = re.compile(f"[{_IGNORABLE}{_BLANK}]")


def all_visible(text: str) -> bool:
    r"""Return whether every character of a text is a space or visible.

    >>> all_visible("gpt-4"), all_visible("gpt-4\ufe0f"), all_visible("a\nb")
    (True, False, False)
    """
    return text.isprintable() and (text.isascii() or _UNSEEN.search(text) is None)


def with_visible(text: str, visible_form: Callable[[str], str]) -> str:
    r"""Replace each hidden character by the result of ``visible_form``.

    >>> with_visible("gpt\u3164-4\u202e", lambda c: "?")
    'gpt?-4?'
    """
    if all_visible(text):
        return text
    return "".join(c if all_visible(c) else visible_form(c) for c in text)


def escaped(text: str) -> str:
    r"""Return the text with hidden characters as escape sequences, for messages.

    >>> print(escaped("a" + chr(27) + "b" + chr(0xFE0F)))
    a\x1bb\ufe0f
    """
    return with_visible(text, lambda c: c.encode("unicode_escape").decode("ascii"))


def look(text: str) -> str:
    r"""Return a normalized form of a name. Names that look the same have the same form.

    The form ignores case, repeated spaces, hidden characters, and compatibility forms such as
    full-width letters.

    >>> look("GPT-4 \ufe0f") == look("gpt-4"), look("gpt\u00a0 4") == look("gpt 4")
    (True, True)
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        # NFKC maps two of the fillers to another one, so hidden characters go last.
        text = with_visible(text, lambda c: " " if c.isspace() else "")
    return " ".join(text.split()).casefold()
