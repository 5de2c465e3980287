"""``nstar selfcheck``: does this installation reproduce the reference values?"""

import sys

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.options import FormatOptions
from nstar.cli.kit.output import emit
from nstar.cli.kit.params import Command, takes


@click.command("selfcheck", cls=Command, short_help=SUMMARIES["selfcheck"])
@takes(output=FormatOptions)
def selfcheck_command(output: FormatOptions) -> None:
    """Check this installation against reference values.

    The reference values come from exact enumeration, mpmath, and R. The exit status is 1 if any
    value does not match.
    """
    from nstar._verbs.selfcheck import selfcheck

    result = selfcheck()
    emit(result, output)
    sys.exit(0 if result.passed else 1)
