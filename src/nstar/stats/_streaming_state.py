"""State of a running analysis, which is frozen and can be converted to a dict for JSON."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Self

from nstar.errors import ParameterError

_MAX_EXACT_INTEGER = 2.0**53
"""Largest whole number up to which float64 is exact."""


def _require(name: str, allowed: str, value: Any, *, ok: bool) -> None:
    if not ok:
        msg = f"saved {name} must be {allowed}; got {value!r:.60}"
        raise ParameterError(msg)


def _read(name: str, kind: Any, value: Any) -> Any:
    """Convert a saved value to the type of its field: int, float, or a tuple of floats."""
    if kind not in (int, float):
        _require(name, "a list of numbers", value, ok=isinstance(value, list | tuple))
        return tuple(_read(name, float, v) for v in value)
    is_integer = type(value) is int
    if kind is int:
        _require(name, "a whole number", value, ok=is_integer)
    _require(name, "a number", value, ok=is_integer or type(value) is float)
    _require(name, "at most 2^53", value, ok=not is_integer or abs(value) <= _MAX_EXACT_INTEGER)
    return kind(value)


class StreamingState:
    """Base of the frozen dataclasses that are updated one item at a time.

    The type of a field is int, float, or tuple[float, ...].
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the state as numbers and lists, from which :meth:`from_dict` restores it."""
        out: dict[str, Any] = {}
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            kind: Any = f.type
            plain = kind in (int, float)
            out[f.name] = kind(value) if plain else [float(v) for v in value]
        return out

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Restore a state from the result of :meth:`to_dict`.

        The values are checked, because they may come from a file.
        """
        kinds = {f.name: f.type for f in fields(cls)}  # type: ignore[arg-type]
        _require("state", "a mapping", saved, ok=isinstance(saved, Mapping))
        if set(saved) != set(kinds):
            wrong = sorted(map(str, set(saved) ^ set(kinds)))
            msg = (
                f"saved state must contain {', '.join(sorted(kinds))}; missing or unknown: {wrong}"
            )
            raise ParameterError(msg)
        state = cls(**{name: _read(name, kinds[name], v) for name, v in saved.items()})
        state._check_saved()
        return state

    def _check_saved(self) -> None:
        """Raise an error if no sequence of updates leads to this state.

        Only saved states are checked, to save time.
        """
        raise NotImplementedError
