"""Detect duplicate keys in a JSON object, of which msgspec silently takes the last value.

Other programs take the first value, so a log with such a key could show one score to a person and
another to nstar. Therefore it raises an error.
"""

import json
from collections import Counter
from typing import Any

from nstar.readers._read_errors import printable

BOM = b"\xef\xbb\xbf"
"""Byte order mark of UTF-8."""
_ALL = 1 << 20
"""Number of bytes at the start of a file in which every value is checked, unless a reader requests
more.
"""
_MAX_MARKS = 1_000_000
"""Number of commas, colons, and brackets above which a later value is not checked, to save memory.
"""
_MAX_KEY_CHARACTERS = 80
_LONG = 1024
"""Number of bytes above which the shape of a value is not used."""


class _DoubledKeyError(Exception):
    """Error for an object that has a key twice."""


def _refuse_doubled(pairs: list[tuple[str, Any]]) -> None:
    """Raise an error for a duplicate key; keep only the keys of the object."""
    if len(dict(pairs)) < len(pairs):
        counted = Counter(key for key, _ in pairs)
        raise _DoubledKeyError(counted.most_common(1)[0][0])


# Numbers are not converted, because one with very many digits would fail or take long. Values that
# msgspec skips must not stop the check either.
_decode = json.JSONDecoder(
    object_pairs_hook=_refuse_doubled,
    parse_int=len,
    parse_float=len,
    parse_constant=len,
    strict=False,
).decode


def doubled_key(data: bytes) -> str | None:
    """Return a key that occurs twice in one object; None for data that are not JSON.

    >>> doubled_key(b'{"a": {"x": 1, "y": 2, "x": 3}}'), doubled_key(b'[{"x": 1}, {"x": 2}]')
    ('x', None)
    """
    if len(data) > _ALL and sum(map(data.count, (b",", b":", b"[", b"{"))) > _MAX_MARKS:
        return None
    try:
        _decode(data.removeprefix(BOM).decode("utf-8", "replace"))
    except _DoubledKeyError as error:
        return str(error)
    except (ValueError, RecursionError):
        return None
    return None


class DoubledKeys:
    """Finds duplicate keys in the values of one file.

    Every value in the first MiB is checked. Checking all values would more than double the time
    for long files. Therefore, later values are checked only if they have a new shape: an
    additional key adds two quotes and one colon. At most an eighth of their bytes is checked. Long
    values vary so much that the shape is not informative, and even counting is slow, so only 1/32
    of their bytes is checked.
    """

    def __init__(self, period: int = _ALL) -> None:
        self._every = period
        self._allowed = _ALL // 8
        self._shapes: set[tuple[int, int]] = set()

    def problem(self, data: bytes) -> str | None:
        """Return a description of a duplicate key, or None if none was found."""
        size, is_early = len(data), self._every > 0
        self._every -= size
        if not is_early:
            self._allowed += size >> (5 if size > _LONG else 3)
            if self._allowed < size:
                return None
        if size <= _LONG:
            shape = data.count(b'"'), data.count(b":")
            if not is_early and shape in self._shapes:
                return None
            self._shapes.add(shape)
        if not is_early:
            self._allowed -= size
        key = doubled_key(data)
        if key is None:
            return None
        excerpt = printable(key[:_MAX_KEY_CHARACTERS])
        return (
            f"repeats the key '{excerpt}'; programs differ about which value counts, so remove one"
        )
