"""Spell parameters in messages as options of the command line."""

import click

from nstar.errors import Speller

_OPTIONS = {"p_a": "first", "p_b": "second", "tasks": "task"}
"""Option names that differ from the parameter names in the library."""


class FlagSpeller(Speller):
    """Spells the parameters in messages as options of a command, by default the running one.

    A parameter that is not an option of the command keeps its name.
    """

    is_python = False

    def __init__(self, command: click.Command | None = None) -> None:
        self._command = command

    def parameter(self, name: str) -> click.Parameter | None:
        """Return the option or argument of the command for a Python parameter."""
        ctx = click.get_current_context(silent=True)  # None in other threads
        command = self._command or (None if ctx is None else ctx.command)
        known = {} if command is None else {p.name: p for p in command.params}
        return known.get(name) or known.get(_OPTIONS.get(name, name))

    def spell(self, name: str, value: str | None) -> str:
        """Spell an option, with its value if there is one."""
        param = self.parameter(name)
        flag = name if param is None else max(param.opts, key=len)
        if isinstance(param, click.Argument):
            flag = str(param.name).upper()
        return flag if value is None else f"{flag} {value}"
