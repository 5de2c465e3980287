"""Register scenarios, tests, and intervals by name, built in or from other packages."""

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import entry_points
from numbers import Real
from typing import Any, Generic, TypeVar, cast

from nstar.errors import ParameterError

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=Callable[..., Any])

_NUMBERS = ("float", "int")
_OPTIONAL_NUMBERS = ("float | None", "int | None")
"""Annotations of parameters that are numbers."""


class Registry(Mapping[str, F], Generic[F]):
    """Functions by name.

    Another package can add a function with an entry point in the group ``nstar.<what>s``. In a
    registry that is ``settable``, ``name:value`` is the function with its first keyword parameter
    set to that number.
    """

    def __init__(self, kind: str, *, settable: bool = False) -> None:
        self.what: str = kind
        self.settable: bool = settable
        self._own: dict[str, F] = {}
        self._all: dict[str, F] | None = None

    def add(self, function: C) -> C:
        """Register a function under its name, with ``-`` for ``_``. Use it as a decorator."""
        self._own[function.__name__.replace("_", "-")] = cast("F", function)
        self._all = None
        return function

    def _known(self) -> dict[str, F]:
        if self._all is None:
            plugins = {e.name: e.load() for e in entry_points(group=f"nstar.{self.what}s")}
            self._all = plugins | self._own
        return self._all

    def _split(self, name: str) -> tuple[str, str | None]:
        """Return the name, and the text after a colon."""
        if not self.settable or ":" not in name:
            return name, None
        plain, _, text = name.partition(":")
        return plain, text

    def plain(self, name: str) -> F:
        """Return the function without its parameter; raise ParameterError if it does not exist."""
        known, (base_name, _) = self._known(), self._split(name)
        if base_name not in known:
            msg = f"No {self.what} {base_name!r}. Available: {', '.join(sorted(known))}."
            raise ParameterError(msg)
        return known[base_name]

    def given(self, name: str) -> dict[str, float]:
        """Return the parameter that ``name:value`` sets, with its value; empty if none."""
        plain, text = self._split(name)
        if text is None:
            return {}
        parameter = next(iter(self.parameters(name)), None)
        if parameter is None:
            msg = f"{self.what} {plain} has no parameter. Use {plain} instead of {name}."
            raise ParameterError(msg)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            msg = f"{self.what} {name}: {parameter} must be a number, such as {plain}:0.02."
            raise ParameterError(msg)
        return {parameter: value}

    def __getitem__(self, name: str) -> F:
        """Return the function with this name, with its parameter if one is set."""
        function, arguments = self.plain(name), self.given(name)
        return cast("F", partial(function, **arguments)) if arguments else function

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(sorted(self._known()))

    def __len__(self) -> int:
        """Return the number of functions."""
        return len(self._known())

    def about(self, name: str) -> str:
        """Return the first line of the docstring."""
        return (inspect.getdoc(self.plain(name)) or "").partition("\n")[0]

    def parameters(self, name: str) -> dict[str, Any]:
        """Return the keyword parameters with their defaults."""
        kinds = inspect.signature(self.plain(name)).parameters.values()
        return {p.name: p.default for p in kinds if p.kind is p.KEYWORD_ONLY}

    def check_numbers(self, name: str, values: Mapping[str, Sequence[Any]]) -> None:
        """Raise an error if a parameter that must be a number has another value."""
        declared = inspect.signature(self.plain(name)).parameters
        for parameter, parameter_values in values.items():
            kind = inspect.formatannotation(declared[parameter].annotation).strip("'\"")
            optional = kind in _OPTIONAL_NUMBERS
            if not optional and kind not in _NUMBERS:
                continue
            for value in parameter_values:
                if not (isinstance(value, Real) or (optional and value is None)):
                    msg = f"{parameter} of {self.what} {name} must be a number; got {value!r:.80}"
                    raise ParameterError(msg)
