"""``nstar claim``: two printed accuracies, or a table of them, nothing else."""

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from nstar.cli.kit.options import (
    ACCURACY,
    COUNTS,
    GAP,
    ITEMS,
    Accuracy,
    LevelOptions,
    ReportOptions,
    decimals_of,
    number_of,
)
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.plan.options import BENCHMARK_NAMES

if TYPE_CHECKING:
    from nstar._verbs.benchmarks import TypicalRho
    from nstar._verbs.claim import Printed

if TYPE_CHECKING:
    _Accuracy = click.ParamType["_AccuracyText"]
    _Limits = click.ParamType["_PrintedLimits"]
    _Errors = click.ParamType[tuple[str, ...]]
    _Pair = click.ParamType[tuple[int, int]]
    _Counted = click.ParamType[int | str]
else:  # not subscriptable at run time before click 8.4
    _Accuracy = _Limits = _Errors = _Pair = _Counted = click.ParamType


def is_table(text: str) -> bool:
    """Whether an argument names a file rather than a number."""
    return text.lower().endswith((".csv", ".tsv"))


class _AccuracyText(NamedTuple):
    """One accuracy as it was written."""

    text: str
    """Without blanks around it."""
    value: float
    """The number before a percent sign."""
    percent: bool
    """There is one."""
    file: bool = False
    """It is a file: a whole table."""


class _PrintedAccuracy(_Accuracy):
    """What :class:`Accuracy` takes, and bare numbers above 1, which the other one may explain."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> _AccuracyText:
        """The number with its text."""
        text = str(value).strip()
        if is_table(text):
            return _AccuracyText(text, 0.0, percent=False, file=True)
        percent = text.endswith("%")
        number = number_of(text.removesuffix("%").strip())
        beside = None if ctx is None else ctx.params.get("pm")
        if number is not None and isinstance(beside, tuple):
            return _AccuracyText(text, number, percent)  # any score, beside its error
        if number is None or percent or number <= 1:
            Accuracy().convert(value, param, ctx)  # refuses anything else
        return _AccuracyText(text, number or 0.0, percent)


class _CountOrFile(_Counted):
    """``1000``, or a file that says it of each benchmark."""

    name = "n|file"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """A whole number, or a path."""
        text = str(value).strip()
        return text if is_table(text) else ITEMS.convert(value, param, ctx)


class _PrintedLimits(NamedTuple):
    """An interval with its digits."""

    low: float
    """Lower limit, a proportion."""
    high: float
    """Upper limit."""
    decimals: tuple[int, int]
    """Digits after the point of each as a proportion."""


class _PrintedInterval(_Limits):
    """``LOW,HIGH``, brackets allowed."""

    name = "low,high"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> _PrintedLimits:
        """Two gaps in order."""
        parts = [part.strip() for part in str(value).strip(" []()").split(",")]
        limits = [GAP.convert(part, param, ctx) for part in parts]
        if len(limits) != 2 or limits[0] >= limits[1]:
            self.fail(f"{value!r} is not LOW,HIGH, such as -1.2pp,2.8pp", param, ctx)
        low, high = (decimals_of(part, "pp") for part in parts)
        return _PrintedLimits(limits[0], limits[1], (low, high))


class _PrintedErrors(_Errors):
    """``0.5`` or ``0.5,0.4``, as printed after ±."""

    name = "e[,e]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """One text for both, or one each; what they mean is for the library."""
        if isinstance(value, tuple):
            return value
        parts = tuple(part.strip() for part in str(value).split(","))
        if len(parts) > 2 or not all(any(c.isdigit() for c in part) for part in parts):
            self.fail(
                f"{str(value)[:60]!r} is not an error as printed; write 0.5 or 0.5,0.4", param, ctx
            )
        return parts


class _BestOn(_Pair):
    """``7/9``."""

    name = "k/n"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Wins and benchmarks."""
        if isinstance(value, tuple):
            return value
        wins, slash, of = str(value).strip().partition("/")
        short = wins.isascii() and wins.isdigit() and of.isascii() and of.isdigit()
        if not (slash and short and len(wins) <= 9 and len(of) <= 9):
            self.fail(f"{str(value)[:60]!r} is not wins/benchmarks; write 7/9", param, ctx)
        return int(wins), int(of)


_WINS = _BestOn()
_PRINTED_ERRORS = _PrintedErrors()
_PRINTED_ACCURACY = _PrintedAccuracy()
_PRINTED_INTERVAL = _PrintedInterval()
_ITEMS_OR_FILE = _CountOrFile()


class Accuracies(NamedTuple):
    """Two accuracies that were understood."""

    shares: tuple[float, float]
    """Proportions."""
    decimals: tuple[int, int]
    """Digits after the point of each."""
    bare: bool
    """Both were numbers above 1 without a percent sign."""


def _as_accuracies(first: _AccuracyText, second: _AccuracyText, items: int) -> Accuracies:
    """Two accuracies read side by side, because one may tell how the other is meant.

    Raises
    ------
    click.UsageError
        If they are not accuracies, or on two scales.
    """
    pair = first, second
    large = [n for n in pair if not n.percent and n.value > 100]
    if large:
        raise click.UsageError(_no_accuracy(large[0], items))
    above = [not n.percent and n.value > 1 for n in pair]
    shares = [not n.percent and n.value <= 1 for n in pair]
    if any(above) and any(shares):
        odd, other = pair if above[0] else pair[::-1]
        msg = (
            f"{odd.text} beside {other.text}: percent or a proportion? Write {odd.text}% or "
            f"{odd.value / 100:g}"
        )
        raise click.UsageError(msg)
    scale = [1.0 if share else 100.0 for share in shares]
    digits = [
        decimals_of(n.text, "%") + (2 if up else 0) for n, up in zip(pair, above, strict=True)
    ]
    return Accuracies(
        (first.value / scale[0], second.value / scale[1]), _digits(pair, digits), all(above)
    )


def _digits(pair: tuple[_AccuracyText, _AccuracyText], digits: list[int]) -> tuple[int, int]:
    """A bare 0 or 1 is as fine as the other number; beside another one, a whole percent."""
    whole = [not n.percent and n.text in ("0", "1") for n in pair]
    beside = max(*digits, 2 if all(whole) else 1)
    first, second = (beside if w else d for w, d in zip(whole, digits, strict=True))
    return first, second


def _no_accuracy(number: _AccuracyText, items: int) -> str:
    """What a number above 100 may be, and what to do with it."""
    msg = f"{number.text} is not an accuracy (71.4% or 0.714)."
    if number.value <= items and number.value == int(number.value):
        share = f"{100 * number.value / items:.2f}".rstrip("0").rstrip(".")
        msg += f" If it is a number of right answers, write {share}%."
    return (
        f"{msg} Other scores (Elo, BLEU, perplexity) say nothing without an error: give what was "
        "printed after ±, or half the interval, with --pm; or ask for the standard error of the "
        "difference, or for scores per item (nstar compare)"
    )


@group
class _Accuracies:
    first: _AccuracyText | None = argument(type=_PRINTED_ACCURACY, required=False)
    second: _AccuracyText | None = argument(type=_PRINTED_ACCURACY, required=False)
    items: int | str | None = option(
        "--items",
        under=Heading.INPUT,
        type=_ITEMS_OR_FILE,
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

    def both(self) -> tuple[_AccuracyText, _AccuracyText]:
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
        from nstar.report.words.claim.sizes import sizes_sentence

        pair = self.both()
        read = None
        if all(value.percent or value.value <= 100 for value in pair):
            read = _as_accuracies(*pair, 2)
        msg = (
            "Missing option '--items': two numbers alone support no test. Accuracies need the "
            "items; scores need what was printed after ±, with --pm (and --seeds if that is "
            "over runs), or ask for the standard error of the difference."
        )
        found = "" if read is None else sizes_sentence(read.shares, read.decimals)
        raise click.UsageError(f"{msg} {found}".strip().removesuffix("."))


@group
class _Scores:
    pm: tuple[str, ...] | None = option(
        "--pm",
        under=Heading.INPUT,
        type=_PRINTED_ERRORS,
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
        "--seeds", under=Heading.INPUT, type=COUNTS, help="Runs that each value is a mean of."
    )

    def each(self) -> int | tuple[int, int] | None:
        """One number for both, or one each."""
        if self.seeds is None or len(self.seeds) == 1:
            return None if self.seeds is None else self.seeds[0]
        if len(self.seeds) > 2:
            msg = f"--seeds: one number, or one for each value; got {len(self.seeds)}"
            raise click.UsageError(msg)
        return self.seeds[0], self.seeds[1]


@group
class _Wins:
    best_on: tuple[int, int] | None = option(
        "--best-on",
        under=Heading.INPUT,
        type=_WINS,
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
class _Correlation:
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
        from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL, TypicalRho

        if self.rho is not None and self.benchmark:
            msg = "--rho and --benchmark answer the same question; give one"
            raise click.UsageError(msg)
        if self.rho is None:
            return BENCHMARKS[self.benchmark] if self.benchmark else TYPICAL
        known = self.rho
        name = "this pair, as given"
        return TypicalRho(name=name, mean=known, low=known, high=known, source="as given")


@group
class _Figures:
    p: str | None = option(
        "--p", under=Heading.INPUT, help="p-value printed with the claim: 0.04, 0.040 or '<0.05'."
    )
    ci: _PrintedLimits | None = option(
        "--ci",
        under=Heading.INPUT,
        type=_PRINTED_INTERVAL,
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
        type=float,
        help="Sample size that was said to be needed for this gap.",
    )

    def beside(self, read: Accuracies) -> "Printed":
        from nstar._base.types import Interval
        from nstar._verbs.claim import Printed

        return Printed(
            p=self.p,
            ci=None if self.ci is None else Interval(*self.ci[:2]),
            conf=self.conf,
            n=self.printed_n,
            decimals=read.decimals,
            ci_decimals=None if self.ci is None else self.ci.decimals,
            bare=read.bare,
        )


@click.command(
    "claim",
    cls=Command,
    short_help="What do two printed accuracies support?",
    most_used=("items", "p", "pm", "seeds", "unpaired"),
)
@takes(
    accuracies=_Accuracies,
    scores=_Scores,
    wins=_Wins,
    rho=_Correlation,
    figures=_Figures,
    level=LevelOptions,
    output=ReportOptions,
)
def claim_command(
    accuracies: _Accuracies,
    scores: _Scores,
    wins: _Wins,
    rho: _Correlation,
    figures: _Figures,
    level: LevelOptions,
    output: ReportOptions,
) -> None:
    """Judge a printed gap: FIRST minus SECOND, accuracies (71.4%, 0.714) or scores with --pm.

    \b
    nstar claim 71.4% 70.6% --items 1000
    nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp
    nstar claim 71.4% 70.6% --items 1000 --p '<0.05'
    nstar claim 71.4% 70.6% --items 1000 --items-b 500
    nstar claim 71.4 70.6 --pm 0.5,0.4 --seeds 5
    nstar claim 1285 1272 --pm 5 --pm-is ci
    nstar claim --best-on 7/9 --models 5
    nstar claim table.csv --items items.csv
    """  # noqa: D301
    from nstar._verbs.claim import judged
    from nstar.stats import psi_from_rho

    if accuracies.first is not None and accuracies.first.file:
        return _claim_table(accuracies, level, output)
    if wins.best_on is not None:
        _refuse_beside_wins(output)
        return _claim_wins(accuracies, wins, level, output)
    if wins.ties or wins.models != 2 or wins.picked_from is not None:
        msg = "--ties, --models and --picked-from are about wins; give these with --best-on 7/9"
        raise click.UsageError(msg)
    pair = accuracies.both()
    if scores.pm is not None:
        return _claim_scores(accuracies, scores, rho, figures, level, output)
    _refuse_without_pm(scores)
    items = accuracies.needed()
    read = _as_accuracies(*pair, items)
    if accuracies.unpaired or accuracies.items_b is not None:
        return _claim_apart(accuracies, read, rho, figures, level, output)
    typical = rho.typical()
    with reported_errors():
        if rho.rho is not None:
            psi_from_rho(*read.shares, rho.rho)  # refuses what is impossible
        result = judged(
            *read.shares,
            items,
            typical=typical,
            printed=figures.beside(read),
            criteria=level.criteria(),
        )
        emit(result, output)
    return None


_WITH_TABLE = {"first", "items", "alpha"}
"""Options of a table; a format and a length go with everything."""
_WITH_WINS = {"first", "second", "best_on", "ties", "models", "picked_from"}
_WITH_WINS |= {"alpha", "power", "conf"}
"""Those of a count of wins; two values are refused where it is made."""


def _typed_beside(known: set[str], output: ReportOptions) -> list[str]:
    """What was typed that is neither known here nor about output, as it is spelled."""
    from click.core import ParameterSource

    context = click.get_current_context()
    return [
        "SECOND" if param.name == "second" else param.opts[0]
        for param in context.command.params
        if context.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        and param.name not in known
        and not hasattr(output, param.name or "")
    ]


def _claim_table(accuracies: _Accuracies, level: LevelOptions, output: ReportOptions) -> None:
    """A whole table, with the items of its columns."""
    from nstar._api.claim_table import claim_table

    for typed in _typed_beside(_WITH_TABLE, output):
        msg = f"{typed} does not go with a table; leave it out"
        raise click.UsageError(msg)
    if accuracies.items is None:
        msg = (
            "Missing option '--items': a table needs the items of its columns, a file of "
            "benchmark,items or one number for all"
        )
        raise click.UsageError(msg)
    with reported_errors():
        path = "" if accuracies.first is None else accuracies.first.text
        emit(claim_table(path, accuracies.items, alpha=level.alpha), output)


def _claim_wins(
    accuracies: _Accuracies, wins: _Wins, level: LevelOptions, output: ReportOptions
) -> None:
    """Best on so many of so many."""
    from nstar._api.claim_wins import claim_wins

    if accuracies.first is not None:
        msg = "--best-on stands instead of two values; leave them out"
        raise click.UsageError(msg)
    k, n = wins.best_on or (0, 0)
    with reported_errors():
        result = claim_wins(
            k,
            n,
            ties=wins.ties,
            models=wins.models,
            picked_from=wins.picked_from,
            alpha=level.alpha,
        )
        emit(result, output)


def _refuse_beside_wins(output: ReportOptions) -> None:
    """What a count of benchmarks has no use for is refused, not passed over."""
    beside = ", ".join(_typed_beside(_WITH_WINS, output))
    if beside:
        msg = f"--best-on counts benchmarks and has no use for {beside}; leave out what is named"
        raise click.UsageError(msg)


def _refuse_without_pm(scores: _Scores) -> None:
    for name, value in (("--seeds", scores.seeds), ("--pm-is", scores.pm_is)):
        if value is not None:
            msg = f"{name} is about what was printed after ±; give that with --pm"
            raise click.UsageError(msg)


def _claim_scores(
    accuracies: _Accuracies,
    scores: _Scores,
    rho: _Correlation,
    figures: _Figures,
    level: LevelOptions,
    output: ReportOptions,
) -> None:
    """Two values with an error each."""
    from nstar._api.claim_scores import claim_scores

    for name, value in (("p", figures.p), ("ci", figures.ci), ("printed-n", figures.printed_n)):
        if value is not None:
            msg = f"--{name} is checked against accuracies without ±; leave it out with --pm"
            raise click.UsageError(msg)
    errors = scores.pm or ()
    first, second = accuracies.both()
    with reported_errors():
        result = claim_scores(
            first.text,
            second.text,
            errors[0] if len(errors) == 1 else (errors[0], errors[1]),
            pm_is=scores.pm_is,  # type: ignore[arg-type]  # a Choice of these
            seeds=scores.each(),
            items=accuracies.count(),
            items_b=accuracies.items_b,
            unpaired=accuracies.unpaired,
            rho=rho.rho,
            benchmark=rho.benchmark,
            conf=figures.conf,
            alpha=level.alpha,
            one_sided=level.one_sided,
        )
        emit(result, output)


def _claim_apart(
    accuracies: _Accuracies,
    read: Accuracies,
    rho: _Correlation,
    figures: _Figures,
    level: LevelOptions,
    output: ReportOptions,
) -> None:
    """Two accuracies on different items."""
    from nstar._api.claim import refuse_paired
    from nstar._verbs.claim import Printed, judged_apart

    with reported_errors():
        refuse_paired(
            rho=rho.rho,
            benchmark=rho.benchmark,
            p=figures.p,
            ci=figures.ci,
            printed_n=figures.printed_n,
        )
        result = judged_apart(
            *read.shares,
            accuracies.needed(),
            accuracies.items_b,
            printed=Printed(decimals=read.decimals, bare=read.bare),
            criteria=level.criteria(),
        )
        emit(result, output)
