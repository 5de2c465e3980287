"""Options of ``nstar gate`` that concern one another; what the command line says wins."""

from dataclasses import replace

import click

from nstar.cli.gate.options import GateOptions
from nstar.cli.kit.output import printable


def _in_file(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.DEFAULT_MAP


def _one_aim(options: GateOptions) -> GateOptions:
    """A margin or superiority: of a file and the command line the latter counts."""
    if options.margin is None or not options.superiority:
        return options
    if _in_file("margin") == _in_file("superiority"):
        msg = (
            "give --margin or --superiority, not both: a candidate that must be better has no "
            "harmless loss; --guardrail TASK:MARGIN gives a single task a margin"
        )
        raise click.UsageError(msg)
    if _in_file("margin"):
        return replace(options, margin=None)
    return replace(options, superiority=False)


def _guarded_tasks(options: GateOptions) -> GateOptions:
    """Tasks with a guardrail are judged too, unless --task overrules the file they stand in."""
    tasks, guardrails = options.tasks, options.guardrails
    more = [t for t in guardrails if t not in tasks]
    if not tasks or not more:
        return options
    if _in_file("guardrails") and not _in_file("tasks"):
        left = printable(", ".join(more))
        click.echo(f"nstar: --task leaves out guardrails of {options.config}: {left}", err=True)
        return replace(options, guardrails={t: m for t, m in guardrails.items() if t in tasks})
    return replace(options, tasks=(*tasks, *more))


def settled(options: GateOptions) -> GateOptions:
    """Brought together."""
    return _guarded_tasks(_one_aim(options))


def refuse_unused(why: str, used: set[str]) -> None:
    """No option of the command line goes unheard; those of a file are for the gate itself."""
    ctx = click.get_current_context()
    for param in ctx.command.params:
        source = ctx.get_parameter_source(str(param.name))
        if param.name not in used and source is click.core.ParameterSource.COMMANDLINE:
            msg = f"{why}; leave {param.opts[0]} out"
            raise click.UsageError(msg)


def refuse_tuning(options: GateOptions) -> None:
    """One look has no use for what e-values are tuned by."""
    there = {str(p.name) for p in click.get_current_context().command.params}
    unused = {"rho"} if options.sequential or options.history else {"rho", "psi", "items"}
    why = "the logs tell how often the models disagree"
    if "psi" in unused:
        why += "; --items and --psi are for --sequential, --history and --dry-run"
    refuse_unused(why, there - unused)


def without_file(options: GateOptions) -> GateOptions:
    """Settings of a file that concern a gate of two logs only, taken back."""
    return replace(
        options,
        baseline=None if _in_file("baseline") else options.baseline,
        candidate=None if _in_file("candidate") else options.candidate,
        history=None if _in_file("history") else options.history,
        sequential=options.sequential and not _in_file("sequential"),
        fresh_items=options.fresh_items and not _in_file("fresh_items"),
    )
