"""Records: frozen dataclasses with almost no cost until the first instance is created.

``@dataclass(frozen=True)`` generates and compiles seven functions for each class, which takes
about a millisecond. This was more than a third of the time that a command needs to import modules
besides NumPy and Arrow. A record is also a dataclass (``fields``, ``replace``, and ``asdict``
work), but all records share their functions, and ``__init__`` is generated on its first call.

Public classes use ``@dataclass``, because readers and tools know it.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, Field))
def record(
    *,
    kw_only: bool = True,
    slots: bool = True,
    eq: bool = True,
    repr: bool = True,  # noqa: A002
) -> Callable[[type[T]], type[T]]:
    """Declare a class of frozen records, with the parameters of ``dataclass``.

    >>> @record(kw_only=False)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0)
    (Point(x=1, y=0), True)
    """

    def decorate(cls: type[T]) -> type[T]:
        plain = dataclass(init=False, repr=False, eq=False, kw_only=kw_only, slots=slots)
        new_class: type[T] = plain(cls)
        methods = {
            "__init__": _LazyInit(new_class),
            "__setattr__": _no_setting,
            "__delattr__": _no_deleting,
        }
        if eq:
            methods |= {"__eq__": _equal, "__hash__": _hash}
        if repr:
            methods["__repr__"] = _represent
        if slots:
            methods |= {"__getstate__": _state, "__setstate__": _restore}
        for name, function in methods.items():
            if name not in vars(cls):
                setattr(new_class, name, function)
        return new_class

    return decorate


class _LazyInit:
    """``__init__`` of a class before its first call."""

    def __init__(self, home: Any) -> None:
        self._home = home

    def __get__(self, instance: Any, owner: type) -> Any:
        """Generate the function and replace this descriptor by it."""
        self._home.__init__ = written = _written(self._home)
        return written.__get__(instance, owner)


def _written(cls: Any) -> Any:
    """Return a function that sets the fields, like that of a frozen dataclass."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_absent": MISSING}
    parameters_by_kind: dict[bool, list[str]] = {False: ["self"], True: []}
    lines = []
    for f in fields(cls):
        name, value, default = f.name, f.name, f"_default_{f.name}"
        if f.default is not MISSING:
            known[default] = f.default
            name = f"{name}={default}"
        elif f.default_factory is not MISSING:
            known[default] = f.default_factory
            value = f"{default}() if {name} is _absent else {name}"
            name = f"{name}=_absent"
        parameters_by_kind[f.kw_only is True].append(name)
        lines.append(f"_set(self, {f.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = (
        parameters_by_kind[False]
        + ["*"] * bool(parameters_by_kind[True])
        + parameters_by_kind[True]
    )
    body = "; ".join(lines) or "pass"
    exec(f"def __init__({', '.join(parameters)}): {body}", known)  # noqa: S102 our own fields
    written = known["__init__"]
    written.__qualname__ = f"{cls.__qualname__}.__init__"
    return written


def _no_setting(self: Any, name: str, value: Any) -> None:
    del self, value
    msg = f"cannot assign to field {name!r}"
    raise FrozenInstanceError(msg)


def _no_deleting(self: Any, name: str) -> None:
    del self
    msg = f"cannot delete field {name!r}"
    raise FrozenInstanceError(msg)


def _values(self: Any) -> tuple[Any, ...]:
    """Return the values that are compared."""
    return tuple(getattr(self, f.name) for f in fields(self) if f.compare)


def _equal(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


@recursive_repr()
def _represent(self: Any) -> str:
    parts = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _state(self: Any) -> list[Any]:
    """Return the state for pickles and copies."""
    return [getattr(self, f.name) for f in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for f, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)
