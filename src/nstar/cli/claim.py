"""``nstar claim``: two printed accuracies, nothing else."""

from typing import Any

import click

from nstar.cli.kit.options import ACCURACY, ITEMS, shared_options
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.printed import PRINTED_ACCURACY, PRINTED_INTERVAL, AccuracyText, as_accuracies
from nstar.cli.plan import BENCHMARK_NAMES


@click.command("claim", short_help="What do two printed accuracies support?")
@click.argument("first", type=PRINTED_ACCURACY)
@click.argument("second", type=PRINTED_ACCURACY)
@click.option("--items", type=ITEMS, required=True, help="Items both models answered.")
@click.option("--rho", type=float, help="Item correlation, if it is known.")
@click.option(
    "--benchmark",
    type=click.Choice(BENCHMARK_NAMES, case_sensitive=False),
    help="Published typical rho.",
)
@click.option("--p", help="p-value printed with the claim: 0.04, 0.040 or '<0.05'.")
@click.option("--ci", type=PRINTED_INTERVAL, help="Interval printed with the claim: -1.2pp,2.8pp.")
@click.option("--conf", type=ACCURACY, default="95%", show_default=True, help="Its coverage.")
@click.option("--printed-n", type=float, help="Sample size printed as needed for this gap.")
@shared_options
def claim_command(first: AccuracyText, second: AccuracyText, **options: Any) -> None:
    """Judge a printed gap: FIRST minus SECOND, accuracies such as 71.4%, 71.4 or 0.714.

    \b
    nstar claim 71.4% 70.6% --items 1000
    nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp
    nstar claim 71.4% 70.6% --items 1000 --p '<0.05'
    """  # noqa: D301
    from nstar._base.types import Interval
    from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL, TypicalRho
    from nstar._verbs.claim import Printed, claim
    from nstar._verbs.verdict import Criteria
    from nstar.stats import psi_from_rho

    if options["rho"] is not None and options["benchmark"]:
        msg = "--rho and --benchmark answer the same question; give one"
        raise click.UsageError(msg)
    read = as_accuracies(first, second, options["items"])
    typical = BENCHMARKS[options["benchmark"]] if options["benchmark"] else TYPICAL
    if options["rho"] is not None:
        known = options["rho"]
        typical = TypicalRho(name="this pair, as given", mean=known, low=known, high=known)
    with reported_errors():
        if options["rho"] is not None:
            psi_from_rho(*read.shares, options["rho"])  # refuses what is impossible
        result = claim(
            *read.shares,
            options["items"],
            typical=typical,
            printed=Printed(
                p=options["p"],
                interval=None if options["ci"] is None else Interval(*options["ci"][:2]),
                conf=options["conf"],
                n=options["printed_n"],
                decimals=read.decimals,
                interval_decimals=None if options["ci"] is None else options["ci"].decimals,
                bare=read.bare,
            ),
            criteria=Criteria(
                alpha=options["alpha"],
                power=options["power"],
                sides=1 if options["one_sided"] else 2,
            ),
        )
        emit(result, options["format_"])
