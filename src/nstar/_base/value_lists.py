"""Units of grid parameters: values, ranges, names of procedures, and assignments.

``0.5,0.8`` stands for two values, ``0:0.1`` for eleven, and ``0:0.1:0.02`` for values in steps of
0.02. A scenario takes values of any type: numbers, words, ``true``, ``none``, or several numbers
such as ``0.5/0.4``.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nstar._base.units import Names, Unit, parse_number
from nstar.errors import ParameterError, arg

_STEPS = 10
"""Number of steps of a range without a step."""
_MAX_VALUES_PER_RANGE = 1000
"""Largest number of values in one range. A range with more is probably a typing error."""
_WORDS = {"true": True, "false": False, "none": None}


def _number(text: str) -> float | None:
    """Parse a number. ``1pp`` becomes 0.01."""
    is_in_points = text.lower().endswith("pp")
    value = parse_number(text[:-2].strip() if is_in_points else text)
    return round(value / 100, 15) if is_in_points and value is not None else value


def _range(text: str) -> list[float] | None:
    """Parse LOW:HIGH or LOW:HIGH:STEP, with HIGH if a step reaches it; None for other text."""
    bounds = [_number(part.strip()) for part in text.split(":")]
    if len(bounds) not in (2, 3) or None in bounds:
        return None
    low, high, *step = (float(bound) for bound in bounds if bound is not None)
    if high <= low or (step and step[0] <= 0):
        return None
    steps = (high - low) / step[0] if step else _STEPS
    if steps > _MAX_VALUES_PER_RANGE:
        return None
    by = step[0] if step else (high - low) / _STEPS
    return [round(low + k * by, 12) for k in range(int(steps + 1e-9) + 1)]


def _value(text: str) -> Any:
    """Parse a number, several numbers, a truth value, ``none``, or a word."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    numbers = tuple(_number(part.strip()) for part in text.split("/"))
    if len(numbers) > 1 and None not in numbers:
        return numbers
    number = _number(text)
    if number is None:
        return text
    return int(number) if text.lstrip("+-−").isdigit() else number


class ValueList(Unit[tuple[Any, ...]]):
    """Values of a parameter, separated by commas, and ranges of values.

    >>> ValueList().parse("0,5pp"), len(ValueList().parse("0:0.1")), ValueList().convert("rho", 1)
    ((0, 0.05), 11, (1,))
    """

    metavar = "VALUES"
    json = float | list[float]

    def parse(self, text: str) -> tuple[Any, ...]:
        """Convert the text to values without repetitions."""
        values = list(self._values(text))
        if "" in values:
            msg = f"{text!r} has an empty value between commas."
            raise ValueError(msg)
        return tuple(dict.fromkeys(values))

    def convert(self, name: str, value: Any) -> tuple[Any, ...]:  # noqa: ARG002
        """Convert one value or several to a tuple."""
        is_single = isinstance(value, str) or not isinstance(value, Iterable)
        return (value,) if is_single else tuple(value)

    @staticmethod
    def _values(text: str) -> Iterator[Any]:
        for part in map(str.strip, text.split(",")):
            if ":" not in part or "://" in part:
                yield _value(part)
                continue
            values = _range(part)
            if values is None:
                msg = (
                    f"{part!r} is not a range. Use LOW:HIGH (11 values) or "
                    f"LOW:HIGH:STEP (at most {_MAX_VALUES_PER_RANGE:,})."
                )
                raise ValueError(msg)
            yield from values


class Assignments(Unit[tuple[str, tuple[Any, ...]]]):
    """Values of parameters by name. The option, such as ``sd=0.1,0.2``, can be repeated.

    >>> unit = Assignments()
    >>> unit.collect([unit.parse("p-b=0.6"), unit.parse("psi=0.1:0.2:0.1")])
    {'p_b': (0.6,), 'psi': (0.1, 0.2)}
    """

    metavar = "NAME=VALUES"
    json = dict[str, list[Any]]
    is_repeatable = True

    def parse(self, text: str) -> tuple[str, tuple[Any, ...]]:
        """Split the text into the name and the values."""
        name, sign, values = text.partition("=")
        if not sign or not name.strip() or not values.strip():
            msg = f"{text!r}: expected NAME=VALUES, such as sd=0.1,0.2."
            raise ValueError(msg)
        return name.strip().replace("-", "_"), ValueList().parse(values)

    def convert(self, name: str, value: Any) -> dict[str, tuple[Any, ...]]:
        """Convert a mapping from name to values."""
        if not isinstance(value, Mapping):
            msg = f'{arg(name)} must be a mapping such as {{"sd": [0.1, 0.2]}}; got {value!r:.60}'
            raise ParameterError(msg)
        values = ValueList()
        return {str(key): values.convert(name, value[key]) for key in value}

    def collect(self, values: Iterable[Any]) -> dict[str, tuple[Any, ...]]:
        """Return a mapping."""
        return dict(values)


def _procedure(text: str) -> str:
    """Convert the number after a name, so that ``equivalent:2pp`` becomes ``equivalent:0.02``."""
    name, sign, value = text.partition(":")
    number = _number(value.strip())
    return text if number is None else f"{name.strip()}{sign}{number:.12g}"


class ProcedureNames(Names):
    """Procedures by name, separated by commas or in several options.

    >>> unit = ProcedureNames("NAME,…")
    >>> unit.collect([unit.parse("t, equivalent:2pp"), unit.parse("t")])
    ('t', 'equivalent:0.02')
    """

    def parse(self, text: str) -> Any:
        """Convert the text to names."""
        names = [part.strip() for part in text.split(",")]
        if "" in names:
            msg = f"{text!r} has an empty value between commas."
            raise ValueError(msg)
        return tuple(map(_procedure, names))

    def collect(self, values: Iterable[Any]) -> tuple[str, ...]:
        """Return every name once."""
        return tuple(dict.fromkeys(name for names in values for name in names))
