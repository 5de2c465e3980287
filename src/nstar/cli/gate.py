"""``nstar gate plan``."""

from typing import Any

import click

from nstar._api.gate_plan import gate_plan
from nstar.cli.kit.config import unused_settings
from nstar.cli.kit.front import front
from nstar.cli.kit.gates import GateCommand, GatePlanOptions, gate_errors


class _GatePlanCommand(GateCommand):
    """The command ``gate plan``, which assumes independent items.

    Clusters make a pass less likely, so the plan must not ignore them.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Raise UsageError if a settings file declares clusters."""
        if "cluster" in unused_settings(ctx):
            msg = (
                f"{ctx.params['config']} sets cluster, but gate plan assumes independent items. "
                "To plan with clusters, use nstar plan margin with --icc and --clusters."
            )
            raise click.UsageError(msg)
        return super().invoke(ctx)


gate_plan_command = front(
    gate_plan,
    examples=(
        "nstar gate plan --items 2000 --margin 1pp --psi 10%",
        "nstar gate plan --items 2000 --margin 1pp --baseline 70% --rho 0.6",
        "nstar gate plan runs-of-the-baseline/* --margin 5pp",
    ),
    output=GatePlanOptions,
    cls=_GatePlanCommand,
    errors=gate_errors,
)
