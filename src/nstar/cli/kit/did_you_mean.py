"""Suggestions for unknown commands and options."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NoReturn

import click

from nstar._base.address import is_address, without_secrets
from nstar.cli.kit.command_list import related

_INSTEAD = {
    "help": "nstar --help",
    "version": "nstar --version",
    "diff": "nstar compare",
    "leaderboard": "nstar audit",
    "rank": "nstar audit",
    "power": "nstar plan",
    "size": "nstar plan",
    "ci": "nstar gate",
    "test": "nstar selfcheck",
    "list": "nstar read",
    "show": "nstar read",
    "example": "nstar demo",
}
_ELSEWHERE = {
    "pack": "Write a pack with `nstar read DATA --out x.pack`.",
}
"""Words that users try as commands, with the right command for each."""


_ITEMS = {
    "-n",
    "-N",
    "--n",
    "--N",
    "--n-items",
    "--num-items",
    "--samples",
    "--n-samples",
    "--num-samples",
    "--sample-size",
    "--size",
    "--questions",
    "--examples",
    "--limit",
}
"""Other names that users try for ``--items``."""
_TASKS = {"--tasks", "--n-tasks", "--num-tasks"}
"""Other names that users try for ``--tasks-available``, or for ``--items`` if items are agent
tasks.
"""


_CLOSE = 0.7
"""Smallest similarity at which an option is suggested. That of --html and --items is 0.62."""

_INDEPENDENT = (
    "watched items must be independent. To compare the models on these groups, shuffle the items. "
    "To generalize to other groups, watch one row per group (its mean score) with --scale graded, "
    "in random order."
)
_OFFERED = {
    ("watch", "--cluster"): _INDEPENDENT,
    ("watch race", "--cluster"): _INDEPENDENT,
}
"""Suggested alternatives to options that belong to other commands."""


def _is_path(word: str) -> bool:
    try:
        return is_address(word) or Path(word).exists()
    except (OSError, ValueError):
        return False


def _suggestion(args: Sequence[str], commands: Collection[str]) -> str:
    """Return a sentence that suggests the command to type instead."""
    from difflib import get_close_matches

    word, rest = args[0], [a for a in args[1:] if not a.startswith("-")]
    argument = without_secrets(word)
    if _is_path(word):
        verb = next((a for a in rest if a in commands), None)
        if verb is not None:
            return f"Put the command first: nstar {verb} {argument}."
        pair = f"nstar compare {argument} " + ("OTHER" if not rest else without_secrets(rest[0]))
        return (
            f"Put a command before this file or folder: nstar read {argument}, nstar audit "
            f"{argument} or {pair}."
        )
    if word.lower() in _ELSEWHERE:
        return _ELSEWHERE[word.lower()]
    suggestions = get_close_matches(word.lower(), commands, n=2, cutoff=0.6)
    if suggestions:
        return f"Did you mean {' or '.join(f'nstar {n}' for n in suggestions)}?"
    if word.lower() in _INSTEAD:
        return f"Did you mean {_INSTEAD[word.lower()]}?"
    return "See nstar --help."


def refuse_no_verb(ctx: click.Context, args: Sequence[str], commands: Collection[str]) -> NoReturn:
    """Raise UsageError, with a suggestion, for a word that is not a command."""
    from nstar.cli.kit.output import printable

    msg = f"No command {args[0]!r}. {_suggestion(args, commands)}"
    raise click.UsageError(printable(msg), ctx)


def _refuse_option_of_related(error: click.NoSuchOption, command: click.Command) -> None:
    """Name the related command that has the option, such as ``nstar plan votes`` for --elo."""
    from nstar.cli import commands

    for name in related(command.name or ""):
        if any(error.option_name in p.opts for p in commands()[name].params):
            msg = f"No such option '{error.option_name}' here. Use it with nstar {name}."
            raise click.NoSuchOption(error.option_name, msg, ctx=error.ctx) from error


def _count_option(name: str, flags: Collection[str]) -> str | None:
    """Return the option that counts items or tasks, if ``name`` is another name for it."""
    if name in _TASKS and "--tasks-available" in flags:
        return "--tasks-available"
    is_count = name in _ITEMS or (name in _TASKS and "--task" not in flags)
    return "--items" if is_count and "--items" in flags else None


def refuse_option(error: click.NoSuchOption) -> NoReturn:
    """Raise the error again with similar options, such as ``--a`` for ``-a``."""
    from difflib import get_close_matches

    command = None if error.ctx is None else error.ctx.command
    flags = [] if command is None else [o for p in command.params for o in p.opts]
    count = _count_option(error.option_name, flags)
    if count is not None:
        msg = f"No such option '{error.option_name}'. Did you mean '{count}'?"
        raise click.NoSuchOption(error.option_name, msg, ctx=error.ctx) from error
    offered = None if command is None else _OFFERED.get((command.name or "", error.option_name))
    if offered is not None:
        msg = f"No such option '{error.option_name}': {offered}"
        raise click.NoSuchOption(error.option_name, msg, ctx=error.ctx) from error
    if command is not None:
        _refuse_option_of_related(error, command)
    suggestions = get_close_matches(error.option_name, flags, cutoff=_CLOSE)
    raise click.NoSuchOption(
        error.option_name, possibilities=suggestions, ctx=error.ctx
    ) from error
