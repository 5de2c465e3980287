"""Replace names in results, so that numbers are computed once and not once per name."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

__all__ = ["MARK", "with_name"]

T = TypeVar("T")

MARK = "NAME"
"""Placeholder for a name in the result that is computed once."""


def with_name(value: T, name: str) -> T:
    """Return the same value with ``name`` in place of :data:`MARK` in all strings.

    Each test module that uses this function must verify it for at least one name. The result
    must equal a result that was computed with the name from the start.
    """
    changed: Any = _with_name(value, name)
    return changed


def _with_name(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return value.replace(MARK, name)
    if is_dataclass(value) and not isinstance(value, type):
        return _rewritten(value, name)
    if isinstance(value, Mapping):
        return {_with_name(k, name): _with_name(v, name) for k, v in value.items()}
    if isinstance(value, list | tuple):
        parts = [_with_name(part, name) for part in value]
        if all(new is old for new, old in zip(parts, value, strict=True)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _rewritten(value: Any, name: str) -> Any:
    """Copy field by field without constructor checks, because the checks ignore names."""
    own = {f.name: getattr(value, f.name) for f in fields(value) if hasattr(value, f.name)}
    new = {key: _with_name(part, name) for key, part in own.items()}
    if all(new[key] is own[key] for key in own):
        return value
    copy = object.__new__(type(value))
    for key, part in new.items():
        object.__setattr__(copy, key, part)
    return copy
