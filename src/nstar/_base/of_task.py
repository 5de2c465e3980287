"""Attributes that a result with one task takes from that task."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

from nstar.errors import SeveralTasksError

T = TypeVar("T")


def only_task(result: Any, name: str) -> Any:
    """Return the only task of a result. Raise SeveralTasksError if there are more."""
    if len(result.tasks) == 1:
        return result.tasks[0]
    average = getattr(result, "average", None)
    has_average = not isinstance(average, str) and hasattr(average, name)
    average = f".average.{name}, " if has_average else ""
    msg = (
        f"This {type(result).__name__.lower()} has {len(result.tasks)} tasks. Use {average}"
        f".tasks[0].{name}, or .to_frame() for all tasks."
    )
    raise SeveralTasksError(msg)


class OfTask(Generic[T]):
    """Attribute of the only task of a result. It cannot be read with several tasks."""

    def __init__(self, read: Callable[[Any], T]) -> None:
        self._read = read

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name
        self.__doc__ = f"``{name}`` of the only task."

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: Any, owner: type) -> Self | T:
        del owner
        if instance is None:
            return self
        return self._read(only_task(instance, self._name))

    def __set__(self, instance: object, value: object) -> None:
        # Makes this a data descriptor, which help() lists. Frozen results never call it.
        msg = f"cannot assign to {self._name!r}"
        raise AttributeError(msg)
