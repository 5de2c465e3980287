"""Units of parameters: how people write counts, sizes, shares, and gaps.

One grammar serves every command: ``1,000`` and ``20k`` are counts, ``2GiB`` is a size, ``70%`` is
a share and ``1pp`` is a gap. ``parse`` returns the value, or raises a ValueError whose message
says what to write instead. This module imports neither numpy nor click.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
"""A number with commas between thousands."""
_AMOUNT = re.compile(r"(.*\d\.?)\s*([kmgt]?)(i?b)?", re.IGNORECASE)


def parse_number(text: str) -> float | None:
    """Parse a finite number. Return None if the text is anything else.

    Commas are accepted only between thousands, so that ``7,1`` is not read as 71.

    Examples
    --------
    >>> parse_number("1,000"), parse_number("−0.5"), parse_number("7,1"), parse_number("inf")
    (1000.0, -0.5, None, None)
    """
    plain = text.replace("−", "-")
    if THOUSANDS.fullmatch(plain.strip()):
        plain = plain.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def parse_amount(text: str) -> int | None:
    """Parse a number with an optional suffix. Return None if the text is anything else.

    The suffixes ``k``, ``M``, ``G``, and ``T`` stand for powers of 1000. Before ``iB``, they stand
    for powers of 1024.

    Examples
    --------
    >>> parse_amount("2e7"), parse_amount("1.5k"), parse_amount("2GiB"), parse_amount("many")
    (20000000, 1500, 2147483648, None)
    """
    match = _AMOUNT.fullmatch(text.strip())
    number = None if match is None else parse_number(match[1])
    if match is None or number is None or number < 0:
        return None
    base = 1024 if (match[3] or "").lower() == "ib" else 1000
    return round(number * base ** " kmgt".index(match[2].lower() or " "))


class Unit(Generic[T]):
    """A kind of value with its own notation."""

    metavar: str
    """Placeholder for the value in help text."""

    def parse(self, text: str) -> T:
        """Convert the text to a value."""
        raise NotImplementedError


class Number(Unit[float]):
    """A number inside a range."""

    def __init__(self, metavar: str, is_valid: Callable[[float], bool], expected: str) -> None:
        self.metavar, self.is_valid, self.expected = metavar, is_valid, expected

    def parse(self, text: str) -> float:
        """Convert the text to a number."""
        value = parse_number(text.strip())
        if value is None or not self.is_valid(value):
            msg = f"{text!r} is not {self.expected}"
            raise ValueError(msg)
        return value


class Count(Unit[int]):
    """A whole number: ``1000``, ``1,000`` or ``20k``."""

    metavar = "n"

    def __init__(self, noun: str = "items", minimum: int = 2, maximum: float = 1e15) -> None:
        self.noun, self.minimum, self.maximum = noun, minimum, maximum

    def parse(self, text: str) -> int:
        """Convert the text to a whole number."""
        value = parse_number(text)
        if value is None and text.strip()[-1:].lower() in tuple("kmgt"):
            value = parse_amount(text)
        if value is None or value != int(value) or not self.minimum <= value <= self.maximum:
            msg = (
                f"{text!r} is not a number of {self.noun}; write a whole number >= {self.minimum}"
            )
            raise ValueError(msg)
        return int(value)


class ByteSize(Unit[int]):
    """A number of bytes: ``500MB``, ``2GiB`` or ``0``."""

    metavar = "size"

    def parse(self, text: str) -> int:
        """Convert the text to bytes."""
        value = parse_amount(text)
        if value is None:
            msg = f"{text.strip()!r} is not a size; write 500MB, 2GB or 0"
            raise ValueError(msg)
        return value


class Share(Unit[float]):
    """A proportion: ``70%`` or ``0.7``."""

    metavar = "share"

    def parse(self, text: str) -> float:
        """Convert the text to a number in [0, 1]."""
        text = text.strip()
        is_percent = text.endswith("%")
        value = parse_number(text.removesuffix("%").strip())
        if value is None:
            pointed = text.replace(",", ".")
            decimal = "," in text and parse_number(pointed.removesuffix("%")) is not None
            fix = f"{pointed} with a point" if decimal else "70% or 0.7"
            msg = f"{text!r} is not a proportion; write {fix}"
            raise ValueError(msg)
        if not is_percent and value > 1:
            msg = f"{text!r} is above 1; write {text}% or {value / 100:g}"
            raise ValueError(msg)
        share = value / 100 if is_percent else value
        if not 0 <= share <= 1:
            msg = f"{text!r} is not between 0% and 100%"
            raise ValueError(msg)
        return share


class Points(float):
    """A gap that was written in percentage points."""


class ScoreGap(Unit[float]):
    """A gap in score units: ``1pp``, ``0.01``, or ``5`` where scores exceed 1.

    Whether the gap fits the scores can be checked only after they are read.
    """

    metavar = "gap"

    def parse(self, text: str) -> float:
        """Convert the text to score units."""
        text = text.strip()
        if text.endswith("%"):
            stem = text.removesuffix("%").strip()
            msg = f"{text!r} could mean points or a share of the baseline; write {stem}pp"
            raise ValueError(msg)
        in_points = text.lower().endswith("pp")
        value = parse_number(text[:-2].strip() if in_points else text)
        if value is None:
            msg = f"{text!r} is not a gap; write 1pp or 0.01"
            raise ValueError(msg)
        if in_points and not -100 < value < 100:
            msg = f"{text!r} is not between -100pp and 100pp"
            raise ValueError(msg)
        return Points(value / 100) if in_points else value


class ShareGap(ScoreGap):
    """A gap between proportions: ``1pp`` or ``0.01``."""

    def parse(self, text: str) -> float:
        """Convert the text to a number in (-1, 1)."""
        value = super().parse(text)
        if abs(value) >= 1:
            text = text.strip()
            msg = (
                f"{text!r} is too large for a proportion; write {text}pp for percentage points "
                f"or {value / 100:g}"
            )
            raise ValueError(msg)
        return float(value)


class ScoreRange(Unit[tuple[float, float]]):
    """The worst and the best possible score: ``0:100``."""

    metavar = "LOW:HIGH"

    def parse(self, text: str) -> tuple[float, float]:
        """Convert the text to two numbers, the smaller one first."""
        low, _, high = map(str.strip, text.partition(":"))
        worst, best = parse_number(low), parse_number(high)
        if worst is None or best is None or not worst < best:
            msg = f"{text!r} is not a range of scores; write LOW:HIGH, like 0:100"
            raise ValueError(msg)
        return worst, best


class ListOf(Unit[tuple[T, ...]]):
    """Values of another unit, separated by commas."""

    def __init__(self, item: Unit[T], metavar: str) -> None:
        self.item, self.metavar = item, metavar

    def parse(self, text: str) -> tuple[T, ...]:
        """Convert each part of the text."""
        return tuple(self.item.parse(part) for part in text.split(","))


class OneOrTwo(ListOf[T]):
    """One value, or one for each of two models."""

    def parse(self, text: str) -> tuple[T, ...]:
        """Convert each part of the text. Refuse ``1,500``, which could be one value or two."""
        text = text.strip()
        if THOUSANDS.fullmatch(text):
            one = text.replace(",", "")
            msg = (
                f"{text!r} could be {one} or a number for each model; write {one}, or "
                f"'{text.replace(',', ', ')}' for two"
            )
            raise ValueError(msg)
        return super().parse(text)


class CountList(Unit[int | tuple[int, ...]]):
    """One count, or several separated by commas.

    ``1,000`` and ``50,048`` are one count: as lists they would hold 1, 000 or 048, which nobody
    plans. ``50,100,200`` is a list: as one count it would be fifty million. ``16,329`` could be
    either and is refused.

    Examples
    --------
    >>> counts = CountList(Count())
    >>> counts.parse("1,000"), counts.parse("50,100,200"), counts.parse("2k, 500")
    (1000, (50, 100, 200), (2000, 500))
    """

    metavar = "n,…"

    def __init__(self, item: Count) -> None:
        self.item = item

    def parse(self, text: str) -> int | tuple[int, ...]:
        """Convert the text to one count, or several."""
        text = text.strip()
        parts = text.split(",")
        if len(parts) == 1:
            return self.item.parse(text)
        if THOUSANDS.fullmatch(text):
            if not all(self._is_listed(part) for part in parts):
                return self.item.parse(text)
            if len(parts) == 2:
                one, two = text.replace(",", ""), text.replace(",", ", ")
                msg = f"{text!r} could be {one} or two numbers; write {one}, or '{two}' for two"
                raise ValueError(msg)
        try:
            return tuple(self.item.parse(part.strip()) for part in parts)
        except ValueError as error:
            msg = f"{error} (a comma separates numbers: 1000,2000)"
            raise ValueError(msg) from error

    def _is_listed(self, part: str) -> bool:
        """Whether somebody may have written this part as a number of its own."""
        return part.isdigit() and not part.startswith("0") and int(part) >= self.item.minimum


class Column(Unit[tuple[str, str]]):
    """A role and the column that plays it: ``item=question_id``."""

    metavar = "PART=COLUMN"

    def parse(self, text: str) -> tuple[str, str]:
        """Split the text into the role and the column."""
        role, separator, column = text.partition("=")
        if not separator or not role or not column:
            msg = f"{text!r} is not PART=COLUMN, such as item=question_id"
            raise ValueError(msg)
        return role.strip(), column.strip()


class Limit(Unit[tuple[str, int]]):
    """A limit and its new value: ``rows=50M`` or ``unpacked=2GiB``."""

    metavar = "NAME=NUMBER"

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def parse(self, text: str) -> tuple[str, int]:
        """Split the text into the name and the number."""
        name, _, amount = re.sub(r"[=:]", "=", text, count=1).partition("=")
        value = parse_amount(amount)
        if name.strip() not in self.names or not value:
            names = ", ".join(self.names)
            msg = f"{text!r} is not NAME=NUMBER, such as rows=50M; names are {names}"
            raise ValueError(msg)
        return name.strip(), value
