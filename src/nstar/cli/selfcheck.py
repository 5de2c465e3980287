"""``nstar selfcheck``: does this installation reproduce the reference values?"""

import sys

import click

from nstar.cli.kit.options import FormatOptions
from nstar.cli.kit.output import emit
from nstar.cli.kit.params import takes


@click.command("selfcheck", short_help="Check this installation against reference values.")
@takes(output=FormatOptions)
def selfcheck_command(output: FormatOptions) -> None:
    """Recompute the reference sets in this package and compare, family by family.

    The references come from exact enumeration, mpmath and R, never from nstar. Exit status 1
    if any value misses its tolerance.
    """
    from nstar._verbs.selfcheck import selfcheck

    result = selfcheck()
    emit(result, output.format_)
    sys.exit(0 if result.passed else 1)
