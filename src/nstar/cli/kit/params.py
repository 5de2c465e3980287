"""Typed options: a frozen dataclass is a group of options, its fields are what they give.

A command takes such a group as an argument, so that a type checker sees every option. Groups
that commands share are its bases; options appear in the order of the bases from last to first::

    @dataclass(frozen=True, kw_only=True)
    class Level:
        alpha: float = option("--alpha", type=ACCURACY, default="0.05", help="Level.")


    @dataclass(frozen=True, kw_only=True)
    class PlanOptions(Format, Level): ...


    @click.command("plan")
    @takes(given=PlanOptions)
    def plan_command(given: PlanOptions) -> None: ...

No slots: a class cannot have two bases with some.
"""

from collections.abc import Callable
from dataclasses import Field, field, fields
from functools import wraps
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_KEY = "click"


def option(*flags: str, **attrs: Any) -> Any:
    """A field that an option of the command line gives; arguments as of ``click.option``."""
    return field(metadata={_KEY: click.option, "flags": flags, "attrs": attrs})


def argument(**attrs: Any) -> Any:
    """A field that an argument of the command line gives; arguments as of ``click.argument``."""
    return field(metadata={_KEY: click.argument, "flags": (), "attrs": attrs})


def _declared(group: type) -> "list[Field[Any]]":
    return [f for f in fields(group) if _KEY in f.metadata]


def defaults(group: type[T], **given: Any) -> T:
    """A group as it is if the command line says nothing, but for what is given here."""
    found: dict[str, Any] = {}
    for f in _declared(group):
        attrs = f.metadata["attrs"]
        nothing = () if attrs.get("multiple") else False if attrs.get("is_flag") else None
        found[f.name] = attrs.get("default", nothing)
    return group(**found | given)


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
