"""Typed options: a frozen dataclass is a group of options, its fields are what they give.

A command takes such groups as arguments, so that a type checker sees every option:

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Level:
        alpha: float = option("--alpha", type=ACCURACY, default="0.05", help="Level.")

    @click.command("plan")
    @takes(level=Level)
    def plan_command(level: Level) -> None: ...
"""

from collections.abc import Callable
from dataclasses import Field, field, fields
from functools import wraps
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_KEY = "click"


def option(*flags: str, **attrs: Any) -> Any:
    """A field that an option of the command line gives; arguments as of ``click.option``."""
    return field(metadata={_KEY: click.option, "flags": flags, "attrs": attrs})


def argument(**attrs: Any) -> Any:
    """A field that an argument of the command line gives; arguments as of ``click.argument``."""
    return field(metadata={_KEY: click.argument, "flags": (), "attrs": attrs})


def _declared(group: type) -> "list[Field[Any]]":
    return [f for f in fields(group) if _KEY in f.metadata]


def takes(**groups: type) -> Callable[[F], F]:
    """A command whose arguments of these names are groups of options."""

    def decorate(command: F) -> F:
        @wraps(command)
        def call(*args: Any, **given: Any) -> Any:
            made = {
                name: group(**{f.name: given.pop(f.name) for f in _declared(group)})
                for name, group in groups.items()
            }
            return command(*args, **given, **made)

        out: Any = call
        for group in reversed(groups.values()):
            for f in reversed(_declared(group)):
                kind, flags, attrs = (f.metadata[k] for k in (_KEY, "flags", "attrs"))
                out = kind(*flags, f.name, **attrs)(out)
        return out

    return decorate
