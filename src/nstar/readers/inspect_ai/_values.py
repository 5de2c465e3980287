"""What the values in an Inspect log mean: grades, names of groups, texts, amounts."""

import math
from collections.abc import Iterable
from typing import Any

from nstar.readers._base import content_key
from nstar.readers._common import LABEL_LENGTH, group_label
from nstar.readers._values import entry, listing
from nstar.readers.inspect_ai._log import LogSample, Usage

_NUMBERS = frozenset((int, float))
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_CUT = "...\n(content truncated)"
"""End of a text that a summary holds in part."""
_OMITTED = frozenset(
    f"({medium})"
    for medium in ("Image", "Audio", "Video", "Data", "Document", "Reasoning", "Tool_use")
)
"""What a summary holds in place of other media."""
_THINNED = ("", "...", "Key removed from summary (> 1k)")


def graded(value: Any) -> Any:
    """The number that Inspect takes a text for; other values, and other texts, as they are.

    Examples
    --------
    >>> graded("P"), graded("yes"), graded("0.25"), graded("Paris"), graded(7)
    (0.5, 1.0, 0.25, 'Paris', 7)
    """
    if not isinstance(value, str):
        return value
    if value in _GRADES:
        return _GRADES[value]
    if value.isalpha():
        return _WORDS.get(value.lower(), value)
    try:
        parsed = float(value)
    except ValueError:
        return value
    return parsed if math.isfinite(parsed) else value


def label(value: Any) -> str | None:
    """Name of a group of items; ``None`` for what is no short text, whole number or bool."""
    if isinstance(value, str):
        return value if len(value) <= LABEL_LENGTH and value not in _THINNED else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return group_label(value)


def content(sample: LogSample) -> int | None:
    """Hash of question and target; ``None`` where the log holds them in part only."""
    asked, target = sample.input, sample.target
    if type(asked) is str and type(target) is str:  # as nearly always
        texts: tuple[Any, ...] = (asked, target)
    else:
        asked = (asked,) if isinstance(asked, str) else _messages(asked)
        texts = (*asked, *(target if isinstance(target, list) else (target or "",)))
    for text in texts if asked else (None,):
        if not isinstance(text, str) or text.endswith(_CUT) or text in _OMITTED:
            return None
    return content_key("\n".join(texts).encode("utf-8", "surrogatepass"))


def _messages(value: Any) -> list[Any]:
    """Roles and texts of messages, with ``None`` for any part that is no text."""
    texts: list[Any] = []
    for message in listing(value):
        inner = entry(message, "content")
        parts = inner if isinstance(inner, list) else [inner]
        texts.append(entry(message, "role"))
        texts += [part.get("text") if isinstance(part, dict) else part for part in parts]
    return texts


def amount(values: Iterable[Any]) -> float | None:
    """Sum of the sensible ones among the numbers."""
    known = [v for v in values if type(v) in _NUMBERS and 0 <= v < 1 << 53]
    return sum(known) if known else None


def tokens(usage: Iterable[Usage]) -> list[int | None]:
    """All tokens of a sample, those read and those written, over all models that it asked.

    Inspect leaves what came from or went into a cache out of ``input_tokens``; it is put back.

    Examples
    --------
    >>> tokens(
    ...     [Usage(input_tokens=7, input_tokens_cache_read=2, output_tokens=3, total_tokens=12)]
    ... )
    [12, 9, 3]
    """
    used = list(usage)
    read = [
        part
        for u in used
        for part in (u.input_tokens, u.input_tokens_cache_read, u.input_tokens_cache_write)
    ]
    parts = ([u.total_tokens for u in used], read, [u.output_tokens for u in used])
    sums = map(amount, parts)
    return [None if known is None else int(known) for known in sums]
