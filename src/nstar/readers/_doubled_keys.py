"""Detect duplicate keys in a JSON object, of which msgspec silently takes the last value.

Other programs take the first value. A log with such a key shows one score to its reader and
another to nstar, so it is refused.
"""

import json
from collections import Counter
from typing import Any

from nstar.readers._read_errors import printable

BOM = b"\xef\xbb\xbf"
"""Byte order mark of UTF-8."""
_ALL = 1 << 20
"""Bytes of a file in which every value is checked, unless a reader wants more."""
_MAX_MARKS = 1_000_000
"""Commas, colons and brackets of a longer value, above which it is not checked: the check would
build all of it.
"""
_MAX_KEY_CHARACTERS = 80
_LONG = 1024
"""Bytes above which the shape of a value tells nothing."""


class _DoubledKeyError(Exception):
    """An object has the key twice."""


def _refuse_doubled(pairs: list[tuple[str, Any]]) -> None:
    """Keep nothing of an object but its keys, and those only until it ends."""
    if len(dict(pairs)) < len(pairs):
        counted = Counter(key for key, _ in pairs)
        raise _DoubledKeyError(counted.most_common(1)[0][0])


# Numbers are not converted: one with very many digits would be refused, or take long. What
# msgspec passes over in fields that it does not read must not stop the check either.
_decode = json.JSONDecoder(
    object_pairs_hook=_refuse_doubled,
    parse_int=len,
    parse_float=len,
    parse_constant=len,
    strict=False,
).decode


def doubled_key(data: bytes) -> str | None:
    """Return a key that occurs twice in one object; None for data that are not JSON.

    Examples
    --------
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
    """Finds doubled keys in the values of one file.

    Every value in the first MiB is checked. A check of all values would more than double the time
    that long files take. So of later values, those of a new shape are checked: one more key is two
    more quotes and one more colon, and at most an eighth of the bytes is checked. In long values,
    texts vary so much that the shape tells nothing, and even counting takes long: a part of
    1/32 of the bytes is checked.
    """

    def __init__(self, period: int = _ALL) -> None:
        self._every = period
        self._allowed = _ALL // 8
        self._shapes: set[tuple[int, int]] = set()

    def problem(self, data: bytes) -> str | None:
        """Return what is wrong with a value, as far as known."""
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
