"""How people write many values at once: lists, ranges, gaps in points."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nstar._base.units import parse_number
from nstar.cli.kit.options import ITEMS

if TYPE_CHECKING:
    _Parsed = click.ParamType[tuple[Any, ...]]
    _Setting = click.ParamType[tuple[str, tuple[Any, ...]]]
else:  # not subscriptable at run time before click 8.4
    _Parsed = _Setting = click.ParamType

_STEPS = 10
"""Steps of a range without a step."""
_MAX_VALUES_PER_RANGE = 1000
"""Values of one range; more is a slip of the pen."""
_WORDS = {"true": True, "false": False, "none": None}


def _plain(text: str) -> float | None:
    """A number; ``1pp`` is 0.01."""
    points = text.lower().endswith("pp")
    value = parse_number(text[:-2].strip() if points else text)
    return round(value / 100, 15) if points and value is not None else value


def _range(text: str) -> list[float] | None:
    """LOW:HIGH or LOW:HIGH:STEP, ends included; None if it is neither."""
    ends = [_plain(part.strip()) for part in text.split(":")]
    if len(ends) not in (2, 3) or None in ends:
        return None
    low, high, *step = (float(e) for e in ends if e is not None)
    if high <= low or (step and step[0] <= 0):
        return None
    steps = (high - low) / step[0] if step else _STEPS
    if steps > _MAX_VALUES_PER_RANGE:
        return None
    by = step[0] if step else (high - low) / _STEPS
    return [round(low + k * by, 12) for k in range(int(steps + 1e-9) + 1)]


def _one(text: str) -> Any:
    """A number, whole where it is written so; several as 0.5/0.4; true, false, none; a word."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    several = tuple(_plain(part.strip()) for part in text.split("/"))
    if len(several) > 1 and None not in several:
        return several
    found = _plain(text)
    if found is None:
        return text
    whole = text.lstrip("+-−").isdigit()
    return int(found) if whole else found


class _ValueList(_Parsed):
    """``0.5,0.8``, ``0:0.1`` (11 values), ``0:0.1:0.02`` (steps), ``1pp``."""

    name = "values"

    def _values(self, text: str) -> Iterator[Any]:
        for part in text.split(","):
            one = part.strip()
            if ":" not in one or "://" in one:
                yield _one(one)
                continue
            found = _range(one)
            if found is None:
                self.fail(
                    f"{one!r} is not a range; write LOW:HIGH (11 values) or LOW:HIGH:STEP "
                    f"(at most {_MAX_VALUES_PER_RANGE:,})"
                )
            yield from found

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        """Every value once, in the order written."""
        if isinstance(value, tuple):
            return value
        try:
            found = list(self._values(str(value)))
        except click.BadParameter as error:
            self.fail(error.message, param, ctx)
        if "" in found:
            self.fail(f"{value!r} has an empty place", param, ctx)
        return tuple(dict.fromkeys(found))


class _CountList(_ValueList):
    """Numbers of items."""

    name = "n,…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        """Whole numbers; those of a range are rounded."""
        found = super().convert(value, param, ctx)
        sizes = (round(v) if isinstance(v, float) and ":" in str(value) else v for v in found)
        return tuple(dict.fromkeys(ITEMS.convert(str(v), param, ctx) for v in sizes))


def _procedure(text: str) -> str:
    """A name, or a name and a number: ``equivalent:2pp`` is ``equivalent:0.02``."""
    name, sign, value = text.partition(":")
    found = _plain(value.strip())
    return text if found is None else f"{name.strip()}{sign}{found:.12g}"


class _NameList(_Parsed):
    """``t,wilcoxon,equivalent:0.02``."""

    name = "name,…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        """Each name once."""
        if isinstance(value, tuple):
            return value
        found = [part.strip() for part in str(value).split(",")]
        if "" in found:
            self.fail(f"{value!r} has an empty place", param, ctx)
        return tuple(dict.fromkeys(map(_procedure, found)))


class _Assignment(_Setting):
    """``NAME=VALUES``."""

    name = "name=values"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[Any, ...]]:
        """Name of a parameter and its values."""
        if isinstance(value, tuple):
            return value
        name, sign, text = str(value).partition("=")
        if not sign or not name.strip() or not text.strip():
            self.fail(f"{value!r} is not NAME=VALUES, such as sd=0.1,0.2", param, ctx)
        return name.strip().replace("-", "_"), VALUES.convert(text, param, ctx)


VALUES = _ValueList()
SIZES = _CountList()
NAMES = _NameList()
SETTING = _Assignment()
