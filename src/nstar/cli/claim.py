"""``nstar claim``: two printed accuracies, nothing else."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.options import ACCURACY, ITEMS, FormatOptions, LevelOptions
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import argument, option, takes
from nstar.cli.kit.printed import (
    PRINTED_ACCURACY,
    PRINTED_INTERVAL,
    Accuracies,
    AccuracyText,
    PrintedLimits,
    as_accuracies,
)
from nstar.cli.plan.options import BENCHMARK_NAMES

if TYPE_CHECKING:
    from nstar._verbs.benchmarks import TypicalRho
    from nstar._verbs.claim import Printed


@dataclass(frozen=True, kw_only=True)
class _Accuracies:
    first: AccuracyText = argument(type=PRINTED_ACCURACY)
    second: AccuracyText = argument(type=PRINTED_ACCURACY)
    items: int = option("--items", type=ITEMS, required=True, help="Items both models answered.")


@dataclass(frozen=True, kw_only=True)
class _Correlation:
    rho: float | None = option("--rho", type=float, help="Item correlation, if it is known.")
    benchmark: str | None = option(
        "--benchmark",
        type=click.Choice(BENCHMARK_NAMES, case_sensitive=False),
        help="Published typical rho.",
    )

    def typical(self) -> "TypicalRho":
        from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL, TypicalRho

        if self.rho is not None and self.benchmark:
            msg = "--rho and --benchmark answer the same question; give one"
            raise click.UsageError(msg)
        if self.rho is None:
            return BENCHMARKS[self.benchmark] if self.benchmark else TYPICAL
        known = self.rho
        return TypicalRho(name="this pair, as given", mean=known, low=known, high=known)


@dataclass(frozen=True, kw_only=True)
class _Figures:
    p: str | None = option("--p", help="p-value printed with the claim: 0.04, 0.040 or '<0.05'.")
    ci: PrintedLimits | None = option(
        "--ci", type=PRINTED_INTERVAL, help="Interval printed with the claim: -1.2pp,2.8pp."
    )
    conf: float = option(
        "--conf", type=ACCURACY, default="95%", show_default=True, help="Its coverage."
    )
    printed_n: float | None = option(
        "--printed-n", type=float, help="Sample size printed as needed for this gap."
    )

    def beside(self, read: Accuracies) -> "Printed":
        from nstar._base.types import Interval
        from nstar._verbs.claim import Printed

        return Printed(
            p=self.p,
            interval=None if self.ci is None else Interval(*self.ci[:2]),
            conf=self.conf,
            n=self.printed_n,
            decimals=read.decimals,
            interval_decimals=None if self.ci is None else self.ci.decimals,
            bare=read.bare,
        )


@click.command("claim", short_help="What do two printed accuracies support?")
@takes(
    accuracies=_Accuracies,
    rho=_Correlation,
    figures=_Figures,
    level=LevelOptions,
    output=FormatOptions,
)
def claim_command(
    accuracies: _Accuracies,
    rho: _Correlation,
    figures: _Figures,
    level: LevelOptions,
    output: FormatOptions,
) -> None:
    """Judge a printed gap: FIRST minus SECOND, accuracies such as 71.4%, 71.4 or 0.714.

    \b
    nstar claim 71.4% 70.6% --items 1000
    nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp
    nstar claim 71.4% 70.6% --items 1000 --p '<0.05'
    """  # noqa: D301
    from nstar._verbs.claim import claim
    from nstar.stats import psi_from_rho

    read = as_accuracies(accuracies.first, accuracies.second, accuracies.items)
    typical = rho.typical()
    with reported_errors():
        if rho.rho is not None:
            psi_from_rho(*read.shares, rho.rho)  # refuses what is impossible
        result = claim(
            *read.shares,
            accuracies.items,
            typical=typical,
            printed=figures.beside(read),
            criteria=level.criteria(),
        )
        emit(result, output.format_)
