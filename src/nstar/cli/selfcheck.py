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
    """Recompute the reference values in this package and compare them, family by family.

    The references come from exact enumeration, mpmath and R, never from nstar. Exit status 1
    if any value misses its tolerance.
    """
    from nstar._verbs.selfcheck import selfcheck

    result = selfcheck()
    emit(result, output)
    sys.exit(0 if result.passed else 1)
