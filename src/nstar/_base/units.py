"""Units of parameters: the notation of counts, sizes, shares, and gaps.

All commands use one grammar: ``1,000`` and ``20k`` are counts, ``2GiB`` is a size, ``70%`` is a
share, and ``1pp`` is a gap. ``parse`` reads text from the command line, and ``convert`` takes
values from Python. Errors suggest a correct value. This module imports neither numpy nor click.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from types import GenericAlias
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from nstar._base.address import is_address, without_secrets
from nstar.errors import ParameterError, QuestionError, arg

T = TypeVar("T")

Completion: TypeAlias = Literal["files", "models"] | None
"""Shell completion of a value."""

THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
"""Pattern of a number with commas between thousands."""
_PERCENT = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*(?:%|pp)\s*")
_TOO_LARGE = 10**300
"""Smallest whole number that may be too large for a float."""
_AMOUNT = re.compile(r"(.*\d\.?)\s*([kmgt]?)(i?b)?", re.IGNORECASE)

_MAX_QUOTED = 80
"""Number of characters of an argument that an error message quotes."""


def join_words(parts: Iterable[object], conjunction: str = "and") -> str:
    """Return the parts as a list in a sentence.

    >>> join_words(["a", "b"]), join_words("abc", "or")
    ('a and b', 'a, b, or c')
    """
    texts = list(map(str, parts))
    if len(texts) < 3:
        return f" {conjunction} ".join(texts)
    return f"{', '.join(texts[:-1])}, {conjunction} {texts[-1]}"


def alternatives(values: Iterable[object]) -> str:
    """Return the allowed values of a parameter, as they follow "must be" in an error message.

    >>> alternatives([1, 2]), alternatives(["low", "mid", "high"])
    ('1 or 2', 'one of low, mid, or high')
    """
    texts = list(map(str, values))
    return f"{'one of ' * (len(texts) > 2)}{join_words(texts, 'or')}"


def quoted(text: object) -> str:
    """Return a value in quotes for an error message, shortened so that it cannot fill the screen.

    >>> quoted("7O%"), quoted("9" * 3000)[-8:]
    ("'7O%'", "999999…'")
    """
    full_text = str(text)
    return repr(full_text if len(full_text) <= _MAX_QUOTED else f"{full_text[: _MAX_QUOTED - 1]}…")


def parse_number(text: str) -> float | None:
    """Parse a finite number. Return None if the text is anything else.

    Commas are accepted only between thousands, so that ``7,1`` is not read as 71.

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
    """Kind of values with its own notation."""

    metavar: str
    """Placeholder for the value in help text."""
    json: Any = str
    """Type of the value in JSON."""
    is_repeatable = False
    """Whether the option may be repeated."""
    completion: Completion = None
    """Shell completion of the value."""
    is_about_output = False
    """Whether the value affects only the output."""

    def parse(self, text: str) -> T:
        """Convert text to a value."""
        raise NotImplementedError

    def convert(self, name: str, value: Any) -> Any:  # noqa: ARG002
        """Convert a value from Python. Raise ParameterError if it cannot have this unit."""
        return value

    def collect(self, values: Iterable[T]) -> Any:
        """Return the Python value of an option that is given several times."""
        return values

    def __repr__(self) -> str:
        """Return a short text, to keep the signatures in ``help()`` short."""
        return type(self).__name__


class Text(Unit[str]):
    """Any text, such as a name."""

    def __init__(self, metavar: str, completion: Completion = None) -> None:
        self.metavar, self.completion = metavar, completion

    def parse(self, text: str) -> str:
        """Return the text."""
        return text

    def convert(self, name: str, value: Any) -> Any:
        """Convert text, or a number to its digits, because a model may be called 7."""
        if isinstance(value, bool) or not isinstance(value, str | Real):
            msg = f"{arg(name)} must be text; got {value!r:.60}"
            raise ParameterError(msg)
        return str(value)


class Statistic(Text):
    """The name of a metric, or in Python a function."""

    def convert(self, name: str, value: Any) -> Any:
        """Return functions unchanged."""
        return value if callable(value) else super().convert(name, value)


class GroupLabels(Text):
    """A column, or labels of the items."""

    def convert(self, name: str, value: Any) -> Any:
        """Return labels unchanged."""
        is_text = isinstance(value, str | Real)
        return super().convert(name, value) if is_text else value


class Names(Text):
    """One name or several. The option can be repeated."""

    json = list[str]
    is_repeatable = True

    def convert(self, name: str, value: Any) -> Any:
        """Convert one name or several to a tuple. A number becomes its digits."""
        if isinstance(value, Mapping):
            msg = f"{arg(name)} must be one name or several; got {value!r:.60}"
            raise ParameterError(msg)
        is_single = isinstance(value, str) or not isinstance(value, Iterable)
        return tuple(map(str, (value,) if is_single else value))


class FieldNames(Names):
    """Names of fields, or labels of items by field."""

    def convert(self, name: str, value: Any) -> Any:
        """Convert names to a tuple. Return labels unchanged."""
        return value if isinstance(value, Mapping) else super().convert(name, value)


class Source(Unit[str]):
    """Data in any form. The command line takes a path."""

    completion = "files"

    def __init__(self, metavar: str, *, is_repeatable: bool = False) -> None:
        self.metavar, self.is_repeatable = metavar, is_repeatable

    def parse(self, text: str) -> str:
        """Return the path."""
        return text


class Number(Unit[float]):
    """A number in a range."""

    json: Any = float

    def __init__(self, metavar: str, is_valid: Callable[[float], bool], expected: str) -> None:
        self.metavar, self.is_valid, self.expected = metavar, is_valid, expected

    def parse(self, text: str) -> float:
        """Convert the text to a number."""
        value = parse_number(text.strip())
        if value is None or not self.is_valid(value):
            msg = f"{quoted(text)} is not {self.expected}."
            raise ValueError(msg)
        return value

    def convert(self, name: str, value: Any) -> Any:
        """Convert any real number, such as a numpy scalar."""
        return _real(name, value)


def _real(name: str, value: Any, expected: str = "a number") -> float:
    """Convert a value to a Python number. Reject text and truth values."""
    if isinstance(value, int) and abs(value) >= _TOO_LARGE:
        msg = f"{arg(name)} has more than 300 digits. Use {expected}."
        raise ParameterError(msg)
    if isinstance(value, int | float) and not isinstance(value, bool):
        is_exact = type(value) in (int, float, Points)
        return value if is_exact else float(value)  # NumPy's float64 is a float
    if isinstance(value, bool) or not isinstance(value, Real):
        percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
        fix = f". Use {float(percent[1]) / 100:g}." if percent else ""
        msg = f"{arg(name)} must be {expected}; got {value!r:.60}{fix}"
        raise ParameterError(msg)
    return float(value)


class Count(Unit[int]):
    """A whole number: ``1000``, ``1,000`` or ``20k``."""

    json = int

    def __init__(
        self, noun: str = "items", minimum: int = 2, maximum: float = 1e15, metavar: str = "n"
    ) -> None:
        self.noun, self.minimum, self.maximum = noun, minimum, maximum
        self.metavar = metavar

    def parse(self, text: str) -> int:
        """Convert the text to a whole number."""
        value = parse_number(text)
        if value is None and text.strip()[-1:].lower() in tuple("kmgt"):
            value = parse_amount(text)
        if value is None or value != int(value) or not self.minimum <= value <= self.maximum:
            kind = f"number of {self.noun}" if self.noun.endswith("s") else self.noun
            msg = f"{quoted(text)} is not a valid {kind}. Use a whole number >= {self.minimum}."
            raise ValueError(msg)
        return int(value)

    def convert(self, name: str, value: Any) -> int:
        """Convert a number without a fractional part."""
        number = _real(name, value, f"a whole number of at least {self.minimum}")
        is_whole = math.isfinite(number) and number == math.floor(number)
        if not is_whole or not self.minimum <= number <= self.maximum:
            msg = f"{arg(name)} must be a whole number of at least {self.minimum}; got {number:g}"
            raise ParameterError(msg)
        return int(number)


class ByteSize(Unit[int]):
    """A number of bytes: ``500MB``, ``2GiB`` or ``0``."""

    metavar = "size"

    def parse(self, text: str) -> int:
        """Convert the text to bytes."""
        value = parse_amount(text)
        if value is None:
            msg = f"{quoted(text.strip())} is not a size. Use 500MB, 2GB or 0."
            raise ValueError(msg)
        return value


class Share(Unit[float]):
    """A proportion: ``70%`` or ``0.7``."""

    metavar = "share"
    json = float

    def parse(self, text: str) -> float:
        """Convert the text to a number in [0, 1]."""
        text = text.strip()
        is_percent = text.endswith("%")
        value = parse_number(text.removesuffix("%").strip())
        if value is None:
            pointed = text.replace(",", ".")
            decimal = "," in text and parse_number(pointed.removesuffix("%")) is not None
            fix = f"{pointed} (decimal point)" if decimal else "70% or 0.7"
            msg = f"{quoted(text)} is not a proportion. Use {fix}."
            raise ValueError(msg)
        if not is_percent and value > 1:
            fix = f"{text}% or {value / 100:g}" if value <= 100 else "a proportion, such as 0.7"
            msg = f"{quoted(text)} is above 1. Use {fix}."
            raise ValueError(msg)
        share = value / 100 if is_percent else value
        if not 0 <= share <= 1:
            msg = f"{quoted(text)} is not between 0% and 100%."
            raise ValueError(msg)
        return share

    def convert(self, name: str, value: Any) -> float:
        """Convert a number. Reject 70, which probably means 70%."""
        number = _real(name, value)
        if number > 1:
            fix = f"Use {number / 100:g}" if number <= 100 else "Use a proportion"
            msg = f"{arg(name)} {number:g} is above 1. {fix}."
            raise QuestionError(msg)
        return number


class Points(float):
    """A gap in percentage points, or a score in percent."""


class ScoreGap(Unit[float]):
    """A gap in score units: ``1pp``, ``0.01``, or ``5`` if scores exceed 1.

    The gap can be checked against the scale of the scores only after they are read.
    """

    metavar = "gap"
    json = float

    def parse(self, text: str) -> float:
        """Convert the text to score units."""
        text = text.strip()
        if text.endswith("%"):
            stem = text.removesuffix("%").strip()
            msg = (
                f"{quoted(text)} is ambiguous: it could be percentage points or a share of the "
                f"baseline. Use {stem}pp for percentage points."
            )
            raise ValueError(msg)
        in_points = text.lower().endswith("pp")
        value = parse_number(text[:-2].strip() if in_points else text)
        if value is None:
            msg = f"{quoted(text)} is not a gap. Use 1pp or 0.01."
            raise ValueError(msg)
        if in_points and not -100 < value < 100:
            msg = f"{quoted(text)} is not between -100pp and 100pp."
            raise ValueError(msg)
        return Points(value / 100) if in_points else value

    def convert(self, name: str, value: Any) -> float:
        """Convert any real number. Percentage points are kept, to check their scale later."""
        return _real(name, value)


class ScoreValue(ScoreGap):
    """A score: ``70%`` or ``0.7``, or ``5`` if scores exceed 1.

    The score can be checked against the scale of the scores only after they are read.
    """

    metavar = "score"

    def parse(self, text: str) -> float:
        """Convert the text to score units. A percentage is kept, to check its scale later."""
        text = text.strip()
        value = parse_number(text.removesuffix("%").strip())
        if value is None:
            msg = f"{quoted(text)} is not a score. Use 70% or 0.7."
            raise ValueError(msg)
        return Points(value / 100) if text.endswith("%") else value


class ShareGap(ScoreGap):
    """A gap between proportions: ``1pp`` or ``0.01``."""

    def parse(self, text: str) -> float:
        """Convert the text to a number in (-1, 1)."""
        value = super().parse(text)
        if abs(value) >= 1:
            points = quoted(text.strip()).strip("'")
            msg = (
                f"{points!r} is {'above' if abs(value) > 1 else 'not below'} 1. Use {points}pp "
                f"for percentage points, or {value / 100:g}."
            )
            raise ValueError(msg)
        return float(value)


class TaskMargins(Unit[tuple[str, float]]):
    """Margins of individual tasks. The option, such as ``safety:0.5pp``, can be repeated."""

    metavar = "TASK:MARGIN"
    json = dict[str, float]
    is_repeatable = True

    def parse(self, text: str) -> tuple[str, float]:
        """Convert the text to a task and a gap. The name of the task may contain colons."""
        task, _, margin = text.rpartition(":")
        if not task:
            msg = f"{quoted(text)} must have the form TASK:MARGIN, such as safety:0.5pp."
            raise ValueError(msg)
        return task, ScoreGap().parse(margin)

    def convert(self, name: str, value: Any) -> dict[str, float]:
        """Convert a mapping from task to margin."""
        if not isinstance(value, Mapping):
            msg = f'{arg(name)} must be a mapping such as {{"safety": 0.005}}; got {value!r:.60}'
            raise ParameterError(msg)
        return {str(task): _real(name, margin) for task, margin in value.items()}

    def collect(self, values: Iterable[tuple[str, float]]) -> dict[str, float]:
        """Return the margins by task. Reject a task with two margins."""
        margins: dict[str, float] = {}
        for task, margin in values:
            if task in margins:
                msg = f"Task {task!r} has two margins. Set only one."
                raise ValueError(msg)
            margins[task] = margin
        return margins


class Folder(Unit[str]):
    """A local folder."""

    metavar = "DIR"
    completion = "files"

    def parse(self, text: str) -> str:
        """Return the path. Reject an address, which would become a folder called ``s3:``."""
        if is_address(text):
            msg = f"{without_secrets(text)} is an address. Choose a folder on this machine."
            raise ValueError(msg)
        return text


class ScoreRange(Unit[tuple[float, float]]):
    """The worst and the best possible score: ``0:100``."""

    metavar = "LOW:HIGH"
    json = list[float]

    def parse(self, text: str) -> tuple[float, float]:
        """Convert the text to two numbers, the smaller one first."""
        low, _, high = map(str.strip, text.partition(":"))
        worst, best = parse_number(low), parse_number(high)
        if worst is None or best is None or not worst < best:
            msg = f"{quoted(text)} is not a score range. Use LOW:HIGH, such as 0:100."
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

    def __init__(self, item: Unit[T], metavar: str) -> None:
        super().__init__(item, metavar)
        self.json = item.json | GenericAlias(list, (item.json,))

    def parse(self, text: str) -> tuple[T, ...]:
        """Convert each part of the text. Reject ``1,500``, which could be one value or two."""
        text = text.strip()
        if THOUSANDS.fullmatch(text):
            one = text.replace(",", "")
            msg = (
                f"{quoted(text)} could be {one} or a number for each model. Use {one} for "
                f"one value, or '{text.replace(',', ', ')}' for two."
            )
            raise ValueError(msg)
        return super().parse(text)

    def convert(self, name: str, value: Any) -> Any:
        """Convert one value to itself, and several to a tuple of one or two."""
        is_single = isinstance(value, str | Real) or not isinstance(value, Iterable)
        values = tuple(self.item.convert(name, v) for v in ((value,) if is_single else value))
        if len(values) not in (1, 2):
            msg = f"{arg(name)} must be one value, or one for each model; got {len(values)} values"
            raise ParameterError(msg)
        return values


class Printed(Unit[str]):
    """A reported number. Text keeps its digits, because ``71.40%`` was rounded to four."""

    json: Any = str | float

    def __init__(self, metavar: str) -> None:
        self.metavar = metavar

    def parse(self, text: str) -> str:
        """Return the text."""
        return text.strip()

    def convert(self, name: str, value: Any) -> Any:
        """Return text unchanged, and any real number as a Python number."""
        return value if isinstance(value, str) else _real(name, value, "a number or its text")


class PrintedList(Unit[tuple[str, ...]]):
    """Reported numbers, separated by commas, such as ``0.5,0.4``, with or without brackets."""

    json = list[str | float] | str | float

    def __init__(self, metavar: str, sizes: tuple[int, ...], expected: str) -> None:
        self.metavar, self.sizes, self.expected = metavar, sizes, expected

    def parse(self, text: str) -> tuple[str, ...]:
        """Split the text at the commas."""
        parts = tuple(part.strip() for part in text.strip(" []()").split(","))
        if len(parts) not in self.sizes or not all(any(c.isdigit() for c in p) for p in parts):
            msg = f"expected {self.expected}; got {quoted(text)}"
            raise ValueError(msg)
        return parts

    def convert(self, name: str, value: Any) -> Any:
        """Convert text, a number, or several of them to a tuple."""
        if isinstance(value, str):
            try:
                return self.parse(value)
            except ValueError as error:
                msg = f"{arg(name)}: {error}"
                raise ParameterError(msg) from error
        is_single = isinstance(value, Real) or not isinstance(value, Iterable)
        values = tuple(Printed("").convert(name, v) for v in ((value,) if is_single else value))
        if len(values) not in self.sizes:
            received = "1 value" if len(values) == 1 else f"{len(values):,} values"
            msg = f"{arg(name)} must contain {self.expected}; got {received}"
            raise ParameterError(msg)
        return values


class CountOrFile(Count):
    """One count for all, such as ``1000``, or a file with one for each, such as ``items.csv``."""

    json: Any = int | str
    completion = "files"

    def parse(self, text: str) -> Any:
        """Return a path unchanged. Convert any other text to a whole number."""
        path = text.strip()
        return path if path.lower().endswith((".csv", ".tsv")) else super().parse(text)

    def convert(self, name: str, value: Any) -> Any:
        """Convert a number. Return anything else, such as a mapping, unchanged."""
        return super().convert(name, value) if isinstance(value, Real) else value


class Correlation(Unit[float | str]):
    """A correlation, or a benchmark with a published correlation."""

    metavar = "RHO|BENCHMARK"
    json: Any = float | str

    def __init__(self, benchmarks: Sequence[str]) -> None:
        self.benchmarks = benchmarks

    def parse(self, text: str) -> float | str:
        """Convert the text to a number, or to the name of a benchmark."""
        value = parse_number(text.strip())
        return self._checked(text.strip().lower() if value is None else value)

    def convert(self, name: str, value: Any) -> float | str:
        """Convert any real number, or the name of a benchmark."""
        try:
            return self._checked(value.lower() if isinstance(value, str) else _real(name, value))
        except ValueError as error:
            msg = f"{arg(name)}: {error}"
            raise ParameterError(msg) from error

    def _checked(self, value: float | str) -> float | str:
        is_known = value in self.benchmarks if isinstance(value, str) else -1 < value < 1
        if not is_known:
            names = ", ".join(self.benchmarks)
            msg = f"{value!r} is neither a correlation between -1 and 1 nor one of {names}."
            raise ValueError(msg)
        return value


class OneOrSeveral(Unit[Any]):
    """One value of another unit, or several separated by commas.

    >>> gaps = OneOrSeveral(ScoreGap(), "gap,…")
    >>> gaps.parse("1pp"), gaps.parse("1pp, 2pp"), gaps.convert("delta", [0.01, 0.02, 0.01])
    (0.01, (0.01, 0.02), (0.01, 0.02))
    """

    def __init__(self, item: Unit[Any], metavar: str) -> None:
        self.item, self.metavar = item, metavar
        self.json = item.json | GenericAlias(list, (item.json,))

    def parse(self, text: str) -> Any:
        """Convert each part of the text."""
        return _unwrapped([self.item.parse(part.strip()) for part in text.split(",")])

    def convert(self, name: str, value: Any) -> Any:
        """Convert each value, and drop repeated values."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            return self.item.convert(name, value)
        values = [self.item.convert(name, part) for part in value]
        if not values:
            msg = f"{arg(name)} must be one number or several; got none"
            raise ParameterError(msg)
        return _unwrapped(values)


def _unwrapped(values: Iterable[Any]) -> Any:
    """Return the only value, or several as a tuple without repetitions."""
    unique = tuple(dict.fromkeys(values))
    return unique if len(unique) > 1 else unique[0]


class CountList(OneOrSeveral):
    """One count, or several separated by commas.

    ``1,000`` and ``50,048`` are read as one count, because 000 and 048 are not plausible values of
    a list. ``50,100,200`` is read as a list, because one count of fifty million is not plausible.
    ``16,329`` could be either and is rejected.

    >>> counts = CountList(Count())
    >>> counts.parse("1,000"), counts.parse("50,100,200"), counts.parse("2k, 500")
    (1000, (50, 100, 200), (2000, 500))
    """

    def __init__(self, item: Count) -> None:
        super().__init__(item, "n,…")
        self.minimum = item.minimum

    def parse(self, text: str) -> int | tuple[int, ...]:
        """Convert the text to one count, or several."""
        text = text.strip()
        parts = text.split(",")
        if len(parts) == 1:
            return int(self.item.parse(text))
        if THOUSANDS.fullmatch(text):
            if not all(self._is_listed(part) for part in parts):
                return int(self.item.parse(text))
            if len(parts) == 2:
                one, two = text.replace(",", ""), text.replace(",", ", ")
                msg = (
                    f"{quoted(text)} could be {one} or two numbers. Use {one} for one number, or "
                    f"'{two}' for two."
                )
                raise ValueError(msg)
        try:
            return tuple(dict.fromkeys(self.item.parse(part.strip()) for part in parts))
        except ValueError as error:
            msg = f"{error} A comma separates numbers: 1000,2000."
            raise ValueError(msg) from error

    def _is_listed(self, part: str) -> bool:
        """Return whether this part can be a separate number."""
        return part.isdigit() and not part.startswith("0") and int(part) >= self.minimum


class PairChoice(Unit[str]):
    """Pairs of a ranking: ``adjacent``, ``top:20`` or ``all``."""

    metavar = "adjacent|top:K|all"
    is_about_output = True

    def parse(self, text: str) -> str:
        """Return the text."""
        if text not in ("adjacent", "all") and self.top_of(text) is None:
            msg = f"{quoted(text)} is not adjacent, all, or top:K with K >= 2."
            raise ValueError(msg)
        return text

    def convert(self, name: str, value: Any) -> str:
        """Return the text. Reject any other value."""
        try:
            return self.parse(value if isinstance(value, str) else repr(value))
        except ValueError as error:
            msg = f"{arg(name)}: {error}"
            raise ParameterError(msg) from error

    @staticmethod
    def top_of(text: str) -> int | None:
        """Return K of ``top:K``.

        >>> PairChoice.top_of("top:20"), PairChoice.top_of("top:1"), PairChoice.top_of("all")
        (20, None, None)
        """
        match = re.fullmatch(r"top:0*([1-9][0-9]{0,8})", text)
        return None if match is None or match[1] == "1" else int(match[1])


class Column(Unit[tuple[str, str]]):
    """A role with the name of its column, such as ``item=question_id``."""

    metavar = "PART=COLUMN"
    json = dict[str, str]
    is_repeatable = True

    def collect(self, values: Iterable[Any]) -> dict[str, Any]:
        """Return a mapping."""
        return dict(values)

    def parse(self, text: str) -> tuple[str, str]:
        """Split the text into the role and the column."""
        role, separator, column = text.partition("=")
        if not separator or not role or not column:
            msg = f"{quoted(text)}: expected PART=COLUMN, such as item=question_id."
            raise ValueError(msg)
        return role.strip(), column.strip()


class Rating(Unit[tuple[str, float]]):
    """A model with its rating, such as ``gpt-4=1000``."""

    metavar = "MODEL=RATING"
    json = list[Any]

    def parse(self, text: str) -> tuple[str, float]:
        """Split the text into the model and the number."""
        name, separator, rating = text.rpartition("=")
        value = parse_number(rating)
        if not separator or not name or value is None:
            msg = f"{quoted(text)}: expected MODEL=RATING, such as gpt-4=1000."
            raise ValueError(msg)
        return name, value


class Prices(Unit[tuple[str, float]]):
    """Prices by name, such as ``large=0.05``, or one price for all, such as ``0.05``."""

    metavar = "[JUDGE=]COST"
    json = dict[str, float] | float
    is_repeatable = True

    def parse(self, text: str) -> tuple[str, float]:
        """Split the text into the name, which is empty for one price for all, and the price."""
        name, _, cost = text.rpartition("=")
        value = parse_number(cost.strip())
        if value is None or value < 0:
            msg = f"{quoted(cost)} is not an amount of money. Use 5000 or 0.02."
            raise ValueError(msg)
        return name, value

    def collect(self, values: Iterable[Any]) -> Any:
        """Return one price, or a mapping from names to prices."""
        prices = dict(values)
        if "" not in prices:
            return prices
        if len(prices) > 1:
            msg = "Set one COST for all judges, or one JUDGE=COST for each judge."
            raise ValueError(msg)
        return prices[""]

    def convert(self, name: str, value: Any) -> Any:
        """Convert a number, or the numbers of a mapping."""
        if isinstance(value, Mapping):
            return {str(key): _real(name, cost) for key, cost in value.items()}
        return _real(name, value)


class TokenPrices(Unit[dict[str, str]]):
    """Cost of a million input and output tokens: ``3/15``, ``MODEL=3/15``, or a TOML file.

    >>> prices = TokenPrices()
    >>> prices.collect([prices.parse("2"), prices.parse("acme/model=3/15")])
    {'*': '2', 'acme/model': '3/15'}
    """

    metavar = "MODEL=IN/OUT"
    json = dict[str, str]
    is_repeatable = True

    def parse(self, text: str) -> dict[str, str]:
        """Convert the text to prices by model. ``*`` stands for all other models."""
        if text.lower().endswith(".toml"):
            return _prices_in_file(text)
        model, sign, price = text.rpartition("=")
        return {model if sign else "*": price}

    def collect(self, values: Iterable[Any]) -> dict[str, str]:
        """Return one mapping. The last price of a model takes precedence."""
        return {model: price for prices in values for model, price in prices.items()}


def _prices_in_file(path: str) -> dict[str, str]:
    """Read lines such as ``"acme/model" = "3/15"`` from a TOML file."""
    import tomllib  # noqa: PLC0415 slow to import

    try:
        with open(path, "rb") as file:  # noqa: PTH123 pathlib is slow to import
            prices = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        msg = f"{path}: not a valid price table: {error}"
        raise ValueError(msg) from error
    for model, price in prices.items():
        is_price = isinstance(price, str | int | float) and not isinstance(price, bool)
        if not is_price:
            msg = f'{path}: the price of {model!r} must have the form "{model}" = "3/15".'
            raise ValueError(msg)
    return {model: str(price) for model, price in prices.items()}


class Limit(Unit[tuple[str, int]]):
    """A limit with its new value, such as ``rows=50M`` or ``unpacked=2GiB``."""

    metavar = "NAME=NUMBER"
    json = dict[str, int]
    is_repeatable = True

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def collect(self, values: Iterable[Any]) -> dict[str, Any]:
        """Return a mapping."""
        return dict(values)

    def parse(self, text: str) -> tuple[str, int]:
        """Split the text into the name and the number."""
        name, _, amount = re.sub(r"[=:]", "=", text, count=1).partition("=")
        value = parse_amount(amount)
        if name.strip() not in self.names or not value:
            names = ", ".join(self.names)
            msg = f"{quoted(text)}: expected NAME=NUMBER, such as rows=50M. Names: {names}."
            raise ValueError(msg)
        return name.strip(), value

    def convert(self, name: str, value: Any) -> Any:  # noqa: ARG002
        """Convert numbers with a suffix, such as ``{"rows": "50M"}``."""
        if not isinstance(value, Mapping):
            return value
        return {k: parse_amount(v) if isinstance(v, str) else v for k, v in value.items()}
