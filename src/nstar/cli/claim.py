"""``nstar claim``: two printed accuracies, nothing else."""

from typing import Any

import click

from nstar.cli._options import ACCURACY, INTERVAL, ITEMS, Accuracy, shared_options
from nstar.cli._output import emit, reported_errors
from nstar.cli.plan import BENCHMARK_NAMES

__all__ = ["claim_command"]


class _PrintedAccuracy(Accuracy):
    """An accuracy together with the digits it was printed with."""

    def convert(  # type: ignore[override]
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, int]:
        """(proportion, decimals)."""
        return super().convert(value, param, ctx), self.decimals(str(value))


@click.command("claim", short_help="What do two printed accuracies support?")
@click.argument("first", type=_PrintedAccuracy())
@click.argument("second", type=_PrintedAccuracy())
@click.option("--items", type=ITEMS, required=True, help="Items both models answered.")
@click.option("--rho", type=float, help="Item correlation, if it is known.")
@click.option(
    "--benchmark",
    type=click.Choice(BENCHMARK_NAMES, case_sensitive=False),
    help="Published typical rho.",
)
@click.option("--p", type=float, help="p-value printed with the claim.")
@click.option("--ci", type=INTERVAL, help="Interval printed with the claim: -1.2pp,2.8pp.")
@click.option("--conf", type=ACCURACY, default="95%", show_default=True, help="Its coverage.")
@click.option("--printed-n", type=float, help="Sample size printed as needed for this gap.")
@shared_options
def claim_command(first: tuple[float, int], second: tuple[float, int], **options: Any) -> None:
    """Judge a printed gap: FIRST minus SECOND, accuracies such as 71.4% or 0.714.

    \b
    nstar claim 71.4% 70.6% --items 1000
    nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp
    """  # noqa: D301
    from nstar._benchmarks import BENCHMARKS, TYPICAL, TypicalRho
    from nstar._claim import Printed, claim
    from nstar._typing import Interval
    from nstar._verdict import Criteria
    from nstar.stats import psi_from_rho

    if options["rho"] is not None and options["benchmark"]:
        msg = "--rho and --benchmark answer the same question; give one"
        raise click.UsageError(msg)
    typical = BENCHMARKS[options["benchmark"]] if options["benchmark"] else TYPICAL
    if options["rho"] is not None:
        known = options["rho"]
        typical = TypicalRho(name="this pair, as given", mean=known, low=known, high=known)
    with reported_errors():
        if options["rho"] is not None:
            psi_from_rho(first[0], second[0], options["rho"])  # refuses what is impossible
        result = claim(
            first[0],
            second[0],
            options["items"],
            typical=typical,
            printed=Printed(
                p=options["p"],
                interval=None if options["ci"] is None else Interval(*options["ci"]),
                conf=options["conf"],
                n=options["printed_n"],
                decimals=(first[1], second[1]),
            ),
            criteria=Criteria(
                alpha=options["alpha"],
                power=options["power"],
                sides=1 if options["one_sided"] else 2,
            ),
        )
        emit(result, options["format_"])
