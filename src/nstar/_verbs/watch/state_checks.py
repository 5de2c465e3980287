"""Saved states: a checksum, and checks of every part.

The checksum detects a state that was truncated, mixed, or edited. It is not a signature, because
anybody with write access to the file can write another.
"""

import hashlib
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from nstar.errors import ParameterError

_SEAL = "check"
_MAX_EXACT_INTEGER = 1 << 53


def refuse(part: str, allowed: str, value: object) -> NoReturn:
    """Raise an error for an impossible part of a saved state."""
    msg = f"saved {part} must be {allowed}; got {value!r:.80}"
    raise ParameterError(msg)


def check_count(part: str, value: object, max_value: int = _MAX_EXACT_INTEGER) -> int:
    """Check for a whole number from 0 to ``max_value``."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= max_value:
        return value
    refuse(part, f"a whole number from 0 to {max_value}", value)


def number(part: str, value: object, low: float, high: float = sys.float_info.max) -> float:
    """Return a finite number between two limits."""
    if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
        return float(value)
    refuse(part, f"a number from {low:g} to {high:g}", value)


def check_like(known: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
    """Raise an error unless numbers and lists have the types that they have in ``known``."""
    for name, value in known.items():
        for each in saved[name] if isinstance(value, list) else [saved[name]]:
            if isinstance(value, int):
                check_count(name, each)
            else:
                number(name, each, -sys.float_info.max)


def _seal(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(repr(_plain(body)).encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value in the form that JSON restores."""
    if isinstance(value, Mapping):
        return {key: _plain(value[key]) for key in sorted(value)}
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


def sealed(body: dict[str, Any]) -> dict[str, Any]:
    """Return the state with its checksum.

    >>> opened(sealed({"n": 3}))
    {'n': 3}
    """
    return body | {_SEAL: _seal(body)}


def opened(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state without its checksum. Raise ParameterError if they do not match."""
    body = {k: v for k, v in saved.items() if k != _SEAL}
    if saved.get(_SEAL) != _seal(body):
        msg = (
            "The saved state has been damaged or edited (checksum mismatch). Use a new state file."
        )
        raise ParameterError(msg)
    return body
