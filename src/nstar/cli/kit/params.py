"""Typed options: a class is a group of options, its fields are what they give.

A command takes such a group as an argument, so that a type checker sees every option. Groups
that commands share are its bases; each option names its heading in the help::

    @group
    class Level:
        alpha: float = option("--alpha", under=Heading.STATISTICS, type=ACCURACY, help="Level.")


    @group
    class PlanOptions(Format, Level): ...


    @click.command("plan", cls=Command, most_used=("baseline", "delta"))
    @takes(given=PlanOptions)
    def plan_command(given: PlanOptions) -> None: ...

Within a heading, options appear in the order of the bases from last to first. No slots: a class
cannot have two bases with some.
"""

from collections.abc import Callable, Iterable
from dataclasses import Field, dataclass, field, fields
from enum import Enum
from functools import partial, wraps
from itertools import groupby
from typing import Any, TypeVar, dataclass_transform

import click

from nstar.cli.kit.spelling import FlagSpeller
from nstar.errors import spelling

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_KEY = "click"
_MAX_OPTIONS_WITHOUT_HEADINGS = 5
"""Options of a command that need no headings."""


class Heading(Enum):
    """The headings of a command's options, in the order of its help."""

    MOST_USED = "Most used"
    """Of each command, named in its declaration."""
    INPUT = "Input"
    DESIGN = "Design"
    STATISTICS = "Statistics"
    STOPPING = "Stopping early"
    BUDGET = "Runs and money"
    VOTES = "Votes between models"
    JUDGE = "Labels of judged items"
    READING = "Reading logs"
    OUTPUT = "Output"
    WORK = "Work"


class Option(click.Option):
    """An option that knows its heading."""

    def __init__(self, *args: Any, under: Heading, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.under = under

    def make_metavar(self, ctx: click.Context) -> str:
        """INTEGER rather than INTEGER RANGE: the range stands at the end of the line."""
        return super().make_metavar(ctx).removesuffix(" RANGE")


class Command(click.Command):
    """A command whose options are ordered and listed by heading, those most used first."""

    def __init__(self, *args: Any, most_used: tuple[str, ...] = (), **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.most_used = most_used
        self.params.sort(key=self._place)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Messages spell parameters as its options, in other threads too."""
        with spelling(FlagSpeller(self)):
            return super().invoke(ctx)

    def _heading(self, option: Option) -> Heading:
        return Heading.MOST_USED if option.name in self.most_used else option.under

    def _place(self, param: click.Parameter) -> tuple[int, int]:
        """Arguments, then headings in their order; the most used as the command lists them."""
        if not isinstance(param, Option):
            return -1, 0
        if param.name in self.most_used:
            return 0, self.most_used.index(param.name)
        return list(Heading).index(param.under), 0

    def sections(self) -> "list[tuple[str, list[Option]]]":
        """Headings, each with its options; one heading if there are few of them."""
        options = [p for p in self.params if isinstance(p, Option)]
        if len(options) <= _MAX_OPTIONS_WITHOUT_HEADINGS:
            return [("Options", options)]
        found = groupby(options, key=self._heading)
        return [(heading.value, list(members)) for heading, members in found]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every section, the help option at the end of the first."""
        sections: list[tuple[str, list[click.Parameter]]] = [
            (title, list(options)) for title, options in self.sections()
        ]
        own = self.get_help_option(ctx)
        if own is not None:
            sections[0][1].append(own)
        write_sections(
            formatter,
            (
                (title, [row for p in params if (row := p.get_help_record(ctx)) is not None])
                for title, params in sections
            ),
        )


def write_sections(
    formatter: click.HelpFormatter,
    sections: Iterable[tuple[str, list[tuple[str, str]]]],
    most: int = 30,
) -> None:
    """Write lists of definitions below their titles, aligned as if they were one list."""
    known = list(sections)
    width = min(most, max(len(name) for _, rows in known for name, _ in rows))
    for title, rows in known:
        with formatter.section(title):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=most)


def option(*flags: str, under: Heading, **attrs: Any) -> Any:
    """A field that an option of the command line gives; arguments as of ``click.option``."""
    made = partial(click.option, cls=Option, under=under)
    return field(metadata={_KEY: made, "flags": flags, "attrs": attrs})


def argument(**attrs: Any) -> Any:
    """A field that an argument of the command line gives; arguments as of ``click.argument``."""
    return field(metadata={_KEY: click.argument, "flags": (), "attrs": attrs})


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(option, argument)
)
def group(cls: type[T]) -> type[T]:
    """A class of options: for type checkers a frozen dataclass of keywords.

    No methods are generated, which takes a millisecond a class before the program does anything;
    whoever makes a group says all of it.
    """
    cls.__init__ = _filled  # type: ignore[method-assign]
    return dataclass(init=False, repr=False, eq=False)(cls)


def _filled(self: object, **given: Any) -> None:
    """All values of a group."""
    vars(self).update(given)


def _declared(group: type) -> "list[Field[Any]]":
    return [f for f in fields(group) if _KEY in f.metadata]


def defaults(group: type[T], **given: Any) -> T:
    """A group as it is if the command line says nothing, except for what is given here."""
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
