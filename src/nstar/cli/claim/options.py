"""The options of ``nstar claim``, by what they are about."""

from typing import TYPE_CHECKING

import click

from nstar.cli.claim.values import (
    ITEMS_OR_FILE,
    P_VALUE,
    PRINTED_ACCURACY,
    PRINTED_ERRORS,
    PRINTED_INTERVAL,
    WINS,
    Accuracies,
    AccuracyText,
    PrintedLimits,
    as_accuracies,
)
from nstar.cli.kit.figure import PageOptions
from nstar.cli.kit.options import ACCURACY, ITEMS, SEEDS, LevelOptions, ReportOptions
from nstar.cli.kit.params import Heading, argument, group, option
from nstar.cli.plan.options import BENCHMARK_NAMES

if TYPE_CHECKING:
    from nstar._verbs.benchmarks import TypicalRho
    from nstar._verbs.claim import PrintedFigures


@group
class ValueOptions:
    """Two values, or a table, and the items they are of."""

    first: AccuracyText | None = argument(type=PRINTED_ACCURACY, required=False)
    second: AccuracyText | None = argument(type=PRINTED_ACCURACY, required=False)
    items: int | str | None = option(
        "--items",
        under=Heading.INPUT,
        type=ITEMS_OR_FILE,
        help="Items that both models answered; of a table a file of benchmark,items.",
    )
    items_b: int | None = option(
        "--items-b",
        under=Heading.INPUT,
        type=ITEMS,
        help="Items of the second model, if it answered others.",
    )
    unpaired: bool = option(
        "--unpaired",
        under=Heading.INPUT,
        is_flag=True,
        help="The models answered different items.",
    )

    def count(self) -> int | None:
        """One number for both, if it was given."""
        if isinstance(self.items, str):
            msg = f"--items {self.items} is for a table; of two values write their number"
            raise click.UsageError(msg)
        return self.items

    def both(self) -> tuple[AccuracyText, AccuracyText]:
        """Two values, as click itself would ask for them."""
        if self.second is not None and self.second.file:
            msg = f"{self.second.text} is a table; give it alone, with --items"
            raise click.UsageError(msg)
        if self.first is None or self.second is None:
            msg = f"Missing argument '{'FIRST' if self.first is None else 'SECOND'}'."
            raise click.UsageError(msg)
        return self.first, self.second

    def needed(self) -> int:
        """Items, without which two accuracies say nothing; which ones they can be shares of."""
        if (items := self.count()) is not None:
            return items
        from nstar.report.prose.claim.sizes import sizes_sentence

        pair = self.both()
        read = None
        if all(value.percent or value.value <= 100 for value in pair):
            read = as_accuracies(*pair, 2)
        msg = (
            "Missing option '--items': two numbers alone support no test. Accuracies need the "
            "items; scores need what was printed after ±, with --pm (and --seeds if that is "
            "over runs), or ask for the standard error of the difference."
        )
        found = "" if read is None else sizes_sentence(read.shares, read.decimals)
        raise click.UsageError(f"{msg} {found}".strip().removesuffix("."))


@group
class ErrorOptions:
    """What was printed after ±."""

    pm: tuple[str, ...] | None = option(
        "--pm",
        under=Heading.INPUT,
        type=PRINTED_ERRORS,
        is_eager=True,
        help="What was printed after ±, one for both or one each: 0.5,0.4. Scores of any kind.",
    )
    pm_is: str | None = option(
        "--pm-is",
        under=Heading.INPUT,
        type=click.Choice(("sd", "se", "ci")),
        help="What ± is, if it was said: standard deviation, standard error, interval.",
    )
    seeds: tuple[int, ...] | None = option(
        "--seeds", under=Heading.INPUT, type=SEEDS, help="Runs that each value is a mean of."
    )

    def runs_each(self) -> int | tuple[int, int] | None:
        """One number for both, or one each."""
        if self.seeds is None or len(self.seeds) == 1:
            return None if self.seeds is None else self.seeds[0]
        if len(self.seeds) > 2:
            msg = f"--seeds: one number, or one for each value; got {len(self.seeds)}"
            raise click.UsageError(msg)
        return self.seeds[0], self.seeds[1]


@group
class WinsOptions:
    """A row of bold numbers."""

    best_on: tuple[int, int] | None = option(
        "--best-on",
        under=Heading.INPUT,
        type=WINS,
        help="Instead of two values: best on so many benchmarks of those shown, 7/9.",
    )
    ties: int = option(
        "--ties",
        under=Heading.INPUT,
        type=click.IntRange(min=0),
        default=0,
        help="Of these wins, those shared with another model.",
    )
    models: int = option(
        "--models",
        under=Heading.INPUT,
        type=click.IntRange(min=2),
        default=2,
        show_default=True,
        help="Models compared there.",
    )
    picked_from: int | None = option(
        "--picked-from",
        under=Heading.INPUT,
        type=click.IntRange(min=1),
        help="Benchmarks that were run, if those shown were picked from more.",
    )


@group
class CorrelationOptions:
    """How the models correlate over items."""

    rho: float | None = option(
        "--rho", under=Heading.INPUT, type=float, help="Item correlation of the models, if known."
    )
    benchmark: str | None = option(
        "--benchmark",
        under=Heading.INPUT,
        type=click.Choice(BENCHMARK_NAMES, case_sensitive=False),
        help="Take the rho that is typical of this benchmark.",
    )

    def typical(self) -> "TypicalRho":
        """What to expect of the two models."""
        from nstar._api.claim import typical_rho

        return typical_rho(self.rho, self.benchmark)


@group
class FigureOptions:
    """What else was printed."""

    p: str | None = option(
        "--p",
        under=Heading.INPUT,
        type=P_VALUE,
        help="p-value printed with the claim: 0.04, 0.040 or '<0.05'.",
    )
    ci: PrintedLimits | None = option(
        "--ci",
        under=Heading.INPUT,
        type=PRINTED_INTERVAL,
        help="Interval printed with the claim: -1.2pp,2.8pp.",
    )
    conf: float = option(
        "--conf",
        under=Heading.INPUT,
        type=ACCURACY,
        default="95%",
        show_default=True,
        help="Coverage of that interval.",
    )
    printed_n: float | None = option(
        "--printed-n",
        under=Heading.INPUT,
        type=ITEMS,
        help="Sample size that was said to be needed for this gap.",
    )

    def printed(self, read: Accuracies) -> "PrintedFigures":
        """Whatever was printed beside the accuracies."""
        from nstar._base.types import Interval
        from nstar._verbs.claim import PrintedFigures

        return PrintedFigures(
            p=self.p,
            ci=None if self.ci is None else Interval(*self.ci[:2]),
            conf=self.conf,
            n=self.printed_n,
            decimals=read.decimals,
            ci_decimals=None if self.ci is None else self.ci.decimals,
            bare=read.bare,
        )


@group
class ClaimOptions(
    PageOptions,
    ReportOptions,
    LevelOptions,
    FigureOptions,
    CorrelationOptions,
    WinsOptions,
    ErrorOptions,
    ValueOptions,
):
    """Every option of ``nstar claim``; which go together is for the form of the question."""
