"""Read untrusted JSON with finite numbers only, and write reproducible JSON."""

import json
import math
from typing import Any

_DIGITS = 20
"""Those of a whole number that a float can stand for."""


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        msg = f"the number {digits:.40} is too large"
        raise ValueError(msg)
    return value


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        msg = f"the number {digits[:40]} has too many digits"
        raise ValueError(msg)
    return int(digits)


def _no_constant(word: str) -> Any:
    msg = f"{word} is not a JSON number"
    raise ValueError(msg)


def parsed(content: bytes) -> Any:
    """A value, all numbers of which are finite.

    Raises
    ------
    ValueError, RecursionError
        If it is not such a value.
    """
    return json.loads(content, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)


def text(data: Any, *, indent: int | None = None) -> bytes:
    """ASCII JSON that does not depend on anything but its data."""
    separators = (",", ":") if indent is None else None
    written = json.dumps(data, indent=indent, separators=separators, allow_nan=False)
    return (written.replace("\x7f", "\\u007f") + "\n").encode()
