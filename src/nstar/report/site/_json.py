"""JSON of strangers, with numbers that are numbers; JSON of ours, always the same bytes."""

import json
import math
from typing import Any

__all__ = ["parsed", "text"]


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        msg = f"{digits:.40} is beyond every number"
        raise ValueError(msg)
    return value


def _no_constant(word: str) -> Any:
    msg = f"{word} is no number of JSON"
    raise ValueError(msg)


def parsed(content: bytes) -> Any:
    """A value, all numbers of which are finite.

    Raises
    ------
    ValueError, RecursionError
        If it is none.
    """
    return json.loads(content, parse_constant=_no_constant, parse_float=_finite)


def text(data: Any, *, indent: int | None = None) -> bytes:
    """ASCII JSON that does not depend on anything but its data."""
    separators = (",", ":") if indent is None else None
    written = json.dumps(data, indent=indent, separators=separators, allow_nan=False)
    return (written.replace("\x7f", "\\u007f") + "\n").encode()
