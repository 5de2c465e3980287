"""Check JSON values of any type. Logs are untrusted input."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from nstar.readers._base import Journal, content_key
from nstar.readers._files import Place
from nstar.readers._read_errors import printable

_BRIEF = 200


def number(value: Any) -> float | None:
    """Return the number, with 1 and 0 for true and false; ``None`` for anything else.

    >>> number(True), number(2), number("2"), number(10**400)
    (1.0, 2.0, None, inf)
    """
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def finite(value: Any) -> float | None:
    """Return the number if it is finite; ``None`` for anything else."""
    value_number = number(value)
    return value_number if value_number is not None and math.isfinite(value_number) else None


def seconds(value: Any, *, per_second: float = 1.0) -> float | None:
    """Return a duration in seconds; ``None`` for anything but a finite number of at least 0.

    >>> seconds(1500, per_second=1000), seconds(-1), seconds("1")
    (1.5, None, None)
    """
    duration = finite(value)
    return None if duration is None or duration < 0 else duration / per_second


def whole_number(value: Any) -> int | None:
    """Return a nonnegative integer that fits in 63 bits; ``None`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 1 << 63 else None


def total(*counts: Any) -> int | None:
    """Return the sum of the values that are counts; ``None`` if there are none."""
    known = [count for count in map(whole_number, counts) if count is not None]
    return whole_number(sum(known)) if known else None


def text(value: Any) -> str | None:
    """Return nonempty text; ``None`` for anything else."""
    return value if isinstance(value, str) and value else None


def item_name(value: Any) -> str | None:
    """Return the name of an item from nonempty text or an integer; ``None`` for anything else."""
    if type(value) is int and value.bit_length() < 128:
        return str(value)
    return text(value)


def mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: Any) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def entry(value: Any, *keys: str) -> Any:
    """Return the value at a path of keys; ``None`` if the path does not exist.

    >>> entry({"a": {"b": 1}}, "a", "b"), entry({"a": [1]}, "a", "b")
    (1, None)
    """
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def canonical(value: Any) -> bytes:
    """Return the JSON of a decoded value, independent of the order of keys."""
    try:
        return msgspec.json.encode(value, order="sorted")
    except RecursionError:
        return b"nested too deeply"


def brief(value: Any) -> str:
    """Return a setting as text: text unchanged, other values as JSON, both shortened if long.

    >>> brief({"t": 0.5}), brief("test"), len(brief("x" * 999))
    ('{"t":0.5}', 'test', 200)
    """
    text = value if isinstance(value, str) else canonical(value).decode()
    if len(text) <= _BRIEF:
        return text
    return f"{text[: _BRIEF - 17]}…{content_key(text):016x}"


def unfit(name: str, value: Any, fix: str) -> str:
    """Return a message about a value that cannot be used.

    Examples
    --------
    >>> unfit("doc_id", [7], "expected a number or text")
    'doc_id is [7]; expected a number or text'
    """
    return f"{name} is {printable(brief(value)[:80]) or 'empty'}; {fix}"


def settings_of(values: Mapping[str, Any]) -> dict[str, str]:
    """Return settings as short texts, without those that are null or empty."""
    return {k: brief(v) for k, v in values.items() if v not in (None, "", [], {})}


def means_of(values: Mapping[str, Any]) -> dict[str, float]:
    """Return the values that are finite numbers."""
    finite_values = {name: finite(value) for name, value in values.items()}
    return {name: mean for name, mean in finite_values.items() if mean is not None}


class ScoreCheck:
    """Converts metric values of one log to scores. Invalid values are omitted and counted.

    Parameters
    ----------
    place : Place
        Location of the log.
    journal : Journal
        Collects messages about infinite scores.
    drop : callable
        Callback with the reason for each omitted value.
    """

    def __init__(self, place: Place, journal: Journal, drop: Callable[[str], None]) -> None:
        self._place = place
        self._journal = journal
        self._drop = drop

    def __call__(self, metric: str, value: Any, line: int | None) -> tuple[float | None, ...]:
        """Return the score, or ``None`` for NaN; the result is empty for an omitted value."""
        score = number(value)
        if score is None:
            self._drop(f"metric {metric} is {_kind(value)}")
            return ()
        if math.isfinite(score):
            return (score,)
        if math.isnan(score):
            return (None,)
        problem = f"metric {metric} has the score {score}; a score must be finite"
        self._journal.bad_row(self._place, line, problem)
        return ()


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object"


class ItemNames:
    """Readable item names that are distinct for different questions.

    >>> names = ItemNames()
    >>> names("polite", 7), names("polite", 7), names("polite", 8), names(None, 9)
    ('polite', 'polite', 'polite [0000000000000008]', '0000000000000009')
    """

    def __init__(self) -> None:
        self._content: dict[str, int] = {}

    def __call__(self, name: str | None, content: int) -> str:
        """Return the name, the content hash without a name, or both if the content differs."""
        if name is None:
            return f"{content:016x}"
        if self._content.setdefault(name, content) == content:
            return name
        return f"{name} [{content:016x}]"
