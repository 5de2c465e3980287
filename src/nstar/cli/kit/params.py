"""Typed options: each field of a class is an option, so that a type checker knows its type.

Groups that commands share are bases of a class. Each option names its heading in the help::

    @group
    class Format:
        full: bool = option("--full", under=Heading.OUTPUT, is_flag=True, help="Print all.")


    @group
    class DemoOptions(Format): ...


    @click.command("demo", cls=Command)
    @takes(options=DemoOptions)
    def demo_command(options: DemoOptions) -> None: ...

Within a heading, options appear in the order of the bases from last to first. The classes have no
slots, because a class cannot have two bases with slots.
"""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import Field, dataclass, field, fields
from enum import Enum
from functools import partial, wraps
from itertools import groupby
from typing import Any, TypeVar, dataclass_transform

import click

from nstar.cli.kit.command_list import related
from nstar.cli.kit.spelling import FlagSpeller
from nstar.errors import spelling

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_KEY = "click"
_TYPED = "nstar.typed"
_SHOW_ALL = "nstar.show_all_options"
_MAX_OPTIONS_WITHOUT_HEADINGS = 5
"""Largest number of options that a command lists without headings."""


class Heading(Enum):
    """Headings of a command's options, in the order of its help."""

    MAIN = "Options"
    OTHER = "Other options"
    READING = "Input format"
    OUTPUT = "Output"
    LOOKS = "Monitoring"
    WORK = "Performance"


class Option(click.Option):
    """Option with a heading."""

    def __init__(self, *args: Any, under: Heading, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.under = under

    def make_metavar(self, ctx: click.Context) -> str:
        """Return INTEGER instead of INTEGER RANGE, because the line ends with the range."""
        return super().make_metavar(ctx).removesuffix(" RANGE")


class Argument(click.Argument):
    """Argument with a help sentence, which click before 8.5 does not support."""

    def __init__(self, *args: Any, sentence: str, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.sentence = sentence

    def make_metavar(self, ctx: click.Context) -> str:
        """Return the name, in brackets if the argument may be left out."""
        name = super().make_metavar(ctx)
        return name if self.required or name.startswith("[") else f"[{name}]"


class Command(click.Command):
    """Command that lists its options in order and by heading."""

    def __init__(self, *args: Any, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.params.sort(key=self._place)
        if any(map(_is_hidden, self.params)):
            self.params.append(
                click.Option(
                    ["--help-all"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=_print_all_options,
                    help="Show every option, including those for the input format.",
                )
            )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the original arguments, for a page that shows its command."""
        ctx.meta[_TYPED] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Messages spell parameters as its options, also in other threads."""
        with spelling(FlagSpeller(self)):
            return super().invoke(ctx)

    @staticmethod
    def _place(param: click.Parameter) -> int:
        """Return a sort key: arguments first, and then options by heading."""
        return list(Heading).index(param.under) if isinstance(param, Option) else -1

    def sections(self) -> "list[tuple[str, list[Option]]]":
        """Return the headings with their options, or one heading if there are few options."""
        options = [p for p in self.params if isinstance(p, Option)]
        if len(options) <= _MAX_OPTIONS_WITHOUT_HEADINGS:
            return [("Options", options)]
        by_heading = groupby(options, key=lambda option: option.under)
        return [(heading.value, list(members)) for heading, members in by_heading]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every section. The help option comes last in the first section."""
        sections: list[tuple[str, list[click.Parameter]]] = [
            (title, list(options)) for title, options in self.sections()
        ]
        if not ctx.meta.get(_SHOW_ALL):
            visible_sections = (
                (title, [p for p in ps if not _is_hidden(p)]) for title, ps in sections
            )
            sections = [(title, params) for title, params in visible_sections if params] or [
                ("Options", [])
            ]
        own_options = [p for p in self.params if type(p) is click.Option]
        own_options += [p for p in (self.get_help_option(ctx),) if p is not None]
        sections[0][1].extend(own_options)
        records = [(title, list(_help_records(ctx, params))) for title, params in sections]
        arguments = [p for p in self.params if isinstance(p, Argument)]
        if arguments:
            lines = [(p.make_metavar(ctx).strip("[]"), p.sentence) for p in arguments]
            records.insert(0, ("Input", lines))
        write_sections(formatter, records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands that share the first word."""
        lines = [(f"nstar {name}", text) for name, text in related(self.name or "").items()]
        if lines:
            with formatter.section("Related commands"):
                formatter.write_dl(lines)
        super().format_epilog(ctx, formatter)


def typed_command(ctx: click.Context) -> str:
    """Return the command as it was typed, with only the last part of each absolute path."""
    import shlex
    from pathlib import PurePath

    words = (
        PurePath(word).name if PurePath(word).is_absolute() else word
        for word in ctx.meta.get(_TYPED, ())
    )
    return f"nstar {ctx.info_name} {shlex.join(words)}"


def _is_hidden(param: click.Parameter) -> bool:
    return bool(getattr(param, "hidden", False))


def _help_records(
    ctx: click.Context, params: Iterable[click.Parameter]
) -> Iterator[tuple[str, str]]:
    """Yield the name and the help sentence of each parameter, including hidden ones."""
    for param in params:
        visible_param = copy(param)
        if isinstance(visible_param, click.Option):
            visible_param.hidden = False
        record = visible_param.get_help_record(ctx)
        if record is not None:
            yield record


def _print_all_options(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001, FBT001
    """Print the help with every option."""
    if value and not ctx.resilient_parsing:
        ctx.meta[_SHOW_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


def write_sections(
    formatter: click.HelpFormatter,
    sections: Iterable[tuple[str, list[tuple[str, str]]]],
    max_width: int = 30,
) -> None:
    """Write definition lists below their titles, all aligned to the same column."""
    known = list(sections)
    width = min(max_width, max(len(name) for _, rows in known for name, _ in rows))
    for title, rows in known:
        with formatter.section(title):
            formatter.write_dl(
                [(name.ljust(width), text) for name, text in rows], col_max=max_width
            )


def option(*flags: str, under: Heading, **attrs: Any) -> Any:
    """Declare a field that is set by an option. Keywords are those of ``click.option``."""
    decorator = partial(click.option, cls=Option, under=under)
    return field(metadata={_KEY: decorator, "flags": flags, "attrs": attrs})


def argument(**attrs: Any) -> Any:
    """Declare a field that is set by an argument. Keywords are those of ``click.argument``."""
    return field(metadata={_KEY: click.argument, "flags": (), "attrs": attrs})


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(option, argument)
)
def group(cls: type[T]) -> type[T]:
    """Declare a class of options, which type checkers treat as a frozen keyword-only dataclass.

    No methods are generated, because this would take a millisecond per class at startup. The
    caller must therefore pass every field.
    """
    cls.__init__ = _filled  # type: ignore[method-assign]
    return dataclass(init=False, repr=False, eq=False)(cls)


def _filled(self: object, **values: Any) -> None:
    """Set all fields of a group."""
    vars(self).update(values)


def declared(group: type) -> "list[Field[Any]]":
    """Return the fields of a group that are set by options."""
    return [f for f in fields(group) if _KEY in f.metadata]


def click_parameters(group: type) -> list[click.Parameter]:
    """Return the options and arguments of a group, in order."""

    def holder() -> None:
        """Collect the parameters that click's decorators add."""

    for f in reversed(declared(group)):
        decorate, flags, attrs = (f.metadata[k] for k in (_KEY, "flags", "attrs"))
        decorate(*flags, f.name, **attrs)(holder)
    return list(reversed(getattr(holder, "__click_params__", [])))


def takes(**groups: type) -> Callable[[F], F]:
    """Declare the arguments of a command that are groups of options."""

    def decorate(command: F) -> F:
        @wraps(command)
        def call(*args: Any, **values: Any) -> Any:
            option_groups = {
                name: group(**{f.name: values.pop(f.name) for f in declared(group)})
                for name, group in groups.items()
            }
            return command(*args, **values, **option_groups)

        out: Any = call
        for group in reversed(groups.values()):
            for f in reversed(declared(group)):
                kind, flags, attrs = (f.metadata[k] for k in (_KEY, "flags", "attrs"))
                out = kind(*flags, f.name, **attrs)(out)
        return out

    return decorate
