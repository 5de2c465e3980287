"""Make a command from a public function: parse the options, call the function, print the result.

The options follow from the declaration of the function (:mod:`nstar._base.verb`). Only the options
that print, draw, and write the result are declared for the command line.
"""

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from nstar._base.verb import Parameter, Rule, parameters, summary
from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.completion import complete_files, complete_models
from nstar.cli.kit.figure import FigureOptions, PageOptions, with_figure_kinds
from nstar.cli.kit.options import ChecklistOptions, FormatOptions, ReportOptions, UnitType
from nstar.cli.kit.output import emit, parameter_errors, reported_errors
from nstar.cli.kit.params import (
    Argument,
    Command,
    Heading,
    Option,
    click_parameters,
    declared,
    group,
    option,
)
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.ray import WorkOptions

if TYPE_CHECKING:
    from nstar.report import Result

_COMPLETIONS: dict[str | None, Any] = {"files": complete_files, "models": complete_models}
_HEADINGS = {
    "main": Heading.MAIN,
    "other": Heading.OTHER,
    "output": Heading.OUTPUT,
    "reading": Heading.READING,
}
_CODE = re.compile(r"``([^`]*)``")


@group
class PrintOptions(FormatOptions):
    """Options for printing a result."""

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise UsageError if the options are incompatible with the parameters in ``values``."""

    def call(
        self, function: Callable[..., Any], data: Sequence[Any], values: Mapping[str, Any]
    ) -> Any:
        """Return the result of calling the function."""
        return function(*data, **values)

    def deliver(self, result: Any) -> None:
        """Print the result."""
        emit(result, self)


@group
class OutputOptions(PrintOptions, PageOptions):
    """Options for printing and writing a result."""

    def deliver(self, result: "Result") -> None:
        """Print the result, and write the page."""
        super().deliver(result)
        self.write(result)


@group
class FigureOutput(FigureOptions, OutputOptions):
    """Options for printing and writing a result, with a figure."""

    def deliver(self, result: "Result") -> None:
        """Print the result, and write the page and the figure."""
        super().deliver(result)
        self.draw(result)


@group
class ReportOutput(ChecklistOptions, ReportOptions, OutputOptions):
    """Options for printing and writing a result, with a paragraph for a review."""


@group
class PaperOutput(ReportOptions, FigureOutput):
    """Options for printing and writing a result, with a figure and a paragraph for a paper."""


@group
class EvaluationOutput(ChecklistOptions, PaperOutput):
    """Options for printing and writing an evaluation, with a checklist of reporting rules."""


@group
class LeaderboardOutput(EvaluationOutput):
    """Options for printing and writing a leaderboard that highlights one model."""

    where: str | None = option(
        "--where",
        under=Heading.OUTPUT,
        metavar="MODEL",
        shell_complete=complete_models,
        help="Start the report with the rank of this model.",
    )

    def highlight(self, result: "Result") -> str | None:  # noqa: ARG002
        """Return the name of the model of interest."""
        return self.where

    def deliver(self, result: "Result") -> None:
        """Print the result, and write page and figure, with the model of interest first."""
        where = self.highlight(result)
        emit(result, self, where=where)
        self.draw(result, where=where)
        self.write(result, where=where)


def front(
    function: Callable[..., Any],
    *,
    examples: Sequence[str],
    name: str | None = None,
    output: type[PrintOptions] = OutputOptions,
    cls: type[Command] = Command,
    errors: Callable[[], AbstractContextManager[None]] = reported_errors,
) -> click.Command:
    """Return the command that calls a public function.

    The command has the name of the function by default. It passes only the parameters that the
    user wrote, so the defaults are those of the function. The context ``errors`` turns an error of
    the library into a message and an exit status.
    """
    known = {p.name: p for p in parameters(function)}
    output_fields = declared(output)
    reads_data = any(p.section == "reading" for p in known.values())

    def run(**values: Any) -> None:
        ctx = click.get_current_context()
        options = output(**{f.name: values.pop(f.name, None) for f in output_fields})
        data = [values.pop(p.name) for p in known.values() if p.is_positional]
        while data and data[-1] in (None, ()):
            data.pop()
        keywords = _keywords(ctx, values, known, getattr(function, "rules", ()))
        options.check(keywords)
        with errors():
            with parameter_errors(), ExitStack() as stack:
                if reads_data:
                    keywords["progress"] = stack.enter_context(reading_shown())
                if isinstance(options, WorkOptions):
                    keywords["execution"] = stack.enter_context(options.execution())
                result = options.call(function, data, keywords)
            options.deliver(result)

    name = name or function.__name__.replace("_", " ")
    params = _click_parameters(known.values()) + with_figure_kinds(click_parameters(output), name)
    help_text = "\n".join((_about(function, known), "", "\b", *examples))
    return cls(name, params=params, callback=run, help=help_text, short_help=SUMMARIES.get(name))


def _about(function: Callable[..., Any], known: Mapping[str, Parameter]) -> str:
    """Return the description in the docstring, with parameters spelled as options."""
    flags = {name: flag_of(p) for name, p in known.items() if not p.is_positional}
    return _CODE.sub(lambda match: _as_typed(match[1], flags), summary(function))


def flag_of(p: Parameter) -> str:
    """Return the option of a parameter, such as ``--task`` for ``tasks``, which is repeatable."""
    is_repeatable = p.unit is not None and p.unit.is_repeatable
    name = p.name.removesuffix("s") if is_repeatable else p.name
    return f"--{name.rstrip('_').replace('_', '-')}"


def _keywords(
    ctx: click.Context,
    values: Mapping[str, Any],
    known: Mapping[str, Parameter],
    rules: Sequence[Rule],
) -> dict[str, Any]:
    """Return the parameters that the user set, without settings that an option excludes."""
    names = [n for n in values if ctx.get_parameter_source(n) is not ParameterSource.DEFAULT]
    ignored = _overruled(ctx, names, rules)
    return {name: _collected(known[name], values[name]) for name in names if name not in ignored}


def _overruled(ctx: click.Context, names: Iterable[str], rules: Sequence[Rule]) -> set[str]:
    """Return the settings of a file that conflict with an option on the command line."""

    def from_file(name: str) -> bool:
        return ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP

    overruled: set[str] = set()
    for rule in rules:
        members = [name for name in names if rule.is_exclusive and name in rule.meanings]
        if not all(map(from_file, members)):
            overruled |= {name for name in members if from_file(name)}
    return overruled


def _collected(p: Parameter, value: Any) -> Any:
    """Return the Python value of an option that may be given several times."""
    if p.unit is None or not p.unit.is_repeatable:
        return value
    try:
        return p.unit.collect(value)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=flag_of(p)) from error


def _click_parameters(known: Any) -> list[click.Parameter]:
    flags = {p.name: flag_of(p) for p in known}
    options = [p for p in known if not p.is_positional]
    hides_reading = any(p.section != "reading" for p in options)
    arguments = [_argument(p) for p in known if p.is_positional]
    return [*arguments, *(_option(p, flags, hides_reading=hides_reading) for p in options)]


def _argument(p: Parameter) -> click.Argument:
    if p.unit is None:
        msg = f"the positional parameter {p.name} needs a unit"
        raise TypeError(msg)
    return Argument(
        [p.name],
        type=UnitType(p.unit),
        required=p.is_required,
        nargs=-1 if p.unit.is_repeatable else 1,
        metavar=p.unit.metavar,
        shell_complete=_COMPLETIONS.get(p.unit.completion),
        sentence=_CODE.sub(r"\1", p.sentence),
    )


def _option(p: Parameter, flags: Mapping[str, str], *, hides_reading: bool) -> click.Option:
    attrs: dict[str, Any] = {
        "help": _CODE.sub(lambda match: _as_typed(match[1], flags), p.sentence),
        "required": p.is_required,
        "under": _HEADINGS[p.section],
        "hidden": hides_reading and p.section == "reading",
    }
    if p.is_switch:
        flag = flags[p.name]
        return Option([f"{flag}/--no-{flag[2:]}", p.name], default=None, **attrs)
    if p.is_flag:
        return Option([flags[p.name], p.name], is_flag=True, **attrs)
    if p.default is not None:
        attrs |= {"default": p.default, "show_default": True}
    if p.unit is not None:
        attrs |= {
            "type": UnitType(p.unit),
            "multiple": p.unit.is_repeatable,
            "metavar": p.unit.metavar,
            "shell_complete": _COMPLETIONS.get(p.unit.completion),
        }
    else:
        attrs["type"] = click.Choice(p.choices)
    return Option([flags[p.name], p.name], **attrs)


def _as_typed(code: str, flags: Mapping[str, str]) -> str:
    """Translate a piece of Python code in a sentence to the notation of the command line."""
    if code in flags:
        return flags[code]
    try:
        value = ast.literal_eval(code)
    except (SyntaxError, ValueError):
        return code
    if isinstance(value, dict):
        return ", ".join(f"{key}={_listed(item)}" for key, item in value.items())
    if isinstance(value, tuple):
        return ":".join(map(str, value))
    return str(value)


def _listed(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
