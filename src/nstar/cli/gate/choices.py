"""Options of ``nstar gate`` that concern one another; what the command line says wins."""

from typing import Any

import click

from nstar.cli.kit.output import printable


def _in_file(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.DEFAULT_MAP


def _one_aim(options: dict[str, Any]) -> None:
    """A margin or superiority: of a file and the command line the latter counts."""
    if options["margin"] is None or not options["superiority"]:
        return
    if _in_file("margin") == _in_file("superiority"):
        msg = (
            "give --margin or --superiority, not both: a candidate that must be better has no "
            "harmless loss; --guardrail TASK:MARGIN gives a single task a margin"
        )
        raise click.UsageError(msg)
    if _in_file("margin"):
        options["margin"] = None
    else:
        options["superiority"] = False


def _guarded_tasks(options: dict[str, Any]) -> None:
    """Tasks with a guardrail are judged too, unless --task overrules the file they stand in."""
    tasks, guardrails = options["tasks"], options["guardrails"]
    more = [t for t in guardrails if t not in tasks]
    if not tasks or not more:
        return
    if _in_file("guardrails") and not _in_file("tasks"):
        options["guardrails"] = {t: m for t, m in guardrails.items() if t in tasks}
        left = printable(", ".join(more))
        click.echo(f"nstar: --task leaves out guardrails of {options['config']}: {left}", err=True)
    else:
        options["tasks"] = (*tasks, *more)


def settle_choices(options: dict[str, Any]) -> None:
    """Bring them together, in place."""
    _one_aim(options)
    _guarded_tasks(options)


def refuse_unused(why: str, used: set[str]) -> None:
    """No option of the command line goes unheard; those of a file are for the gate itself."""
    ctx = click.get_current_context()
    for param in ctx.command.params:
        source = ctx.get_parameter_source(str(param.name))
        if param.name not in used and source is click.core.ParameterSource.COMMANDLINE:
            msg = f"{why}; leave {param.opts[0]} out"
            raise click.UsageError(msg)


def refuse_tuning(options: dict[str, Any]) -> None:
    """One look has no use for what e-values are tuned by."""
    there = {str(p.name) for p in click.get_current_context().command.params}
    unused = {"rho"} if options["sequential"] or options["history"] else {"rho", "psi", "items"}
    why = "the logs tell how often the models disagree"
    if "psi" in unused:
        why += "; --items and --psi are for --sequential, --history and --dry-run"
    refuse_unused(why, there - unused)


def not_from_file() -> dict[str, Any]:
    """Settings of a file that concern a gate of two logs only, taken back."""
    taken: dict[str, Any] = {"baseline": None, "candidate": None, "history": None}
    taken |= {"sequential": False, "fresh_items": False}
    return {k: v for k, v in taken.items() if _in_file(k)}
